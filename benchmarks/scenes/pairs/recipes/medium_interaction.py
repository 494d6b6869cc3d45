"""Things that sit wrongly in water, snow or sand."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft
from benchmarks.scenes.geometry.solids import box, ellipsoid, limb, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import (
    Spot,
    closer,
    foot,
    has_room,
    in_sight,
    matt,
    pick,
    placeable,
    seen,
    spot_for,
    upright,
)
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.things.heat import Pieces, moved
from benchmarks.scenes.pairs.things.loads import weight
from benchmarks.scenes.pairs.world import Thing, World

_BRIGHT = (
    (0.85, 0.2, 0.15),
    (0.95, 0.8, 0.15),
    (0.2, 0.45, 0.75),
    (0.9, 0.9, 0.88),
    (0.25, 0.6, 0.35),
)
_WATERS = ((0.25, 0.5, 0.68), (0.3, 0.58, 0.6), (0.2, 0.42, 0.62))


def _duck(size: float, rgb: tuple[float, float, float]) -> Pieces:
    """A bath duck, looking along x, on z = 0."""
    s, body = size, Paint(rgb, specular=0.4)
    beak, eye = matt((0.95, 0.45, 0.1)), matt((0.05,) * 3)
    return [
        (ellipsoid((0, 0, 0.5 * s), (0.8 * s, 0.58 * s, 0.5 * s)), body),
        (ellipsoid((-0.75 * s, 0, 0.75 * s), (0.3 * s, 0.25 * s, 0.16 * s), rot("y", 35)), body),
        (ellipsoid((0.5 * s, 0, 1.2 * s), (0.4 * s,) * 3), body),
        (ellipsoid((0.95 * s, 0, 1.14 * s), (0.25 * s, 0.18 * s, 0.08 * s)), beak),
        (ellipsoid((0.72 * s, 0.28 * s, 1.33 * s), (0.07 * s,) * 3, n=8), eye),
        (ellipsoid((0.72 * s, -0.28 * s, 1.33 * s), (0.07 * s,) * 3, n=8), eye),
    ]


def _boat(size: float, rgb: tuple[float, float, float]) -> Pieces:
    """A toy boat with a cabin and a funnel, bow along x, keel on z = 0."""
    s = size
    rows = [
        [
            (x * s, -w * 0.5 * s, 0),
            (x * s, w * 0.5 * s, 0),
            (x * s, w * s, z * s),
            (x * s, -w * s, z * s),
        ]
        for x, w, z in ((-1.1, 0.42, 0.62), (-0.3, 0.5, 0.6), (0.5, 0.4, 0.64), (1.2, 0.02, 0.78))
    ]
    white = Paint((0.93, 0.92, 0.9), specular=0.2)
    return [
        (loft(np.array(rows), flat=True), Paint(rgb, specular=0.3)),
        (box((-0.3 * s, 0, 0.8 * s), (0.8 * s, 0.6 * s, 0.45 * s)), white),
        (
            upright([0.95 * s, 1.5 * s], [0.14 * s, 0.14 * s]).transformed(
                np.eye(3), (-0.4 * s, 0, 0)
            ),
            matt((0.8, 0.2, 0.15)),
        ),
    ]


def _light(rng: Generator, size: float, *, balls: bool = True) -> tuple[str, Pieces, float, float]:
    """Something that floats: its name, pieces, height and how deep it is in."""
    way, rgb = int(rng.integers(4 if balls else 3)), pick(rng, _BRIGHT)
    if way == 0:
        return "bath duck", _duck(size, rgb), 1.6 * size, 0.4 * size
    if way == 1:
        return "toy boat", _boat(size, rgb), 1.5 * size, 0.34 * size
    if way == 2:
        wood = Paint((0.68, 0.48, 0.28), specular=0.1)
        cut = [(box((0, 0, 0.45 * size), (1.7 * size, 0.9 * size, 0.9 * size)), wood)]
        # Wood of 0.55 of the water's density.
        return "block of wood", cut, 0.9 * size, 0.5 * size
    ball: Pieces = [
        (ellipsoid((0, 0, 0.8 * size), (0.8 * size,) * 3, n=20), Paint(rgb, specular=0.4)),
        (
            ellipsoid((0, 0, 0.8 * size), (0.805 * size, 0.805 * size, 0.25 * size), n=20),
            Paint((0.95,) * 3),
        ),
    ]
    return "beach ball", ball, 1.6 * size, 0.16 * size


def _glass_tank(spot: Spot, water: Paint, turn: F64) -> list[Thing]:
    """A tank 0.5 wide and 0.4 high, filled to 0.3."""
    w, d, h, r = 0.5, 0.3, 0.4, 0.007
    frame, glass = (
        Paint((0.2, 0.22, 0.25), specular=0.6),
        Paint((0.8, 0.9, 0.92), specular=0.6, alpha=0.12),
    )
    bars: Pieces = [(box((0, 0, 0.006), (w, d, 0.012)), Paint((0.75, 0.72, 0.6)))]
    for x in (-w / 2, w / 2):
        for y in (-d / 2, d / 2):
            bars.append((limb((x, y, 0), (x, y, h), r, r, n=6), frame))
    for z in (0.006, h):
        for y in (-d / 2, d / 2):
            bars.append((limb((-w / 2, y, z), (w / 2, y, z), r, r, n=6), frame))
        for x in (-w / 2, w / 2):
            bars.append((limb((x, -d / 2, z), (x, d / 2, z), r, r, n=6), frame))
    bars.append((box((0, -d / 2, h / 2), (w, 0.004, h)), glass))
    fill = [(box((0, 0, 0.156), (w - 2 * r, d - 2 * r, 0.288)), water)]
    return [
        spot.put("tank", "glass tank", bars, turn=turn, has=("rigid", "vessel", "stands")),
        spot.put("water", "water", fill, turn=turn, casts=False, has=("transparent",)),
    ]


@recipe(
    "medium_interaction",
    "wrong_in_tank",
    fits=placeable(0.5, 5.0),
    planted="In a glass tank of water an iron weight, anvil or bowling ball floats at the surface, or a light "
    "thing (duck, toy boat, beach ball, wood) lies on the bottom.",
    twin="The heavy one lies on the bottom; the light one floats as deep as its weight says.",
)
def wrong_in_tank(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 5.0)
    if spot is None:
        return None
    turn = rot("z", float(rng.uniform(-25, 25)))
    aside, look = float(rng.uniform(-0.08, 0.08)), rot("z", float(rng.uniform(-40, 40)))
    level, bottom = 0.3, 0.013
    tank = _glass_tank(spot, Paint(pick(rng, _WATERS), specular=0.5, alpha=0.38), turn)
    if rng.random() < 0.5:
        name, pieces, _ = weight(rng, 0.07)
        tall = max(float(m.verts[:, 2].max()) for m, _ in pieces)
        wrong, right, what = level - tall * 0.4, bottom, f"A heavy {name} floats in water."
    else:
        name, pieces, _, deep = _light(rng, 0.07)
        wrong, right, what = bottom, level - deep, f"A light {name} lies under water."

    def put(z: float) -> Thing:
        placed = moved(moved(pieces, linear=look), (aside, 0.0, z))
        return spot.put("load", name, placed, turn=turn, has=("rigid",))

    if not spot.fair(*tank, least=70):
        return None
    # The load first: what is transparent is drawn over it.
    return closer(
        Planted(
            spot.world.plus(put(wrong), *tank),
            spot.world.plus(put(right), *tank),
            ("load", "water"),
            what,
        ),
        rng,
        ("tank",),
    )


def _basin(spot: Spot, rgb: tuple[float, float, float], water: Paint) -> list[Thing]:
    """A round tub of radius 0.28, filled to 0.12."""
    wall = upright([0, 0.02, 0.15, 0.15, 0.02], [0.2, 0.23, 0.29, 0.275, 0.2], n=36)
    surface = upright([0.115, 0.12], [0.262, 0.264], n=36)
    return [
        spot.put(
            "basin", "basin", [(wall, Paint(rgb, specular=0.3))], has=("vessel", "rigid", "stands")
        ),
        spot.put("water", "water", [(surface, water)], casts=False),
    ]


@recipe(
    "medium_interaction",
    "stands_on_basin_water",
    fits=placeable(0.5, 5.0),
    planted="A duck, toy boat, beach ball or wooden block stands dry on top of the water of a basin, as if it "
    "were glass; or an iron weight does.",
    twin="It lies in the water as deep as its weight says; the weight stands on a board across the rim.",
    held_out=True,
)
def stands_on_basin_water(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 5.0)
    if spot is None:
        return None
    level = 0.12
    tub = _basin(spot, pick(rng, _BRIGHT), Paint(pick(rng, _WATERS), specular=0.7, shininess=0.8))
    look = rot("z", float(rng.uniform(-50, 50)) + (180 if rng.random() < 0.5 else 0))
    if rng.random() < 0.3:
        name, pieces, _ = weight(rng, 0.07)
        board = [(box((0, 0, 0.158), (0.7, 0.16, 0.016)), Paint((0.68, 0.48, 0.28)))]
        plank = (spot.put("board", "board", board, has=("rigid",)),)
        wrong, right = level, 0.166
    else:
        name, pieces, _, deep = _light(rng, 0.1, balls=False)
        plank, wrong, right = (), level + 0.002, level - deep
    placed = moved(pieces, linear=look)
    dry = spot.put("load", name, placed, shift=(0, 0, wrong), has=("rigid",))
    wet = spot.put("load", name, placed, shift=(0, 0, right), has=("rigid",))
    if not spot.fair(*tub, dry, least=60):
        return None
    return closer(
        Planted(
            spot.world.plus(*tub, dry),
            spot.world.plus(*tub, *plank, wet),
            ("load",),
            f"A {name} stands on top of the water.",
        ),
        rng,
        ("basin", "load"),
    )


def _sandbox(rng: Generator, dent: float, wide: float) -> Mesh:
    """The sand of a box 0.6 wide: its surface at 0.12, with a crater and its rim."""
    n, side = 40, 0.56
    t = np.linspace(-side / 2, side / 2, n)
    phase = rng.uniform(0, 6.3, 4)
    rings = []
    for x in t:
        r = np.hypot(x, t) / wide
        wavy = 0.004 * (
            np.sin(x * 23 + phase[0]) + np.sin(t * 31 + phase[1]) + np.sin((x + t) * 17 + phase[2])
        )
        up = 0.12 + wavy - dent * np.exp(-1.2 * r**4) + 0.35 * dent * np.exp(-8 * (r - 1.5) ** 2)
        top = np.column_stack([np.full(n, x), t, up])
        low = np.column_stack([np.full(n, x), t[::-1], np.zeros(n)])
        rings.append(np.concatenate([top, low]))
    return loft(np.array(rings))


@recipe(
    "medium_interaction",
    "sand_not_dented",
    fits=placeable(0.6, 5.0),
    planted="In a box of loose sand or snow a heavy ball, weight or anvil that fell in lies on the untouched "
    "surface, or above a crater that does not touch it.",
    twin="It has sunk in, within a crater with a raised rim.",
)
def sand_not_dented(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.6, rng, 5.0)
    if spot is None:
        return None
    grain = matt(pick(rng, ((0.85, 0.72, 0.48), (0.93, 0.94, 0.97), (0.62, 0.5, 0.36))))
    wood = Paint(pick(rng, ((0.55, 0.36, 0.2), (0.3, 0.45, 0.6), (0.7, 0.25, 0.2))), specular=0.1)
    sides = [
        (box((x * 0.3, y * 0.3, 0.08), (0.03 if x else 0.63, 0.03 if y else 0.63, 0.16)), wood)
        for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1))
    ]
    name, pieces, wide = weight(rng, float(rng.uniform(0.08, 0.1)))
    turn = rot("z", float(rng.uniform(-35, 35)))
    seed, dent = int(rng.integers(2**31)), float(rng.uniform(0.075, 0.095))

    def sand(depth: float) -> Thing:
        surface = _sandbox(np.random.default_rng(seed), depth, wide * 1.25)
        return spot.put("sand", "sand", [(surface, grain)], turn=turn, has=("soft",))

    def load(z: float) -> Thing:
        return spot.put("load", name, pieces, shift=(0, 0, z), turn=turn, has=("rigid",))

    rim = spot.put("sandbox", "sandbox", sides, turn=turn, has=("rigid", "stands"))
    if not spot.fair(rim, least=64):
        return None
    return closer(
        Planted(
            spot.world.plus(rim, sand(0.0), load(0.122)),
            spot.world.plus(rim, sand(dent), load(0.12 - dent * 0.97)),
            ("load", "sand"),
            f"A heavy {name} leaves no dent in the loose ground it lies on.",
        ),
        rng,
        ("sandbox", "load"),
    )


def _inside(polygon: tuple[tuple[float, float], ...], p: F64) -> bool:
    corners = np.asarray(polygon, float)
    edge, to = np.roll(corners, -1, 0) - corners, p[:2] - corners
    return bool(np.all(edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0] > 0))


def _wades(world: World, target: Thing) -> bool:
    if world.water is None or target.tags & {
        "floats",
        "boat",
        "bird",
        "hangs",
        "held",
        "worn",
        "flame",
        "building",
        "plant",
        "aircraft",
    }:
        return False
    if target.rests_on is not None or target.facts.get("pose") in ("sit", "lie"):
        return False
    return (
        bool(target.tags & {"stands", "living", "rigid", "vehicle"})
        and float(target.size[2]) > 0.15
    )


def _water_spot(world: World, target: Thing, rng: Generator) -> F64 | None:
    """Somewhere on the water where the thing would be in plain sight."""
    assert world.water is not None
    corners = np.asarray(world.water.polygon, float)
    start = foot(target)
    for _ in range(60):
        share = rng.dirichlet(np.ones(len(corners)))
        p = np.array([*(share @ corners), world.water.level])
        there = target.moved(p - start)
        footing = all(_inside(world.water.polygon, c) for c in _corners(there))
        x0, y0, x1, y1 = seen(world, there.verts())
        framed = min(x0, y0) > 4 and max(x1, y1) < 316 and max(x1 - x0, y1 - y0) > 44
        if footing and framed and has_room(world, there, (target.key,)):
            return p
    return None


def _corners(one: Thing) -> list[F64]:
    low, high = one.low, one.high
    return [np.array([x, y, low[2]]) for x in (low[0], high[0]) for y in (low[1], high[1])]


@recipe(
    "medium_interaction",
    "stands_on_water",
    fits=_wades,
    planted="A person, animal, vehicle, stone or other heavy thing stands dry-shod on the surface of deep water.",
    twin="At the same place it stands in the water, up to a third or half of its height.",
)
def stands_on_water(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = _water_spot(world, target, rng)
    if spot is None:
        return None
    dry = target.moved(spot - foot(target))
    wet = dry.moved((0, 0, -float(rng.uniform(0.3, 0.5)) * float(target.size[2])))
    return closer(
        Planted(
            world.changed(dry),
            world.changed(wet),
            (target.key,),
            f"The {target.kind} stands on the water.",
        ),
        rng,
    )


def _afloat(world: World, target: Thing) -> bool:
    if world.water is None or not target.tags & {"floats", "boat"} or "hangs" in target.tags:
        return False
    level = world.water.level
    return bool(target.low[2] < level < target.high[2]) and in_sight(world, target, 34)


@recipe(
    "medium_interaction",
    "floats_at_wrong_line",
    fits=_afloat,
    planted="What floats is too high: its whole hull or body stands on top of the water; or far too deep for "
    "what it is.",
    twin="It lies in the water as deep as before.",
)
def floats_at_wrong_line(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    assert world.water is not None
    level, tall = world.water.level, float(target.size[2])
    draught = level - float(target.low[2])
    if draught < 0.05 * tall:
        return None
    rise = draught + float(rng.uniform(0.0, 0.03)) * tall
    up = (0.0, 0.0, rise)
    riders = [t.moved(up) for t in world.resting_on(target.key)]
    return closer(
        Planted(
            world.changed(target.moved(up), *riders),
            world,
            (target.key,),
            f"The {target.kind} stands on top of the water instead of in it.",
        ),
        rng,
    )


def _leaves(world: World, target: Thing, what: str) -> Thing | None:
    """The wake or the prints of a thing, where the world has them."""
    return next((t for t in world.things if t.key == target.facts.get(what)), None)


@recipe(
    "medium_interaction",
    "wake_wrong_way",
    fits=lambda world, target: _leaves(world, target, "wake") is not None,
    planted="The foam of a running boat opens in front of it or to its side instead of behind.",
    twin="It opens behind the boat, along its way.",
)
def wake_wrong_way(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    foam = _leaves(world, target, "wake")
    if foam is None or world.water is None:
        return None
    side = float(rng.uniform(75, 110)) * (1 if rng.random() < 0.5 else -1)
    turn = 180.0 if rng.random() < 0.6 else side
    middle = np.array([*target.centre[:2], float(foam.low[2])])
    wrong = foam.about(rot("z", turn), middle)
    if not in_sight(world, wrong, 40, 0.5):
        return None
    what = f"The wake of the {target.kind} runs the wrong way."
    return Planted(world.changed(wrong), world, (foam.key,), what)


@recipe(
    "medium_interaction",
    "prints_missing",
    fits=lambda world, target: _leaves(world, target, "prints") is not None,
    planted="Someone walks over soft snow or sand and leaves no prints; or the prints lead away beside the way "
    "that was walked.",
    twin="A line of prints ends at the feet.",
)
def prints_missing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    prints = _leaves(world, target, "prints")
    if prints is None or not in_sight(world, target, 60):
        return None
    what = f"The {target.kind} walks over soft ground and leaves no prints behind."
    if rng.random() < 0.5:
        return Planted(world.without(prints.key), world, (prints.key,), what)
    ahead = np.asarray(target.facts["facing"], float)
    turn = rot("z", float(rng.uniform(70, 110)) * (1 if rng.random() < 0.5 else -1))
    aside = turn @ ahead * float(rng.uniform(0.7, 1.1))
    wrong = prints.moved(aside)
    if not in_sight(world, wrong, 40, 0.6):
        return None
    return Planted(world.changed(wrong), world, (prints.key,), what)
