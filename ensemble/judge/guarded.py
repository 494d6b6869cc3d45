"""A session with an engine that cannot hurt: whatever the engine does, every question gets exactly one
reply, and a reply that makes no sense is `unparseable`.

An engine is foreign code around a foreign model. It may be late, die, raise, answer less or more than
it was asked, or give a NaN for a probability. None of that may look like a "no".
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Final, Self, TypeVar, get_args

import numpy as np

from physgauge.ensemble.judge.engine import (
    Engine,
    EngineFault,
    Prompt,
    Question,
    Reply,
    Session,
    Spent,
    Text,
)
from physgauge.types import U8
from physgauge.wire import Outcome

GRACE_S: Final = 2.0
"""What an engine gets over its deadline to say `timeout` itself; then it is no longer waited for."""
OUTCOMES: Final[tuple[Any, ...]] = get_args(Outcome)
ROUNDING: Final = 1e-6
"""A sum of float32 probabilities may exceed 1 by this."""
MAX_TEXT_CHARS: Final = 20_000
"""More than any prompt asks for."""
Answered = TypeVar("Answered")


class Guarded:
    """`engine.open(...)`, guarded; use as an asynchronous context manager.

    Args:
        engine: any.
        image: [H, W, 3] uint8, or None.
        preamble: text before every question.
        deadline_s: `time.monotonic`.
    """

    def __init__(self, engine: Engine, image: U8 | None, preamble: str, deadline_s: float) -> None:
        self._open: Callable[[], AbstractAsyncContextManager[Session]] = lambda: engine.open(
            image, preamble, deadline_s
        )
        self._deadline_s = deadline_s
        self._manager: AbstractAsyncContextManager[Session] | None = None
        self._session: Session | None = None
        self._lost: Outcome = "skipped"
        """What becomes of questions once there is nobody to ask."""
        self.fault: str | None = None
        """Why the engine could not go on; a timeout is no fault."""
        self.spent = Spent()
        """Complete once the session has ended."""

    async def __aenter__(self) -> Self:
        async def enter() -> Session:
            self._manager = self._open()
            return await self._manager.__aenter__()

        self._session = await self._try(enter)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        manager, session = self._manager, self._session
        if manager is None or session is None:
            return
        self._session = None
        try:
            self.spent = _checked_spent(session.spent)
        except Exception:
            self.spent = Spent()
        # Leaving stops what still runs, so it has its grace from now on.
        await self._try(lambda: manager.__aexit__(kind, error, trace), until=time.monotonic())

    async def yes_no(self, questions: Sequence[Question]) -> list[Reply]:
        """One reply a question, in order."""
        session = self._session
        if not questions:
            return []
        if session is None:
            return [Reply(self._lost, id=q.id) for q in questions]
        given = await self._try(lambda: session.yes_no(questions))
        if given is None:
            return [Reply(self._lost, id=q.id) for q in questions]
        ids = [q.id for q in questions]
        if not _in_place(given, ids, Reply):
            return [Reply("unparseable", id=one) for one in ids]
        return [_checked_reply(reply, one) for reply, one in zip(given, ids, strict=True)]

    async def write(self, prompts: Sequence[Prompt]) -> list[Text]:
        """One text a prompt, in order."""
        session = self._session
        if not prompts:
            return []
        if session is None:
            return [Text(self._lost, id=p.id) for p in prompts]
        given = await self._try(lambda: session.write(prompts))
        if given is None:
            return [Text(self._lost, id=p.id) for p in prompts]
        ids = [p.id for p in prompts]
        if not _in_place(given, ids, Text):
            return [Text("unparseable", id=one) for one in ids]
        return [_checked_text(text, one) for text, one in zip(given, ids, strict=True)]

    async def _try(
        self, call: Callable[[], Awaitable[Answered]], until: float | None = None
    ) -> Answered | None:
        """The call's result; None if it was late or failed, and then nobody is asked any more."""
        left = (self._deadline_s if until is None else until) + GRACE_S - time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, left)):
                return await call()
        except TimeoutError:
            self._lost = "timeout"
        except EngineFault as fault:
            self.fault = self.fault or f"the engine has stopped: {fault}"
        except Exception as error:
            # Its text may hold anything, from heap addresses to the image's own words.
            self.fault = self.fault or f"the engine failed ({type(error).__name__})"
        self._session = None
        return None


def _in_place(given: Any, ids: Sequence[str], kind: type) -> bool:
    """Whether these are replies to these questions: as many, and none with another's id."""
    if not isinstance(given, Sequence) or len(given) != len(ids):
        return False
    return all(
        isinstance(one, kind) and getattr(one, "id", None) in (None, wanted)
        for one, wanted in zip(given, ids, strict=True)
    )


def _checked_reply(reply: Reply, question: str) -> Reply:
    bad = Reply("unparseable", id=question)
    if reply.outcome not in OUTCOMES:
        return bad
    if reply.outcome != "answered":
        return Reply(reply.outcome, id=question)
    p = None if reply.p is None else probability(reply.p)
    if reply.p is not None and p is None:
        return bad
    answer = reply.answer
    if answer is None:
        return bad if p is None else Reply("answered", p >= 0.5, p, question)
    if not isinstance(answer, (bool, np.bool_)):
        return bad
    return Reply("answered", bool(answer), p, question)


def _checked_text(text: Text, prompt: str) -> Text:
    if text.outcome not in OUTCOMES:
        return Text("unparseable", id=prompt)
    if text.outcome != "answered":
        return Text(text.outcome, id=prompt)
    if not isinstance(text.text, str) or len(text.text) > MAX_TEXT_CHARS:
        return Text("unparseable", id=prompt)
    return Text("answered", text.text, bool(text.whole), prompt)


def probability(value: Any) -> float | None:
    """A number in 0..1, or None for anything else, NaN included."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    # A NaN is in no range.
    if isinstance(value, (bool, str)) or not -ROUNDING <= number <= 1 + ROUNDING:
        return None
    # Eight decimals, so that rows stay short; whatever is decided is decided on these.
    return round(min(1.0, max(0.0, number)), 8)


def _checked_spent(spent: Spent) -> Spent:
    """A cost that a row can hold."""
    calls, tokens, cached = (
        max(0, int(n)) for n in (spent.calls, spent.tokens, spent.cached_tokens)
    )
    usd = None if spent.usd is None or not math.isfinite(spent.usd) else float(spent.usd)
    return Spent(calls, tokens, cached, usd)


def total(spent: Sequence[Spent]) -> Spent:
    """Of several sessions."""
    charged = [one.usd for one in spent if one.usd is not None]
    return Spent(
        sum(one.calls for one in spent),
        sum(one.tokens for one in spent),
        sum(one.cached_tokens for one in spent),
        sum(charged) if charged else None,
    )
