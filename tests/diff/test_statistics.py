"""Intervals and tests against statsmodels and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
)
from statsmodels.stats.proportion import test_proportions_2indep as score_test

from physgauge.evaluate.multiple import Correction, adjusted
from physgauge.evaluate.rates import EXACT, bonett_price, mcnemar, newcombe, two_shares, wilson
from physgauge.evaluate.student_t import quantile, two_sided

few = settings(max_examples=40, deadline=None)
COUNTS = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@few
@given(COUNTS)
def test_wilson(one: tuple[int, int]) -> None:
    assert wilson(*one) == pytest.approx(proportion_confint(*one, method="wilson"), abs=1e-12)


@few
@given(COUNTS, COUNTS)
def test_newcombe(a: tuple[int, int], b: tuple[int, int]) -> None:
    expected = confint_proportions_2indep(*b, *a, compare="diff", method="newcomb")
    assert newcombe(*a, *b) == pytest.approx(expected, abs=1e-9)


@few
@given(COUNTS, COUNTS)
def test_two_shares(a: tuple[int, int], b: tuple[int, int]) -> None:
    (hits_a, n_a), (hits_b, n_b) = a, b
    table = [[hits_a, n_a - hits_a], [hits_b, n_b - hits_b]]
    found = two_shares(*a, *b)
    if hits_a + hits_b in (0, n_a + n_b):
        assert found == 1.0
        return
    if stats.contingency.expected_freq(table).min() < 5:
        expected = stats.fisher_exact(table).pvalue
    else:
        expected = score_test(*b, *a, method="score", correction=False).pvalue
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


@few
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_mid_p(only_a: int, only_b: int) -> None:
    n, k = only_a + only_b, min(only_a, only_b)
    found = mcnemar(only_a, only_b)
    if only_a == only_b:
        assert found == 1.0
        return
    exact = reference_mcnemar([[0, only_a], [only_b, 0]], exact=True).pvalue
    assert found == pytest.approx(min(1.0, exact - stats.binom.pmf(k, n, 0.5)), rel=1e-7)


def test_mcnemar_of_many_pairs_goes_on_where_the_exact_one_ends() -> None:
    half = EXACT // 2
    below, above = mcnemar(half - 300, half + 299), mcnemar(half - 300, half + 301)
    assert below == pytest.approx(above, rel=0.02)
    table = [[0, half], [half + 900, 0]]
    expected = reference_mcnemar(table, exact=False, correction=False).pvalue
    assert mcnemar(half, half + 900) == pytest.approx(expected, rel=1e-9)


def test_bonett_price_by_hand_and_by_coverage() -> None:
    """(1.96 sqrt(p12 + p21 - d²) / (n + 2)) with one added to both; and 95 % of intervals hold the truth."""
    low, high = bonett_price(5, 12, 100) or (0, 0)
    a, b = 6 / 102, 13 / 102
    half = 1.959964 * math.sqrt((a + b - (b - a) ** 2) / 102)
    assert (low, high) == pytest.approx((b - a - half, b - a + half), abs=1e-7)
    rng = np.random.default_rng(0)
    for n, p_a, p_b in ((30, 0.1, 0.2), (200, 0.02, 0.05), (1000, 0.3, 0.3)):
        draws = rng.multinomial(n, [p_a, p_b, 1 - p_a - p_b], size=4000)
        held = [
            found.low <= p_b - p_a <= found.high
            for x, y, _ in draws.tolist()
            if (found := bonett_price(x, y, n)) is not None
        ]
        assert 0.935 < np.mean(held) < 0.98


def test_none_where_there_is_nothing() -> None:
    assert wilson(0, 0) is None
    assert newcombe(0, 0, 1, 2) is None
    assert bonett_price(0, 0, 0) is None
    assert two_shares(0, 0, 1, 2) is None
    assert mcnemar(0, 0) == 1.0


@few
@given(st.floats(-60, 60), st.floats(1, 1e6))
@example(1e-05, 22981.0)
def test_t(t: float, degrees: float) -> None:
    assert two_sided(t, degrees) == pytest.approx(
        2 * stats.t.sf(abs(t), degrees), rel=1e-7, abs=1e-300
    )


@pytest.mark.parametrize("degrees", [1, 1.5, 2, 5, 29, 1e3, 1e6])
def test_quantiles_of_t(degrees: float) -> None:
    assert quantile(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-8)


@pytest.mark.parametrize(("how", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
@few
@given(values=st.lists(st.one_of(st.none(), st.floats(0, 1), st.just(0.01)), max_size=30))
def test_corrections(how: Correction, theirs: str, values: list[float | None]) -> None:
    found = adjusted(values, how)
    made = [p for p in values if p is not None]
    expected = multipletests(made, method=theirs)[1] if made else []
    assert [p for p in found if p is not None] == pytest.approx(list(expected), abs=1e-12)
    assert [p is None for p in found] == [p is None for p in values]
