"""The deterministic reasoner, `reasoner: "specification"`: PCMDE's three questions without a model.

It answers from the same specification and rubric as the language model would, over the same record. It
shares its evidence with the rules; the row names it, so nobody takes it for an independent judge.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from physgauge.ensemble.judge.evidence import (
    all_of,
    any_of,
    beyond,
    carries,
    shortage,
    surplus,
)
from physgauge.ensemble.judge.places import misplaced
from physgauge.ensemble.judge.reason_input import (
    Bounds,
    PartBox,
    PartCount,
    ReasonInput,
    ReasonResult,
    RuleFact,
)
from physgauge.ensemble.judge.rubric import (
    QUESTIONS,
    RAREST,
    Finding,
    Severity,
    score,
    unusual,
)
from physgauge.ensemble.layout import Arrangement
from physgauge.ensemble.wording import article, count_of, who
from physgauge.wire import LlmRun

__all__ = [
    "REASONER", "Bounds", "PartBox", "PartCount", "ReasonInput", "ReasonResult", "RuleFact", "reason",
]  # fmt: skip

REASONER: Final = "specification"
"""The row's `reasoner`."""
TELLING: Final = 0.2
"""Findings weaker than this count, but are not told."""
MAX_TOLD: Final = 6
"""Most sentences per question in the explanation."""
UNKNOWN_EXCESS: Final = 0.8
"""What a violated rule carries where its bound is no plain number."""
UNCOUNTED: Final = 0.4
"""What a violated rule about counts carries where the specification has nothing against the counts."""
RARE: Final = math.log(0.05)
"""Arrangements rarer than this are told."""
CONTRADICTED: Final = 0.6
"""What a contradiction between caption and specification carries: it is the caption's fault."""


def reason(given: ReasonInput) -> ReasonResult:
    """Judge one image's record against its type; equal records give equal answers."""
    findings = sorted(_findings(given), key=_worst_first)
    points, band = score(findings, unusual(given.arranged.log_p) if given.arranged else 0.0)
    points = round(points, 6)
    told = [f for f in findings if f.strength >= TELLING]
    explanation = _explain(given, told, points, band)
    return ReasonResult(
        score=points,
        explanation=explanation,
        runs=(LlmRun(round=1, score=points, explanation=explanation),),
        unstable=False,
        violations=tuple(dict.fromkeys(f.sentence for f in told if f.question != 2)),
        spatial=tuple(dict.fromkeys(f.sentence for f in told if f.question == 2)),
    )


def _worst_first(finding: Finding) -> tuple[float, float, float, str]:
    return (-finding.band, -finding.severity, -finding.strength, finding.sentence)


def _findings(given: ReasonInput) -> Iterator[Finding]:
    """Everything that speaks against the picture, with how much it carries."""
    yield from _wrong_kind(given)
    counted = [f for component in given.spec.components for f in _count(given, component)]
    yield from counted
    yield from _others(given)
    yield from misplaced(given)
    for rule in given.rules:
        yield _rule(given, rule, counted)
    for sentence in given.contradictions:
        yield Finding(1, Severity.MINOR, CONTRADICTED, "caption", sentence)


def _wrong_kind(given: ReasonInput) -> Iterator[Finding]:
    """The caption is about something else altogether."""
    if not given.facts.elsewhere or given.facts.hint is None:
        return
    named = next(s for s in given.facts.subjects if s.domain == given.facts.hint)
    yield Finding(
        question=1,
        severity=Severity.CRITICAL,
        strength=given.domain_p,
        about="kind",
        sentence=f"wrong kind: the caption names {article(named.text)} {named.text}; "
        f"the picture shows {article(given.domain)} {given.domain}",
    )


def _count(given: ReasonInput, component: str) -> Iterator[Finding]:
    """Question 1 (and 3: no realistic type has as many) for one component."""
    seen, bounds = given.counts.get(component), given.bounds.get(component)
    if seen is None or bounds is None or math.isnan(seen.count):
        return
    against = who(given.facts, given.spec, given.types or given.spec.common)
    if seen.count > bounds.high:
        any_type = given.spec.range(component)
        impossible = bounds.high == 0 or (any_type is not None and seen.count > any_type.high)
        yield Finding(
            question=3 if impossible else 1,
            severity=Severity.CRITICAL if impossible else Severity.MAJOR,
            strength=surplus(given.boxes, component, bounds.high, seen.sure),
            about=component,
            sentence=f"{against} has {_most(given, component, bounds)}: {seen.count:g} seen",
        )
    elif seen.count < bounds.low:
        yield Finding(
            question=1,
            severity=Severity.MAJOR,
            strength=shortage(given, component, bounds.low - seen.count, seen.sure),
            about=component,
            sentence=f"{_least(given, component, bounds, against)}: {seen.count:g} seen",
        )


def _least(given: ReasonInput, component: str, bounds: Bounds, against: str) -> str:
    """Why at least `bounds.low` must be seen: the caption (a pack of published rules takes its word even
    against the type), the type, or what the view shows of the type's."""
    own = given.spec.range(component, given.types)
    if own is not None and bounds.low > own.high:
        return f"the caption wants at least {count_of(int(bounds.low), component)}"
    seen = own is None or bounds.low >= own.low
    # Several subjects have more than their type, or (NaN) nobody knows how many.
    if own is not None and own.high == bounds.high:
        whole = f"{against} has {count_of(own, component)}"
    else:
        least = int(bounds.low) if own is None or seen else own.low
        whole = f"{against} has at least {count_of(least, component)}"
    if seen:
        return whole
    view = given.view.replace("_", " ")
    return f"{whole}, of which the view ({view}) shows at least {bounds.low:g}"


def _most(given: ReasonInput, component: str, bounds: Bounds) -> str:
    own = given.spec.range(component, given.types)
    if own is None or own.high != bounds.high:
        return f"at most {count_of(int(bounds.high), component)}"
    return count_of(own, component)


def _others(given: ReasonInput) -> Iterator[Finding]:
    """Question 3: parts of another kind of thing."""
    for box in given.boxes:
        if box.component not in given.spec.components:
            kind, _, part = box.label.partition(".")
            name = f"{part.replace('_', ' ')} of {article(kind)} {kind}" if part else "foreign part"
            yield Finding(
                question=3,
                severity=Severity.CRITICAL,
                strength=carries(box.score),
                about=f"other {box.label}",
                sentence=f"{article(given.domain)} {given.domain} with the {name}",
            )


def _rule(given: ReasonInput, rule: RuleFact, counted: Sequence[Finding]) -> Finding:
    """A violated rule: as sure as its witnesses and as far as its value is beyond the bound.

    A rule about counts rests on the counts themselves, so it carries what they carry (`counted`).
    """
    foreign = "foreign" in rule.components
    excess = beyond(rule.measured, rule.bound)
    strength = UNKNOWN_EXCESS if excess is None else 0.5 + min(excess, 1.0) / 2
    scores = [given.boxes[i].score for i in rule.boxes if 0 <= i < len(given.boxes)]
    if foreign:
        strength = any_of(carries(s) for s in scores) if scores else strength
    elif rule.category in ("presence", "caption"):
        carried = [f.strength for f in counted if f.about in rule.components]
        strength = max(carried, default=min(UNCOUNTED, strength))
    else:
        # What its pack trusts less, because boxes are rarely so precise, carries less here too.
        strength *= all_of(carries(s) for s in scores) * min(rule.weight, 1.0) ** 0.5
    about = rule.components[0] if len(rule.components) == 1 else f"rule {rule.id}"
    measured = (
        ""
        if rule.measured is None
        else f" (measured {rule.measured:.3g}, bound {rule.bound})"
        if rule.bound
        else f" (measured {rule.measured:.3g})"
    )
    return Finding(
        question=3 if foreign else 2 if rule.category in ("spatial", "relational") else 1,
        severity=Severity.CRITICAL if foreign else Severity.MAJOR,
        strength=strength,
        about=about,
        sentence=f"{rule.id}: not so: {rule.says}{measured}",
    )


def _rare(arranged: Arrangement) -> str:
    # Two digits; beyond the rarest, probabilities are extrapolated.
    rarest = arranged.log_p < -RAREST * math.log(10)
    one_of = 10.0**RAREST if rarest else math.exp(-arranged.log_p)
    one_of = round(one_of, 1 - math.floor(math.log10(one_of)))
    share = f"{'less than ' * rarest}1 of {one_of:,.0f}"
    part, other = (name.replace("_", " ") for name in (arranged.part, arranged.other))
    beside = f"{article(part)} {part} beside " + ("another" if part == other else f"the {other}")
    return f"Unusual: {beside}: as strange in {share} faultless pictures."


def _explain(given: ReasonInput, told: Sequence[Finding], points: float, band: Severity) -> str:
    """The three questions with their answers, then the score."""
    against = who(given.facts, given.spec, given.types or given.spec.common)
    lines = [f"Judged against {against}, view {given.view.replace('_', ' ')}."]
    for number, question in enumerate(QUESTIONS, 1):
        mine = list(dict.fromkeys(f.sentence for f in told if f.question == number))
        good = "No." if number == 3 else "Yes."
        answer = (
            good if not mine else ("Yes: " if number == 3 else "No: ") + "; ".join(mine[:MAX_TOLD])
        )
        more = f" (and {len(mine) - MAX_TOLD} more)" if len(mine) > MAX_TOLD else ""
        lines.append(f"{number}. {question} {answer}{more}")
    if given.arranged and given.arranged.log_p <= RARE:
        lines.append(_rare(given.arranged))
    lines.append(f"Score {points:.1f} ({band.name.lower()}).")
    return "\n".join(lines)
