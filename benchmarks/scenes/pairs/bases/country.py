"""Snow, a farmyard, an airfield, a desert."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import hue
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import blocks, outdoors, vehicles
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.open_air import (
    Layout,
    clear,
    distance,
    open_ground,
    shown,
    spots,
    strip,
)
from benchmarks.scenes.pairs.things.person import person
from benchmarks.scenes.pairs.things.quick import ball, rod
from benchmarks.scenes.pairs.things.scenery import (
    IDLE,
    bystander,
    flying_bird,
    leash,
    relabelled,
    sign,
    some_car,
)
from benchmarks.scenes.pairs.world import Thing, World, tags

from .green import Taken

_SUNK: float = 0.018
"""How deep feet are in snow and sand."""


def _tracks(
    rng: Generator, key: str, of: str, at: np.ndarray, deg: float, rgb: tuple[float, float, float]
) -> Thing:
    """The two lines that a sledge or a car has drawn behind it."""
    dark = Paint(rgb, specular=0.0)
    m = rot("z", deg)
    pieces = []
    for s in (1, -1):
        a = at + m @ np.array([0.0, s * 0.2, 0.0])
        b = at + m @ np.array([-3.2, s * 0.2, 0.0])
        side = m[:, 1] * 0.035
        up = np.array([0.0, 0.0, 0.004])
        pieces.append(
            Piece.make(
                prism(
                    [a - side, b - side, b + side, a + side],
                    [a - side + up, b - side + up, b + side + up, a + side + up],
                ),
                dark,
            )
        )
    return Thing(
        key,
        "tracks",
        (Part("tracks", None, tuple(pieces)),),
        tags=tags("soft"),
        facts={"of": of, "detail": True},
        casts=False,
    )


def _walking(
    rng: Generator,
    key: str,
    at: tuple[float, float],
    deg: float,
    rgb: tuple[float, float, float],
    *,
    subject: bool,
    **how: Any,
) -> list[Thing]:
    """Somebody on soft ground with footprints behind."""
    one = person(
        rng,
        key,
        (*at, -_SUNK),
        deg,
        subject=subject,
        pose="walk",
        more_facts={"prints": f"prints.{key}"},
        **how,
    )
    ahead = rot("z", deg)[:2, 0]
    back = min(
        (one.facts["foot.left"], one.facts["foot.right"]), key=lambda p: float((p[:2] - at) @ ahead)
    )
    spot = (float(back[0] - ahead[0] * 0.25), float(back[1] - ahead[1] * 0.25), 0.001)
    prints = outdoors.footprints(
        rng,
        f"prints.{key}",
        spot,
        deg,
        rgb=rgb,
        steps=int(rng.integers(6, 10)),
        more_facts={"of": key, "detail": True},
        casts=False,
    )
    return [one, prints]


def _snowy(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.6, 0.86), skies=("clear", "pale", "grey", "grey"))
    part, texture = open_ground(rng, "snow")
    layout.stage.append(part)
    layout.textures["ground"] = texture
    blue = (0.62, 0.67, 0.78)
    deg = float(rng.choice([0.0, 180.0])) + float(rng.uniform(-35, 35))
    m = rot("z", deg)
    things: list[Thing] = []
    kind = str(rng.choice(["puller", "puller", "walker", "snowman"]))
    taken: Taken = [(0.0, 0.0, 0.8)]
    if kind == "puller":
        behind = m @ np.array([-1.55, 0.0, 0.0])
        sledge_at = (float(behind[0]), float(behind[1]), -0.012)
        hand = m @ np.array([-0.38, -0.24, 0.72])
        main = _walking(
            rng,
            "person",
            (0.0, 0.0),
            deg,
            blue,
            subject=True,
            reach_right=tuple(float(v) for v in hand),
            curl=70.0,
        )
        sledge = vehicles.sledge(
            rng, "sledge", sledge_at, deg, more_facts={"tracks": "tracks.sledge"}
        )
        rope = leash(
            rng, "rope", main[0].facts["hand.right"], behind + m @ np.array([0.55, 0.0, 0.2])
        )
        things += [
            *main,
            sledge,
            rope,
            _tracks(rng, "tracks.sledge", "sledge", behind - m @ np.array([0.45, 0, 0]), deg, blue),
        ]
        taken.append((sledge_at[0], sledge_at[1], 0.8))
    elif kind == "walker":
        things += _walking(rng, "person", (0.0, 0.0), deg, blue, subject=True)
    else:
        things.append(
            blocks.snowman(
                rng,
                "snowman",
                at=(0, 0, -0.03),
                turn=-90 + float(rng.uniform(-40, 40)),
                scale=float(rng.uniform(4.4, 5.6)),
                subject=True,
            )
        )
        side = float(rng.choice([-1, 1]))
        at = (side * float(rng.uniform(0.95, 1.2)), float(rng.uniform(-0.3, 0.3)))
        turn = float(np.degrees(np.arctan2(-at[1], -at[0])))
        things.append(
            bystander(
                rng,
                "person",
                (*at, -_SUNK),
                turn,
                ("reach", "hips", "stand", "wave"),
                look_at=(0.0, 0.0, 1.1),
            )
        )
        taken.append((*at, 0.6))
    kinds = [
        "tree",
        "tree",
        "dog",
        "person",
        "walker",
        "snowman",
        "sledge",
        "rock",
        "bench",
        "street_lamp",
        "bird",
        "fence",
        "horse",
        "sign",
    ]
    for name in rng.permutation(kinds)[: int(rng.integers(5, 8))]:
        key = str(name)
        if any(one.key in (key, f"{key}.2") for one in things):
            continue
        x, y = clear(
            rng, taken, (-2.7, 0.2), (2.7, 3.4), 1.2 if name in ("horse", "fence") else 0.7
        )
        turn = float(rng.uniform(-150, -30))
        y += 1.4 if name in ("horse", "fence") else 0.0
        if name == "tree":
            things.append(
                outdoors.tree(rng, key, (x, y, 0), turn, style=str(rng.choice(["conifer", "bare"])))
            )
        elif name == "person":
            things.append(bystander(rng, "person.2", (x, y, -_SUNK), turn))
        elif name == "walker":
            things += _walking(rng, "walker", (x, y), turn, blue, subject=False)
        elif name == "snowman":
            things.append(blocks.snowman(rng, "snowman.2", at=(x, y, -0.03), turn=turn, scale=4.5))
        elif name == "sledge":
            things.append(vehicles.sledge(rng, "sledge.2", (x, y, -0.012), turn))
        elif name == "sign":
            things.append(sign(rng, key, (x, y, 0), turn))
        elif name == "bird":
            things.append(flying_bird(rng, key, (x, y, float(rng.uniform(1.4, 2.4))), turn))
        elif name in ("dog", "horse"):
            things.append(
                animal(
                    rng,
                    key,
                    key,
                    (x, y, -0.012),
                    float(rng.uniform(0, 360)),
                    textured=False,
                    size=1.1 if name == "dog" else 0.9,
                )
            )
        else:
            things.append(getattr(outdoors, key)(rng, key, (x, y, 0), turn))
    layout.things = things
    layout.stage += [
        *distance(rng, ("tree", "house"), int(rng.integers(2, 6))),
        *distance(rng, ("mountain",), int(rng.integers(0, 4))),
    ]
    layout.free = spots(rng, things, (-2.2, -1.2), (2.2, 2.0), 0.0, 7)
    return layout


@base(
    "snow_field",
    "Snow: somebody pulls a sledge or walks, footprints behind; a snowman, conifers, a dog, mountains.",
)
def snow_field(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "snow_field", "snow", _snowy)


def _barn(rng: Generator, y: float) -> Part:
    """A barn behind the yard; it casts no shadow."""
    wall = Paint(
        (float(rng.uniform(0.45, 0.7)), 0.2, 0.15)
        if rng.random() < 0.6
        else hue(rng, (0.1, 0.4), (0.4, 0.8)),
        specular=0.0,
    )
    roof, dark = Paint((0.3, 0.27, 0.26), specular=0.0), Paint((0.16, 0.13, 0.11), specular=0.0)
    w, d, h, x = (
        float(rng.uniform(5, 8)),
        4.0,
        float(rng.uniform(2.6, 3.4)),
        float(rng.uniform(-4, 4)),
    )
    made = [
        Piece.make(box((x, y + d / 2, h / 2), (w, d, h)), wall),
        Piece.make(box((x, y, 1.05), (1.9, 0.06, 2.1)), dark),
    ]
    made.append(Piece.make(prism([(x - w / 2 - 0.3, y - 0.4, h), (x - w / 2 - 0.3, y + d + 0.4, h), (x - w / 2 - 0.3, y + d / 2, h + 1.7)],
                                 [(x + w / 2 + 0.3, y - 0.4, h), (x + w / 2 + 0.3, y + d + 0.4, h), (x + w / 2 + 0.3, y + d / 2, h + 1.7)]), roof))  # fmt: skip
    white = Paint((0.9, 0.88, 0.84), specular=0.0)
    made += [
        Piece.make(box((x + s * 0.95, y - 0.03, 1.05), (0.1, 0.06, 2.1)), white) for s in (1, -1)
    ]
    made.append(Piece.make(box((x, y - 0.03, 2.1), (2.0, 0.06, 0.1)), white))
    return Part("backdrop.barn", None, tuple(made))


def _farm(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.84))
    part, texture = open_ground(rng, str(rng.choice(["meadow", "grass", "mud", "gravel"])))
    layout.stage += [part, _barn(rng, float(rng.uniform(7, 10)))]
    layout.textures["ground"] = texture
    kind = str(
        rng.choice(
            ["cow", "horse", "sheep", "pig", "goat", "chicken", "duck", "person"],
            p=[0.18, 0.18, 0.14, 0.14, 0.12, 0.09, 0.05, 0.1],
        )
    )
    side = float(rng.choice([0.0, 180.0])) + float(rng.uniform(-50, 50))
    things: list[Thing] = []
    big = kind in ("cow", "horse")
    taken: Taken = [(0.0, 0.0, 1.25 if big else 0.7)]
    if kind == "person":
        things.append(
            bystander(
                rng, "person", (0, 0, 0), side, ("walk", "stand", "hips", "hold"), subject=True
            )
        )
    else:
        lies = bool(kind != "horse" and rng.random() < 0.2)
        things.append(
            animal(
                rng,
                kind,
                kind,
                (0, 0, 0),
                side,
                subject=True,
                lies=lies,
                size=1.6 if kind in ("chicken", "duck") else 1.0,
            )
        )
        if kind in ("chicken", "duck"):
            layout.fill = (0.45, 0.62)
    kinds = [
        "cow",
        "horse",
        "sheep",
        "pig",
        "goat",
        "chicken",
        "person",
        "hay",
        "cart",
        "fence",
        "tree",
        "dog",
        "bucket",
        "crate",
        "bird",
    ]
    room = 0.55 if kind in ("chicken", "duck") else 1.0
    for name in rng.permutation(kinds)[: int(rng.integers(5, 8))]:
        key = str(name)
        large = name in ("cow", "horse", "cart", "fence")
        if key == kind or (room < 1 and name in ("fence", "cart")):
            continue
        x, y = clear(
            rng, taken, (-2.9 * room, -0.7), (2.9 * room, 3.4 * room), 1.25 if large else 0.6
        )
        turn = float(rng.uniform(0, 360))
        if name == "person":
            look = (0.0, 0.0, 0.6)
            turn = float(np.degrees(np.arctan2(-y, -x)))
            things.append(bystander(rng, "farmer", (x, y, 0), turn, IDLE, look_at=look))
        elif name == "bird":
            things.append(flying_bird(rng, key, (x, y, float(rng.uniform(1.6, 2.4))), turn))
        elif name == "cart":
            things.append(
                vehicles.cart(
                    rng, key, (x, y, 0), float(rng.choice([0, 180])) + float(rng.uniform(-40, 40))
                )
            )
        elif hasattr(outdoors, key):
            things.append(
                getattr(outdoors, key)(
                    rng,
                    key,
                    (x, y, 0),
                    90.0 + float(rng.uniform(-30, 30)) if name == "fence" else turn,
                )
            )
        else:
            lies = bool(name not in ("horse", "chicken") and rng.random() < 0.3)
            things.append(
                animal(
                    rng,
                    key,
                    key,
                    (x, y, 0),
                    turn,
                    textured=False,
                    lies=lies,
                    size=1.4 if name == "chicken" else 1.0,
                )
            )
    layout.things = things
    layout.stage += distance(rng, ("tree",), int(rng.integers(2, 6)))
    layout.free = spots(rng, things, (-2.2 * room, -1.1), (2.2 * room, 2.0), 0.0, 7)
    return layout


@base(
    "farmyard",
    "A farmyard: cows, horses, sheep, pigs, goats, poultry standing or lying; farmer, cart, hay, fence, barn.",
)
def farmyard(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "farmyard", "nature", _farm)


def _windsock(rng: Generator, at: tuple[float, float, float]) -> Thing:
    """A windsock on its mast."""
    red, white, metal = (
        Paint((0.9, 0.3, 0.1), specular=0),
        Paint((0.95, 0.95, 0.94), specular=0),
        Paint((0.7, 0.7, 0.7)),
    )
    h = float(rng.uniform(2.4, 3.2))
    way = rot("z", float(rng.uniform(0, 360)))[:, 0]
    made = [Piece.make(rod((0, 0, 0), (0, 0, h), 0.04, 0.03), metal)]
    for k in range(5):
        a = np.array([0, 0, h - 0.02]) + way * 0.28 * k - np.array([0, 0, 0.035 * k * k * 0.4])
        b = (
            np.array([0, 0, h - 0.02])
            + way * 0.28 * (k + 1)
            - np.array([0, 0, 0.035 * (k + 1) ** 2 * 0.4])
        )
        made.append(
            Piece.make(
                rod(a, b, 0.16 - 0.018 * k, 0.142 - 0.018 * k, n=10), white if k % 2 else red
            )
        )
    part_ = Part("sock", None, tuple(made)).transformed(np.eye(3), at)
    return Thing("windsock", "windsock", (part_,), tags=tags("stands"))


def _airfield(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.8), turn=(-32, 32), rise=(4.0, 18.0), fov=(34.0, 60.0))
    part, texture = open_ground(rng, str(rng.choice(["grass", "meadow", "asphalt", "concrete"])))
    layout.stage.append(part)
    layout.textures["ground"] = texture
    if rng.random() < 0.6:
        y = float(rng.uniform(9, 13))
        layout.stage.append(
            strip("runway", (-50, y), (50, y + 6), 0.004, Paint((0.3, 0.3, 0.31), specular=0))
        )
        layout.stage += [
            strip(
                f"mark.{k}",
                (x, y + 2.9),
                (x + 2.5, y + 3.2),
                0.008,
                Paint((0.92, 0.92, 0.9), specular=0),
            )
            for k, x in enumerate(range(-30, 30, 5))
        ]
    things: list[Thing] = []
    flies = rng.random() < 0.2
    deg = float(rng.choice([-40.0, -140.0, 180.0, 0.0, -90.0])) + float(rng.uniform(-25, 25))
    up = float(rng.uniform(2.4, 4.0)) if flies else 0.0
    plane = vehicles.light_plane(rng, "aeroplane", (0, 1.5, up), deg, subject=True)
    if flies:
        names = tags("vehicle", "rigid", "aircraft", "large", "moves")
        plane = relabelled(plane, plane.kind, names, flies=True)
    things.append(plane)
    if rng.random() < 0.45:
        far = str(rng.choice(list(vehicles.AIRLINERS)))
        at = (float(rng.uniform(-14, 14)), float(rng.uniform(38, 46)), 0)
        things.append(
            vehicles.airliner(
                rng, "airliner", far, at, float(rng.uniform(0, 360)), textured=False, casts=False
            )
        )
    taken: Taken = [(0.0, 1.5, 2.2)]
    kinds = [
        "person",
        "person.2",
        "cone",
        "cone.2",
        "car",
        "dog",
        "windsock",
        "crate",
        "sign",
        "fence",
        "bicycle",
        "cart",
    ]
    for name in rng.permutation(kinds)[: int(rng.integers(5, 8))]:
        key = str(name)
        if any(one.key == key for one in things):
            continue
        near = name in ("cone", "person.2", "person.3", "dog", "crate", "person", "bicycle")
        x, y = clear(
            rng, taken, (-2.7, -4.8), (2.7, -2.0 if near else 2.0), 1.6 if name == "car" else 0.6
        )
        turn = float(rng.uniform(-160, -20))
        if name.startswith("person"):
            look = (0.0, 1.5, 3.0 if flies else 1.2)
            face = float(np.degrees(np.arctan2(1.5 - y, -x))) + float(rng.uniform(-70, 70))
            things.append(
                bystander(
                    rng, key, (x, y, 0), face, IDLE, look_at=look if rng.random() < 0.7 else None
                )
            )
        elif name.startswith("cone"):
            things.append(outdoors.cone(rng, key, (x, y, 0), turn))
        elif name == "car":
            things.append(some_car(rng, key, (4.6 * (1 if x > 0 else -1), y + 1.5, 0), turn))
        elif name == "windsock":
            things.append(_windsock(rng, (x, y, 0)))
        elif name == "sign":
            things.append(sign(rng, key, (x, y, 0), turn))
        elif name == "dog":
            things.append(animal(rng, key, key, (x, y, 0), turn, textured=False, size=1.2))
        elif name in ("bicycle", "cart"):
            things.append(getattr(vehicles, key)(rng, key, (x, y, 0), turn))
        else:
            things.append(getattr(outdoors, key)(rng, key, (x, y, 0), turn))
    layout.things = things
    layout.stage += distance(rng, ("tree", "house"), int(rng.integers(1, 5)))
    layout.free = spots(rng, things, (-2.6, -4.8), (2.6, -1.6), 0.0, 7)
    return layout


@base(
    "airfield",
    "An airfield: a light aircraft on its wheels or in the air; people, cones, a car, a windsock, far airliners.",
)
def airfield(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "airfield", "air", _airfield)


def _dune(rng: Generator, i: int) -> Part:
    sand = Paint((float(rng.uniform(0.75, 0.9)), float(rng.uniform(0.58, 0.68)), 0.4), specular=0.0)
    x, y, r = float(rng.uniform(-22, 22)), float(rng.uniform(13, 30)), float(rng.uniform(5, 11))
    m = rot("z", float(rng.uniform(-30, 30)))
    return Part(
        f"backdrop.dune.{i}",
        None,
        (Piece.make(ball((x, y, -0.3), (r, r * 0.5, r * 0.22), m, n=18), sand),),
    )


def _desert(rng: Generator) -> Layout:
    layout = Layout(
        [],
        fill=(0.58, 0.86),
        skies=("clear", "clear", "pale", "evening"),
        light=str(rng.choice(["day", "low"])),
    )
    part, texture = open_ground(rng, "dunes")
    layout.stage += [part, *(_dune(rng, i) for i in range(int(rng.integers(3, 7))))]
    layout.textures["ground"] = texture
    brown = (0.62, 0.45, 0.27)
    deg = float(rng.choice([0.0, 180.0])) + float(rng.uniform(-45, 45))
    kind = str(
        rng.choice(
            ["person", "car", "elephant", "ostrich", "goat", "rhino"],
            p=[0.3, 0.25, 0.15, 0.12, 0.1, 0.08],
        )
    )
    things: list[Thing] = []
    taken: Taken = []
    if kind == "person":
        things += _walking(rng, "person", (0.0, 0.0), deg, brown, subject=True)
        taken.append((0.0, 0.0, 0.7))
    elif kind == "car":
        things.append(
            vehicles.car(
                rng, "car", str(rng.choice(["suv", "pickup"])), (0, 0.8, -0.02), deg, subject=True
            )
        )
        taken.append((0.0, 0.8, 1.6))
        layout.fill = (0.5, 0.7)
    else:
        large = kind in ("elephant", "rhino")
        things.append(animal(rng, kind, kind, (0, 0.6 if large else 0.0, -0.01), deg, subject=True))
        taken.append((0.0, 0.5, 1.5 if large else 0.8))
        layout.fill = (0.45, 0.68)
    kinds = [
        "cactus",
        "cactus.2",
        "rock",
        "rock.2",
        "person",
        "walker",
        "car",
        "goat",
        "ostrich",
        "crate",
        "palm",
        "sign",
        "bird",
        "dog",
    ]
    for name in rng.permutation(kinds)[: int(rng.integers(5, 8))]:
        key = str(name)
        if key == kind or any(one.key == key for one in things):
            continue
        x, y = clear(rng, taken, (-3.0, -1.0), (3.0, 3.6), 1.9 if name == "car" else 0.65)
        turn = float(rng.uniform(-160, -20))
        if name == "person":
            things.append(bystander(rng, "traveller", (x, y, -_SUNK), turn))
        elif name == "walker":
            things += _walking(rng, "walker", (x, y), turn, brown, subject=False)
        elif name == "car":
            things.append(some_car(rng, key, (x * 1.2, y + 2.0, -0.02), turn))
        elif name in ("goat", "ostrich", "dog"):
            things.append(
                animal(rng, key, key, (x, y, -0.01), float(rng.uniform(0, 360)), textured=False)
            )
        elif name == "palm":
            things.append(outdoors.tree(rng, key, (x, y + 1.0, 0), turn, style="palm"))
        elif name == "sign":
            things.append(sign(rng, key, (x, y, 0), turn))
        elif name == "bird":
            things.append(flying_bird(rng, key, (x, y, float(rng.uniform(1.5, 2.5))), turn))
        else:
            things.append(
                getattr(outdoors, key.split(".", maxsplit=1)[0])(rng, key, (x, y, 0), turn)
            )
    layout.things = things
    layout.stage += distance(rng, ("mountain",), int(rng.integers(0, 3)))
    layout.free = spots(rng, things, (-2.4, -1.2), (2.4, 2.2), 0.0, 7)
    return layout


@base(
    "desert",
    "A desert: a traveller with footprints, an off-road car, an elephant, an ostrich; cactuses, rocks, dunes.",
)
def desert(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "desert", "sand", _desert)
