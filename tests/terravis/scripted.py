"""An engine that answers by a script: the foreign model's stand-in, at the protocol's seam, for tests of
everything above it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from physgauge.ensemble.judge.engine import (
    Engine,
    Features,
    Prompt,
    Question,
    Reply,
    Session,
    Spent,
    Text,
)
from physgauge.types import U8

YesNo = Callable[[U8, Question], Any]
Write = Callable[[U8, Prompt], Any]


def p(value: float) -> Reply:
    """A reply with a probability."""
    return Reply("answered", value >= 0.5, value)


def word(answer: bool) -> Reply:
    """A reply without one."""
    return Reply("answered", answer)


def report(answer: str, thing: str = "a cup", evidence: str = "it hovers") -> Text:
    """Three lines."""
    return Text("answered", f"Answer: {answer}\nObject: {thing}\nEvidence: {evidence}")


@dataclass
class Scripted:
    """The engine. A script's result is given back as it is; an exception it returns is raised."""

    yes_no: YesNo = lambda image, question: p(0.9 if question.id == "eligible?" else 0.0)
    write: Write = lambda image, prompt: Text("refused")
    delay_s: float = 0.0
    features: Features = field(default_factory=lambda: Features(True, False))
    change: Callable[[list[Any]], Any] = lambda replies: replies
    """What becomes of a call's list of replies."""
    opening: Callable[[int], BaseException | None] = lambda number: None
    """What opening a session raises, by its number."""
    calls: list[tuple[str, list[str]]] = field(default_factory=list)
    """Kind and ids of every call."""
    preambles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """Every word that was asked."""
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    closed: int = 0
    name: str = "scripted"
    models: Mapping[str, str] = field(default_factory=lambda: {"scripted": "0" * 64})

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[Session]:
        return self._open(image, preamble)

    @asynccontextmanager
    async def _open(self, image: Any, preamble: str) -> AsyncIterator[Session]:
        number = len(self.shapes)
        self.shapes.append(() if image is None else image.shape)
        self.preambles.append(preamble)
        if (error := self.opening(number)) is not None:
            raise error
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            yield _Session(self, image)
        finally:
            self.open_now -= 1

    async def close(self) -> None:
        self.closed += 1


class _Session:
    def __init__(self, engine: Scripted, image: U8) -> None:
        self._engine, self._image = engine, image
        self._calls = 0

    async def yes_no(self, questions: Sequence[Question]) -> Any:
        return await self._answer("yes_no", questions, self._engine.yes_no)

    async def write(self, prompts: Sequence[Prompt]) -> Any:
        return await self._answer("write", prompts, self._engine.write)

    async def _answer(self, kind: str, asked: Sequence[Any], script: Callable[..., Any]) -> Any:
        engine = self._engine
        self._calls += 1
        engine.calls.append((kind, [one.id for one in asked]))
        engine.texts += [one.text for one in asked]
        if engine.delay_s:
            await asyncio.sleep(engine.delay_s)
        replies = []
        for one in asked:
            said = script(self._image, one)
            if isinstance(said, BaseException):
                raise said
            replies.append(said)
        return engine.change(replies)

    @property
    def spent(self) -> Spent:
        return Spent(calls=self._calls, tokens=10 * self._calls, cached_tokens=3, usd=0.5)


def check() -> Engine:
    """Held to the protocol by the type checker."""
    return Scripted()
