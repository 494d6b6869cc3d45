"""People, animals and vehicles: what they stand on, where their facts are, what a remake does."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scenes.geometry.mesh import F64, Mesh
from benchmarks.scenes.geometry.solids import limb, rot
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.things import outdoors, vehicles
from benchmarks.scenes.pairs.things.creatures import SIZES, animal
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.person_pose import POSES
from benchmarks.scenes.pairs.things.quick import ball, put, rod
from benchmarks.scenes.pairs.world import Thing

STANDING = sorted(set(POSES) - {"sit", "lie"})
VEHICLES = ("bicycle", "tricycle", "cart", "skateboard", "sledge", "light_plane")
FURNISHING = ("tree", "bush", "bench", "street_lamp", "fence", "hay", "cone", "litter_bin", "crate", "parasol",
              "bucket", "sand_castle", "trampoline", "plinth", "blanket", "basket", "rock", "cactus")  # fmt: skip


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def part(thing: Thing, key: str) -> Part:
    return next(p for p in thing.parts if p.key == key)


def remade(thing: Thing, **how: object) -> Thing:
    assert thing.remake is not None
    return thing.remake(**how)


def same(one: Thing, other: Thing) -> bool:
    a, b = one.verts(), other.verts()
    return a.shape == b.shape and bool(np.allclose(a, b))


def volume(mesh: Mesh) -> float:
    a, b, c = (mesh.verts[mesh.faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def near(point: F64, thing: Part, slack: float = 0.02) -> bool:
    v = thing.verts()
    return bool((point >= v.min(0) - slack).all() and (point <= v.max(0) + slack).all())


def test_a_rod_is_a_capsule_wound_outwards() -> None:
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.1, 0.9])
    mine, lofted = rod(a, b, 0.1, 0.06, n=24), limb(a, b, 0.1, 0.06, n=24)
    assert volume(mine) == pytest.approx(volume(lofted), rel=0.06)
    assert volume(ball((1, 2, 3), (0.3, 0.2, 0.1), n=20)) == pytest.approx(4.19 * 0.006, rel=0.08)
    out = mine.verts - (a + b) / 2
    assert ((mine.normals * out).sum(1) > -1e-9).all()


def test_put_turns_as_a_part_does() -> None:
    one = part(person(rng(), "p"), "head")
    turn = rot("z", 30.0) @ rot("x", 50.0)
    got = put([one], turn, 1.7, np.array([1.0, 2.0, 3.0]))[0]
    want = one.transformed(turn * 1.7, (1.0, 2.0, 3.0))
    assert np.allclose(got.verts(), want.verts())
    assert np.allclose(got.pieces[0].mesh.normals, want.pieces[0].mesh.normals)
    assert np.allclose(got.pivot, want.pivot)


@pytest.mark.parametrize("pose", STANDING)
def test_a_person_stands_on_the_spot(pose: str) -> None:
    for seed in range(3):
        one = person(rng(seed), "p", (1.0, -2.0, 0.4), 70.0, pose=pose, mirrored=bool(seed % 2))
        assert one.low[2] == pytest.approx(0.4, abs=0.016)
        lifted = remade(one, lift=0.3)
        assert lifted.low[2] == pytest.approx(0.7, abs=0.016)


def test_a_person_sits_on_the_seat_and_lies_on_the_ground() -> None:
    one = person(rng(1), "p", pose="sit", seat=0.45)
    assert part(one, "pelvis").verts()[:, 2].min() == pytest.approx(0.45, abs=0.03)
    assert one.low[2] == pytest.approx(0.0, abs=0.02)
    lying = person(rng(1), "p", (0, 0, 0.2), pose="lie")
    assert lying.low[2] == pytest.approx(0.2, abs=1e-6)
    assert lying.size[2] < 0.6
    assert near(lying.facts["head"], part(lying, "head"))


@pytest.mark.parametrize("pose", ["stand", "wave", "catch", "run", "sit"])
def test_facts_of_a_person_are_where_its_parts_are(pose: str) -> None:
    one = person(rng(3), "p", (3.0, 1.0, 0.0), 200.0, pose=pose)
    for side in ("left", "right"):
        for fact, key in (
            ("hand", "hand"),
            ("foot", "foot"),
            ("eye", "eye"),
            ("elbow", "forearm"),
            ("knee", "shin"),
        ):
            assert near(one.facts[f"{fact}.{side}"], part(one, f"{key}.{side}"), 0.03), fact
        for n in range(5):
            assert near(one.facts[f"finger.{side}.{n}"], part(one, f"hand.{side}"))
    assert near(one.facts["head"], part(one, "head"))
    assert 1.5 <= one.facts["height"] <= 1.9
    moved = one.moved((1.0, 1.0, 0.0))
    assert near(moved.facts["hand.left"], part(moved, "hand.left"), 0.03)
    assert np.allclose(remade(moved, pose=pose).verts(), moved.verts())


def gaze(thing: Thing, key: str = "eye.left") -> F64:
    """Direction [3] from an eye's white to its pupil."""
    white, _, pupil = part(thing, key).pieces
    way: F64 = pupil.mesh.verts.mean(0) - white.mesh.verts.mean(0)
    return way / np.linalg.norm(way)


@pytest.mark.parametrize("spot", [(3.0, 2.0, 1.5), (2.0, -1.5, 0.4), (4.0, 0.5, 3.0)])
def test_head_and_eyes_turn_to_what_is_looked_at(spot: tuple[float, float, float]) -> None:
    one = person(rng(5), "p", facing_deg=10.0, look_at=spot)
    way = np.asarray(spot) - one.facts["head"]
    assert gaze(one) @ way / np.linalg.norm(way) > 0.9
    nose = part(one, "nose").centre - one.facts["head"]
    assert nose[:2] @ way[:2] / np.linalg.norm(nose[:2]) / np.linalg.norm(way[:2]) > 0.9
    away = remade(one, look_at=None, head_turn_deg=180.0)
    assert gaze(away)[0] < -0.5
    aside = remade(one, eyes_apart_deg=30.0)
    assert gaze(aside) @ gaze(aside, "eye.right") < gaze(one) @ gaze(one, "eye.right") - 0.2


def test_a_hand_reaches_for_a_point() -> None:
    goal = np.array([0.35, 0.25, 1.3])
    one = person(rng(2), "p", reach_left=tuple(goal))
    assert np.linalg.norm(one.facts["hand.left"] - goal) < 0.06


@pytest.mark.parametrize(
    ("how", "more", "fewer"),
    [
        ({"arms": 3}, ["upper_arm.left.2"], []),
        ({"arms": 1}, [], ["upper_arm.right", "hand.right"]),
        ({"legs": 3}, ["thigh.left.2", "foot.left.2"], []),
        ({"legs": 1}, [], ["thigh.right", "foot.right"]),
        ({"heads": 2}, ["head.2"], []),
        ({"eyes": 3}, ["eye.third"], []),
        ({"eyes": 1}, ["eye.middle"], ["eye.left", "eye.right"]),
        ({"no_mouth": True}, [], ["mouth"]),
        ({"without": ("forearm.left",)}, [], ["forearm.left"]),
        ({"doubled": ("hand.left",)}, ["hand.left+"], []),
    ],
)
def test_a_remade_person_has_other_parts(
    how: dict[str, object], more: list[str], fewer: list[str]
) -> None:
    one = person(rng(7), "p", pose="wave")
    before = {p.key for p in one.parts}
    after = {p.key for p in remade(one, **how).parts}
    assert after - before == set(more) | {k for k in after - before if k.endswith((".2", "+"))}
    assert set(more) <= after
    assert set(fewer) <= before - after


def test_a_remade_person_has_other_shapes() -> None:
    one = person(rng(8), "p", pose="wave", facing_deg=20.0)
    for count in (0, 3, 6, 8):
        hand = remade(one, fingers_right=count)
        assert sum(k.startswith("finger.right.") for k in hand.facts if k in hand.facts) >= 0
        assert len(part(hand, "hand.right").pieces) != len(part(one, "hand.right").pieces)
        assert np.allclose(part(hand, "hand.left").verts(), part(one, "hand.left").verts())
    swapped = remade(one, swap=("hand.left", "foot.left"))
    assert np.linalg.norm(part(swapped, "hand.left").centre - one.facts["ankle.left"]) < 0.15
    assert np.linalg.norm(part(swapped, "foot.left").centre - one.facts["wrist.left"]) < 0.15
    ahead = one.facts["ahead"] - one.facts["chest"]
    bent = remade(one, pose="walk", knee_back="both")
    natural = remade(one, pose="walk")
    for side in ("left", "right"):
        at = [(t.facts[f"knee.{side}"] - t.facts[f"hip.{side}"]) @ ahead for t in (bent, natural)]
        assert at[0] < at[1] - 0.05
    brick = remade(one, skin_texture="brick")
    assert {q.paint.texture for p in brick.parts for q in p.pieces} == {None, "brick"}
    assert part(brick, "hand.left").pieces[0].uv.std(0).min() > 0.005
    stone = remade(one, all_rgb=(0.5, 0.5, 0.5))
    assert part(stone, "torso").pieces[0].paint.rgb == (0.5, 0.5, 0.5)
    with pytest.raises(TypeError):
        remade(one, fingers=6)
    # Colours can be drawn and changed; a change of one keyword keeps the earlier ones.
    assert {p.key for p in remade(remade(one, arms=3), legs=3).parts} >= {
        "upper_arm.left.2",
        "foot.left.2",
    }


@pytest.mark.parametrize("kind", sorted(SIZES))
def test_animals_stand_lie_and_are_remade(kind: str) -> None:
    one = animal(rng(4), "a", kind, (1.0, 2.0, 0.3), 40.0)
    assert one.low[2] == pytest.approx(0.3, abs=0.015)
    assert same(one, remade(one))
    assert all(name.startswith("a.") for name in one.facts["textures"])
    assert near(one.facts["head"], part(one, "head"))
    feet = [p for name, p in one.facts.items() if name.startswith("foot.")]
    assert len(feet) == one.facts["legs"]
    assert all(p[2] < 0.3 + 0.1 * one.facts["height"] for p in feet)
    lying = remade(one, lies=True)
    assert lying.low[2] == pytest.approx(0.3, abs=0.02)
    assert lying.size[2] < one.size[2]
    legs = [p for p in one.parts if p.key.startswith("leg")]
    for count in (0, len(legs) - 1, len(legs) + 1, len(legs) + 2):
        now = [p for p in remade(one, legs=count).parts if p.key.startswith("leg")]
        assert len(now) == count
    assert len([p for p in remade(one, heads=2).parts if p.key.startswith("head")]) == 2
    assert not [p for p in remade(one, tail="none").parts if p.key == "tail"]
    assert [p for p in remade(one, wings="aircraft").parts if p.key == "wing.left"]
    for how in (
        {"head_of": "duck"},
        {"head_of": "cow"},
        {"ears_of": "elephant"},
        {"legs_of": "chicken"},
        {"tail": "head"},
        {"eyes": 3},
    ):
        assert not same(one, remade(one, **how)), how


def test_an_animal_looks_at_a_point_and_swims() -> None:
    dog = animal(rng(1), "a", "dog", (0, 0, 0), 90.0, look_at=(1.0, 3.0, 0.5))
    nose = dog.facts["nose"] - dog.facts["neck"]
    still = animal(rng(1), "a", "dog", (0, 0, 0), 90.0)
    assert nose[0] > (still.facts["nose"] - still.facts["neck"])[0] + 0.05
    duck = animal(rng(1), "a", "duck", (0, 0, 1.0), floats=0.35)
    assert duck.low[2] < 1.0 < duck.high[2]
    assert "floats" in duck.tags
    assert "stands" not in duck.tags
    with pytest.raises(ValueError, match="expected one of"):
        animal(rng(1), "a", "unicorn")


@pytest.mark.parametrize("kind", [*vehicles.CARS, *VEHICLES])
def test_vehicles_stand_on_their_wheels(kind: str) -> None:
    at = (2.0, 1.0, 0.1)
    if kind in vehicles.CARS:
        one = vehicles.car(rng(3), "v", kind, at, 130.0)
    else:
        one = getattr(vehicles, kind)(rng(3), "v", at, 130.0)
    assert one.low[2] == pytest.approx(0.1, abs=0.015)
    assert same(one, remade(one))
    wheels = [p for p in one.parts if p.key.startswith("wheel")]
    assert bool(wheels) == ("wheeled" in one.tags)
    for wheel in wheels:
        assert near(one.facts[wheel.key], wheel)
        assert one.facts["ground" + wheel.key[5:]][2] == pytest.approx(0.1, abs=0.015)
        name = wheel.key[6:]
        assert not [p for p in remade(one, wheel_missing=name).parts if p.key == wheel.key]
        for how in ({"wheel_off": name}, {"wheel_on_roof": name}, {"wheel_inside": name}):
            now = part(remade(one, **how), wheel.key)
            assert np.linalg.norm(now.centre - wheel.centre) > 0.3 * one.facts["wheel_radius"], how
    if wheels:
        more = [
            p for p in remade(one, wheel_count=len(wheels) + 2).parts if p.key.startswith("wheel")
        ]
        assert len(more) == len(wheels) + 2
        assert not [p for p in remade(one, legs_of="dog").parts if p.key.startswith("wheel")]


def test_boats_lie_at_their_waterline() -> None:
    for seed in range(6):
        one = vehicles.boat(rng(seed), "b", (0, 0, -0.12))
        hull = part(one, "hull").verts()[:, 2]
        assert -0.12 - one.facts["draught"] - 0.01 < hull.min() < -0.2
        assert hull.max() > 0.0
        assert "floats" in one.tags


def test_edits_move_copy_and_cover_parts() -> None:
    car = vehicles.car(rng(2), "c", "suv", facing_deg=90.0)
    door = part(car, "door.left.front")
    moved = remade(car, moved={"door.left.front": (0.5, 0.0, 0.0)})
    assert part(moved, "door.left.front").centre - door.centre == pytest.approx(
        [0.0, 0.5, 0.0], abs=1e-6
    )
    assert "roof+" in {p.key for p in remade(car, copied={"roof": (0, 0, 0.4)}).parts}
    assert not [p for p in remade(car, without=("door",)).parts if p.key.startswith("door")]
    one = remade(car, swap=("door.left.front", "bonnet"))
    assert np.allclose(part(one, "bonnet").centre, door.centre, atol=1e-6)
    wood = remade(car, materials={"bonnet": "wood"})
    assert part(wood, "bonnet").pieces[0].paint.texture == "wood"
    assert part(wood, "roof").pieces[0].paint.texture is None
    big = remade(car, scale=0.1)
    assert big.size == pytest.approx(car.size * 0.1, rel=1e-6)
    assert big.low[2] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("kind", FURNISHING)
def test_furnishings_stand(kind: str) -> None:
    for seed in range(3):
        one = getattr(outdoors, kind)(rng(seed), "x", (1.0, 1.0, 0.5), 33.0)
        assert one.low[2] == pytest.approx(0.5, abs=0.02) or kind in (
            "bush",
            "rock",
            "cactus",
            "tree",
        )
        assert one.low[2] < 0.52
        assert same(one, remade(one))


def test_lamps_trampolines_and_splashes() -> None:
    lamp = outdoors.street_lamp(rng(1), "l", lit=True)
    assert part(lamp, "bulb").pieces[0].paint.emission > 0.5
    assert near(lamp.facts["bulb"], part(lamp, "bulb"))
    assert part(remade(lamp, lit=False), "bulb").pieces[0].paint.emission == 0
    assert "post" not in {p.key for p in remade(lamp, post=False).parts}
    flat, hollow = outdoors.trampoline(rng(1), "t"), outdoors.trampoline(rng(1), "t", dent=0.2)
    assert part(hollow, "mat").verts()[:, 2].min() == pytest.approx(
        part(flat, "mat").verts()[:, 2].min() - 0.2, abs=0.02
    )
    assert outdoors.splash(rng(1), "s", size=0.5).size[2] > 0.4
