"""Rules: each domain's share of the batch through its pack's kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from physgauge import wire
from physgauge.ensemble.captions.parser import CaptionFacts
from physgauge.ensemble.domains import Domain, Domains
from physgauge.ensemble.expectations import Expectations
from physgauge.ensemble.fuse import Fused
from physgauge.ensemble.observations import Heard, said
from physgauge.ensemble.readings import Readings
from physgauge.rules_kernel import OTHER, ObservedArrays, accepted, rule_scores
from physgauge.types import F32, F64, I16, I64, Bools, Boxes, Observed, RuleOutcomes

CAPTIONED = "captioned"
"""The tag that a pack's caption rules ask for."""


STATUS_NAMES: dict[int, wire.RuleStatus] = {1: "satisfied", 0: "violated", -1: "not_applicable"}


@dataclass(frozen=True, slots=True)
class DomainRules:
    """What one domain's rules say about its b images of a batch."""

    domain: Domain
    images: I64
    """[b] index of each image in the batch."""
    boxes: Boxes
    """Boxes of these images; labels index the pack's components."""
    classes: tuple[str, ...]
    """``domain.component`` names."""
    label: I16
    """[n] index of each box into `classes`: what an "other" part is."""
    size: F32
    """[b, 2] width and height of the images, px."""
    domain_p: F32
    """[b] how sure the domain is."""
    facts: tuple[CaptionFacts, ...]
    """[b] what the captions say."""
    expected: Expectations
    """What captions, types and views lead one to expect."""
    observed: Observed
    outcomes: RuleOutcomes
    observations: Heard = ()
    """[b] what observers said of each that counts; empty where nobody observes."""

    def results(self, k: int, p_violated: F64) -> list[wire.RuleResult]:
        """The rules of the k-th image as they stand in its row.

        Args:
            k: which of the b images.
            p_violated: [R] in what share of the image's readings each rule is violated.
        """
        outcomes = self.outcomes
        return [
            wire.RuleResult(
                id=rule.id,
                category=rule.category,
                status=STATUS_NAMES[int(outcomes.status[k, r])],
                measured=number(outcomes.measured[k, r]),
                bound=rule.bound,
                says=rule.says,
                boxes=self.witnesses(k, r),
                p_violated=number(p_violated[r]),
            )
            for r, rule in enumerate(self.domain.pack.rules)
        ]

    def witnesses(self, k: int, r: int) -> list[int]:
        """The boxes that decided rule r on the k-th image, numbered within the image."""
        first = int(self.boxes.offsets[k])
        return [int(w) - first for w in self.outcomes.witness[k, r] if w >= 0]


@dataclass(frozen=True, slots=True)
class Ruled:
    """All domains' rules over a batch."""

    groups: tuple[DomainRules, ...]
    reason: tuple[str | None, ...]
    """[B] why an image is in no group."""

    def s_rules(self) -> F64:
        """[B] S_rules of each image; NaN where it has none."""
        scores = np.full(len(self.reason), np.nan)
        for group in self.groups:
            scores[group.images] = group.outcomes.s_rules
        return scores


def apply_rules(
    readings: Readings,
    facts: Sequence[CaptionFacts | None],
    size: F32,
    domains: Domains,
    heard: Heard = (),
) -> Ruled:
    """Evaluate the pack of each image's domain on each of its readings: these are the R images here.

    Args:
        readings: boxes, counts, domain and view of R readings of B images.
        facts: [B] what the captions say; None for an image without a domain.
        size: [B, 2] width and height, px.
        domains: packs, kernels and specifications.
        heard: [B] what observers said of each (`observations.listen`); () where nobody observes.
    """
    fused = readings.fused
    spoken = tuple(heard[i] for i in readings.image) if heard else ()
    facts, size = [facts[i] for i in readings.image], size[readings.image]
    reason = list(fused.reason)
    groups: list[DomainRules] = []
    for name, domain in domains.by_name.items():
        judged = zip(fused.domain, fused.reason, strict=True)
        mine = np.array([i for i, (d, why) in enumerate(judged) if d == name and not why], np.int64)
        if not len(mine):
            continue
        enough = accepted(domain.pack, _boxes_of(fused, mine, domain)[0])
        for image in mine[~enough]:
            reason[image] = f"too little to judge: {_floor(domain)}"
        if enough.any():
            groups.append(_evaluate(domain, mine[enough], fused, facts, size, spoken))
    for image, accepted_name in enumerate(fused.domain):
        if accepted_name is not None and accepted_name not in domains.by_name:
            reason[image] = f"no rule pack for the domain {accepted_name!r}"
    return Ruled(tuple(groups), tuple(reason))


def _evaluate(
    domain: Domain,
    images: I64,
    fused: Fused,
    captions: Sequence[CaptionFacts | None],
    size: F32,
    spoken: Heard,
) -> DomainRules:
    pack = domain.pack
    boxes, index = _boxes_of(fused, images, domain)
    facts = tuple(one for i in images if (one := captions[i]) is not None)
    mine = tuple(spoken[i] for i in images) if spoken else ()
    own_size = np.ascontiguousarray(size[images], np.float32)
    counts = _component_counts(fused, images, domain)
    view = domain.sight.complete(fused.view[images], fused.looked[images], boxes, counts, own_size)
    expected = domain.expect(facts, view, counts)
    observed = Observed(
        counts=counts,
        said=said(pack.facts, mine or ((),) * len(images)),
        expected_min=expected.expected_min,
        expected_max=expected.expected_max,
        view=view,
        tags=_with_captioned(expected.tags, pack.tags, facts),
    )
    arrays = domain.kernel.evaluate(boxes, _kernel_input(observed, own_size))
    scores = rule_scores(
        arrays.status, pack.category_index, pack.weights, pack.minimum_rules, pack.rule_weights
    )
    outcomes = RuleOutcomes(
        arrays.status, arrays.measured, arrays.witness, scores.s_category, scores.s_rules
    )
    return DomainRules(
        domain=domain,
        images=images,
        boxes=boxes,
        classes=fused.classes,
        label=fused.boxes.label[index],
        size=own_size,
        domain_p=fused.domain_p[images],
        facts=facts,
        expected=expected,
        observed=observed,
        outcomes=outcomes,
        observations=mine,
    )


def _kernel_input(observed: Observed, size: F32) -> ObservedArrays:
    return ObservedArrays(
        observed.counts, observed.said, observed.expected_min, observed.expected_max,
        observed.view, size, observed.tags,
    )  # fmt: skip


def _with_captioned(tags: Bools, names: Sequence[str], facts: Sequence[CaptionFacts]) -> Bools:
    """The pack's reserved tag "captioned" is true where there is a caption."""
    given = np.array([one.caption is not None for one in facts], np.bool_)
    column = np.array([name == CAPTIONED for name in names], np.bool_)
    return np.where(column, given[:, None], tags)


def _boxes_of(fused: Fused, images: I64, domain: Domain) -> tuple[Boxes, I64]:
    """The images' boxes with pack labels, and the packed index of each in `fused.boxes`."""
    b = fused.boxes
    lengths = np.diff(b.offsets)[images]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    index = np.arange(offsets[-1]) + np.repeat(b.offsets[images] - offsets[:-1], lengths)
    label = _pack_labels(fused.classes, domain)[b.label[index]]
    return Boxes(b.xyxy[index], b.score[index], label, b.source[index], offsets), index


def _pack_labels(classes: Sequence[str], domain: Domain) -> I16:
    """[classes] the pack's label of each ``domain.component``; "other" for other domains' parts."""
    return _labels(tuple(classes), domain.name, tuple(domain.pack.components))


@lru_cache(maxsize=64)
def _labels(classes: tuple[str, ...], domain: str, components: tuple[str, ...]) -> I16:
    place = {name: label for label, name in enumerate(components)}
    names = [name.partition(".")[::2] for name in classes]
    other = place[OTHER]
    labels = np.array(
        [place.get(part, other) if owner == domain else other for owner, part in names], np.int16
    )
    labels.setflags(write=False)
    return labels


def _component_counts(fused: Fused, images: I64, domain: Domain) -> F32:
    """[b, C] counts by pack component; NaN for a component that nothing looks for."""
    seen = fused.counts[images]
    labels = _pack_labels(fused.classes, domain)
    belongs = labels[:, None] == np.arange(len(domain.pack.components))
    total = np.where(np.isnan(seen), 0.0, seen).astype(np.float64) @ belongs
    looked = ~np.isnan(seen) @ belongs
    return np.where(looked, total, np.nan).astype(np.float32)


def _floor(domain: Domain) -> str:
    floor = domain.pack.evidence
    text = f"expected at least {floor.boxes} parts of {floor.components} kinds"
    return f"{text}, one of them {' or '.join(floor.any_of)}" if floor.any_of else text


def number(value: float | np.floating) -> float | None:
    """A number for the row: rounded to 1e-6; None for NaN."""
    return None if np.isnan(value) else round(float(value), 6)
