"""Suppression and count vote against plain Python; rule outcomes to scores."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import ArrayError, accepted, rule_scores
from physgauge.rules_kernel.arrays import F32, F64
from physgauge.rules_kernel.fusion import count_by_source, nms, nms_plain, packed, vote_counts
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
    for at, value, message in ((0, np.nan, "box 0 is not finite"), (2, 99, "box 0 is inverted")):
        bad = xyxy.copy()
        bad[0, at] = value if at == 0 else -1
        with pytest.raises(ArrayError, match=message):
            nms(bad, score, label, offsets, 0.5)
    with pytest.raises(ArrayError, match="box 3 has a wrong label"):
        nms(xyxy, score, np.array([0, 0, 1, -1], np.int16), offsets, 0.5)


def test_nms_sorts_long_runs_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    corner = rng.integers(0, 60, (900, 2))
    xyxy = np.concatenate([corner, corner + rng.integers(1, 20, (900, 2))], 1).astype(np.float32)
    score = rng.choice(np.linspace(0, 1, 50), 900).astype(np.float32)
    boxes = (xyxy, score, np.zeros(900, np.int16), np.array([0, 700, 700, 900]))
    want = nms_plain(*boxes, 0.4)
    np.testing.assert_array_equal(nms(*boxes, 0.4, threads=1), want)
    monkeypatch.setattr(packed, "MIN_BOXES", 300)
    np.testing.assert_array_equal(nms(*boxes, 0.4, threads=2), want)


def by_the_text(votes: list[tuple[float, float, float, float]]) -> float:
    """The fused count of one component by the words of DESIGN section 7, in fractions: each vote is
    (count, weight, mean confidence, reliability), NaN where the source did not look."""
    totals: dict[int, Fraction] = {}
    for count, weight, sure, reliability in votes:
        if not math.isnan(count):
            believed = Fraction(reliability if count == 0 else sure)
            totals[int(count)] = totals.get(int(count), Fraction(0)) + Fraction(weight) * believed
    tied = [n for n, total in totals.items() if total == max(totals.values())]
    if not tied:
        return math.nan
    return votes[0][0] if votes[0][0] in tied else tied[0]


@st.composite
def elections(draw: st.DrawFn) -> list[tuple[float, float, float, float]]:
    """Coarse numbers, so that ties are common and totals exact."""
    share = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
    count = st.sampled_from([math.nan, 0.0, 1.0, 2.0, 3.0, 40.0])
    one = st.tuples(count, st.sampled_from([0.0, 0.5, 1.0, 2.0]), share, share)
    return draw(st.lists(one, min_size=1, max_size=5))


@settings(max_examples=300, deadline=None)
@given(votes=elections(), images=st.integers(0, 2), column=st.integers(0, 2))
def test_vote_keeps_the_words_of_the_design(
    votes: list[tuple[float, float, float, float]], images: int, column: int
) -> None:
    table = np.array(votes)
    counts = np.full((len(votes), images, 3), np.nan, np.float32)
    confidence = np.full(counts.shape, np.nan, np.float32)
    counts[..., column], confidence[..., column] = table[:, :1], table[:, 2:3]
    got = vote_counts(counts, table[:, 1].copy(), confidence, table[:, 3].copy())
    want = np.full((images, 3), np.nan, np.float32)
    want[:, column] = by_the_text(votes)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("counts", "confidence", "want"),
    [
        ([2, 3, 3], [0.9, 0.5, 0.5], 3),
        ([2, 3, 3], [1.0, 0.5, 0.5], 2),  # a tie goes to the detector
        ([2, 3, 3], [0.9, 0.3, 0.6], 2),  # also one that rounding hides: 0.3 + 0.6 > 0.9 in float32
        ([0, 3, 4], [0.1, 0.6, 0.6], 0),  # nothing seen counts with the stated reliability
        ([4, 3, 2], [0.2, 0.6, 0.6], 3),  # a tie without the detector goes to the earliest source
        ([math.nan, 5, 0], [1, 0.4, 1], 0),  # the detector does not look for it
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
    half = np.full(2, 0.5)
    cases: list[tuple[F32, F64, F32, F64, str]] = [
        (one, np.ones(1), one, half, r"expected weight and reliability \[2\], got \[1\] and \[2\]"),
        (one[0], half, one[0], half, r"expected counts and confidence \[S,B,C\]"),
        (one, half, one * np.nan, half, r"confidence of a count, at \[0, 0, 0\], expected 0 to 1, got nan"),
        (one, half, one * 2, half, "confidence of a count"),
        (one * 1.5, half, one, half, r"a count, at \[0, 0, 0\], expected a whole number >= 0, or NaN, got 1.5"),
        (-one, half, one, half, "a whole number"),
        (one * np.inf, half, one, half, "a whole number"),
        (one, -half, one, half, "a source's weight"),
        (one, half * np.inf, one, half, "a source's weight"),
        (one, half, one, half * 3, r"a source's reliability, at \[0\], expected 0 to 1, got 1.5"),
    ]  # fmt: skip
    for counts, weight, confidence, reliability, message in cases:
        with pytest.raises(ArrayError, match=message):
            vote_counts(counts, weight, confidence, reliability)


def test_count_by_source() -> None:
    counts, mean = count_by_source(
        np.array([0.5, 0.7, 0.8, 0.9], np.float32),
        np.array([0, 0, 0, 2], np.int16),
        np.array([0, 0, 1, 1], np.int8),
        np.array([0, 3, 4, 4]),
        np.array([[True, True, False], [True, False, True]]),
    )
    nan = np.nan
    np.testing.assert_array_equal(
        counts,
        [[[2, 0, nan], [0, 0, nan], [0, 0, nan]], [[1, nan, 0], [0, nan, 1], [0, nan, 0]]],
    )
    want = np.full((2, 3, 3), nan)
    want[0, 0, 0], want[1, 0, 0], want[1, 1, 2] = 0.6, 0.8, 0.9
    np.testing.assert_allclose(mean, want, rtol=1e-6)


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
