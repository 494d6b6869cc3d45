"""The reasoning step by a language model: one image's record in, one result out. It sees no image.

record -> prompt -> runs, in rounds -> score, explanation, violations
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from physgauge import wire
from physgauge.ensemble.judge.engine import Engine, Prompt
from physgauge.ensemble.judge.guarded import Guarded
from physgauge.ensemble.judge.language.answers import Said, read_answer
from physgauge.ensemble.judge.language.prompt import answer_schema, write_prompt
from physgauge.ensemble.judge.language.rounds import in_rounds
from physgauge.ensemble.judge.reason_input import ReasonInput, ReasonResult
from physgauge.language_settings import ReasonSettings


async def reason_by_model(
    engine: Engine, given: ReasonInput, settings: ReasonSettings, deadline_s: float
) -> ReasonResult:
    """Judge one image's record against its type, by the engine's model.

    Args:
        engine: any; it is opened without an image.
        given: the record.
        settings: how often and how it is asked.
        deadline_s: `time.monotonic` until which answers are waited for.
    """
    start = time.monotonic()
    structured = engine.features.structured
    prompt = write_prompt(given, settings, structured)
    schema = answer_schema(prompt.code) if structured else None
    async with Guarded(engine, None, "", deadline_s) as session:

        async def ask(numbers: Sequence[int]) -> list[Said]:
            prompts = [
                Prompt(
                    f"reason-{n}", prompt.text, settings.max_tokens, schema, settings.temperature,
                    settings.seed + n,
                )
                for n in numbers
            ]  # fmt: skip
            written = await session.write(prompts)
            return [read_answer(text, prompt.code, structured) for text in written]

        decided = await in_rounds(ask, settings)
    spent, speaks = session.spent, decided.speaks
    explanation = speaks.explanation if speaks and speaks.explanation else ""
    if decided.score is None:
        explanation = "; ".join(["no score", *filter(None, (decided.reason, session.fault))])
    return ReasonResult(
        score=decided.score,
        explanation=explanation,
        runs=decided.runs,
        unstable=decided.unstable,
        violations=speaks.violations if speaks else (),
        spatial=speaks.spatial if speaks else (),
        cost=wire.Cost(
            calls=spent.calls, tokens=spent.tokens, cached_tokens=spent.cached_tokens,
            usd=spent.usd, ms={"reason": round(1000 * (time.monotonic() - start), 3)},
        ),
    )  # fmt: skip
