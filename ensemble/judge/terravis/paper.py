"""The mode `paper`: the published call pattern. Every question is a call of its own that gets the image
anew and is answered in three lines (answer, affected object, visible evidence); eligibility, probes and
severity follow each other, and each waits for the one before.

It is the faithful reference for the mode `onepass`, and the baseline of its speed. It has no
probabilities.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from physgauge import wire
from physgauge.ensemble.judge.engine import Engine, Prompt, Spent, Text
from physgauge.ensemble.judge.guarded import Guarded, total
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.probes import ProbeSet, fill
from physgauge.ensemble.judge.terravis.reports import read_report
from physgauge.judge_settings import JudgeSettings
from physgauge.types import U8

_YES_NO: Final = ("yes", "no")
_SEVERITIES: Final = ("major", "minor")


async def look_paper(
    engine: Engine, image: U8, probes: ProbeSet, settings: JudgeSettings, deadline_s: float
) -> Look:
    """Look at an image; arguments as of `look_onepass`."""
    calls = _Calls(engine, image, probes.preamble, settings.paper_calls == "serial", deadline_s)
    eligible = await _eligible(calls, probes)
    if eligible.answer is False:
        answers = {name: wire.Answer(outcome="skipped") for name in probes.ids}
    else:
        answers = await _graded(calls, await _probed(calls, probes), probes)
    return Look("paper", eligible, answers, spent=total(calls.spent), fault=calls.fault)


class _Calls:
    """Calls about one image, each with a session of its own."""

    def __init__(
        self, engine: Engine, image: U8, preamble: str, serial: bool, deadline_s: float
    ) -> None:
        self._engine, self._image, self._preamble = engine, image, preamble
        self._serial, self._deadline_s = serial, deadline_s
        self.spent: list[Spent] = []
        self.fault: str | None = None

    async def write(self, prompts: Sequence[Prompt]) -> list[Text]:
        """One text a prompt: one call after the other, or all at once."""
        if self._serial:
            return [await self._one(prompt) for prompt in prompts]
        return list(await asyncio.gather(*(self._one(prompt) for prompt in prompts)))

    async def _one(self, prompt: Prompt) -> Text:
        if self.fault is not None:
            return Text("skipped")
        async with Guarded(self._engine, self._image, self._preamble, self._deadline_s) as session:
            (text,) = await session.write([prompt])
        self.spent.append(session.spent)
        if session.fault is not None:
            self.fault = session.fault
        return text


def _unread(text: Text) -> wire.Outcome:
    """Why there is no answer in a text."""
    return "unparseable" if text.outcome == "answered" else text.outcome


async def _eligible(calls: _Calls, probes: ProbeSet) -> wire.Eligible:
    families = ", ".join(family.id for family in probes.families)
    ask = fill(probes.report.eligible, question=probes.eligible, families=families or "none")
    (text,) = await calls.write([Prompt("eligible", ask, probes.report.max_tokens)])
    report = read_report(text, _YES_NO, backed="")
    if report is None:
        return wire.Eligible(outcome=_unread(text))
    named = (report.object or "").lower().strip(" .").replace(" ", "_")
    known = {family.id for family in probes.families}
    return wire.Eligible(
        answer=report.answer == "yes",
        outcome="answered",
        family=named if report.answer == "no" and named in known else None,
    )


async def _probed(calls: _Calls, probes: ProbeSet) -> dict[str, wire.Answer]:
    ask = probes.report
    prompts = [
        Prompt(probe.id, fill(ask.probe, question=probe.text), ask.max_tokens)
        for probe in probes.probes
    ]
    answers = {}
    for prompt, text in zip(prompts, await calls.write(prompts), strict=True):
        report = read_report(text, _YES_NO, backed="yes")
        if report is None:
            answers[prompt.id] = wire.Answer(outcome=_unread(text))
            continue
        yes = report.answer == "yes"
        answers[prompt.id] = wire.Answer(
            outcome="answered",
            answer=yes,
            objects=[report.object] if yes and report.object else [],
            evidence=report.evidence if yes else None,
        )
    return answers


async def _graded(
    calls: _Calls, answers: dict[str, wire.Answer], probes: ProbeSet
) -> dict[str, wire.Answer]:
    ask = probes.report
    # Object and evidence are a model's words about an image: `read_report` has taken out what could end
    # their field.
    prompts = [
        Prompt(
            name,
            fill(ask.severity, object=", ".join(said.objects), evidence=said.evidence or ""),
            ask.max_tokens,
        )
        for name, said in answers.items()
        if said.answer
    ]
    graded = dict(answers)
    for prompt, text in zip(prompts, await calls.write(prompts), strict=True):
        report = read_report(text, _SEVERITIES, backed="")
        if report is not None:
            severity: wire.Severity = "major" if report.answer == "major" else "minor"
            graded[prompt.id] = msgspec.structs.replace(answers[prompt.id], severity=severity)
    return graded
