"""Indoor base scenes: furnished, in frame, standing on something, nothing inside another."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from benchmarks.scenes.pairs import bases
from benchmarks.scenes.pairs.registry import BASES
from benchmarks.scenes.pairs.world import Thing, World, boxed

for found in pkgutil.iter_modules(bases.__path__):
    if found.name.startswith("indoor_"):
        importlib.import_module(f"{bases.__name__}.{found.name}")

NAMES = sorted(n for n, b in BASES.items() if ".bases.indoor_" in b.make.__module__)
SEEDS = range(12)
HANDS_FREE = {"person", "animal"}


@cache
def world(name: str, seed: int) -> World:
    return BASES[name].make(np.random.default_rng([seed, 11]))


def body(one: Thing) -> tuple[np.ndarray, np.ndarray]:
    """Its box without cord and outlet."""
    v = np.concatenate([p.verts() for p in one.parts if p.key not in ("cord", "outlet")])
    return v.min(0), v.max(0)


def share(w: World, low: np.ndarray, high: np.ndarray) -> float:
    """Share of the frame that a box's rectangle covers."""
    corners = [
        [x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])
    ]
    p = w.camera.project(np.array(corners), 1, 1)
    lo, hi = np.clip(p.min(0), 0, 1), np.clip(p.max(0), 0, 1)
    return float((hi - lo).prod())


def supports(w: World, one: Thing) -> Iterator[float]:
    """Heights of upper faces under the middle of a thing."""
    low, high = body(one)
    middle = (low[:2] + high[:2]) / 2
    own = w.thing(one.rests_on).parts if one.rests_on else w.stage
    for part in own:
        for piece in part.pieces:
            v = piece.mesh.verts
            # Below a thing that leans over its edge is what it touches with its own lowest points.
            if (v[:, :2].min(0) <= middle + 0.02).all() and (
                v[:, :2].max(0) >= middle - 0.02
            ).all():
                yield float(v[:, 2].max())
                # Some meshes hold several boxes: any horizontal level of theirs may be a support.
                yield from np.unique(np.round(v[piece.mesh.normals[:, 2] > 0.99, 2], 4)).tolist()


def test_there_are_at_least_eight_and_two_held_out() -> None:
    assert len(NAMES) >= 8
    assert sum(BASES[n].held_out for n in NAMES) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_furnished_and_in_frame(name: str) -> None:
    full = spots = 0
    for seed in SEEDS:
        w = world(name, seed)
        assert w.base == name
        keys = [t.key for t in w.things]
        assert len(set(keys)) == len(keys), keys
        assert len(w.textures) <= 8
        subjects = [t for t in w.things if t.subject]
        assert subjects
        low, high = boxed(subjects)
        assert share(w, low, high) > 0.045, (seed, share(w, low, high))
        full += sum(share(w, *body(t)) >= 0.012 for t in w.things if not t.subject) >= 2
        spots += bool(w.free)
        geoms = sum(len({id(q.paint) for q in p.pieces}) for t in w.things for p in t.parts)
        assert geoms + len(w.stage) < 250
        used = {q.paint.texture for t in w.things for p in t.parts for q in p.pieces}
        used |= {q.paint.texture for p in w.stage for q in p.pieces}
        assert used - {None} <= set(w.textures), (seed, used)
    assert full >= len(SEEDS) - 1, full
    assert spots >= len(SEEDS) - 2, spots


@pytest.mark.parametrize("name", NAMES)
def test_nothing_floats(name: str) -> None:
    for seed in SEEDS:
        w = world(name, seed)
        for one in w.things:
            if "stands" not in one.tags or (one.tags & HANDS_FREE and one.rests_on):
                continue
            low = float(body(one)[0][2])
            gaps = [abs(low - z) for z in supports(w, one)]
            assert min(gaps, default=9.0) < 0.01, (name, seed, one.key, low, gaps)


def pieces(one: Thing) -> list[tuple[np.ndarray, np.ndarray]]:
    """A person's boxes part by part (arms lie open on a table), another thing's as one."""
    if "person" not in one.tags:
        return [body(one)]
    return [(v.min(0), v.max(0)) for v in (p.verts() for p in one.parts)]


def inside(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> float:
    """How far two boxes reach into each other."""
    return float((np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])).min())


def related(w: World, a: Thing, b: Thing) -> bool:
    """Whether one stands on the other, or sits at it."""
    over = {t.key for t in w.resting_on(a.key)}, {t.key for t in w.resting_on(b.key)}
    seated = "person" in a.tags | b.tags and "furniture" in a.tags | b.tags
    chairs = {a.kind, b.kind} == {"chair", "table"}
    return b.key in over[0] or a.key in over[1] or seated or chairs


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_inside_another(name: str) -> None:
    for seed in SEEDS:
        w = world(name, seed)
        rigid = [t for t in w.things if "domino" not in t.tags]
        boxes = [body(t) for t in rigid]
        for i, (a, (alow, ahigh)) in enumerate(zip(rigid, boxes, strict=True)):
            for b, (blow, bhigh) in zip(rigid[:i], boxes[:i], strict=True):
                deep = float((np.minimum(ahigh, bhigh) - np.maximum(alow, blow)).min())
                if deep >= 0.004 and not related(w, a, b):
                    deep = max(inside(p, q) for p in pieces(a) for q in pieces(b))
                    assert deep < 0.004, (name, seed, a.key, b.key, deep)


@pytest.mark.parametrize("name", NAMES)
def test_remade_without_changes_is_the_same(name: str) -> None:
    w = world(name, 0)
    for one in w.things:
        if one.remake is None:
            continue
        again = one.remake()
        assert again.key == one.key
        assert again.tags == one.tags
        assert again.subject is one.subject
        np.testing.assert_allclose(again.verts(), one.verts(), atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_world(name: str) -> None:
    again = BASES[name].make(np.random.default_rng([3, 11]))
    first = world(name, 3)
    assert [t.key for t in again.things] == [t.key for t in first.things]
    assert all(
        np.array_equal(a.verts(), b.verts())
        for a, b in zip(again.things, first.things, strict=True)
    )
    assert all(np.array_equal(again.textures[k], v) for k, v in first.textures.items())
