"""A farmyard."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.geometry.solids import box, prism
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import hue
from benchmarks.scenes.pairs.registry import base
from benchmarks.scenes.pairs.things.creatures import animal
from benchmarks.scenes.pairs.things.framing import Layout, shown
from benchmarks.scenes.pairs.things.furnish import Taken, Yard, furnish, lay_out, to_the_side
from benchmarks.scenes.pairs.things.open_air import spots
from benchmarks.scenes.pairs.things.scenery import bystander
from benchmarks.scenes.pairs.world import World

_MAIN = ("cow", "horse", "sheep", "pig", "goat", "chicken", "duck", "person")
_KINDS = ("cow", "horse", "sheep", "pig", "goat", "chicken", "person", "hay", "cart", "fence", "tree",
          "dog", "bucket", "crate", "bird", "chicken.2", "hay.2")  # fmt: skip


def _barn(rng: Generator, y: float) -> Part:
    """A barn behind the yard; it casts no shadow."""
    red = (float(rng.uniform(0.45, 0.7)), 0.2, 0.15)
    wall = Paint(red if rng.random() < 0.6 else hue(rng, (0.1, 0.4), (0.4, 0.8)), specular=0.0)
    roof, dark = Paint((0.3, 0.27, 0.26), specular=0.0), Paint((0.16, 0.13, 0.11), specular=0.0)
    white = Paint((0.9, 0.88, 0.84), specular=0.0)
    w, d, h = float(rng.uniform(5, 8)), 4.0, float(rng.uniform(2.6, 3.4))
    x = float(rng.uniform(-4, 4))
    made = [
        (box((x, y + d / 2, h / 2), (w, d, h)), wall),
        (box((x, y, 1.05), (1.9, 0.06, 2.1)), dark),
    ]
    left, right = (
        [(side, y - 0.4, h), (side, y + d + 0.4, h), (side, y + d / 2, h + 1.7)]
        for side in (x - w / 2 - 0.3, x + w / 2 + 0.3)
    )
    made.append((prism(left, right), roof))
    made += [(box((x + s * 0.95, y - 0.03, 1.05), (0.1, 0.06, 2.1)), white) for s in (1, -1)]
    made.append((box((x, y - 0.03, 2.1), (2.0, 0.06, 0.1)), white))
    return Part("backdrop.barn", None, tuple(Piece.make(mesh, paint) for mesh, paint in made))


def _farm(rng: Generator) -> Layout:
    layout = Layout([], fill=(0.56, 0.84))
    lay_out(rng, layout, ("meadow", "grass", "mud", "gravel"), ("tree",), (2, 6))
    layout.stage.append(_barn(rng, float(rng.uniform(7, 10))))
    kind = str(rng.choice(_MAIN, p=[0.18, 0.18, 0.14, 0.14, 0.12, 0.09, 0.05, 0.1]))
    deg, small = to_the_side(rng, 50.0), kind in ("chicken", "duck")
    if kind == "person":
        poses = ("walk", "stand", "hips", "hold")
        main = bystander(rng, "farmer", (0, 0, 0), deg, poses, subject=True)
    else:
        lies = bool(kind != "horse" and rng.random() < 0.2)
        size = 1.6 if small else 1.0
        main = animal(rng, f"{kind}.main", kind, (0, 0, 0), deg, subject=True, lies=lies, size=size)
    if small:
        layout.fill = (0.45, 0.62)
    taken: Taken = [(0.0, 0.0, 1.25 if kind in ("cow", "horse") else 0.7)]
    room = 0.55 if small else 1.0
    look = (0.0, 0.0, 0.6) if rng.random() < 0.6 else None
    yard = Yard((-2.9 * room, -0.7), (2.9 * room, 3.2 * room), look=look)
    kinds = [k for k in _KINDS if not (small and k in ("fence", "cart", "cow", "horse"))]
    layout.things = [main, *furnish(rng, taken, kinds, int(rng.integers(5, 8)), yard)]
    layout.free = spots(rng, layout.things, (-2.2 * room, -1.1), (2.2 * room, 2.0), 0.0, 7)
    return layout


@base(
    "farmyard",
    "A farmyard: cattle, horses, sheep, pigs, poultry standing or lying; farmer, cart, hay, fence, barn.",
)
def farmyard(rng: Generator) -> World:
    """See the base."""
    return shown(rng, "farmyard", "nature", _farm)
