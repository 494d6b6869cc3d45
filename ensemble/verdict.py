"""PASS or FAIL: S_final = w S_rules + (1 - w) S_llm with dual thresholds (PCMDE; DESIGN section 7).

Scores are compared rounded to 1e-6. Missing and NaN scores never pass: they leave bounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from physgauge.config import PcmdeSettings
from physgauge.wire import Status, Verdict

DECIMALS: Final = 6
"""Scores are compared and reported rounded to this many decimals."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the two scores come to."""

    s_final: float | None
    """0..100; None without both scores."""
    low: float | None
    """Least S_final that is still possible; S_final itself where it is known."""
    high: float | None
    """Greatest S_final that is still possible."""
    verdict: Verdict | None
    """None where a missing score could still turn it."""
    status: Status
    """`ok`, `partial` (S_llm is missing) or `not_applicable` (S_rules is missing)."""
    reason: str | None
    """What failed or is missing, with value and bound; None for a PASS."""


def combine(s_rules: float | None, s_llm: float | None, settings: PcmdeSettings) -> Decision:
    """Combine the rule score and the reasoning score (0..100 each; None or NaN: there is none).

    Raises:
        ValueError: a score outside 0..100.
    """
    rules, llm = _score("S_rules", s_rules), _score("S_llm", s_llm)
    w = settings.rules_weight
    if rules is None:
        return Decision(None, None, None, None, "not_applicable", "S_rules is missing")
    if llm is None:
        low, high = _round(w * rules), _round(w * rules + (1 - w) * 100)
        failed = _failures(rules, None, high, settings)
        return Decision(
            None, low, high, "FAIL" if failed else None, "partial",
            "; ".join(["S_llm is missing", *failed]),
        )  # fmt: skip
    final = _round(w * rules + (1 - w) * llm)
    failed = _failures(rules, llm, final, settings)
    verdict: Verdict = "FAIL" if failed else "PASS"
    return Decision(final, final, final, verdict, "ok", "; ".join(failed) or None)


def skip_reason(s_rules: float | None, settings: PcmdeSettings) -> bool:
    """Whether the reasoning step may be skipped: the setting is on and S_rules alone means FAIL."""
    rules = _score("S_rules", s_rules)
    return settings.skip_reason_below_tau_c and rules is not None and rules < settings.tau_c


def _failures(rules: float, llm: float | None, final: float, settings: PcmdeSettings) -> list[str]:
    """The thresholds missed; `final` is the greatest S_final possible."""
    failed = []
    if final < settings.tau:
        failed.append(f"S_final {final:g} < {settings.tau:g}")
    if rules < settings.tau_c:
        failed.append(f"S_rules {rules:g} < {settings.tau_c:g}")
    if llm is not None and llm < settings.tau_c:
        failed.append(f"S_llm {llm:g} < {settings.tau_c:g}")
    return failed


def _score(name: str, value: float | None) -> float | None:
    """The rounded score; None for none and NaN."""
    if value is None or math.isnan(value):
        return None
    rounded = _round(value)
    if not 0 <= rounded <= 100:
        raise ValueError(f"{name}: expected 0 to 100, got {value!r}")
    return rounded


def _round(value: float) -> float:
    # + 0.0 turns -0.0 into 0.0, so equal scores print alike.
    return round(float(value), DECIMALS) + 0.0
