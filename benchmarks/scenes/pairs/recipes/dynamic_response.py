"""Things that move, fall, press or pull while what they touch shows no effect."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, disc, ellipsoid, limb, prism, rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.pairs.arrange import matt, pick, placeable, spot_for
from benchmarks.scenes.pairs.bodies import mesh_of
from benchmarks.scenes.pairs.physics import Body, domino_row, settle
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer
from benchmarks.scenes.pairs.things.heat import Pieces
from benchmarks.scenes.pairs.things.loads import weight
from benchmarks.scenes.pairs.things.pressed import cushion_mesh, tipped_tank
from benchmarks.scenes.pairs.world import Thing, World

_BRIGHT = (
    (0.8, 0.2, 0.18), (0.15, 0.35, 0.7), (0.9, 0.7, 0.15), (0.2, 0.55, 0.35), (0.92, 0.9, 0.85),
    (0.12, 0.12, 0.14), (0.55, 0.3, 0.6),
)  # fmt: skip
_CLOTH = ((0.7, 0.3, 0.35), (0.35, 0.5, 0.65), (0.85, 0.8, 0.7), (0.5, 0.6, 0.4), (0.9, 0.75, 0.45))
_WOOD = ((0.62, 0.44, 0.26), (0.45, 0.3, 0.18), (0.78, 0.64, 0.44))


@recipe(
    "dynamic_response",
    "domino_left_standing",
    fits=placeable(0.7, 8.0),
    planted="In a row of dominoes that has fallen, one or two in the middle still stand upright.",
    twin="All have fallen, each onto the next (simulated); or the row still stands up to its end.",
)
def domino_left_standing(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.7, rng, 8.0, grow=1.6)
    if spot is None:
        return None
    count = int(rng.integers(6, 9))
    size = (0.028, 0.09, 0.18)
    row = domino_row(count, size, float(rng.uniform(0.07, 0.09)))
    fallen = settle(row, seconds=3.0)
    if len(fallen.order) < count - 1:
        return None
    ends = [Body(b.key, "box", size, fallen.poses[b.key].at, fallen.poses[b.key].turn) for b in row]
    middle = np.mean([b.at for b in ends], axis=0) * [1, 1, 0]
    turn = rot("z", float(rng.uniform(-35, 35)) + (180 if rng.random() < 0.5 else 0))
    first = int(rng.integers(2, count - 2))
    last = first + int(rng.integers(1, 3))
    paint = Paint(pick(rng, _BRIGHT), specular=0.3)

    def show(bodies: list[Body]) -> list[Thing]:
        placed = [replace(b, at=turn @ (b.at - middle), turn=turn @ b.turn) for b in bodies]
        return [
            spot.put(f"domino.{b.key}", "domino", [(mesh_of(b), paint)], has=("domino", "rigid"))
            for b in placed
        ]

    wrong = show([row[k] if first <= k < last else ends[k] for k in range(count)])
    right = show(ends)
    if not spot.fair(*wrong, least=60) or not spot.fair(*right, least=60):
        return None
    if rng.random() < 0.3:
        right = show(row)
    return closer(
        Planted(
            spot.world.plus(*wrong),
            spot.world.plus(*right),
            tuple(f"domino.{k}" for k in range(first, last)),
            "A domino in the middle of a fallen row still stands.",
        ),
        rng,
    )


@recipe(
    "dynamic_response",
    "cushion_not_dented",
    fits=placeable(0.5, 4.0),
    planted="A heavy iron weight, anvil or bowling ball stands on a plump cushion, which "
    "stays as it is.",
    twin="The weight lies deep in the cushion, which bulges around it; or the cushion is "
    "a block of wood.",
)
def cushion_not_dented(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.5, rng, 4.0, grow=1.6)
    if spot is None:
        return None
    side, high = 0.5, 0.2
    name, iron, wide = weight(rng, float(rng.uniform(0.085, 0.105)))
    turn = rot("z", float(rng.uniform(-40, 40)))
    cloth = matt(pick(rng, _CLOTH))
    dent = high * float(rng.uniform(0.62, 0.72))

    def cushion(depth: float) -> Thing:
        mesh = cushion_mesh(side, high, depth, wide * 1.5)
        return spot.put("cushion", "cushion", [(mesh, cloth)], turn=turn, has=("soft", "stands"))

    def load(z: float) -> Thing:
        return spot.put("weight", name, iron, shift=(0, 0, z), turn=turn, has=("rigid",))

    plump, pressed = (cushion(0.0), load(high * 0.985)), (cushion(dent), load(high - dent * 0.93))
    if not spot.fair(*plump, least=56):
        return None
    right = pressed
    if rng.random() < 0.3:
        wood = Paint(pick(rng, _WOOD), specular=0.1)
        slab = [(box((0, 0, high / 2), (side, side, high)), wood)]
        right = (spot.put("cushion", "block", slab, turn=turn, has=("rigid", "stands")), load(high))
    return closer(
        Planted(
            spot.world.plus(*plump),
            spot.world.plus(*right),
            ("weight", "cushion"),
            f"A heavy {name} does not dent the cushion that it stands on.",
        ),
        rng,
    )


@recipe(
    "dynamic_response",
    "seesaw_wrong_side",
    fits=placeable(0.8, 8.0),
    planted="A seesaw is down at the end of the small weight and up at the end of a far "
    "larger one.",
    twin="It is down at the end of the larger weight (as its torque says).",
)
def seesaw_wrong_side(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.8, rng, 8.0, grow=2.4)
    if spot is None:
        return None
    side = 1.0 if rng.random() < 0.5 else -1.0
    half, high, thick = 0.4, float(rng.uniform(0.14, 0.18)), 0.03
    angle = float(np.degrees(np.arcsin((high - thick) / half))) * 0.98
    big, small = float(rng.uniform(0.18, 0.23)), float(rng.uniform(0.06, 0.085))
    # Same distance from the pivot: the weight decides, by the cube of the size.
    if big**3 < 4 * small**3:
        return None
    wood = Paint(pick(rng, _WOOD), specular=0.1)
    paints = [Paint(pick(rng, _BRIGHT), specular=0.2) for _ in range(2)]
    ball = bool(rng.random() < 0.5)
    turn = rot("z", float(rng.uniform(-22, 22)))

    def seesaw(down: float) -> list[Thing]:
        tip = rot("y", angle * down)
        pivot = np.array([0, 0, high])
        w = 0.13
        foot = prism(
            [(-0.09, -w / 2, 0), (0.09, -w / 2, 0), (0, -w / 2, high)],
            [(-0.09, w / 2, 0), (0.09, w / 2, 0), (0, w / 2, high)],
        )
        beam = box((0, 0, thick / 2), (2 * half, w, thick))
        pieces = [(foot, matt((0.3, 0.3, 0.33))), (beam.transformed(tip, pivot), wood)]
        out = [spot.put("seesaw", "seesaw", pieces, turn=turn, has=("rigid", "stands"))]
        for key, size, x, paint in (
            ("big", big, side, paints[0]),
            ("small", small, -side, paints[1]),
        ):
            at = np.array([x * (half - 0.1), 0, thick + size / 2])
            mesh = ellipsoid(at, (size / 2,) * 3, n=18) if ball else box(at, (size,) * 3)
            placed = [(mesh.transformed(tip, pivot), paint)]
            out.append(
                spot.put(key, "ball" if ball else "block", placed, turn=turn, has=("rigid",))
            )
        return out

    wrong, right = seesaw(-side), seesaw(side)
    if not spot.fair(*wrong, least=60) or not spot.fair(*right, least=60):
        return None
    return closer(
        Planted(
            spot.world.plus(*wrong),
            spot.world.plus(*right),
            ("seesaw", "big", "small"),
            "A seesaw is down on the side of the far smaller weight.",
        ),
        rng,
    )


@recipe(
    "dynamic_response",
    "water_tips_with_tank",
    fits=placeable(0.45, 4.0),
    planted="In a tank that is tipped on a wedge, the water's surface stays along the "
    "tank, or slopes the other "
    "way, and is not level.",
    twin="The surface is level, high at the tank's low end.",
)
def water_tips_with_tank(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.45, rng, 4.0, grow=1.6)
    if spot is None:
        return None
    tilt = float(rng.uniform(15, 22)) * (1 if rng.random() < 0.5 else -1)
    water = Paint(
        pick(rng, ((0.15, 0.45, 0.75), (0.2, 0.6, 0.6), (0.55, 0.25, 0.12))),
        specular=0.4,
        alpha=0.85,
    )
    wrong = tipped_tank(spot, tilt, tilt * float(rng.choice([1.0, 1.0, 1.45])), water)
    right = tipped_tank(spot, tilt, 0.0, water)
    if not spot.fair(*right, least=60):
        return None
    return closer(
        Planted(
            spot.world.plus(*wrong),
            spot.world.plus(*right),
            ("water",),
            "The water in a tipped tank is not level.",
        ),
        rng,
        ("tank",),
    )


@recipe(
    "dynamic_response",
    "rope_not_sagging",
    fits=placeable(0.9, 8.0),
    planted="A heavy weight hangs at the middle of a slack rope between two posts; the "
    "rope runs dead straight, "
    "or bulges upwards.",
    twin="The rope is drawn into a V by the weight.",
    held_out=True,
)
def rope_not_sagging(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    spot = spot_for(world, target, 0.9, rng, 8.0, grow=2.4)
    if spot is None:
        return None
    half, high = 0.4, 0.6
    sag = float(rng.uniform(0.2, 0.28))
    wood, rope = matt(pick(rng, _WOOD)), matt((0.78, 0.7, 0.52))
    name, iron, _ = weight(rng, float(rng.uniform(0.07, 0.09)))
    top = max(float(m.verts[:, 2].max()) for m, _ in iron)
    turn = rot("z", float(rng.uniform(-20, 20)))
    posts: Pieces = []
    for x in (-half, half):
        posts.append((limb((x, 0, 0), (x, 0, high), 0.025, 0.022, n=8), wood))
        posts.append((disc((0, 0, 0), 0.09, 0.02).transformed(rot("x", 90), (x, 0, 0.01)), wood))

    def line(drop: float) -> list[Thing]:
        z = high - 0.02
        ends = [(-half, 0, z), (0, 0, z - drop), (half, 0, z)]
        if drop < 0:
            x = np.linspace(-half, half, 9)
            ends = [(float(v), 0, z - drop * float(1 - (v / half) ** 2)) for v in x]
        cord = [(limb(a, b, 0.009, 0.009, n=7), rope) for a, b in pairwise(ends)]
        hook = (limb((0, 0, z - drop), (0, 0, z - drop - 0.05), 0.007, 0.007, n=6), rope)
        load = [(m.transformed(np.eye(3), (0, 0, z - drop - 0.05 - top)), p) for m, p in iron]
        return [
            spot.put("posts", "posts", posts, turn=turn, has=("rigid", "stands")),
            spot.put("rope", "rope", [*cord, hook], turn=turn),
            spot.put("weight", name, load, turn=turn, has=("rigid", "hangs")),
        ]

    wrong, right = line(0.0 if rng.random() < 0.6 else -0.1), line(sag)
    if not spot.fair(*wrong, least=60) or not spot.fair(*right, least=60):
        return None
    return closer(
        Planted(
            spot.world.plus(*wrong),
            spot.world.plus(*right),
            ("rope", "weight"),
            f"A rope does not sag under the heavy {name} that hangs on it.",
        ),
        rng,
        ("posts", "weight"),
    )
