"""Depth order: what is behind covers what is in front, or breaks off, doubles or shifts behind it."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.order import (
    Line,
    cut,
    depths,
    frame_of,
    kept_shadow,
    over,
    renamed,
    through,
)
from benchmarks.scenes.pairs.pick import words_of
from benchmarks.scenes.pairs.posts import post_before
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import foot, has_room, in_sight, nearer, rightwards
from benchmarks.scenes.pairs.world import Thing, World

_LOOSE = frozenset(
    {"held", "worn", "hangs", "flame", "transparent", "aircraft", "floats", "mirror"}
)

_LEAST = 0.012
"""Least share of the frame in which the boxes of two things overlap."""


def _tied(world: World, one: Thing) -> bool:
    """Whether something stands on it or is held by it: it can't be moved or split alone."""
    return bool(world.resting_on(one.key)) or any(
        t.facts.get("holder") == one.key for t in world.things
    )


def _stands(world: World, one: Thing) -> bool:
    flat = one.kind in ("footprints", "tracks", "puddle")
    return not flat and not one.tags & _LOOSE and in_sight(world, one, 30)


def _lone(world: World, one: Thing) -> bool:
    """Whether a post can be put before it."""
    x0, y0, x1, y1 = frame_of(world, one)
    large = min(x1 - x0, y1 - y0) > 0.1 and (x1 - x0) * (y1 - y0) > 0.025
    return large and _stands(world, one) and not _tied(world, one)


def _partners(world: World, one: Thing) -> list[Thing]:
    """Things that could stand before it or behind it, of no wholly other size in the picture."""
    x0, y0, x1, y1 = frame_of(world, one)
    mine = max(x1 - x0, y1 - y0)
    found = []
    for other in world.things:
        if other.key in (one.key, one.rests_on) or other.rests_on == one.key:
            continue
        a0, b0, a1, b1 = frame_of(world, other)
        if _stands(world, other) and 0.3 < max(a1 - a0, b1 - b0) / mine < 3.5:
            found.append(other)
    return found


def _fits_pair(world: World, one: Thing) -> bool:
    return _stands(world, one) and bool(_partners(world, one))


def _on_support(world: World, one: Thing) -> bool:
    """Whether what it stands on is still under it."""
    if one.rests_on is None:
        return True
    under = world.thing(one.rests_on)
    low, high = under.low[:2], under.high[:2]
    return bool((foot(one)[:2] > low + 0.1 * (high - low)).all()) and bool(
        (foot(one)[:2] < high - 0.1 * (high - low)).all()
    )


def _half_hidden(
    world: World, near: Thing, far: Thing, rng: Generator
) -> tuple[World, Thing] | None:
    """The world in which `far` stands behind `near`, hidden in part, and `far` there."""
    gap = depths(world, near)[1] + 0.02 * float(near.size.max()) - depths(world, far)[0]
    if _shared(world, near, far) > _LEAST and gap <= 0:
        return world, far
    if _tied(world, far):
        return None
    x0, _, x1, _ = frame_of(world, near)
    a0, _, a1, _ = frame_of(world, far)
    side = 1 if rng.random() < 0.5 else -1
    depth = float(np.mean(depths(world, far)))
    for sign in (side, -side):
        edge = x1 if sign > 0 else x0
        across = (edge - (a0 + a1) / 2) * 2 * world.camera.tan * depth
        back = max(0.0, gap) * float(rng.uniform(1.0, 1.6))
        moved = far.moved(rightwards(world) * across - nearer(world) * back)
        found = world.changed(moved)
        fair = in_sight(found, moved, 30) and _on_support(found, moved)
        if (
            fair
            and has_room(found, moved, [moved.rests_on or ""])
            and _shared(found, near, moved) > _LEAST
        ):
            return found, moved
    return None


def _shared(world: World, a: Thing, b: Thing) -> float:
    """Share of the frame in which the boxes of two things overlap."""
    p, q = frame_of(world, a), frame_of(world, b)
    w = min(p[2], q[2]) - max(p[0], q[0])
    h = min(p[3], q[3]) - max(p[1], q[1])
    return max(w, 0.0) * max(h, 0.0)


def _ordered(world: World, at: Thing, rng: Generator) -> tuple[World, Thing, Thing] | None:
    """A world with the target before or behind a partner, near thing first."""
    partners = _partners(world, at)
    for k in rng.permutation(len(partners))[:5]:
        other = partners[k]
        if depths(world, at)[0] < depths(world, other)[0]:
            near, far = at, other
        else:
            near, far = other, at
        got = _half_hidden(world, near, far, rng)
        if got is not None:
            return got[0], near, got[1]
    return None


@recipe(
    "depth_order_occlusion",
    "order_reversed",
    fits=_fits_pair,
    planted="of two things, one partly behind the other, the farther is drawn over the nearer",
    twin="the nearer covers the farther",
)
def reversed_order(world: World, at: Thing, rng: Generator) -> Planted | None:
    """The farther of two things covers the nearer."""
    got = _ordered(world, at, rng)
    if got is None:
        return None
    clean, near, far = got
    wrong = clean.after(over(near.key, far.key))
    detail = f"The {words_of(far)} stands behind the {words_of(near)} and yet covers it."
    return Planted(wrong, clean, (far.key, near.key), detail)


def _line(world: World, near: Thing, far: Thing, rng: Generator) -> Line:
    """A line across where two things overlap in the picture, level in the main."""
    p, q = frame_of(world, near), frame_of(world, far)
    x0, y0, x1, y1 = max(p[0], q[0]), max(p[1], q[1]), min(p[2], q[2]), min(p[3], q[3])
    x, y = (x0 + x1) / 2, y0 + (y1 - y0) * float(rng.uniform(0.4, 0.6))
    lean = float(rng.uniform(-0.3, 0.3))
    ends = (x - 0.4, y - 0.4 * lean), (x + 0.4, y + 0.4 * lean)
    return ends if rng.random() < 0.5 else (ends[1], ends[0])


@recipe(
    "depth_order_occlusion",
    "order_woven",
    fits=_fits_pair,
    planted="a thing partly behind another passes before it with its upper or lower part only",
    twin="all of it passes behind",
)
def woven(world: World, at: Thing, rng: Generator) -> Planted | None:
    """Half of the farther thing covers the nearer, half is covered by it."""
    got = _ordered(world, at, rng)
    if got is None:
        return None
    clean, near, far = got
    wrong = clean.after(over(near.key, far.key, _line(clean, near, far, rng)))
    detail = f"Part of the {words_of(far)} is in front of the {words_of(near)}, part of it behind."
    return Planted(wrong, clean, (far.key, near.key), detail)


@recipe(
    "depth_order_occlusion",
    "post_woven",
    fits=_lone,
    planted="a post, lamp or trunk before a thing runs behind it with its upper or lower part",
    twin="it runs before the thing all along",
)
def post_woven(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A post is before a thing and behind it."""
    got = post_before(world, at, rng)
    if got is None:
        return None
    clean, post = got
    wrong = clean.after(over(post.key, at.key, _line(clean, post, at, rng)))
    detail = f"The {post.kind} in front of the {words_of(at)} passes behind it further along."
    return Planted(wrong, clean, (at.key, post.key), detail)


def _halves(world: World, at: Thing, post: Thing) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The thing left and right of the post's middle, as seen."""
    x0, y0, x1, y1 = frame_of(world, post)
    x = (x0 + x1) / 2
    normal = through(world.camera, (x, y0), (x, y1))
    if normal @ world.camera.right < 0:
        normal = -normal
    origin = world.camera.pos
    return cut(at.parts, -normal, origin), cut(at.parts, normal, origin)


@recipe(
    "depth_order_occlusion",
    "post_cut",
    fits=_lone,
    planted="a thing that passes behind a post does not come out on the other side",
    twin="it does",
)
def post_cut(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A thing ends at the edge of what stands before it."""
    got = post_before(world, at, rng)
    if got is None:
        return None
    clean, post = got
    left, right = _halves(clean, at, post)
    if not left or not right:
        return None
    kept = left if rng.random() < 0.5 else right
    detail = f"The {words_of(at)} breaks off behind the {post.kind}."
    return Planted(clean.changed(kept_shadow(at, kept)), clean, (), detail)


def _parted(world: World, at: Thing, rng: Generator, up: float, out: float) -> Planted | None:
    """The half at one side of a post moved within the picture, in parts of the thing's height and of the
    post's width."""
    got = post_before(world, at, rng)
    if got is None:
        return None
    clean, post = got
    box, own = frame_of(clean, post), frame_of(clean, at)
    depth = float(np.mean(depths(clean, at)))
    unit = 2 * clean.camera.tan * depth
    side = 1 if rng.random() < 0.5 else -1
    shift = clean.camera.up * up * (own[3] - own[1]) * unit
    shift = shift + clean.camera.right * side * out * (box[2] - box[0]) * unit
    whole = kept_shadow(at, tuple(part.transformed(np.eye(3), shift) for part in at.parts))
    halves, moved = _halves(clean, at, post), _halves(clean, whole, post)
    stays, goes = (halves[0], moved[1]) if side > 0 else (halves[1], moved[0])
    if not stays or not goes:
        return None
    wrong = kept_shadow(at, (*stays, *renamed(goes, ".moved")))
    how = "shifted" if up else "doubled"
    detail = f"The {words_of(at)} comes out {how} on the other side of the {post.kind}."
    return Planted(clean.changed(wrong), clean, (at.key,), detail)


@recipe(
    "depth_order_occlusion",
    "post_doubled",
    fits=_lone,
    planted="what a post hides of a thing is seen again beside the post: its edge is doubled",
    twin="the thing goes on behind the post",
)
def post_doubled(world: World, at: Thing, rng: Generator) -> Planted | None:
    """A thing is too long by what a post hides of it, and more."""
    return _parted(world, at, rng, 0.0, float(rng.uniform(1.4, 2.4)))


@recipe(
    "depth_order_occlusion",
    "post_shifted",
    fits=_lone,
    planted="a thing comes out of its way behind a post higher than it went in",
    twin="it goes on straight",
    held_out=True,
)
def post_shifted(world: World, at: Thing, rng: Generator) -> Planted | None:
    """The two sides of a thing do not meet behind a post."""
    return _parted(world, at, rng, float(rng.uniform(0.14, 0.28)), 0.0)
