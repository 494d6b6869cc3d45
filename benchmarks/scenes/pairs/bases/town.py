"""Streets by day and at dusk, and somebody who waves close by."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things import outdoors, vehicles
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
from benchmarks.scenes.pairs.things.scenery import (
    bystander,
    puddle,
    sign,
    some_car,
    statue,
)
from benchmarks.scenes.pairs.world import Thing, World

_MARK = Paint((0.9, 0.9, 0.86), specular=0.0)


def _road(rng: Generator, layout: Layout, y0: float, y1: float) -> None:
    """A road along x between two kerbs, on paving."""
    part, texture = open_ground(rng, str(rng.choice(["paving", "concrete"])))
    layout.stage.append(part)
    layout.textures["ground"] = texture
    v = float(rng.uniform(0.24, 0.4))
    layout.stage.append(
        strip("road", (-45, y0), (45, y1), 0.004, Paint((v, v, v * 1.03), specular=0.02))
    )
    kerb = Paint((0.7, 0.69, 0.66), specular=0.0)
    layout.stage += [
        strip(f"kerb.{k}", (-45, y - 0.09), (45, y + 0.09), 0.012, kerb)
        for k, y in enumerate((y0, y1))
    ]
    middle = (y0 + y1) / 2
    shift = float(rng.uniform(0, 2))
    layout.stage += [
        strip(
            f"mark.{k}", (x + shift, middle - 0.06), (x + shift + 1.4, middle + 0.06), 0.007, _MARK
        )
        for k, x in enumerate(np.arange(-18, 18, 3.0))
    ]


def _walker(
    rng: Generator, key: str, at: tuple[float, float, float], *, subject: bool
) -> list[Thing]:
    """Somebody who walks or runs along the pavement, mostly to the side, some through a puddle."""
    facing = float(rng.choice([0.0, 180.0])) + float(rng.uniform(-50, 20)) * float(
        rng.choice([1, -1])
    )
    pose = str(rng.choice(["walk", "walk", "walk", "run"]))
    wet = rng.random() < 0.3
    facts = {"splash": f"splash.{key}"} if wet else {}
    one = person(
        rng,
        key,
        at,
        facing,
        subject=subject,
        pose=pose,
        mirrored=bool(rng.random() < 0.5),
        more_facts=facts,
    )
    if not wet:
        return [one]
    low = min((one.facts["foot.left"], one.facts["foot.right"]), key=lambda p: float(p[2]))
    pool = puddle(rng, f"puddle.{key}", (low[0], low[1], 0.0), (0.75, 0.42))
    drops = outdoors.splash(
        rng, f"splash.{key}", (low[0], low[1], 0.01), size=float(rng.uniform(0.22, 0.34)),
        more_facts={"of": key, "detail": True}, casts=False,
    )  # fmt: skip
    return [one, pool, drops]


def _asides(rng: Generator, taken: list[tuple[float, float, float]], count: int) -> list[Thing]:
    """Things of a pavement, each where there is room, before the road or behind the subject."""
    things: list[Thing] = []
    kinds = [
        "sign",
        "dog",
        "person",
        "bicycle",
        "bin",
        "cone",
        "lamp",
        "bench",
        "crate",
        "statue",
        "tree",
        "skateboard",
    ]
    for kind in rng.permutation(kinds)[:count]:
        x, y = clear(rng, taken, (-3.2, -0.9), (3.2, 2.1), 0.6)
        at, turn = (x, y, 0.0), float(rng.uniform(-150, -30))
        if kind == "sign":
            things.append(sign(rng, "sign", at, turn))
        elif kind == "dog":
            things.append(
                animal(
                    rng,
                    "dog",
                    "dog",
                    at,
                    float(rng.uniform(0, 360)),
                    textured=False,
                    size=1.15,
                    lies=bool(rng.random() < 0.25),
                )
            )
        elif kind == "person":
            things.append(bystander(rng, "person.2", at, turn))
        elif kind == "bicycle":
            things.append(
                vehicles.bicycle(
                    rng, "bicycle", at, float(rng.choice([0, 180])) + float(rng.uniform(-30, 30))
                )
            )
        elif kind == "statue":
            things += statue(rng, "statue", at, turn)
        elif kind == "skateboard":
            things.append(
                vehicles.skateboard(
                    rng, "skateboard", at, float(rng.uniform(0, 360)), more_facts={"detail": True}
                )
            )
        else:
            make = {"bin": outdoors.litter_bin, "cone": outdoors.cone, "lamp": outdoors.street_lamp,
                    "bench": outdoors.bench, "crate": outdoors.crate, "tree": outdoors.tree}[str(kind)]  # fmt: skip
            things.append(make(rng, str(kind), at, turn))
    return things


def _street(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.62, 0.88))
    near = float(rng.uniform(2.4, 3.2))
    _road(rng, layout, near, near + float(rng.uniform(4.5, 6.5)))
    cars = [
        some_car(
            rng,
            f"car.{k}",
            (x + float(rng.uniform(-0.5, 0.5)), near + lane, 0.004),
            float(rng.choice([0, 180])),
        )
        for k, (x, lane) in enumerate(
            ((float(rng.uniform(-3.2, -0.5)), 1.3), (float(rng.uniform(0.5, 4)), 3.9))
        )
    ]
    cars = cars[: int(rng.integers(1, 3))]
    taken = [(0.0, 0.0, 0.8)]
    if rng.random() < 0.25:
        main: list[Thing] = [vehicles.car(rng, "car", str(rng.choice(list(vehicles.CARS))), (0, near + 1.4, 0.004),
                                          float(rng.choice([0, 180])), subject=True)]  # fmt: skip
        cars, layout.fill, taken = cars[1:], (0.6, 0.8), []
        main += _walker(rng, "person", (float(rng.uniform(-2, 2)), 0.9, 0.0), subject=False)
    else:
        main = _walker(rng, "person", (0.0, 0.0, 0.0), subject=True)
    layout.things = [*main, *cars, *_asides(rng, taken, int(rng.integers(3, 6)))]
    layout.stage += distance(rng, ("house", "house", "tree"), int(rng.integers(5, 10)))
    layout.free = spots(rng, layout.things, (-2.5, -1.2), (2.5, 2.0), 0.0, 4)
    return layout


@base(
    "street",
    "A street: somebody walks (some through a puddle) or a car drives; cars, a sign, a dog, a bicycle, a statue.",
)
def street(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "street", "street", _street)


def _dusk(rng: Generator) -> Layout:
    layout = Layout(
        [], light="dusk", skies=("dusk",), rise=(3.0, 14.0), turn=(-22, 22), fill=(0.58, 0.85)
    )
    near = float(rng.uniform(2.0, 3.0))
    _road(rng, layout, near, near + 5.5)
    kind = str(rng.choice(["person", "lamp", "car"]))
    height = float(rng.uniform(2.5, 3.1))
    side = float(rng.choice([-1, 1]))
    lamps = [
        outdoors.street_lamp(
            rng,
            f"lamp.{k}",
            (x, near - 0.5, 0.0),
            90.0,
            lit=True,
            height=height,
            subject=kind == "lamp" and k == 0,
        )
        for k, x in enumerate(
            (side * float(rng.uniform(0.9, 1.6)), -side * float(rng.uniform(2.2, 3.4)))
        )
    ]
    taken = [(float(one.centre[0]), near - 0.5, 0.6) for one in lamps]
    x, y = clear(rng, taken, (-0.6, -0.2), (0.6, 0.9), 0.8)
    things: list[Thing] = [*lamps]
    things += _walker(rng, "person", (x, y, 0.0), subject=kind == "person")
    things.append(
        some_car(
            rng,
            "car",
            (float(rng.uniform(-1.5, 2.0)), near + 1.5, 0.004),
            float(rng.choice([0, 180])),
            subject=kind == "car",
        )
    )
    for name in rng.permutation(["bench", "bicycle", "dog", "bin", "person"])[
        : int(rng.integers(1, 4))
    ]:
        x, y = clear(rng, taken, (-2.8, -0.8), (2.8, 1.2), 0.7)
        turn = float(rng.uniform(-140, -40))
        if name == "dog":
            things.append(animal(rng, "dog", "dog", (x, y, 0), turn, textured=False, size=1.15))
        elif name == "person":
            things.append(bystander(rng, "person.2", (x, y, 0), turn))
        elif name == "bicycle":
            things.append(vehicles.bicycle(rng, "bicycle", (x, y, 0), float(rng.uniform(-30, 30))))
        else:
            things.append(
                (outdoors.bench if name == "bench" else outdoors.litter_bin)(
                    rng, str(name), (x, y, 0), turn
                )
            )
    layout.things = things
    layout.stage += distance(rng, ("house", "tree"), int(rng.integers(4, 8)))
    layout.free = spots(rng, things, (-2.2, -1.0), (2.2, 1.4), 0.0, 4)
    return layout


@base(
    "road_at_dusk", "A road at dusk with lit street lamps on their posts, a car, somebody walking."
)
def road_at_dusk(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "road_at_dusk", "street", _dusk)


def _greeting(rng: Generator) -> Layout:
    ground = str(rng.choice(["grass", "paving", "concrete", "gravel", "sand"]))
    part, texture = open_ground(rng, ground)
    layout = Layout(
        [], [part], {"ground": texture}, turn=(-18, 18), rise=(-3.0, 12.0), fill=(0.68, 0.9)
    )
    pose = str(rng.choice(["wave", "wave", "wave", "cheer", "reach", "catch"]))
    facing = -90.0 + float(rng.uniform(-28, 28))
    main = person(
        rng,
        "person",
        (0, 0, 0),
        facing,
        subject=True,
        hand=1.12,
        pose=pose,
        mirrored=bool(rng.random() < 0.5),
    )
    look = (float(rng.uniform(-0.6, 0.6)), -4.0, float(main.facts["head"][2]))
    main = main.remake(look_at=look) if main.remake else main
    names = ["head_top", "chest", "hand.left", "hand.right", "head", "elbow.left", "elbow.right"]
    points = np.array([main.facts[n] for n in names])
    tall = [main.facts["chest"] - np.array([0, 0, float(rng.uniform(0.12, 0.32))])]
    points = points[points[:, 2] > main.facts["pelvis"][2] + 0.05]
    layout.focus = np.concatenate([points, tall, points[:2] + [[0, 0, 0.06], [0, 0, 0]]])
    layout.things = [main]
    taken = [(0.0, 0.0, 0.6)]
    kinds = ["person", "car", "tree", "sign", "lamp", "horse", "statue", "cow", "parasol", "person"]
    for k, name in enumerate(rng.permutation(kinds)[: int(rng.integers(3, 6))]):
        big = name in ("car", "horse", "cow")
        x, y = clear(
            rng, taken, (-3.0, 1.4), (3.0, 5.2) if big else (3.0, 4.0), 1.6 if big else 0.7
        )
        turn = float(rng.uniform(-150, -30))
        if name == "person":
            layout.things.append(bystander(rng, f"person.{k + 2}", (x, y, 0), turn))
        elif name == "car":
            layout.things.append(
                some_car(
                    rng,
                    "car",
                    (x, y + 0.8, 0),
                    float(rng.choice([0, 180])) + float(rng.uniform(-25, 25)),
                )
            )
        elif name in ("horse", "cow"):
            layout.things.append(
                animal(
                    rng,
                    str(name),
                    str(name),
                    (x, y, 0),
                    float(rng.choice([0, 180])) + float(rng.uniform(-40, 40)),
                )
            )
        elif name == "statue":
            layout.things += statue(rng, "statue", (x, y, 0), turn)
        elif name == "sign":
            layout.things.append(sign(rng, "sign", (x, y, 0), turn))
        else:
            make = {
                "tree": outdoors.tree,
                "lamp": outdoors.street_lamp,
                "parasol": outdoors.parasol,
            }[str(name)]
            layout.things.append(make(rng, str(name), (x, y, 0), turn))
    layout.stage += distance(rng, ("house", "tree", "tree"), int(rng.integers(3, 8)))
    layout.free = spots(rng, layout.things, (-1.2, 0.6), (1.2, 2.0), 0.0, 3, 0.7)
    return layout


@base(
    "greeting",
    "Close by: somebody waves, cheers or holds out open hands; people, cars, animals, a sign behind.",
)
def greeting(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "greeting", "street", _greeting)
