"""Looking only into the grid's cells near a box finds what looking at every cluster finds, to the bit; and
the compiled loops are those of this text, whatever a cache holds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel.arrays import F32, F64
from physgauge.rules_kernel.fusion import CONF_TYPES, nms, packed, weighted_box_fusion
from physgauge.rules_kernel.fusion.compiled import text
from tests.kernels.test_threads_and_cache import output, python

NEVER = 10**9


def boxes_of(kind: str, n: int, rng: np.random.Generator) -> F32:
    """n boxes of a kind that is hard on a grid."""
    corner: F64 = rng.uniform(0, 300, (n, 2))
    size: F64 = rng.uniform(1, 80, (n, 2))
    if kind == "touching, doubled, without area":
        corner, size = (
            10 * rng.uniform(0, 6, (n, 2)).round(),
            10 * rng.uniform(0, 4, (n, 2)).round(),
        )
    elif kind == "huge":
        corner, size = rng.normal(0, 2e37, (n, 2)), rng.uniform(0, 5e37, (n, 2))
    elif kind == "tiny":
        corner, size = corner * 1e-44, size * 1e-44
    elif kind == "one corner":
        corner, size = np.full((n, 2), 5.0), rng.integers(1, 5, (n, 2)).astype(np.float64)
    elif kind == "one far away":
        corner[:1] = -1e30
    elif kind == "far from zero":
        corner, size = corner + 1e7, size.round() + 1
    elif kind == "all sizes":
        corner, size = rng.uniform(0, 5, (n, 2)), 10.0 ** rng.uniform(-3, 3, (n, 2))
    elif kind == "growing clusters":
        corner = 60 * rng.uniform(0, 3, (n, 2)).round() + rng.normal(0, 9, (n, 2))
        size = np.full((n, 2), 50.0)
    return np.concatenate([corner, corner + size], axis=1).astype(np.float32)


KINDS = (
    "plain", "touching, doubled, without area", "huge", "tiny", "one corner", "one far away",
    "far from zero", "all sizes", "growing clusters",
)  # fmt: skip


def weights_of(kind: str, sources: int, labels: int, rng: np.random.Generator) -> F64:
    """Weights, also such that sums lose all their digits or overflow."""
    if kind == "odd":
        return rng.choice([1.0, 2.0, 1e-320, 1e-300, 1e199], (sources, labels))
    if kind == "overflowing":
        return np.full((sources, labels), 1e307)
    return rng.uniform(0.2, 3, (sources, labels))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 2**32), kind=st.sampled_from(KINDS), n=st.integers(0, 120),
    iou=st.sampled_from([0.0, 1e-9, 0.1, 0.3, 0.5, 0.55, 0.8, 0.99, 1.0]),
    weights=st.sampled_from(["plain", "plain", "odd", "overflowing"]),
    conf=st.sampled_from(CONF_TYPES), equal=st.booleans(), grid=st.sampled_from([1, 8]),
)  # fmt: skip
def test_a_grid_changes_no_bit(
    monkeypatch: pytest.MonkeyPatch, seed: int, kind: str, n: int, iou: float, weights: str,
    conf: Any, equal: bool, grid: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(seed)
    labels, sources = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    xyxy = boxes_of(kind, n, rng)
    score = rng.choice([0, 0.1, 0.5, 1], n) if equal else rng.random(n)
    offsets = np.array([0, n // 3, n, n], np.int64)
    looked: list[Any] = []
    for fewest in (NEVER, grid):
        monkeypatch.setattr(packed, "MIN_GRID", fewest)
        rng = np.random.default_rng(seed + 1)
        arrays = (xyxy, score.astype(np.float32), rng.integers(0, labels, n).astype(np.int16))
        source = rng.integers(0, sources, n).astype(np.int8)
        weight = weights_of(weights, sources, labels, rng)
        fused = weighted_box_fusion(
            *arrays, source, offsets, weight, iou_thr=iou, conf_type=conf, threads=1
        )
        looked.append([getattr(fused, f.name).tobytes() for f in fields(fused)])
        looked[-1].append(nms(*arrays, offsets, iou, threads=1).tobytes())
    assert looked[0] == looked[1]


def test_clusters_are_found_where_they_have_moved_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boxes that go left step by step pull their cluster along, out of the last one's reach where it
    was first."""
    monkeypatch.setattr(packed, "MIN_GRID", 1)
    n = 1000
    left = np.arange(n) * -0.216
    xyxy = np.stack([left, np.zeros(n), left + 900, np.full(n, 50.0)], axis=1).astype(np.float32)
    score = np.linspace(0.8, 0.9, n)[::-1].astype(np.float32)
    arrays = (xyxy, score, np.zeros(n, np.int16), np.zeros(n, np.int8), np.array([0, n]))
    fused = weighted_box_fusion(*arrays, np.ones((1, 1)), iou_thr=0.78)
    assert len(fused.score) == 1
    assert fused.xyxy[0, 0] == pytest.approx(np.average(left, weights=score), rel=1e-6)


@pytest.mark.parametrize("iou", [0.1, 0.3, 0.55, 0.8, 0.95])
def test_the_farthest_box_that_overlaps_enough_is_found(
    monkeypatch: pytest.MonkeyPatch, iou: float
) -> None:
    """A box that is all but too narrow, or too wide, for the one that it is part of, at every side; many
    small boxes around make small cells."""
    monkeypatch.setattr(packed, "MIN_GRID", 1)
    rng = np.random.default_rng(1)
    n, small = 12_000, 100 * (iou + 0.002)
    large = 100 / (iou + 0.002)
    corner = rng.uniform(-1000 if iou < 0.3 else -120, 100, (n, 2))
    crowd = np.concatenate([corner, corner + 1e-3], axis=1)
    for other in (
        (100 - small, 0, 100, 100), (0, 0, small, 100), (100 - large, 0, 100, 100), (0, 0, large, 100),
        (0, 100 - small, 100, 100), (0, 0, 100, small), (0, 100 - large, 100, 100), (0, 0, 100, large),
    ):  # fmt: skip
        xyxy = np.concatenate([crowd, [(0, 0, 100, 100), other]]).astype(np.float32)
        score = np.full(n + 2, 0.5, np.float32)
        score[-2:] = 0.3, 0.2
        arrays = (xyxy, score, np.zeros(n + 2, np.int16))
        offsets = np.array([0, n + 2])
        kept = nms(*arrays, offsets, iou)
        assert kept.tolist() == [True] * (n + 1) + [False]


FUSE = """
import numpy as np
from physgauge.rules_kernel.fusion import compiled, weighted_box_fusion
text = compiled.text()
compiled.text = lambda: {text}
box = (np.array([[0, 0, 1, 1]], np.float32), np.array([0.5], np.float32), np.zeros(1, np.int16))
fused = weighted_box_fusion(*box, np.zeros(1, np.int8), np.array([0, 1]), np.ones((1, 1)))
stats = compiled._built(True)["fuse"].stats
print(fused.score[0], sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_changed_helper_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    """Numba looks at the file of `fuse` only, which calls `confidence`."""
    half = 'text.replace("counted / totals[0])", "counted / totals[0] / 2)")'
    assert output(python(FUSE.format(text="text"), tmp_path)) == "0.5 0 1"
    assert output(python(FUSE.format(text=half), tmp_path)) == "0.25 0 1"
    assert output(python(FUSE.format(text="text"), tmp_path)) == "0.5 1 0"
    for file in (tmp_path / "rules").rglob("*.nb[ci]"):
        file.write_bytes(b"damaged")
    assert output(python(FUSE.format(text="text"), tmp_path)).startswith("0.5 ")


def test_the_generated_module_stands_alone() -> None:
    """Everything that it uses is in it: what is elsewhere could change unnoticed."""
    names: dict[str, Any] = {"np": np, "math": __import__("math"), "prange": range}
    exec(compile(text(), "<text>", "exec"), names)
    used = {
        name
        for value in list(names.values())
        if callable(value) and hasattr(value, "__code__")
        for name in value.__code__.co_names
    }
    known = set(names) | set(dir(__import__("builtins"))) | set(dir(np)) | set(dir(names["math"]))
    assert used <= known
