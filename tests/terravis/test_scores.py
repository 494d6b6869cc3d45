"""The aggregations: published values, the plain twin, bounds that hold, NaN that never passes."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.ensemble.judge.engine import Reply
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.result import Counting, answer_arrays
from physgauge.ensemble.judge.terravis.scores import Bounded, Scores, aggregate
from physgauge.types import OUTCOMES, JudgeAnswers
from tests.terravis import plain
from tests.terravis.plain import Said
from tests.terravis.scripted import Scripted, p, word
from tests.terravis.shared import look, probes

NAN = float("nan")
P = st.floats(0, 1, allow_nan=False)
SAID = st.one_of(
    st.just(Said(-1)),
    st.builds(Said, st.sampled_from([0, 1]), st.sampled_from([-1, 0, 1])),
    st.builds(Said, st.sampled_from([0, 1]), st.sampled_from([-1, 0, 1]), P, st.none() | P),
)
IMAGES = st.integers(1, 20).flatmap(
    lambda q: st.lists(st.lists(SAID, min_size=q, max_size=q), min_size=1, max_size=4)
)
LAMBDA = st.floats(0.01, 5)


def arrays(images: list[list[Said]]) -> JudgeAnswers:
    def table(pick: str) -> list[list[float]]:
        return [[NAN if (v := getattr(s, pick)) is None else v for s in row] for row in images]

    return JudgeAnswers(
        eligible=np.ones(len(images)),
        outcome=np.zeros((len(images), len(images[0])), np.int8),
        answer=np.array(table("hit")).astype(np.int8),
        major=np.array(table("major")).astype(np.int8),
        p_yes=np.array(table("p"), np.float64),
        p_major=np.array(table("q"), np.float64),
    )


def check(bounded: Bounded, row: int, wanted: plain.Triple) -> None:
    got = [float(x[row]) for x in (bounded.value, bounded.low, bounded.high)]
    for value, other in zip(got, wanted, strict=True):
        assert math.isnan(value) if other is None else value == pytest.approx(other, abs=1e-12)


@settings(deadline=None)
@given(IMAGES, LAMBDA, P, P)
def test_all_five_agree_with_the_plain_twin(
    images: list[list[Said]], lambda_: float, alpha: float, grade_from: float
) -> None:
    scores = aggregate(arrays(images), lambda_, alpha, grade_from)
    for row, said in enumerate(images):
        rate, exp = plain.uniform(said, lambda_)
        check(scores.hard, row, plain.hard(said, lambda_, alpha))
        check(scores.uniform_pass_rate, row, rate)
        check(scores.uniform_exponential, row, exp)
        check(scores.severity_pass_rate, row, plain.severity_pass_rate(said, alpha))
        check(scores.soft, row, plain.soft(said, lambda_, alpha, grade_from))


def one(*said: Said, lambda_: float = 1.0, alpha: float = 0.5) -> Scores:
    padded = [*said, *[Said(0, p=0.0)] * (18 - len(said))]
    return aggregate(arrays([padded]), lambda_, alpha, 0.1)


def test_published_values() -> None:
    major, minor = Said(1, 1, 1.0, 1.0), Said(1, 0, 1.0, 0.0)
    assert one().hard.value[0] == 1.0
    assert one(major).hard.value[0] == pytest.approx(0.36788, abs=1e-5)
    assert one(minor).hard.value[0] == pytest.approx(0.60653, abs=1e-5)
    both = one(major, minor, minor)
    assert both.hard.value[0] == pytest.approx(math.exp(-2))
    assert both.uniform_exponential.value[0] == pytest.approx(math.exp(-3))
    assert both.uniform_pass_rate.value[0] == pytest.approx(1 - 3 / 18)
    assert both.severity_pass_rate.value[0] == pytest.approx(1 - 2 / 18)
    assert (both.n_major[0], both.n_minor[0]) == (1, 2)


def test_the_hard_score_takes_37_values() -> None:
    values = {
        float(one(*[Said(1, 1)] * a, *[Said(1, 0)] * b).hard.value[0].round(12))
        for a in range(19)
        for b in range(19 - a)
    }
    assert len(values) == 37


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=18), LAMBDA, P)
def test_soft_equals_hard_where_all_is_certain(
    said: list[tuple[bool, bool]], lambda_: float, alpha: float
) -> None:
    certain = [Said(int(h), int(m) if h else -1, float(h), float(m)) for h, m in said]
    scores = aggregate(arrays([certain]), lambda_, alpha, 0.1)
    assert scores.soft.value[0] == pytest.approx(scores.hard.value[0], rel=1e-9)


@settings(deadline=None)
@given(st.lists(SAID, min_size=1, max_size=18), LAMBDA, P, st.data())
def test_whatever_is_missing_the_truth_lies_between_the_bounds(
    said: list[Said], lambda_: float, alpha: float, data: st.DataObject
) -> None:
    """Fill in what is missing in any way: the score is within what was said before."""
    full = []
    for s in said:
        hit = s.hit if s.hit != -1 else data.draw(st.sampled_from([0, 1]))
        p = s.p if s.p is not None and s.hit != -1 else data.draw(P)
        q = s.q if s.q is not None else data.draw(P)
        major = s.major if s.major != -1 else data.draw(st.sampled_from([0, 1]))
        full.append(Said(hit, major, p, q))
    before, after = (aggregate(arrays([x]), lambda_, alpha, 0.1) for x in (said, full))
    for name in ("hard", "uniform_exponential", "uniform_pass_rate", "severity_pass_rate", "soft"):
        bounds, true = getattr(before, name), float(getattr(after, name).value[0])
        low, high, value = (float(x[0]) for x in (bounds.low, bounds.high, bounds.value))
        if math.isnan(low):  # no probability at all
            assert name == "soft"
            assert math.isnan(high)
            assert math.isnan(value)
            continue
        assert low - 1e-12 <= true <= high + 1e-12
        assert math.isnan(value) or value <= true + 1e-12


def test_a_batch_is_its_images() -> None:
    images = [[Said(1, 1, 0.9, 0.8), Said(-1)], [Said(0, -1, 0.02), Said(1, -1, 0.7)]]
    both = aggregate(arrays(images), 1.3, 0.4, 0.1)
    for row, image in enumerate(images):
        alone = aggregate(arrays([image]), 1.3, 0.4, 0.1)
        for name in ("hard", "soft"):
            for field in ("value", "low", "high"):
                a, b = getattr(getattr(both, name), field), getattr(getattr(alone, name), field)
                assert np.array_equal(a[row], b[0], equal_nan=True)


@pytest.mark.parametrize(
    ("lambda_", "alpha", "p", "message"),
    [
        (0.0, 0.5, 0.5, "lambda: expected a number above 0, got 0.0"),
        (NAN, 0.5, 0.5, "lambda: expected a number above 0, got nan"),
        (1.0, 1.5, 0.5, "alpha: expected 0 to 1, got 1.5"),
        (1.0, NAN, 0.5, "alpha: expected 0 to 1, got nan"),
        (1.0, 0.5, 1.5, "p_yes: expected 0 to 1 or NaN"),
    ],
)
def test_numbers_out_of_range_are_refused(
    lambda_: float, alpha: float, p: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        aggregate(arrays([[Said(1, 1, p, 0.5)]]), lambda_, alpha, 0.1)


def test_looks_become_arrays() -> None:
    assert get_args(wire.Outcome) == OUTCOMES
    scripts: list[dict[str, Reply]] = [
        {"eligible?": p(0.8), "contact_state": p(0.7), "relative_scale": Reply("refused")},
        {"eligible?": Reply("timeout"), "contact_state": word(True)},
    ]
    looks = [
        look(Scripted(yes_no=lambda image, q, said=said: said.get(q.id, p(0.0))))  # type: ignore[misc]
        for said in scripts
    ]
    arrays = answer_arrays(looks, Counting(yes_from=0.6))
    at, scale = probes().ids.index("contact_state"), probes().ids.index("relative_scale")
    assert arrays.eligible[0] == 0.8
    assert math.isnan(arrays.eligible[1])
    assert arrays.answer.shape == (2, 18)
    assert arrays.answer[:, at].tolist() == [1, 1]
    assert (arrays.answer[0, scale], arrays.outcome[0, scale]) == (-1, OUTCOMES.index("refused"))
    assert arrays.p_yes[0, at] == 0.7
    assert math.isnan(arrays.p_yes[1, at])
    assert arrays.major[0, at] == 1
    assert arrays.p_major[0, at] == 0.7
    assert answer_arrays(looks, Counting(yes_from=0.75)).answer[:, at].tolist() == [0, 1]
    with pytest.raises(ValueError, match="expected equal probes"):
        answer_arrays([looks[0], Look("onepass")], Counting())
