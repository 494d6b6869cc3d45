"""Suppression and count vote against their plain twins; rule outcomes to scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import ArrayError, accepted, rule_scores
from physgauge.rules_kernel.fusion import (
    count_boxes,
    nms,
    nms_plain,
    vote_counts,
    vote_counts_plain,
)
from tests.kernels.small import HEAD, Box, images, pack_of

WEIGHTS = np.array([0.35, 0.25, 0.25, 0.15])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_nms_agrees_with_its_twin(seed: int, count: int, iou: float) -> None:
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *rng.integers(0, 7, count)], dtype=np.int64)
    n = int(offsets[-1])
    corner = rng.integers(0, 5, (n, 2))
    xyxy = np.concatenate([corner, corner + rng.integers(0, 4, (n, 2))], axis=1).astype(np.float32)
    score = rng.choice([0.25, 0.5, 0.75], n).astype(np.float32)
    label = rng.integers(0, 2, n).astype(np.int16)
    got = nms(xyxy, score, label, offsets, iou)
    np.testing.assert_array_equal(got, nms_plain(xyxy, score, label, offsets, iou))
    if iou == 1.0:
        assert got.all()


def test_nms_keeps_the_better_box_of_a_class() -> None:
    xyxy = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [0, 0, 10, 10], [50, 0, 60, 10]], np.float32)
    score = np.array([0.6, 0.9, 0.5, 0.4], np.float32)
    label, offsets = np.array([0, 0, 1, 0], np.int16), np.array([0, 4])
    assert nms(xyxy, score, label, offsets, 0.5).tolist() == [False, True, True, True]
    with pytest.raises(ArrayError, match=r"iou, expected 0 to 1, got 1\.5"):
        nms(xyxy, score, label, offsets, 1.5)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(0, 3))
def test_vote_agrees_with_its_twin(seed: int, sources: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (sources, count, 3)
    counts = rng.choice([np.nan, 0, 1, 2, 3], shape).astype(np.float32)
    weight, sure = rng.choice([0.5, 1.0], sources), rng.choice([0.25, 0.5, 1.0], sources)
    confidence = rng.choice([0.25, 0.5, 1.0], shape).astype(np.float32)
    np.testing.assert_array_equal(
        vote_counts(counts, weight, confidence, sure),
        vote_counts_plain(counts, weight, confidence, sure),
    )


@pytest.mark.parametrize(
    ("counts", "confidence", "want"),
    [
        ([2, 3, 3], [0.9, 0.5, 0.5], 3),
        ([2, 3, 3], [1.0, 0.5, 0.5], 2),  # a tie goes to the detector
        ([0, 3, 4], [0.1, 0.6, 0.6], 0),  # nothing seen counts with the stated reliability
        ([4, 3, 2], [0.2, 0.6, 0.6], 3),  # a tie without the detector goes to the earliest source
        ([math.nan, math.nan, math.nan], [1, 1, 1], math.nan),
    ],
)
def test_vote(counts: list[float], confidence: list[float], want: float) -> None:
    got = vote_counts(
        np.array(counts, np.float32).reshape(3, 1, 1), np.ones(3),
        np.array(confidence, np.float32).reshape(3, 1, 1), np.array([0.8, 0.5, 0.5]),
    )  # fmt: skip
    np.testing.assert_array_equal(got, np.array([[want]], np.float32))


def test_vote_refuses_what_it_cannot_weigh() -> None:
    one = np.ones((2, 1, 1), np.float32)
    with pytest.raises(
        ArrayError, match=r"expected weight and reliability \[2\], got \[1\] and \[2\]"
    ):
        vote_counts(one, np.ones(1), one, np.ones(2))
    with pytest.raises(ArrayError, match="a vote's weight, expected finite and >= 0"):
        vote_counts(one, np.ones(2), one * np.nan, np.ones(2))


def test_count_boxes() -> None:
    number, mean = count_boxes(
        np.array([0.5, 0.7, 0.9], np.float32),
        np.array([0, 0, 2], np.int16),
        np.array([0, 2, 3, 3]),
        3,
    )
    assert number.tolist() == [[2, 0, 0], [0, 0, 1], [0, 0, 0]]
    np.testing.assert_allclose(
        mean, [[0.6, np.nan, np.nan], [np.nan, np.nan, 0.9], [np.nan] * 3], rtol=1e-6
    )


def test_published_weights() -> None:
    category = np.array([0, 0, 1, 2, 3], np.int8)
    got = rule_scores(np.array([[1, 0, 1, 1, 1]], np.int8), category, WEIGHTS)
    np.testing.assert_allclose(got.s_category, [[0.5, 1, 1, 1]])
    np.testing.assert_allclose(got.s_rules, [100 * (0.35 * 0.5 + 0.25 + 0.25 + 0.15)])


def test_empty_categories_drop_out() -> None:
    category = np.array([0, 0, 1, 2, 3], np.int8)
    got = rule_scores(np.array([[1, 0, 1, 1, -1], [1, 1, -1, -1, 1]], np.int8), category, WEIGHTS)
    np.testing.assert_allclose(got.weights[0], np.array([0.35, 0.25, 0.25, 0]) / 0.85)
    np.testing.assert_allclose(got.s_rules[0], 100 * (0.35 * 0.5 + 0.25 + 0.25) / 0.85)
    assert np.isnan(got.s_rules[1]), "three rules are too few"
    assert got.applicable.tolist() == [4, 3]
    assert np.isnan(got.s_category[0, 3])


def test_rules_weigh_within_their_category() -> None:
    category = np.array([0, 0, 1, 2, 3], np.int8)
    light = np.array([3, 1, 1, 1, 1], np.float64)
    got = rule_scores(np.array([[1, 0, 1, 1, 1]], np.int8), category, WEIGHTS, 4, light)
    np.testing.assert_allclose(got.s_category, [[0.75, 1, 1, 1]])
    assert got.applicable.tolist() == [5], "rules are counted, not weighed"
    assert pack_of("cx(nose) > 5", extra="weight = 0.25").rule_weights.tolist() == [0.25]


def test_scores_of_nothing() -> None:
    got = rule_scores(np.full((1, 2), -1, np.int8), np.zeros(2, np.int8), WEIGHTS, 1)
    assert np.isnan(got.s_rules).all()
    assert np.isnan(got.s_category).all()
    with pytest.raises(ValueError, match=r"expected status \[B,R\]"):
        rule_scores(np.zeros((1, 3), np.int8), np.zeros(2, np.int8), WEIGHTS)


def test_evidence_floor() -> None:
    nose: Box = ("nose", 0, 0, 1, 1)
    wing: Box = ("wing", 0, 0, 1, 1)
    other: Box = ("other", 0, 0, 1, 1)
    pack = pack_of("cx(nose) > 5")
    assert accepted(pack, images([[], [other], [nose]])).tolist() == [False, False, True]
    demanding = HEAD + '[evidence]\ncomponents = 2\nboxes = 3\nany_of = ["wing"]\n'
    from physgauge.rules_kernel import parse_pack

    demanding += '[[spatial]]\nid = "A"\nsays = "s"\nrule = "cx(nose) > 5"\n'
    got = accepted(
        parse_pack(demanding.encode()),
        images(
            [
                [nose, wing],
                [nose, nose, wing],
                [nose, nose, ("leg", 0, 0, 1, 1)],
                [nose, other, wing],
            ]
        ),
    )
    assert got.tolist() == [False, True, False, False]
