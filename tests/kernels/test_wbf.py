"""Weighted box fusion against the `ensemble-boxes` package of its authors, and where we differ."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from ensemble_boxes import weighted_boxes_fusion
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import ArrayError
from physgauge.rules_kernel.arrays import F32, F64, I8, I16, I64
from physgauge.rules_kernel.fusion import (
    CONF_TYPES,
    SEVERAL,
    ConfType,
    FusedBoxes,
    packed,
    weighted_box_fusion,
)

SIDE = 1024
"""px of the images: a power of two, so that the package's shares of the image are exact."""


@dataclass(frozen=True)
class Batch:
    xyxy: F32
    score: F32
    label: I16
    source: I8
    offsets: I64
    weight: F64

    def fuse(self, **how: Any) -> FusedBoxes:
        return weighted_box_fusion(*(getattr(self, f.name) for f in fields(self)), **how)

    def image(self, i: int) -> Batch:
        rows = slice(self.offsets[i], self.offsets[i + 1])
        parts = (self.xyxy[rows], self.score[rows], self.label[rows], self.source[rows])
        return Batch(*parts, np.array([0, rows.stop - rows.start]), self.weight)


def of(
    boxes: list[tuple[float, float, float, float]], score: list[float],
    source: list[int], label: list[int] | None = None, weight: list[float] | None = None,
) -> Batch:  # fmt: skip
    """One image."""
    labels = np.array(label or [0] * len(boxes), np.int16)
    sources = np.array(source, np.int8)
    weights = np.array(weight or [1.0] * (int(sources.max(initial=0)) + 1))
    table = np.repeat(weights[:, None], int(labels.max(initial=0)) + 1, axis=1)
    xyxy = np.array(boxes, np.float32).reshape(-1, 4)
    offsets = np.array([0, len(boxes)], np.int64)
    return Batch(xyxy, np.array(score, np.float32), labels, sources, offsets, table)


def random_batch(seed: int, images: int, sources: int, labels: int, most: int) -> Batch:
    """Each source sees most of an image's things, a little off, some twice, some without area."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[F64, I64, I64]] = []
    for _ in range(images):
        things = int(rng.integers(0, most + 1))
        corner, size = rng.uniform(0, 700, (things, 2)), rng.uniform(8, 200, (things, 2))
        kind = rng.integers(0, labels, things)
        seen = rng.integers(0, max(things, 1), int(rng.integers(0, 3 * things + 1)))
        first = corner[seen] + rng.normal(0, 6, (len(seen), 2))
        last = first + size[seen] * rng.uniform(0.8, 1.25, (len(seen), 2))
        last[rng.random(len(seen)) < 0.05, 0] = -1  # clipped to no width
        xyxy = np.concatenate([first, np.maximum(last, first)], axis=1).clip(0, SIDE)
        rows.append((xyxy, kind[seen], rng.integers(0, sources, len(seen))))
    total = sum(len(kind) for _, kind, _ in rows)
    return Batch(
        xyxy=np.concatenate([np.zeros((0, 4)), *(r[0] for r in rows)]).astype(np.float32),
        score=((rng.permutation(total) + 1) / (total + 1)).astype(np.float32),
        label=np.concatenate([np.zeros(0), *(r[1] for r in rows)]).astype(np.int16),
        source=np.concatenate([np.zeros(0), *(r[2] for r in rows)]).astype(np.int8),
        offsets=np.cumsum([0, *(len(r[1]) for r in rows)]).astype(np.int64),
        weight=np.repeat(rng.uniform(0.3, 3, (sources, 1)), labels, axis=1),
    )


def package(
    one: Batch, iou: float, skip: float, conf: str, overflow: bool
) -> tuple[F64, F64, F64] | None:
    """What the package gives for one image, in px; None where its float32 sums might decide whether a
    box joins, so that a threshold a hair off gives something else."""
    mine = [one.source == k for k in range(len(one.weight))]
    results = []
    for threshold in (iou - 1e-5, iou, iou + 1e-5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            boxes, scores, labels = weighted_boxes_fusion(
                [one.xyxy[m].astype(np.float64) / SIDE for m in mine],
                [one.score[m].astype(np.float64) for m in mine],
                [one.label[m] for m in mine],
                weights=one.weight[:, 0].tolist(),
                iou_thr=threshold, skip_box_thr=skip, conf_type=conf, allows_overflow=overflow,
            )  # fmt: skip
        results.append((boxes * SIDE, scores, labels))
    low, at, high = results
    stable = all(len(low[1]) == len(r[1]) and np.array_equal(low[0], r[0]) for r in (at, high))
    return at if stable else None


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 2**32), sources=st.integers(1, 4), labels=st.integers(1, 3),
    iou=st.sampled_from([0.1, 0.4, 0.55, 0.8]), skip=st.sampled_from([0.0, 0.3]),
    conf=st.sampled_from(CONF_TYPES), overflow=st.booleans(),
)  # fmt: skip
def test_same_boxes_as_the_package(
    seed: int, sources: int, labels: int, iou: float, skip: float, conf: ConfType, overflow: bool
) -> None:
    batch = random_batch(seed, 3, sources, labels, 12)
    weighted = batch.score * batch.weight[batch.source, 0]
    assume(
        len(np.unique(weighted.round(9))) == len(weighted)
    )  # the package leaves ties to its sort
    got = batch.fuse(iou_thr=iou, skip_box_thr=skip, conf_type=conf, allows_overflow=overflow)
    for i in range(3):
        rows = slice(got.offsets[i], got.offsets[i + 1])
        assert (np.diff(got.score[rows]) <= 0).all(), "best first"
        want = package(batch.image(i), iou, skip, conf, overflow)
        if want is None:
            continue
        ours = np.column_stack([got.xyxy[rows] / SIDE, got.score[rows], got.label[rows]])
        theirs = np.column_stack([want[0] / SIDE, want[1], want[2]])
        assert len(ours) == len(theirs)
        # In any order: scores a rounding apart may change places.
        apart = np.abs(ours[:, None] - theirs[None]).max(axis=2)
        assert len(ours) == 0 or max(apart.min(0).max(), apart.min(1).max()) < 2e-6


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32))
def test_an_image_gives_alone_what_it_gives_among_others(seed: int) -> None:
    batch = random_batch(seed, 4, 3, 2, 6)
    whole = batch.fuse()
    for i in range(4):
        rows = slice(whole.offsets[i], whole.offsets[i + 1])
        alone = batch.image(i).fuse()
        for name in ("xyxy", "score", "label", "source", "support"):
            np.testing.assert_array_equal(getattr(whole, name)[rows], getattr(alone, name))


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = random_batch(7, 60, 3, 4, 20)
    serial = batch.fuse(threads=1)
    monkeypatch.setattr(packed, "MIN_BOXES", 50)
    parallel = batch.fuse(threads=2)
    for field in fields(serial):
        name = field.name
        np.testing.assert_array_equal(getattr(serial, name), getattr(parallel, name))


def test_who_supports_a_box() -> None:
    a, near, far = (0, 0, 100, 100), (0, 0, 100, 90), (300, 300, 400, 400)
    got = of([a, near, near, far], [0.9, 0.8, 0.7, 0.6], [0, 2, 2, 1]).fuse()
    assert got.support.tolist() == [2, 1]
    assert got.source.tolist() == [SEVERAL, 1]
    assert got.xyxy[0].tolist() == pytest.approx([0, 0, 100, (90 + 90 * 1.5) / 2.4])
    assert got.score.tolist() == pytest.approx([0.8, 0.2])


def test_labels_do_not_mix_and_ties_go_to_the_earlier_box() -> None:
    a, b = (0, 0, 100, 100), (50, 0, 150, 100)
    got = of([a, a], [0.5, 0.5], [0, 1], [1, 0]).fuse()
    assert got.label.tolist() == [0, 1], "equal scores: by label"
    assert got.support.tolist() == [1, 1]
    # The third overlaps both by a third: it joins the first.
    got = of([a, (100, 0, 200, 100), b], [0.9, 0.8, 0.7], [0, 0, 1]).fuse(iou_thr=0.3)
    assert got.source.tolist() == [SEVERAL, 0]
    assert got.xyxy[0].tolist() == pytest.approx([50 * 0.7 / 1.6, 0, 100 + 50 * 0.7 / 1.6, 100])


def test_a_source_weighs_for_the_labels_it_looks_for() -> None:
    both = of(
        [(0, 0, 10, 10), (0, 0, 10, 10), (50, 0, 60, 10)], [0.8, 0.6, 0.9], [0, 1, 0], [0, 0, 1]
    )
    asked = replace(both, weight=np.array([[1.0, 1.0], [1.0, 0.0]]))
    assert both.fuse().score.tolist() == pytest.approx([0.7, 0.45])
    assert asked.fuse().score.tolist() == pytest.approx([0.9, 0.7])
    with pytest.raises(ArrayError, match="box 1 is of a source that does not look for its label"):
        replace(asked, label=np.array([0, 1, 1], np.int16)).fuse()


def test_nothing_in_nothing_out() -> None:
    empty = of([], [], [])
    assert empty.fuse().offsets.tolist() == [0, 0]
    assert replace(empty, offsets=np.zeros(1, np.int64)).fuse().offsets.tolist() == [0]
    lone = of([(5, 5, 5, 9)], [0.9], [0])
    assert lone.fuse().score.tolist() == [], "no area"


def test_a_score_at_the_threshold_takes_part() -> None:
    got = of([(0, 0, 9, 9), (50, 0, 59, 9)], [0.5, 0.25], [0, 0]).fuse(skip_box_thr=0.5)
    assert got.score.tolist() == [0.5]


def test_scores_of_zero_keep_the_first_box() -> None:
    got = of([(0, 0, 10, 10), (0, 0, 10, 9)], [0, 0], [0, 1]).fuse()
    assert got.xyxy.tolist() == [[0, 0, 10, 10]]
    assert (got.score.tolist(), got.support.tolist()) == ([0], [2])


def test_one_box_of_one_source_is_itself() -> None:
    box = (0.1, 0.2, 0.7, 1e30)
    for conf in CONF_TYPES:
        got = of([box], [0.3], [0], weight=[2.7]).fuse(conf_type=conf)
        np.testing.assert_array_equal(got.xyxy, np.array([box], np.float32))
        assert got.score.tolist() == pytest.approx([0.3])
        assert got.source.tolist() == [0]


GOOD = of([(0, 0, 10, 10), (0, 0, 10, 9)], [0.9, 0.8], [0, 1])
NAN, INF = float("nan"), float("inf")


def with_(name: str, value: Any) -> Batch:
    """GOOD with the second box's `name` changed."""
    array = getattr(GOOD, name).copy()
    array[1] = value
    return replace(GOOD, **{name: array})


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (with_("xyxy", [0, NAN, 10, 10]), "box 1 is not finite"),
        (with_("xyxy", [0, 0, INF, 10]), "box 1 is not finite"),
        (with_("xyxy", [11, 0, 10, 10]), "box 1 is inverted"),
        (with_("score", NAN), "box 1 has a wrong score"),
        (with_("score", 1.5), "box 1 has a wrong score, expected 0 to 1"),
        (with_("label", 1), "box 1 has a wrong label, expected 0 to 0, got 1"),
        (with_("label", -1), "box 1 has a wrong label"),
        (with_("source", 2), "box 1 has a wrong source, expected 0 to 1, got 2"),
        (with_("source", -1), "box 1 has a wrong source"),
        (with_("weight", NAN), r"weight of source 1 for label 0, expected finite and >= 0, got nan"),
        (with_("weight", -1), "weight of source 1"),
        (with_("offsets", 3), r"xyxy, expected float32 \[3, 4\], got float32 \[2, 4\]"),
        (replace(GOOD, offsets=np.array([0, 2, 1])), "offsets fall at image 1"),
        (replace(GOOD, offsets=np.array([1, 2])), "offsets, expected int64"),
        (replace(GOOD, label=np.zeros(2, np.int64)), r"label, expected int16 \[2\], got int64"),
        (replace(GOOD, source=np.zeros(2, np.int64)), r"source, expected int8 \[2\], got int64"),
        (replace(GOOD, weight=np.ones((65, 1))), "weight, expected .* 1 to 64 sources"),
    ],
)  # fmt: skip
def test_what_breaks_the_contract_is_named(batch: Batch, message: str) -> None:
    with pytest.raises(ArrayError, match=message):
        batch.fuse()


def test_settings_out_of_range() -> None:
    for how, message in (
        ({"iou_thr": 1.5}, "iou_thr, expected 0 to 1, got 1.5"),
        ({"skip_box_thr": NAN}, "skip_box_thr, expected 0 to 1, got nan"),
        ({"conf_type": "mean"}, "conf_type, expected one of avg, max"),
        ({"threads": 0}, "threads, expected at least 1"),
    ):
        with pytest.raises(ArrayError, match=message):
            GOOD.fuse(**how)


def test_too_many_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_BOXES", 1)
    with pytest.raises(
        ArrayError, match="image 0 has too many boxes to fuse, expected at most 1, got 2"
    ):
        GOOD.fuse()
