"""Whether a planted violation can be seen, and where: twins are compared before development."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.scenes.geometry.mesh import F64

from .morphology import ndimage
from .registry import Planted
from .world import Canvas, Thing, World

Mask = NDArray[np.bool_]

CHANGED: Final = 24
"""Levels (of 255, in any channel) from which a pixel differs to the eye."""
LEAST: Final = 0.003
"""Least share of the image that differs so: 307 px of 320 x 320."""
MOST: Final = 0.75
"""Most of it."""
SPILL: Final = 0.04
"""Most of what differs that may lie away from the changed things, their shadows and their reflections."""
EDGE: Final = 0.5
"""Most of the violation's mask that may lie in the outermost 3 % of the frame."""
PART: Final = 0.3
"""Share of the named things that changes, or ..."""
INSIDE: Final = 0.4
"""... share of what changes that lies on them, from which the violation is only what changed there."""
CELLS: Final = 16
"""The stored mask has 16 x 16 cells."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a violation is seen in the violated picture."""

    mask: Mask
    """[S, S]"""
    box: tuple[float, float, float, float]
    """x0, y0, x1, y1 px, pixel edges."""

    def cells(self) -> bytes:
        """The stored mask, 16 * 16 bytes, row-major: share of each cell that is covered, times 255."""
        size = self.mask.shape[0]
        edges = np.arange(CELLS) * size // CELLS
        whole = np.ones(self.mask.shape)
        covered, area = (
            np.add.reduceat(np.add.reduceat(m.astype(float), edges, 0), edges, 1)
            for m in (self.mask, whole)
        )
        return np.rint(covered / area * 255).astype(np.uint8).tobytes()


def check_worlds(planted: Planted) -> None:
    """Twins share camera, lights, stage and ground, and the textures that both have.

    Raises:
        ValueError: they don't.
    """
    a, b = planted.clean, planted.violated
    for name in ("base", "camera", "sun", "lights", "stage", "ground"):
        if getattr(a, name) is not getattr(b, name) and not _same(
            getattr(a, name), getattr(b, name)
        ):
            raise ValueError(f"expected twins with the same {name}, got two")
    for name in set(a.textures) & set(b.textures):
        if a.textures[name] is not b.textures[name]:
            raise ValueError(f"expected twins with the same textures, got two of {name!r}")


def _same(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
    return isinstance(a, (str, float, int)) and a == b


def find(planted: Planted, clean: Canvas, violated: Canvas) -> Evidence | str:
    """Where the violation is seen, or why it is not evident."""
    delta = np.abs(clean.pixels.astype(np.int16) - violated.pixels).max(-1)
    changed: Mask = ndimage.binary_opening(delta >= CHANGED, np.ones((2, 2), bool))
    share = float(changed.mean())
    if share < LEAST:
        return f"differs in {share:.2%} of the image, at least {LEAST:.2%} needed"
    if share > MOST:
        return f"differs in {share:.0%} of the image, at most {MOST:.0%} allowed"
    # Effects change what they like; things must change nothing but themselves and what they throw.
    if planted.clean.effects == planted.violated.effects:
        outside = float((changed & ~_reach(planted, clean)).sum()) / float(changed.sum())
        if outside > SPILL:
            return f"{outside:.0%} of what differs is away from what was changed"
    mask = _where(planted, clean, violated, changed)
    if not mask.any():
        return f"nothing is seen of {', '.join(planted.where)}"
    ys, xs = np.nonzero(mask)
    size = mask.shape[0]
    rim = max(2, round(0.03 * size))
    inner = mask[rim:-rim, rim:-rim].sum()
    if 1 - inner / len(xs) > EDGE:
        return "lies mostly at the frame's edge"
    box = (float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1))
    return Evidence(mask, box)


def _where(planted: Planted, clean: Canvas, violated: Canvas, changed: Mask) -> Mask:
    """The violation's pixels: what changed at the things it is seen at.

    Where hardly anything changed there (their support is gone, their shadow is wrong): the things, and
    what changed elsewhere.
    """
    if planted.mark is not None:
        changed = changed & planted.mark(changed.shape[0])
    if not planted.where:
        return _tidy(changed)
    at = np.zeros_like(changed)
    for key in planted.where:
        seen = violated.mask(key) if key in violated.keys else np.zeros_like(changed)
        if not seen.any() and key in clean.keys:
            seen = clean.mask(key)  # what is missing is missed where it was
        at |= seen
    if not at.any():
        return at
    core = at & ndimage.binary_dilation(changed, iterations=2)
    mostly = core.sum() >= PART * at.sum() or (changed & at).sum() >= INSIDE * changed.sum()
    return _tidy(core if mostly and core.mean() >= LEAST else at | changed)


def _tidy(mask: Mask) -> Mask:
    """Without gaps of a few pixels and without specks far smaller than the whole."""
    size = mask.shape[0]
    joined = ndimage.binary_closing(np.pad(mask, 4), iterations=max(1, size // 110))[4:-4, 4:-4]
    labels, count = ndimage.label(joined, np.ones((3, 3)))
    areas = np.bincount(labels.ravel(), minlength=count + 1)
    kept = areas >= 0.02 * joined.sum()
    kept[0] = False
    found: Mask = kept[labels]
    return found


def _reach(planted: Planted, canvas: Canvas) -> Mask:
    """Around the things that differ, their shadows and their reflections, [S, S]."""
    size = canvas.pixels.shape[0]
    reach = np.zeros((size, size), bool)
    margin = 0.03 * size + 2
    for world, other in ((planted.clean, planted.violated), (planted.violated, planted.clean)):
        same = {id(one) for one in other.things}
        for thing in world.things:
            if id(thing) in same:
                continue
            for points in _thrown(thing, world):
                px = canvas.project(points)
                low, high = px.min(0) - margin, px.max(0) + margin
                x0, y0 = np.clip(low, 0, size).astype(int)
                x1, y1 = np.clip(np.ceil(high), 0, size).astype(int)
                reach[y0:y1, x0:x1] = True
    if planted.clean.water is not planted.violated.water:
        reach[:] = True
    if planted.clean.mirror is not planted.violated.mirror:
        reach[:] = True
    return reach


def _thrown(thing: Thing, world: World) -> list[F64]:
    """Points of a thing with its shadow on the ground, and of its reflections."""
    forms = [thing.verts()]
    floor = min(world.ground, world.water.level if world.water else world.ground)
    caster = thing.shadow.verts() if thing.shadow else forms[0]
    for sun in (world.sun.direction, thing.shadow_from):
        if sun is None or sun[2] > -0.05:
            continue
        drop = np.maximum(caster[:, 2] - floor, 0.0)
        forms.append(caster + sun * (drop / -sun[2])[:, None])
    found = [np.concatenate(forms)]
    image = thing.reflected.verts() if thing.reflected else thing.verts()
    if world.water is not None:
        found.append(image * [1, 1, -1] + [0, 0, 2 * world.water.level])
    if world.mirror is not None:
        c = np.asarray(world.mirror.corners, float)
        normal = np.cross(c[1] - c[0], c[2] - c[0])
        normal /= np.linalg.norm(normal)
        found.append(image - 2 * np.outer((image - c[0]) @ normal, normal))
    return found
