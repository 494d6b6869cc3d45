"""Dual thresholds: the published check values, rounding, missing scores."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.config import PcmdeSettings
from physgauge.ensemble.verdict import combine, skip_reason

SETTINGS = PcmdeSettings()
POINTS = st.floats(0, 100)


@pytest.mark.parametrize(
    ("s_rules", "s_llm", "s_final", "verdict"),
    [
        (95, 30, 69.0, "FAIL"), (40, 90, 60.0, "PASS"), (100, 0, 60.0, "FAIL"), (39.9, 100, 63.94, "FAIL"),
        (100, 100, 100.0, "PASS"), (0, 0, 0.0, "FAIL"), (60, 60, 60.0, "PASS"), (59.9, 59.9, 59.9, "FAIL"),
        # Rounded to 1e-6 before comparing: arithmetic noise decides nothing.
        (40 - 1e-9, 90 + 1e-9, 60.0, "PASS"), (40 - 1e-5, 100, 63.999994, "FAIL"),
    ],
)  # fmt: skip
def test_check_values(s_rules: float, s_llm: float, s_final: float, verdict: str) -> None:
    decision = combine(s_rules, s_llm, SETTINGS)
    assert (decision.s_final, decision.verdict, decision.status) == (s_final, verdict, "ok")
    assert (decision.low, decision.high) == (s_final, s_final)
    assert (decision.reason is None) == (verdict == "PASS")


def test_reasons_name_value_and_bound() -> None:
    assert combine(95, 30, SETTINGS).reason == "S_llm 30 < 40"
    assert combine(10, 20, SETTINGS).reason == "S_final 14 < 60; S_rules 10 < 40; S_llm 20 < 40"


@pytest.mark.parametrize("missing", [None, math.nan])
def test_missing_s_llm_leaves_bounds(missing: float | None) -> None:
    high = combine(90, missing, SETTINGS)
    assert (high.s_final, high.low, high.high) == (None, 54.0, 94.0)
    assert (high.verdict, high.status, high.reason) == (None, "partial", "S_llm is missing")
    low = combine(39.9, missing, SETTINGS)
    assert (low.verdict, low.status) == ("FAIL", "partial")
    assert low.reason == "S_llm is missing; S_rules 39.9 < 40"


def test_out_of_reach_without_s_llm() -> None:
    strict = PcmdeSettings(tau=95)
    assert combine(80, None, strict).verdict == "FAIL"
    assert combine(95, None, strict).verdict is None


@pytest.mark.parametrize("missing", [None, math.nan])
def test_missing_s_rules_is_no_number(missing: float | None) -> None:
    decision = combine(missing, 90, SETTINGS)
    assert (decision.s_final, decision.verdict, decision.status) == (None, None, "not_applicable")


@pytest.mark.parametrize("wrong", [-0.1, 100.1, math.inf, -math.inf])
def test_scores_out_of_range_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="S_llm: expected 0 to 100, got"):
        combine(50, wrong, SETTINGS)


@given(POINTS, POINTS)
def test_pass_needs_all_three(s_rules: float, s_llm: float) -> None:
    decision = combine(s_rules, s_llm, SETTINGS)
    assert decision.s_final is not None
    if decision.verdict == "PASS":
        assert decision.s_final >= 60
        assert min(s_rules, s_llm) >= 40 - 1e-6
    open_end = combine(s_rules, None, SETTINGS)
    assert open_end.low is not None
    assert open_end.high is not None
    assert open_end.low <= decision.s_final <= open_end.high
    assert open_end.verdict in (None, "FAIL")
    assert open_end.verdict is None or decision.verdict == "FAIL"


def test_skip_reason() -> None:
    on = PcmdeSettings(skip_reason_below_tau_c=True)
    assert not skip_reason(10, SETTINGS)
    assert skip_reason(39.9, on)
    assert not skip_reason(40, on)
    assert not skip_reason(None, on)
    assert not skip_reason(math.nan, on)
