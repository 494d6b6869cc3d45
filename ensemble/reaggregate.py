"""Stored rows counted anew with other weights and thresholds: nobody is asked, nothing is looked at.

A row holds what its scores were made from: TerraVis' answers with their probabilities, PCMDE's S_rules
and S_llm with what the rules and the reasoner say. Its provenance holds the settings. So a row counted
anew equals the row of a run with those settings, with the exceptions that `reaggregate` names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final

import msgspec

from physgauge import wire
from physgauge.config import PcmdeSettings
from physgauge.ensemble.diagnostics import diagnose
from physgauge.ensemble.judge.terravis.result import Counting, look_of, terravis_of
from physgauge.ensemble.subjects.worst import badness
from physgauge.ensemble.verdict import combine
from physgauge.errors import ConfigError
from physgauge.settings import Fraction, Points, Settings

Above = Annotated[float, msgspec.Meta(gt=0, le=1)]


class Changes(Settings, frozen=True, kw_only=True):
    """What is to be counted otherwise; None = as the row was made. Fields as in the profile's tables
    ``[judge]`` and ``[pcmde]``.

    Raises:
        ConfigError: a value that is not a number: nothing is found from P(yes) = NaN.
    """

    lambda_: Annotated[float, msgspec.Meta(gt=0, le=100)] | None = None
    alpha: Fraction | None = None
    yes_from: Above | None = None
    eligible_from: Above | None = None
    major_from: Above | None = None
    rules_weight: Fraction | None = None
    tau: Points | None = None
    tau_c: Points | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                raise ConfigError(f"{name.rstrip('_')}: expected a number, got {value}")

    def of(self, names: tuple[str, ...]) -> dict[str, float]:
        """Those of these names that are given."""
        given = {name: getattr(self, name) for name in names}
        return {name: float(value) for name, value in given.items() if value is not None}


_TERRAVIS: Final = ("lambda_", "alpha", "yes_from", "eligible_from", "major_from")
_PCMDE: Final = ("rules_weight", "tau", "tau_c")
THEN: Final = ", as answers counted when it was asked"
"""Put behind what a gate has left out: it might not have been, as they count now."""


def reaggregate(row: wire.Row, changes: Changes) -> wire.Row:
    """The row as a run with other settings would have made it, but for what only such a run would have
    asked:

    - severity was asked from the row's `grade_from` on, for eligible images: what a smaller `yes_from` or
      `eligible_from` adds ungraded leaves bounds, and the score is null;
    - evidence, and the kind of an image that is not eligible, stay with what had them;
    - of several views only what they said together is known: boxes stay, and what one view found stands
      if another was lost;
    - where another subject of several becomes the worst, its scores are known, but not its rules;
    - what a gate (`judge.gate`) has left out stays unanswered, and in a cascade whoever has answered it;
    - `skip_reason_below_tau_c` skips nothing that was not skipped.

    Raises:
        ConfigError: the row does not say with which of PCMDE's settings it was made, and neither do
        `changes`.
    """
    terravis, pcmde, provenance = row.terravis, row.pcmde, row.provenance
    stored = provenance.settings | changes.of(_PCMDE)
    if provenance.lambda_ is not None:
        counting = replace(Counting.of_row(provenance), **changes.of(_TERRAVIS))
        if terravis.answers:
            look = look_of(terravis)
            if look.left_out and counting != Counting.of_row(provenance):
                look = replace(look, left_out=look.left_out.removesuffix(THEN) + THEN)
            (terravis,) = terravis_of([look], counting)
        provenance = msgspec.structs.replace(
            provenance, lambda_=counting.lambda_, alpha=counting.alpha
        )
        stored |= counting.thresholds()
    if pcmde.s_rules is not None:
        pcmde = _verdict(pcmde, _settings(row.image_id, stored))
    return msgspec.structs.replace(
        row,
        terravis=terravis,
        pcmde=pcmde,
        provenance=msgspec.structs.replace(provenance, settings=stored),
    )


def _settings(image_id: str, stored: Mapping[str, float]) -> PcmdeSettings:
    for name in _PCMDE:
        if name not in stored:
            raise ConfigError(
                f"row {image_id!r}: expected the {name} it was made with in provenance.settings, or "
                f"as an option; got neither"
            )
    return PcmdeSettings(
        rules_weight=stored["rules_weight"], tau=stored["tau"], tau_c=stored["tau_c"]
    )


def _verdict(pcmde: wire.Pcmde, settings: PcmdeSettings) -> wire.Pcmde:
    """With the verdict by these settings; of several subjects, the worst's."""
    if pcmde.subjects:
        return _worst(pcmde, settings)
    return _decided(pcmde, settings)


def _decided(pcmde: wire.Pcmde, settings: PcmdeSettings) -> wire.Pcmde:
    decision = combine(pcmde.s_rules, pcmde.s_llm, settings)
    failed = decision.verdict == "FAIL"
    diagnostics = diagnose(pcmde.rules, pcmde.objections, pcmde.objections_spatial)
    return msgspec.structs.replace(
        pcmde,
        status=decision.status,
        reason=decision.reason,
        s_final=decision.s_final,
        low=decision.low,
        high=decision.high,
        verdict=decision.verdict,
        diagnostics=diagnostics if failed else wire.Diagnostics(),
    )


def _worst(pcmde: wire.Pcmde, settings: PcmdeSettings) -> wire.Pcmde:
    """Of several subjects, whose order may change with the settings."""
    judged: list[tuple[tuple[bool, int, float], int, wire.SubjectResult]] = []
    for place, subject in enumerate(pcmde.subjects):
        if subject.s_rules is None:
            judged.append((badness(None, None, None), place, subject))
            continue
        found = combine(subject.s_rules, subject.s_llm, settings)
        anew = msgspec.structs.replace(
            subject, status=found.status, reason=found.reason, s_final=found.s_final,
            verdict=found.verdict,
        )  # fmt: skip
        judged.append((badness(found.verdict, found.s_final, found.low), place, anew))
    judged.sort(key=lambda one: one[:2])
    subjects = [subject for _, _, subject in judged]
    if judged[0][1] == 0:
        return msgspec.structs.replace(_decided(pcmde, settings), subjects=subjects)
    return _other(subjects, settings)


def _other(subjects: list[wire.SubjectResult], settings: PcmdeSettings) -> wire.Pcmde:
    """Another subject decides than the one whose rules the row holds."""
    first = subjects[0]
    decided = _decided(
        wire.Pcmde(
            status=first.status, domain=first.domain, subtype=first.subtype, view=first.view,
            s_rules=first.s_rules, s_llm=first.s_llm, subjects=subjects,
        ),
        settings,
    )  # fmt: skip
    lacking = "the rules of this subject are not in the row it was counted from"
    return msgspec.structs.replace(
        decided, reason="; ".join(filter(None, (decided.reason, lacking)))
    )
