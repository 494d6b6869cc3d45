"""Aggregate: scores, verdicts and diagnostics of a batch become result rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from physgauge import __version__, wire
from physgauge.clients.boxes import BoxRecord
from physgauge.config import PcmdeSettings, Profile
from physgauge.ensemble.costs import cost_of, paid_for
from physgauge.ensemble.detect import OnnxDetector
from physgauge.ensemble.diagnostics import diagnose
from physgauge.ensemble.domains import Domain, Domains
from physgauge.ensemble.expected import ImageScores, expect, violated_share
from physgauge.ensemble.feed import Known, Pixels
from physgauge.ensemble.fuse import Fused
from physgauge.ensemble.judge.looking import JudgeCard
from physgauge.ensemble.judge.reason import ReasonResult
from physgauge.ensemble.judge.reasoning import Reasoned
from physgauge.ensemble.methods import NOT_SEEN
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.rules import DomainRules, Ruled, number
from physgauge.ensemble.subjects.worst import Whose, worst
from physgauge.ensemble.verdict import combine
from physgauge.errors import InputError
from physgauge.types import KNOWN, VIEWS, Item


@dataclass(frozen=True, slots=True)
class Subject:
    """An image that can be scored, without its pixels."""

    image_id: str
    source: str
    caption: str | None
    extra: dict[str, str]
    width: int
    height: int
    pixel_sha256: str | None = None
    warnings: tuple[str, ...] = ()
    decoder: str | None = None
    decode_ms: float | None = None
    record: BoxRecord | None = None
    """Boxes from elsewhere, where no detector looks."""
    domain: str | None = None
    """What the caller says it shows."""

    @classmethod
    def of_known(cls, known: Known) -> Subject:
        """The subject of an item that needs nothing but its row."""
        item = known.item
        return cls(
            item.image_id, item.source, item.caption, item.extra or {}, known.width, known.height,
            known.sha256, known.warnings, known.decoder, known.decode_ms, domain=item.domain,
        )  # fmt: skip

    @classmethod
    def of_pixels(cls, pixels: Pixels) -> Subject:
        """The subject of a decoded item."""
        item, decoded = pixels.item, pixels.decoded
        return cls(
            item.image_id, item.source, item.caption, item.extra or {}, decoded.width,
            decoded.height, decoded.sha256, decoded.warnings, decoded.decoder, pixels.decode_ms,
            domain=item.domain,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Context:
    """What all rows of a run share."""

    provenance: wire.Provenance
    settings: PcmdeSettings
    domains: Mapping[str, Domain] = field(default_factory=dict)
    unseen: str = NOT_SEEN
    """Why TerraVis is skipped in a row that no look is added to."""

    @classmethod
    def of(
        cls,
        profile: Profile,
        domains: Domains,
        detectors: Sequence[OnnxDetector],
        judge: JudgeCard | None = None,
        unseen: str | None = None,
    ) -> Context:
        """The context of a pipeline; `unseen` is why nobody looks at its images, None: somebody does."""
        provenance = wire.Provenance(
            physgauge=__version__,
            profile=profile.name,
            models={d.settings.name: d.sha256 for d in detectors}
            | {
                f"{d.settings.name}_rescorer": d.rescorer.sha256
                for d in detectors
                if d.rescorer is not None
            },
            settings=_settings(profile.pcmde) | _trust(profile),
        )
        if judge is not None:
            provenance = judge.sign(provenance)
        return cls(provenance, profile.pcmde, domains.by_name, unseen or NOT_SEEN)

    def provenance_of(
        self, domain: str | None, decoder: str | None, asked: str | None = None
    ) -> wire.Provenance:
        """With the pack that judged the image, and its layout model, if any did; `asked` is what the
        caller says it shows."""
        known = None if domain is None else self.domains.get(domain)
        pack = None if known is None else known.pack
        base = self.provenance
        return msgspec.structs.replace(
            base,
            models=base.models
            if known is None or known.layout is None
            else {**base.models, f"layout_{known.name}": known.layout.sha256},
            pack=pack.name if pack else None,
            pack_hash=pack.content_hash if pack else None,
            decoder=decoder,
            domain=asked,
        )

    def provenance_of_all(self) -> wire.Provenance:
        """Where no pack judged: an image of no bytes tells a bulk run what a deployment runs."""
        used = self.domains.values()
        packs = {f"pack_{one.name}": one.pack.content_hash for one in used}
        layouts = {f"layout_{one.name}": one.layout.sha256 for one in used if one.layout}
        return msgspec.structs.replace(
            self.provenance, models=self.provenance.models | packs | layouts
        )


def error_row(item: Item, error: InputError, context: Context) -> wire.Row:
    """The row of an item that cannot be scored; it names all packs and layout models."""
    return wire.error_row(
        image_id=item.image_id,
        source=item.source,
        code=error.code,
        message=error.message,
        provenance=context.provenance_of_all(),
        caption=item.caption,
        extra=item.extra,
    )


def known_row(known: Known, context: Context) -> wire.Row:
    """The row of an image that was decoded, and no more."""
    subject, pcmde = Subject.of_known(known), wire.Pcmde(status="skipped", reason=KNOWN)
    row = _row(subject, pcmde, [], cost_of(subject.decode_ms, {}, []), context)
    return msgspec.structs.replace(row, terravis=wire.TerraVis(status="skipped", reason=KNOWN))


def rows_without_pcmde(
    subjects: Sequence[Subject], reason: str, ms: Mapping[str, float], context: Context
) -> list[wire.Row]:
    """The rows of images whose parts nobody judges, and why; looks join in as in those of `rows_of`."""
    pcmde = wire.Pcmde(status="skipped", reason=reason)
    return [
        _row(subject, pcmde, [], cost_of(subject.decode_ms, ms, []), context)
        for subject in subjects
    ]


def rows_of(
    subjects: Sequence[Subject],
    whose: Whose,
    readings: Readings,
    ruled: Ruled,
    reasoned: Sequence[Reasoned],
    ms: Mapping[str, float],
    context: Context,
) -> list[wire.Row]:
    """The rows of a batch, in its order: of each subject's worst subject, with scores expected over its
    readings and the rest of the likeliest one.

    Args:
        subjects: [B] the images.
        whose: the M subjects in them.
        readings: of these subjects.
        ruled: what the rules say of the readings.
        reasoned: what the reasoning step says, one per group of `ruled`.
        ms: stage times per image.
        context: what all rows share.
    """
    judged = _judged(readings, ruled, reasoned, context)
    likeliest = readings.likeliest.tolist()
    paid = paid_for(ruled, reasoned)
    each = [judged.get(k) or _not_applicable(readings.fused, ruled, k) for k in likeliest]
    found = [_detections(readings.fused, k) for k in likeliest]
    rows = []
    for image, subject in enumerate(subjects):
        detections, mine = whose.joined(image, found), whose.of(image)
        pcmde = each[mine.start]
        if len(mine) > 1:
            pcmde = worst([each[k] for k in mine], [whose.parts[k] for k in mine], detections)
        spent = [paid[k] for k in likeliest[mine.start : mine.stop] if k in paid]
        cost = cost_of(subject.decode_ms, ms, spent)
        rows.append(_row(subject, pcmde, detections, cost, context))
    return rows


def _row(
    subject: Subject,
    pcmde: wire.Pcmde,
    detections: list[wire.Detection],
    cost: wire.Cost,
    context: Context,
) -> wire.Row:
    """An image's row, as long as nobody has looked at it."""
    return wire.Row(
        image_id=subject.image_id,
        source=subject.source,
        caption=subject.caption,
        extra=subject.extra,
        pixel_sha256=subject.pixel_sha256,
        width=subject.width,
        height=subject.height,
        warnings=list(subject.warnings),
        terravis=wire.TerraVis(status="skipped", reason=context.unseen),
        pcmde=pcmde,
        detections=detections,
        provenance=context.provenance_of(pcmde.domain, subject.decoder, subject.domain),
        cost=cost,
    )


def _judged(
    readings: Readings, ruled: Ruled, reasoned: Sequence[Reasoned], context: Context
) -> dict[int, wire.Pcmde]:
    """What was judged, by the likeliest reading of each subject."""
    expected = expect(readings, ruled, reasoned)
    first = set(readings.likeliest.tolist())
    pcmde: dict[int, wire.Pcmde] = {}
    for group, said in zip(ruled.groups, reasoned, strict=True):
        p_violated = violated_share(readings, group)
        for k, reading in enumerate(group.images.tolist()):
            if reading in first:
                subject = int(readings.image[reading])
                rules = group.results(k, p_violated[subject])
                scores = expected.of(subject)
                pcmde[reading] = _pcmde(group, said, k, scores, rules, context.settings)
    return pcmde


def _settings(pcmde: PcmdeSettings) -> dict[str, float]:
    """The numbers that a verdict depends on."""
    return {"rules_weight": pcmde.rules_weight, "tau": pcmde.tau, "tau_c": pcmde.tau_c}


def _trust(profile: Profile) -> dict[str, float]:
    """How far each observer is trusted: counts depend on it."""
    return {
        f"observers.{one.name}.{name}": float(getattr(one, name))
        for one in profile.observers
        for name in ("weight", "confidence", "reliability")
    }


def _not_applicable(fused: Fused, ruled: Ruled, image: int) -> wire.Pcmde:
    return wire.Pcmde(
        status="not_applicable",
        reason=ruled.reason[image],
        domain=fused.domain[image],
        view=VIEWS[fused.view[image]],
    )


def _pcmde(
    group: DomainRules,
    said: Reasoned,
    k: int,
    expected: ImageScores,
    rules: list[wire.RuleResult],
    settings: PcmdeSettings,
) -> wire.Pcmde:
    """Scores, verdict and diagnostics of an image whose likeliest reading is the k-th of a group."""
    facts, result = group.facts[k], said.results[k]
    s_llm = None if result is None else expected.s_llm
    verdict = combine(expected.s_rules, s_llm, settings)
    presence, spatial, relational, caption = expected.categories
    return wire.Pcmde(
        status=verdict.status,
        reason=verdict.reason,
        domain=group.domain.name,
        subtype=facts.subtype,
        view=VIEWS[group.observed.view[k]],
        counts=_counts(group, k),
        s_presence=presence,
        s_spatial=spatial,
        s_relational=relational,
        s_caption=caption,
        s_rules=expected.s_rules,
        s_llm=s_llm,
        readings=expected.readings,
        llm_runs=[] if result is None else list(result.runs),
        unstable=result is not None and result.unstable,
        explanation=None if result is None else _explanation(result, expected),
        reasoner=said.reasoner,
        s_final=verdict.s_final,
        low=verdict.low,
        high=verdict.high,
        verdict=verdict.verdict,
        diagnostics=_diagnostics(rules, result)
        if verdict.verdict == "FAIL"
        else wire.Diagnostics(),
        objections=[] if result is None else list(result.violations),
        objections_spatial=[] if result is None else list(result.spatial),
        rules=rules,
    )


def _explanation(result: ReasonResult, expected: ImageScores) -> str:
    """The likeliest reading's, with the expected score where there are others."""
    if expected.readings == 1 or expected.s_llm is None or result.score is None:
        return result.explanation
    if abs(expected.s_llm - result.score) < 1e-6:  # a model judges the likeliest reading only
        return result.explanation
    return (
        f"{result.explanation}\nExpected over {expected.readings} readings: {expected.s_llm:.1f}."
    )


def _diagnostics(rules: Sequence[wire.RuleResult], result: ReasonResult | None) -> wire.Diagnostics:
    return diagnose(rules) if result is None else diagnose(rules, result.violations, result.spatial)


def _counts(group: DomainRules, k: int) -> dict[str, float | None]:
    return {
        name: number(value)
        for name, value in zip(group.domain.pack.components, group.observed.counts[k], strict=True)
    }


def _detections(fused: Fused, image: int) -> list[wire.Detection]:
    span = fused.boxes.of(image)
    return [
        wire.Detection(
            label=fused.classes[fused.boxes.label[i]],
            box=[round(float(v), 3) for v in fused.boxes.xyxy[i]],
            score=round(float(fused.boxes.score[i]), 4),
        )
        for i in range(span.start, span.stop)
    ]
