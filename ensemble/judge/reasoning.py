"""The reasoning step over a batch: each image's record from the rules, to the reasoner, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physgauge.config import Profile
from physgauge.ensemble.judge.reason import REASONER, ReasonResult, reason
from physgauge.ensemble.judge.reason_input import (
    Bounds,
    PartBox,
    PartCount,
    ReasonInput,
    RuleFact,
)
from physgauge.ensemble.layout import Arrangement
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.rules import DomainRules, Ruled, number
from physgauge.ensemble.verdict import skip_reason
from physgauge.types import F64, VIEWS


@dataclass(frozen=True, slots=True)
class Reasoned:
    """What the reasoning step says about one domain's readings of a batch."""

    reasoner: str | None
    """Who answered; None where the step is off."""
    results: tuple[ReasonResult | None, ...]
    """One an image, in the order of the group; None where the step was skipped."""


@dataclass(frozen=True, slots=True)
class Case:
    """One subject's record, for a reasoner that takes its time."""

    subject: int
    """Which of the readings' M subjects."""
    given: ReasonInput


def cases(ruled: Ruled, readings: Readings, profile: Profile) -> list[Case]:
    """The records that a language model is to judge: of each subject, its likeliest reading.

    The doubt about single boxes stands in the prompt, as their confidence; asking anew for every reading
    would cost some fifteen times as much. Left out: subjects that the rules cannot judge, and those that
    the profile skips.
    """
    likeliest = {int(reading): m for m, reading in enumerate(readings.likeliest)}
    expected = readings.mean(ruled.s_rules())
    return [
        Case(subject, record(group, k))
        for group in ruled.groups
        for k, reading in enumerate(group.images.tolist())
        if (subject := likeliest.get(reading, -1)) >= 0
        and not skip_reason(float(expected[subject]), profile.pcmde)
    ]


def reasoned_of(
    ruled: Ruled, readings: Readings, results: Mapping[int, ReasonResult], reasoner: str | None
) -> list[Reasoned]:
    """A model's results, by subject, as the pipeline's records: one result holds for all readings."""
    return [
        Reasoned(reasoner, tuple(results.get(int(readings.image[r])) for r in group.images))
        for group in ruled.groups
    ]


def reason_batch(ruled: Ruled, readings: Readings, profile: Profile) -> list[Reasoned]:
    """Reason by the specification over every reading of every domain; one `Reasoned` per group of
    `ruled`. Nobody reasons here where the profile switches it off or leaves it to the judge (`cases`).

    Where the profile skips what the rules have decided, it is the image's expected S_rules that decides,
    and all its readings are skipped.
    """
    expected = readings.mean(ruled.s_rules())[readings.image]
    return [_group(group, expected[group.images], profile) for group in ruled.groups]


def _group(group: DomainRules, s_rules: F64, profile: Profile) -> Reasoned:
    images, layout = range(len(group.images)), group.domain.layout
    if profile.reason.engine != "specification":
        return Reasoned(None, tuple(None for _ in images))
    arranged = layout(group.boxes, group.observed.view) if layout else (None,) * len(images)
    return Reasoned(
        REASONER,
        tuple(
            None
            if skip_reason(float(s_rules[k]), profile.pcmde)
            else reason(record(group, k, arranged[k]))
            for k in images
        ),
    )


def record(group: DomainRules, k: int, arranged: Arrangement | None = None) -> ReasonInput:
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
        observations=group.observations[k] if group.observations else (),
        rules=_rule_facts(group, k),
        size=(width, height),
        domain_p=float(group.domain_p[k]),
        arranged=arranged,
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
    rules, outcomes = group.domain.pack.rules, group.outcomes
    return tuple(
        RuleFact(
            id=rules[r].id,
            category=rules[r].category,
            measured=number(outcomes.measured[k, r]),
            bound=rules[r].bound,
            says=rules[r].says,
            components=rules[r].components,
            boxes=tuple(group.witnesses(k, int(r))),
            weight=rules[r].weight,
        )
        for r in np.flatnonzero(outcomes.status[k] == 0)
    )
