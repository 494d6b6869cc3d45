"""Few-shot examples: pictures with their answers in front of every image that is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

from physgauge.ensemble.judge.engine import Engine, Features, Session, Shown, Shows
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.ensemble.judge.terravis.shot_file import pixels_of
from physgauge.errors import ConfigError
from physgauge.types import U8

NOW: Final = "Now comes the picture that all questions are about."


def shown_of(probes: ProbeSet) -> tuple[Shown, ...]:
    """The set's examples, decoded.

    Raises:
        ConfigError: a file that is no image, or has changed.
    """
    shown = []
    for number, shot in enumerate(probes.shots, 1):
        image = pixels_of(shot, f"probes {probes.name}")
        last = number == len(probes.shots)
        shown.append(Shown(image, " ".join([shot.said(probes), *([NOW] if last else [])])))
    return tuple(shown)


def with_shots(engine: Engine, probes: ProbeSet) -> Engine:
    """An engine that shows the examples first; the engine itself where there are none.

    Raises:
        ConfigError: it can show one picture only, or an example is no image.
    """
    if not probes.shots:
        return engine
    if not isinstance(engine, Shows):
        raise ConfigError(
            f"probes {probes.name}: example: expected an engine that can show several pictures (onepass, "
            f"vllm, endpoint), got {engine.name}"
        )
    return _Shot(engine, engine, shown_of(probes))


class _Shot:
    """The engine, closed by whoever owns it."""

    def __init__(self, engine: Engine, shows: Shows, shown: Sequence[Shown]) -> None:
        self._engine, self._shows, self._shown = engine, shows, shown

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def models(self) -> Mapping[str, str]:
        return self._engine.models

    @property
    def features(self) -> Features:
        return self._engine.features

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[Session]:
        return self._shows.open_behind(self._shown, image, preamble, deadline_s)

    async def close(self) -> None:
        await self._engine.close()
