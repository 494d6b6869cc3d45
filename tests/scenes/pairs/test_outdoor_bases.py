"""Outdoor bases: what each of their worlds must hold, and that it is seen."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from benchmarks.scenes.pairs.draw import draw
from benchmarks.scenes.pairs.registry import BASES
from benchmarks.scenes.pairs.things.framing import apart
from benchmarks.scenes.pairs.world import Thing, World
from benchmarks.scenes.render import Stage

MODULES = (
    "airfield",
    "beach",
    "desert",
    "farm",
    "greeting",
    "harbour",
    "park",
    "picnic",
    "play",
    "pond",
    "repair_yard",
    "snow",
    "street",
)
NAMES = ("airfield", "ball_court", "beach", "desert", "farmyard", "greeting", "harbour_market", "park", "picnic",
         "playground", "pond", "repair_yard", "road_at_dusk", "snow_field", "street")  # fmt: skip
SEEDS = 12

for _module in MODULES:
    importlib.import_module(f"benchmarks.scenes.pairs.bases.{_module}")


@pytest.fixture(scope="module", params=NAMES)
def worlds(request: pytest.FixtureRequest) -> list[World]:
    make = BASES[request.param].make
    return [make(np.random.default_rng([seed, 3])) for seed in range(SEEDS)]


def support(world: World, thing: Thing) -> float:
    """Height of what is below a thing."""
    if thing.rests_on is None:
        return world.ground
    return float(world.thing(thing.rests_on).high[2])


def test_four_of_them_are_held_out() -> None:
    assert {n for n in NAMES if BASES[n].held_out} == {
        "beach",
        "harbour_market",
        "picnic",
        "repair_yard",
    }
    assert all(BASES[n].says for n in NAMES)


def test_a_world_is_whole(worlds: list[World]) -> None:
    for world in worlds:
        keys = [one.key for one in world.things]
        assert len(keys) == len(set(keys)), keys
        subjects = [one for one in world.things if one.subject]
        assert 1 <= len(subjects) <= 2
        asides = [one for one in world.things if not one.subject and not one.facts.get("detail")]
        assert len(asides) >= 2, keys
        assert len(world.textures) <= 6
        used = {q.paint.texture for one in world.things for p in one.parts for q in p.pieces}
        used |= {q.paint.texture for p in world.stage for q in p.pieces}
        assert used - {None} <= set(world.textures)
        geoms = sum(
            len({id(q.paint) for q in p.pieces})
            for parts in (world.stage, *(one.parts for one in world.things))
            for p in parts
        )
        assert geoms <= 280
        assert all(one.rests_on in keys for one in world.things if one.rests_on)
        assert all(one.facts.get("of", one.key) in keys for one in world.things)


def test_nothing_floats_or_sinks(worlds: list[World]) -> None:
    for world in worlds:
        for one in world.things:
            where = (world.base, one.key)
            if "floats" in one.tags and world.water and not one.facts.get("detail"):
                assert one.low[2] < world.water.level < one.high[2], where
            elif one.facts.get("in_water"):
                assert world.water is not None
                assert one.facts["foot.left"][2] < world.water.level < one.facts["pelvis"][2], where
            elif (
                "stands" in one.tags
                and "flies" not in one.facts
                and one.facts.get("pose") != "jump"
            ):
                if one.facts.get("pose") == "sit" or one.kind == "reeds":
                    continue
                below = support(world, one)
                soft = 0.35 if one.rests_on == "trampoline" else 0.0
                assert one.low[2] <= below + 0.02, where
                assert one.low[2] >= below - 0.12 - soft, where


def test_people_who_sit_touch_the_seat(worlds: list[World]) -> None:
    for world in worlds:
        for one in world.tagged("person"):
            if one.facts["pose"] != "sit" or one.rests_on is None:
                continue
            seat = world.thing(one.rests_on)
            v = np.concatenate(
                [p.verts() for p in one.parts if p.key.startswith(("pelvis", "thigh"))]
            )
            assert v[:, 2].min() < float(seat.high[2]) + 0.02
            assert v[:, 2].min() > float(seat.low[2])
            assert (v.mean(0)[:2] > seat.low[:2] - 0.3).all()
            assert (v.mean(0)[:2] < seat.high[:2] + 0.3).all()


def test_nothing_runs_into_anything(worlds: list[World]) -> None:
    for world in worlds:
        assert [t.key for t in apart(world.things)] == [t.key for t in world.things]


def test_facts_are_where_the_parts_are(worlds: list[World]) -> None:
    for world in worlds[:4]:
        for one in world.things:
            for name, value in one.facts.items():
                if not isinstance(value, np.ndarray) or name in ("ahead", "looks_at", "from", "to"):
                    continue
                assert value.shape == (3,)
                slack = 0.35 if "wheel" in name or "ground" in name else 0.15
                assert (value > one.low - slack).all(), (world.base, one.key, name)
                assert (value < one.high + slack).all(), (world.base, one.key, name)


def test_a_remake_without_keywords_changes_nothing(worlds: list[World]) -> None:
    for world in worlds[:3]:
        for one in world.things:
            if one.remake is not None:
                again = one.remake()
                assert np.allclose(again.verts(), one.verts()), (world.base, one.key)
                assert (again.key, again.kind, again.subject) == (one.key, one.kind, one.subject)


def test_the_same_seed_draws_the_same_world(worlds: list[World]) -> None:
    again = BASES[worlds[0].base].make(np.random.default_rng([0, 3]))
    assert [one.key for one in again.things] == [one.key for one in worlds[0].things]
    assert np.allclose(again.things[0].verts(), worlds[0].things[0].verts())
    assert np.allclose(again.camera.pos, worlds[0].camera.pos)


def test_layouts_differ(worlds: list[World]) -> None:
    kinds = {tuple(sorted(one.kind for one in world.things)) for world in worlds}
    assert len(kinds) > SEEDS // 2
    main = np.array(
        [
            world.camera.project(next(t for t in world.things if t.subject).centre, 1, 1)
            for world in worlds
        ]
    )
    assert main[:, 0].std() > 0.05


def test_ball_players_look_at_the_ball(worlds: list[World]) -> None:
    for world in worlds:
        for one in world.tagged("person"):
            if "ball" in one.facts:
                ball = world.thing(one.facts["ball"])
                assert np.linalg.norm(one.facts["looks_at"] - ball.facts["centre"]) < 0.05


def test_subject_and_asides_are_plain_to_see(worlds: list[World], stage: Stage) -> None:
    plain = []
    for world in worlds[:4]:
        canvas = draw(stage, world)
        share = {one.key: float(canvas.mask(one.key).mean()) for one in world.things}
        main = [share[one.key] for one in world.things if one.subject]
        assert max(main) > 0.009, (world.base, share)
        plain.append(sum(share[t.key] > 0.012 for t in world.things if not t.subject))
    assert np.mean(plain) >= 1.5, plain
