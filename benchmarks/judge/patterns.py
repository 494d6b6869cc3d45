"""Ways of asking the same of a model: the published calls, one after another or batched, and one pass."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from benchmarks.judge import load
from physgauge.ensemble.judge.engine import Prompt, Text
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine


@dataclass(frozen=True, slots=True)
class Measured:
    """One way's speed."""

    images_per_s: float
    tokens_per_image: float
    """Computed: of prompts, as far as they were not taken from a cache, and written."""


async def published(engine: OnePassEngine, images: int, batched: bool) -> Measured:
    """One image at a time, read again for each call; three barriers: eligibility, probes, severity."""
    first, probes, last = (
        load.reports(engine.prompts, count, start)
        for count, start in ((1, 0), (load.PROBES, 1), (load.HITS, 1 + load.PROBES))
    )
    tokens, start = 0, time.perf_counter()
    for index in range(images):
        async with engine.open(load.image(index)) as session:
            for stage in (first, probes, last):
                for calls in [stage] if batched else [[prompt] for prompt in stage]:
                    _whole(await session.write(calls), calls)
            tokens += session.spent.tokens
    return Measured(images / (time.perf_counter() - start), tokens / images)


def _whole(texts: list[Text] | object, calls: list[Prompt]) -> None:
    """The load is what it says: every text has its full length."""
    assert isinstance(texts, list)
    assert len(texts) == len(calls)
    assert all(text.outcome == "answered" and not text.whole for text in texts)


async def one_pass(engine: OnePassEngine, images: int, in_flight: int) -> Measured:
    """Eligibility and probes in one pass, severity in a second one on the same prefix."""
    first = load.probes(engine.prompts, 1 + load.PROBES)
    last = load.probes(engine.prompts, load.HITS, 1 + load.PROBES)
    places, tokens = asyncio.Semaphore(in_flight), 0

    async def one(index: int) -> None:
        nonlocal tokens
        image = load.image(index % load.DIFFERENT)
        async with places, engine.open(image, load.PREAMBLE) as session:
            replies = [*await session.yes_no(first), *await session.yes_no(last)]
            assert all(reply.outcome == "answered" for reply in replies)
            tokens += session.spent.tokens

    start = time.perf_counter()
    await asyncio.gather(*(one(index) for index in range(images)))
    return Measured(images / (time.perf_counter() - start), tokens / images)
