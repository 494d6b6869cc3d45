"""Why an image fails, in sentences: specification, spatial, rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from physgauge.wire import Diagnostics, RuleResult

_COUNT_BOUND: Final = re.compile(
    r"(?:[<>]=?|[=!]=) ?\d{1,3}|\d{1,3} <=? x <=? \d{1,3}|in \{[\d, ]{1,40}\}"
)


def diagnose(
    rules: Sequence[RuleResult],
    violations: Sequence[str] = (),
    spatial: Sequence[str] = (),
) -> Diagnostics:
    """Group what speaks against an image (PCMDE: V_spec, V_spatial, V_rules).

    Args:
        rules: outcomes of all rules; the violated ones are told with measured value and bound.
        violations: the reasoner's sentences about counts, type and impossibility.
        spatial: its sentences about places.
    """
    violated = [rule for rule in rules if rule.status == "violated"]
    where = [sentence(rule) for rule in violated if rule.category == "spatial"]
    rest = [sentence(rule) for rule in violated if rule.category != "spatial"]
    told = {f"{rule.id}:" for rule in violated}
    own = [s for s in violations if s.partition(" ")[0] not in told]
    own_spatial = [s for s in spatial if s.partition(" ")[0] not in told]
    return Diagnostics(
        specification=list(dict.fromkeys(own)),
        spatial=list(dict.fromkeys([*where, *own_spatial])),
        rules=list(dict.fromkeys(rest)),
    )


def sentence(rule: RuleResult) -> str:
    """ "P3: two to four engines: 5 seen", "S1: every engine is at a wing: 0.21, bound <= 0.08"."""
    text = f"{rule.id}: {rule.says}" if rule.says else rule.id
    if rule.measured is None:
        return text
    whole = float(rule.measured).is_integer()
    if rule.category in ("presence", "caption") and whole and _COUNT_BOUND.fullmatch(rule.bound):
        return f"{text}: {rule.measured:g} seen"
    bound = f", bound {rule.bound}" if rule.bound else ""
    return f"{text}: {rule.measured:.3g}{bound}"
