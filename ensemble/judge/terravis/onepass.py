"""The mode `onepass`: eligibility and all probes behind one image in one call, then the severity of
what may be there in a second, then evidence for what was found, where it is wanted.

    look -> (not eligible) which kind of image it is
         -> (eligible)     severity -> evidence
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from physgauge import wire
from physgauge.ensemble.judge.engine import Engine, Prompt, Question, Reply
from physgauge.ensemble.judge.guarded import Guarded, total
from physgauge.ensemble.judge.look import Crop, Look
from physgauge.ensemble.judge.observe.observer import Watch
from physgauge.ensemble.judge.terravis.gate import Gate
from physgauge.ensemble.judge.terravis.probes import Probe, ProbeSet, fill
from physgauge.ensemble.judge.terravis.reports import Noted, read_lines, read_noted, schema_of
from physgauge.ensemble.judge.views import crop_of, merged, place
from physgauge.judge_settings import JudgeSettings
from physgauge.types import U8

ELIGIBLE = "eligible?"
"""Id of the eligibility question; no probe can be called that."""
_NOTED = schema_of(Noted)


async def look_onepass(
    engine: Engine,
    image: U8,
    crops: Sequence[Crop],
    probes: ProbeSet,
    settings: JudgeSettings,
    deadline_s: float,
    watch: Watch | None = None,
) -> Look:
    """Look at an image.

    Args:
        engine: any.
        image: [H, W, 3] uint8 RGB.
        crops: looked at too, before the image as a whole.
        probes: what to ask.
        settings: thresholds, and whether evidence is wanted.
        deadline_s: `time.monotonic` until which answers are waited for.
        watch: asked for observations behind all else, in the session of the whole image.
    """
    questions = [Question(probe.id, probe.text) for probe in probes.probes]

    async def closer(crop: Crop) -> tuple[list[Reply], Guarded]:
        async with Guarded(engine, crop_of(image, crop), probes.preamble, deadline_s) as session:
            replies = await session.yes_no(questions)
        return replies, session

    left_out = None
    # Crops end before the whole is opened: an engine may hold few sessions at a time.
    seen = await asyncio.gather(*(closer(crop) for crop in crops))
    async with Guarded(engine, image, probes.preamble, deadline_s) as session:
        first, *replies = await session.yes_no([Question(ELIGIBLE, probes.eligible), *questions])
        answers = merged(probes.ids, replies, [said for said, _ in seen], crops, settings.yes_from)
        eligible = wire.Eligible(answer=first.answer, p=first.p, outcome=first.outcome)
        if _is(first, settings.eligible_from) is False:
            eligible = await _family(session, eligible, probes)
        else:
            height, width = image.shape[:2]
            places = {name: place(a.box, width, height) for name, a in answers.items()}
            gate = Gate.of(settings)
            if gate is not None and gate.decided(answers):
                left_out = gate.reason
            else:
                answers = await _graded(session, answers, probes, settings, places)
            if settings.evidence:
                structured = engine.features.structured
                answers = await _evidenced(session, answers, probes, settings, places, structured)
        sessions = [*(one for _, one in seen), session]
        fault = next((one.fault for one in sessions if one.fault), None)
        # What befalls the observer is no fault of these answers.
        sights = () if watch is None else (await watch.ask(session),)
    spent = total([s.spent for s in sessions])
    return Look(
        "onepass", eligible, answers, spent=spent, fault=fault, left_out=left_out, sights=sights
    )


def _is(said: Reply | wire.Answer, yes_from: float) -> bool | None:
    """Yes, no, or not answered. Where there is a probability, it decides."""
    p = said.p if isinstance(said, Reply) else said.p_yes
    if said.outcome != "answered":
        return None
    return said.answer if p is None else p >= yes_from


async def _family(session: Guarded, eligible: wire.Eligible, probes: ProbeSet) -> wire.Eligible:
    """What kind of image it is instead: the surest yes."""
    asked = [Question(family.id, family.question) for family in probes.families]
    best, family = 0.0, None
    for question, reply in zip(asked, await session.yes_no(asked), strict=True):
        sure = reply.p if reply.p is not None else 1.0
        if _is(reply, 0.5) and sure > best:
            best, family = sure, question.id
    return msgspec.structs.replace(eligible, family=family)


async def _graded(
    session: Guarded,
    answers: Mapping[str, wire.Answer],
    probes: ProbeSet,
    settings: JudgeSettings,
    places: Mapping[str, str],
) -> dict[str, wire.Answer]:
    """With the severity of everything found, and of what may be there."""

    def asks(probe: Probe) -> bool:
        said = answers[probe.id]
        may = said.p_yes is not None and said.p_yes >= settings.grade_from
        return said.outcome == "answered" and (may or _is(said, settings.yes_from) is True)

    asked = [
        Question(probe.id, probes.severity_of(probe.thing + places[probe.id]))
        for probe in probes.probes
        if asks(probe)
    ]
    graded = dict(answers)
    for question, reply in zip(asked, await session.yes_no(asked), strict=True):
        if reply.outcome == "answered":
            severity: wire.Severity = "major" if reply.answer else "minor"
            graded[question.id] = msgspec.structs.replace(
                answers[question.id], severity=severity, p_major=reply.p
            )
    return graded


async def _evidenced(
    session: Guarded,
    answers: Mapping[str, wire.Answer],
    probes: ProbeSet,
    settings: JudgeSettings,
    places: Mapping[str, str],
    structured: bool,
) -> dict[str, wire.Answer]:
    """With object and evidence for what was found; what can't be read is left out, and changes no
    score."""
    ask = probes.evidence
    prompts = [
        Prompt(
            probe.id,
            fill(ask.question, question=probe.question)
            + (f" It is{places[probe.id]}." if places[probe.id] else "")
            + (ask.json if structured else ask.lines),
            ask.max_tokens,
            _NOTED if structured else None,
        )
        for probe in probes.probes
        if _is(answers[probe.id], settings.yes_from)
    ]
    told = dict(answers)
    for prompt, text in zip(prompts, await session.write(prompts), strict=True):
        noted = read_noted(text) if structured else read_lines(text)
        if noted is not None:
            told[prompt.id] = msgspec.structs.replace(
                answers[prompt.id], objects=[noted.object], evidence=noted.evidence
            )
    return told
