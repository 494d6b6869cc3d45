"""The mode `paper`: the published call pattern. Every question is a call of its own that gets the image
anew and is answered in three lines (answer, affected object, visible evidence); eligibility, probes and
severity follow each other, and each waits for the one before.

It is the faithful reference for the mode `onepass`, and the baseline of its speed. It has no
probabilities.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from physgauge import wire
from physgauge.ensemble.judge.engine import Engine, Prompt, Spent, Text
from physgauge.ensemble.judge.guarded import Guarded, total
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.gate import Gate
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
    said = _Said(probes, Gate.of(settings))
    if eligible.answer is not False:
        await _probed(calls, said)
        await _graded(calls, said)
    return Look(
        "paper",
        eligible,
        said.answers,
        spent=total(calls.spent),
        fault=calls.fault,
        left_out=said.left_out,
    )


class _Said:
    """The answers about one image so far; a probe that has none is `skipped`."""

    def __init__(self, probes: ProbeSet, gate: Gate | None) -> None:
        self.probes, self._gate = probes, gate
        self.answers = {name: wire.Answer(outcome="skipped") for name in probes.ids}
        self.left_out: str | None = None
        """Why not everything was asked."""

    def enough(self) -> bool:
        """Whether nothing more needs to be asked; called only where something could be."""
        if self._gate is not None and self._gate.decided(self.answers):
            self.left_out = self._gate.reason
        return self.left_out is not None


class _Calls:
    """Calls about one image, each with a session of its own."""

    def __init__(
        self, engine: Engine, image: U8, preamble: str, serial: bool, deadline_s: float
    ) -> None:
        self._engine, self._image, self._preamble = engine, image, preamble
        self._serial, self._deadline_s = serial, deadline_s
        self.spent: list[Spent] = []
        self.fault: str | None = None

    async def write(
        self,
        prompts: Sequence[Prompt],
        take: Callable[[Prompt, Text], None],
        enough: Callable[[], bool],
    ) -> None:
        """Have texts written, one call after the other or all at once, and taken in the prompts' order;
        once it is enough, no further call is made."""
        if self._serial:
            for prompt in prompts:
                if enough():
                    return
                take(prompt, await self.one(prompt))
        elif prompts and not enough():
            texts = await asyncio.gather(*(self.one(prompt) for prompt in prompts))
            for prompt, text in zip(prompts, texts, strict=True):
                take(prompt, text)

    async def one(self, prompt: Prompt) -> Text:
        """The text of one call."""
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
    text = await calls.one(Prompt("eligible", ask, probes.report.max_tokens))
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


async def _probed(calls: _Calls, said: _Said) -> None:
    ask = said.probes.report

    def take(prompt: Prompt, text: Text) -> None:
        report = read_report(text, _YES_NO, backed="yes")
        if report is None:
            said.answers[prompt.id] = wire.Answer(outcome=_unread(text))
            return
        yes = report.answer == "yes"
        said.answers[prompt.id] = wire.Answer(
            outcome="answered",
            answer=yes,
            objects=[report.object] if yes and report.object else [],
            evidence=report.evidence if yes else None,
        )

    prompts = [
        Prompt(probe.id, fill(ask.probe, question=probe.text), ask.max_tokens)
        for probe in said.probes.probes
    ]
    await calls.write(prompts, take, said.enough)


async def _graded(calls: _Calls, said: _Said) -> None:
    ask = said.probes.report

    def take(prompt: Prompt, text: Text) -> None:
        report = read_report(text, _SEVERITIES, backed="")
        if report is not None:
            severity: wire.Severity = "major" if report.answer == "major" else "minor"
            before = said.answers[prompt.id]
            said.answers[prompt.id] = msgspec.structs.replace(before, severity=severity)

    # Object and evidence are a model's words about an image: `read_report` has taken out what could end
    # their field.
    prompts = [
        Prompt(
            name,
            fill(ask.severity, object=", ".join(one.objects), evidence=one.evidence or ""),
            ask.max_tokens,
        )
        for name, one in said.answers.items()
        if one.answer
    ]
    await calls.write(prompts, take, said.enough)
