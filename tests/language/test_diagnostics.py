"""Diagnostics in sentences, grouped."""

from __future__ import annotations

from physgauge.ensemble.diagnostics import diagnose, sentence
from physgauge.wire import Diagnostics, RuleResult

ENGINES = RuleResult(
    id="P3", category="presence", status="violated", measured=5.0, bound="2 <= x <= 4",
    says="two to four engines",
)  # fmt: skip
NEAR = RuleResult(
    id="S1", category="spatial", status="violated", measured=0.2134, bound="<= 0.05 * length",
    says="every engine is at a wing",
)  # fmt: skip
IMPLIES = RuleResult(
    id="R1", category="relational", status="violated", says="engines hang on wings"
)
FINE = RuleResult(id="P1", category="presence", status="satisfied", measured=1.0, bound="== 1")


def test_sentences() -> None:
    assert sentence(ENGINES) == "P3: two to four engines: 5 seen"
    assert sentence(NEAR) == "S1: every engine is at a wing: 0.213, bound <= 0.05 * length"
    assert sentence(IMPLIES) == "R1: engines hang on wings"
    assert sentence(RuleResult(id="X", category="caption", status="violated")) == "X"


def test_groups() -> None:
    told = diagnose(
        [ENGINES, NEAR, IMPLIES, FINE],
        violations=["a DC-10 has 3 engines: 5 seen", "P3: not so: two to four engines"],
        spatial=["an engine floats away from the wing", "S1: not so: every engine"],
    )
    assert told == Diagnostics(
        specification=["a DC-10 has 3 engines: 5 seen"],
        spatial=[
            "S1: every engine is at a wing: 0.213, bound <= 0.05 * length",
            "an engine floats away from the wing",
        ],
        rules=["P3: two to four engines: 5 seen", "R1: engines hang on wings"],
    )
    assert diagnose([FINE]) == Diagnostics()
