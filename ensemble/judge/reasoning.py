"""The reasoning step over a batch: each image's record from the rules, to the reasoner, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physgauge.config import Profile
from physgauge.ensemble.judge.reason import REASONER, ReasonResult, reason
from physgauge.ensemble.judge.reason_input import (
    Bounds,
    PartBox,
    PartCount,
    ReasonInput,
    RuleFact,
)
from physgauge.ensemble.rules import DomainRules, Ruled
from physgauge.ensemble.verdict import skip_reason
from physgauge.types import VIEWS


@dataclass(frozen=True, slots=True)
class Reasoned:
    """What the reasoning step says about one domain's images of a batch."""

    reasoner: str | None
    """Who answered; None where the step is off."""
    results: tuple[ReasonResult | None, ...]
    """One an image, in the order of the group; None where the step was skipped."""


def reason_batch(ruled: Ruled, profile: Profile) -> list[Reasoned]:
    """Reason over every image of every domain; one `Reasoned` per group of `ruled`."""
    return [_group(group, profile) for group in ruled.groups]


def _group(group: DomainRules, profile: Profile) -> Reasoned:
    images = range(len(group.images))
    if profile.reason.engine == "off":
        return Reasoned(None, tuple(None for _ in images))
    return Reasoned(
        REASONER,
        tuple(
            None
            if skip_reason(float(group.outcomes.s_rules[k]), profile.pcmde)
            else reason(record(group, k))
            for k in images
        ),
    )


def record(group: DomainRules, k: int) -> ReasonInput:
    """Everything known about the k-th image of a group."""
    pack, expected = group.domain.pack, group.expected
    width, height = (float(v) for v in group.size[k])
    columns = list(enumerate(pack.components))
    counts = group.observed.counts[k]
    return ReasonInput(
        facts=group.facts[k],
        spec=group.domain.expect.spec,
        view=VIEWS[group.observed.view[k]],
        counts={name: PartCount(float(counts[c])) for c, name in columns},
        bounds={
            name: Bounds(float(expected.expected_min[k, c]), float(expected.expected_max[k, c]))
            for c, name in columns
        },
        boxes=_boxes(group, k),
        types=expected.types[k],
        contradictions=expected.contradictions[k],
        rules=_rule_facts(group, k),
        size=(width, height),
        domain_p=float(group.domain_p[k]),
    )


def _boxes(group: DomainRules, k: int) -> tuple[PartBox, ...]:
    boxes, span = group.boxes, group.boxes.of(k)
    names: Sequence[str] = group.domain.pack.components
    rows = zip(
        boxes.xyxy[span].tolist(), boxes.score[span].tolist(), boxes.label[span].tolist(),
        group.label[span].tolist(), strict=True,
    )  # fmt: skip
    return tuple(
        PartBox(names[label], (x0, y0, x1, y1), score, group.classes[full])
        for (x0, y0, x1, y1), score, label, full in rows
    )


def _rule_facts(group: DomainRules, k: int) -> tuple[RuleFact, ...]:
    return tuple(
        RuleFact(
            id=result.id,
            category=result.category,
            status=result.status,
            measured=result.measured,
            bound=result.bound,
            says=result.says,
            components=rule.components,
            boxes=tuple(result.boxes),
        )
        for rule, result in zip(group.domain.pack.rules, group.results[k], strict=True)
    )
