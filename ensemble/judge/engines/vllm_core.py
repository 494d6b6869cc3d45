"""What the engine `vllm` wants of a running vLLM, and gets (`vllm.py` has the one there is)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from physgauge.ensemble.judge.engine import Prompt
from physgauge.types import U8
from physgauge.wire import Outcome


@dataclass(frozen=True, slots=True)
class Shown:
    """An image as vLLM takes it."""

    picture: Any
    """What `Core.picture` made of it."""
    id: str
    """The same for the same pixels, and for no others."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One prompt, as vLLM is to answer it."""

    before: str
    """Text in front of the image."""
    behind: str
    shown: Shown | None
    """None: no image."""
    prompt: Prompt | None
    """None: one word, yes or no."""
    examples: tuple[tuple[Shown, str], ...] = ()
    """Pictures in front of the image, and the text behind each."""


@dataclass(frozen=True, slots=True)
class Given:
    """What it answered."""

    outcome: Outcome
    text: str = ""
    whole: bool = True
    logs: Mapping[int, float] | None = None
    """Log-probabilities of the yes and no tokens, by id."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0


class Core(Protocol):
    """A running vLLM."""

    families: Mapping[bool, tuple[int, ...]]
    special: Sequence[str]
    """Texts of the model's special tokens."""

    def picture(self, image: U8) -> Any: ...

    async def ask(self, wanted: Wanted) -> Given: ...

    @property
    def dead(self) -> bool: ...

    async def stop(self) -> None: ...
