"""Region continuity: a seam, a jump of light or a kink of perspective through one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.lenses import seen_by, shifted, turned
from benchmarks.scenes.pairs.order import frame_of
from benchmarks.scenes.pairs.pick import words_of
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.seam import (
    Seam,
    beyond,
    crosses_subjects,
    drawn,
    repainted,
    seam_at,
    toned,
)
from benchmarks.scenes.pairs.sight import in_sight
from benchmarks.scenes.pairs.world import Canvas, Thing, World

_BAND: Final = 0.045
"""Half width of what a seam is seen in, in parts of the frame."""


def _fits(world: World, at: Thing) -> bool:
    return in_sight(world, at, 30, 0.6)


def _seam(world: World, at: Thing, rng: Generator, curved: bool = True) -> Seam | None:
    """A line through the thing that leaves enough on either side; an aside's spares the subjects."""
    for _ in range(8):
        seam = seam_at(world, at, rng, curved)
        share = float((seam.away(64) > 0).mean())
        if at.subject and 0.2 < share < 0.68:
            return seam
        if not at.subject and 0.05 < share < 0.5 and crosses_subjects(world, seam) < 0.12:
            return seam
    return None


def _planted(
    world: World,
    at: Thing,
    seam: Seam,
    change: Callable[[Canvas], F64],
    says: str,
    band: float = _BAND,
) -> Planted:
    detail = f"{says} along a line through the {words_of(at)}."
    return Planted(world.after(beyond(seam, change)), world, (), detail, seam.band(band))


@recipe(
    "region_continuity",
    "exposure_jumps",
    fits=_fits,
    planted="beyond a straight or curved line through the thing all is much brighter or darker",
    twin="one exposure",
)
def exposure(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two exposures side by side."""
    dark = rng.random() < 0.5
    # Dark beyond a curve would be a shadow.
    seam = _seam(world, at, rng, curved=not dark)
    if seam is None:
        return None
    gain = float(rng.uniform(0.38, 0.58) if dark else rng.uniform(1.5, 2.1))
    gamma = float(rng.uniform(0.9, 1.1) if dark else rng.uniform(0.6, 0.8))
    return _planted(world, at, seam, toned(np.full(3, gain), gamma), "The light jumps")


@recipe(
    "region_continuity",
    "colours_jump",
    fits=_fits,
    planted="beyond a line through the thing the white balance is another: bluer, redder or greener",
    twin="one white balance",
)
def colours(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two white balances side by side, also seen in black and white."""
    seam = _seam(world, at, rng)
    if seam is None:
        return None
    tints = ((0.6, 0.85, 1.35), (1.4, 0.95, 0.55), (0.7, 1.25, 0.7), (1.25, 0.65, 1.2))
    gain = np.array(tints[int(rng.integers(4))]) * float(rng.choice([0.75, 1.3]))
    return _planted(world, at, seam, toned(gain, 1.0), "The colours jump")


@recipe(
    "region_continuity",
    "perspective_jumps",
    fits=_fits,
    planted="beyond a line through the thing the place is seen by a turned camera with another lens",
    twin="one camera",
)
def perspective(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two cameras' pictures side by side."""
    seam = _seam(world, at, rng, curved=False)
    if seam is None:
        return None
    wide = float(np.rad2deg(np.arctan(world.camera.tan)))
    yaw, pitch = rng.choice([-1, 1], 2) * rng.uniform(0.08, 0.22, 2) * wide
    roll = float(rng.choice([-1, 1]) * rng.uniform(3, 9))
    camera = turned(world.camera, float(yaw), float(pitch), roll, float(rng.uniform(0.85, 1.2)))
    return _planted(
        world, at, seam, drawn(seen_by(world, camera)), "The perspective has a kink", 0.07
    )


@recipe(
    "region_continuity",
    "half_slips",
    fits=_fits,
    planted="beyond a line through the thing the picture has slipped along it by 6 to 13 % of the frame",
    twin="one piece",
)
def slips(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A picture torn and glued together wrongly."""
    seam = _seam(world, at, rng, curved=False)
    if seam is None:
        return None
    by = float(rng.choice([-1, 1]) * rng.uniform(0.06, 0.13))
    dx, dy = by * float(np.cos(seam.angle)), by * float(np.sin(seam.angle))
    return _planted(world, at, seam, drawn(shifted(world, dx, dy)), "One side has slipped", 0.07)


@recipe(
    "region_continuity",
    "light_turns",
    fits=lambda world, at: _fits(world, at) and world.sun.shadow,
    planted="beyond a line through the thing the sun comes from elsewhere, lower and of another colour",
    twin="one sun",
)
def light(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two times of day side by side."""
    seam = _seam(world, at, rng)
    if seam is None:
        return None
    sun = world.sun
    turned = rot("z", float(rng.uniform(100, 260))) @ sun.direction
    warm = np.array([1.15, 0.75, 0.4]) if rng.random() < 0.5 else np.array([0.45, 0.6, 0.95])
    strong = np.clip(np.array(sun.diffuse) * warm, 0, 1)
    other = replace(
        sun, direction=turned, diffuse=(float(strong[0]), float(strong[1]), float(strong[2]))
    )
    dim = float(rng.uniform(0.45, 0.65))
    lights = tuple(
        replace(one, ambient=(one.ambient[0] * dim, one.ambient[1] * dim, one.ambient[2] * dim))
        for one in world.lights
    )

    def darker(part: Part, paint: Paint) -> Paint:
        return replace(paint, emission=paint.emission * dim) if part.key == "backdrop" else paint

    variant = repainted(replace(world, sun=other, lights=lights), darker)
    return _planted(world, at, seam, drawn(variant), "The time of day changes")


@recipe(
    "region_continuity",
    "place_changes",
    fits=_fits,
    planted="beyond a line through the thing floor, walls and background have other colours",
    twin="one place",
)
def place(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two rooms or two grounds without a border between them."""
    seam = _seam(world, at, rng)
    if seam is None:
        return None
    tint = np.array(
        ((0.5, 0.8, 1.25), (1.3, 0.75, 0.5), (0.6, 1.2, 0.55), (0.45, 0.45, 0.5))[
            int(rng.integers(4))
        ]
    )

    def other(part: Part, paint: Paint) -> Paint:
        r, g, b = (float(v) for v in np.clip(np.array(paint.rgb) * tint, 0, 1))
        return replace(paint, rgb=(r, g, b))

    return _planted(world, at, seam, drawn(repainted(world, other)), "The place changes")


@recipe(
    "region_continuity",
    "horizon_jumps",
    fits=_fits,
    planted="behind the thing the horizon, floor line or wall goes on higher or lower than before it",
    twin="it goes on straight",
    held_out=True,
)
def horizon(world: World, at: Thing, rng: Generator) -> Planted | None:
    """The background is one picture left of a thing and another right of it."""
    x0, y0, x1, y1 = frame_of(world, at)
    x = (x0 + x1) / 2
    if not 0.2 < x < 0.8 or y1 - y0 < 0.15:
        return None
    side = 0.5 if rng.random() < 0.5 else 1.5
    seam = Seam(x, (y0 + y1) / 2, side * np.pi)
    by = float(rng.choice([-1, 1]) * rng.uniform(0.09, 0.17))
    bare = replace(shifted(world, 0.0, by), things=())

    def change(canvas: Canvas) -> F64:
        behind = drawn(bare)(canvas)
        stays = (canvas.index >= 0)[:, :, None]
        return np.where(stays, canvas.pixels, behind)

    return _planted(world, at, seam, change, "The horizon jumps", 0.12)


@recipe(
    "region_continuity",
    "strip_repeats",
    fits=_fits,
    planted="a strip through the thing shows what lies beside it once more, as in a bad panorama",
    twin="one piece",
    held_out=True,
)
def strip(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Two seams, with a strip between them from elsewhere."""
    x0, y0, x1, y1 = frame_of(world, at)
    upright = rng.random() < 0.6
    middle = (x0 + x1) / 2 if upright else (y0 + y1) / 2
    wide = float(rng.uniform(0.09, 0.18))
    by = float(rng.choice([-1, 1]) * rng.uniform(0.7, 1.2)) * wide
    variant = shifted(world, by if upright else 0.0, 0.0 if upright else by)
    if not wide < middle < 1 - wide:
        return None

    def effect(canvas: Canvas) -> None:
        size = canvas.pixels.shape[0]
        inside = np.abs((np.arange(size) + 0.5) / size - middle) < wide / 2
        other = drawn(variant)(canvas).astype(np.uint8)
        canvas.pixels = canvas.pixels.copy()
        if upright:
            canvas.pixels[:, inside] = other[:, inside]
        else:
            canvas.pixels[inside] = other[inside]

    detail = f"A strip through the {words_of(at)} does not fit what is on either side of it."
    return Planted(world.after(effect), world, (), detail)
