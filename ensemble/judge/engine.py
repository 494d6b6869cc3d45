"""What a multimodal model must be able to do to serve as a judge: look at an image once, then answer
questions about it. The judge's workflow knows this protocol and no engine; an engine knows no workflow.

    async with engine.open(image, preamble) as session:
        replies = await session.yes_no(questions)    # one Reply per question, in their order
        texts = await session.write(prompts)         # one Text per prompt, in their order

Every session is one image's; an engine may run many at once and should batch across them. Nothing is
raised for a single question: what went wrong with it is its outcome. `EngineFault` is for an engine that
can't go on at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from physgauge.errors import EnvironmentProblem
from physgauge.types import U8
from physgauge.wire import Outcome


class EngineFault(EnvironmentProblem):
    """The engine has died or can't be reached: whoever asked has no answers."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to answer with yes or no."""

    id: str
    """Unique within one call."""
    text: str
    """The question alone: image, preamble and the demand for one word are the engine's to add."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question."""

    outcome: Outcome
    answer: bool | None = None
    """None unless answered."""
    p: float | None = None
    """P(yes) among all spellings of yes and no, 0..1; None where the engine gives no probabilities."""
    id: str | None = None
    """The question's id, where the engine carries it along: the workflow then sees a reply out of
    place."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Text that the engine is to answer with text."""

    id: str
    text: str
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    """JSON schema that the answer must follow, where the engine can force it (`Features.structured`)."""
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """What came of a prompt."""

    outcome: Outcome
    """`unparseable` is the reader's to say: an engine says answered, refused, blocked, timeout or
    skipped."""
    text: str | None = None
    whole: bool = True
    """False: cut off at `max_tokens`."""
    id: str | None = None
    """The prompt's id, where the engine carries it along."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a session has cost so far."""

    calls: int = 0
    """Forward passes over a prompt, or requests to a server."""
    tokens: int = 0
    """Tokens computed: prompt tokens that were not cached, and tokens written."""
    cached_tokens: int = 0
    """Prompt tokens taken from a cache."""
    usd: float | None = None
    """What the server charged; None where nobody says."""


@dataclass(frozen=True, slots=True)
class Features:
    """What an engine offers."""

    probabilities: bool
    """Whether replies have `p`."""
    structured: bool
    """Whether it can hold a text to a JSON schema."""


class Session(Protocol):
    """One image, or none, in front of an engine."""

    async def yes_no(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """Answer all; each as if it had been asked alone."""
        ...

    async def write(self, prompts: Sequence[Prompt]) -> Sequence[Text]:
        """Write to all; each as if it had been asked alone."""
        ...

    @property
    def spent(self) -> Spent:
        """Up to now."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture in front of a session's image, and what is said of it."""

    image: U8
    """[H, W, 3] uint8 RGB."""
    text: str


class Engine(Protocol):
    """A multimodal model, ready."""

    @property
    def name(self) -> str:
        """For rows: kind, model, mode and whatever else changes answers ("onepass:qwen3-vl-4b:bf16")."""
        ...

    @property
    def models(self) -> Mapping[str, str]:
        """Model name to a hash of its weights, or whatever a server says of its version."""
        ...

    @property
    def features(self) -> Features:
        """What it offers."""
        ...

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[Session]:
        """A session; leaving it frees what it held, and stops what is still running for it.

        Args:
            image: [H, W, 3] uint8 RGB as decoded; None = text only.
            preamble: text shared by all questions of the session.
            deadline_s: `time.monotonic` until which it is worth answering; then outcomes are `timeout`.

        Raises:
            EngineFault: on entering, or from any call of the session: the engine is gone.
        """
        ...

    async def close(self) -> None:
        """Free everything; later calls raise `EngineFault`."""
        ...


@runtime_checkable
class Shows(Protocol):
    """An engine that can show several pictures in one prompt."""

    def open_behind(
        self,
        shown: Sequence[Shown],
        image: U8 | None,
        preamble: str = "",
        deadline_s: float | None = None,
    ) -> AbstractAsyncContextManager[Session]:
        """As `Engine.open`, with pictures in front of the image."""
        ...
