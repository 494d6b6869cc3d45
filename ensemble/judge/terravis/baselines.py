"""The baselines of TerraVis: everything in one prompt (TerraVis-H), and a plain rating from 1 to 5
(GPTScore). They give what the workflow gives, so that one benchmark reads them all."""

from __future__ import annotations

from physgauge import wire
from physgauge.ensemble.judge.engine import Engine, Prompt, Text
from physgauge.ensemble.judge.guarded import Guarded
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.probes import ProbeSet, fill, note
from physgauge.ensemble.judge.terravis.reports import (
    Everything,
    read_json,
    read_rating,
    schema_of,
)
from physgauge.types import U8

_EVERYTHING = schema_of(Everything)


async def look_single_prompt(
    engine: Engine, image: U8, probes: ProbeSet, deadline_s: float
) -> Look:
    """One prompt with all questions, answered by a list of what was found."""
    listed = "\n".join(f"{n}. {probe.text}" for n, probe in enumerate(probes.probes, 1))
    ask = probes.single_prompt
    prompt = Prompt(
        "all",
        fill(ask.prompt, eligible=probes.eligible, questions=listed),
        ask.max_tokens,
        _EVERYTHING if engine.features.structured else None,
    )
    async with Guarded(engine, image, probes.preamble, deadline_s) as session:
        (text,) = await session.write([prompt])
    eligible, answers = _read(text, probes)
    return Look("single_prompt", eligible, answers, spent=session.spent, fault=session.fault)


def _read(text: Text, probes: ProbeSet) -> tuple[wire.Eligible, dict[str, wire.Answer]]:
    said = read_json(text, Everything)
    if said is None or not _sound(said, probes):
        outcome: wire.Outcome = "unparseable" if text.outcome == "answered" else text.outcome
        return wire.Eligible(outcome=outcome), {
            name: wire.Answer(outcome=outcome) for name in probes.ids
        }
    eligible = wire.Eligible(answer=said.eligible, outcome="answered")
    if not said.eligible:
        return eligible, {name: wire.Answer(outcome="skipped") for name in probes.ids}
    answers = {name: wire.Answer(outcome="answered", answer=False) for name in probes.ids}
    for found in said.found:
        answers[probes.ids[found.number - 1]] = wire.Answer(
            outcome="answered", answer=True, severity=found.severity,
            objects=[note(found.object)], evidence=note(found.evidence),
        )  # fmt: skip
    return eligible, answers


def _sound(said: Everything, probes: ProbeSet) -> bool:
    """Each find is of one of the probes, none twice, and there are none where nothing can be judged."""
    numbers = [found.number for found in said.found]
    known = set(range(1, len(probes.probes) + 1))
    return (
        len(set(numbers)) == len(numbers)
        and set(numbers) <= known
        and (said.eligible or not numbers)
    )


async def look_direct(engine: Engine, image: U8, probes: ProbeSet, deadline_s: float) -> Look:
    """A rating from 1 to 5."""
    ask = probes.direct
    async with Guarded(engine, image, probes.preamble, deadline_s) as session:
        (text,) = await session.write([Prompt("rating", ask.prompt, ask.max_tokens)])
    rating = read_rating(text)
    lost: wire.Outcome = "unparseable" if text.outcome == "answered" else text.outcome
    return Look(
        "direct", rating=rating, rating_outcome="answered" if rating else lost,
        spent=session.spent, fault=session.fault,
    )  # fmt: skip
