"""An engine as a judge: asks it in the profile's mode."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from physgauge.ensemble.judge.engine import Engine, Spent
from physgauge.ensemble.judge.guarded import total
from physgauge.ensemble.judge.language.reasoner import reason_by_model
from physgauge.ensemble.judge.look import Crop, Look
from physgauge.ensemble.judge.observe.observer import Observers
from physgauge.ensemble.judge.reason_input import ReasonInput, ReasonResult
from physgauge.ensemble.judge.terravis.baselines import look_direct, look_single_prompt
from physgauge.ensemble.judge.terravis.onepass import look_onepass
from physgauge.ensemble.judge.terravis.paper import look_paper
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.ensemble.judge.terravis.shots import with_shots
from physgauge.ensemble.observations import Sight
from physgauge.judge_settings import JudgeSettings
from physgauge.language_settings import ReasonSettings
from physgauge.types import U8
from physgauge.wire import Method


class EngineJudge:
    """A :class:`physgauge.ensemble.judge.look.Judge` over an engine; owns and closes it.

    Args:
        engine: any.
        probes: what it is asked.
        settings: how it is asked.
        observers: who is asked for PCMDE's observations besides; owned too.
        reasoning: how the engine reasons, where that is asked of it.

    Raises:
        ConfigError: the probe set has examples, and the engine cannot show them, or they are no images.
    """

    def __init__(
        self,
        engine: Engine,
        probes: ProbeSet,
        settings: JudgeSettings,
        observers: Observers | None = None,
        reasoning: ReasonSettings | None = None,
    ) -> None:
        self._engine, self._probes, self._settings = engine, probes, settings
        self._observers = observers or Observers()
        self._reasoning = reasoning or ReasonSettings()
        self._tag = probes.tag
        self._shot = with_shots(engine, probes)

    @property
    def name(self) -> str:
        """The engine's."""
        return self._engine.name

    @property
    def models(self) -> Mapping[str, str]:
        """The engine's, and those of observers with engines of their own."""
        return dict(self._engine.models) | self._observers.models

    @property
    def probe_version(self) -> str:
        """Of the probe set."""
        return self._tag

    async def look(
        self, image: U8, crops: Sequence[Crop] = (), deadline_s: float | None = None
    ) -> Look:
        """Look at an image; see :class:`physgauge.ensemble.judge.look.Judge`."""
        return await self.look_for("both", image, crops, deadline_s)

    async def look_for(
        self,
        method: Method,
        image: U8,
        crops: Sequence[Crop] = (),
        deadline_s: float | None = None,
    ) -> Look:
        """Look for one method's sake; see :class:`physgauge.ensemble.judge.look.Watcher`."""
        start = time.monotonic()
        own = start + self._settings.timeout_s
        until = own if deadline_s is None else min(own, deadline_s)
        look, others = await asyncio.gather(
            self._ask(method, image, crops, until), self._others(method, image, deadline_s)
        )
        return replace(
            look,
            sights=(*look.sights, *(sight for sight, _ in others)),
            spent=total([look.spent, *(spent for _, spent in others)]) if others else look.spent,
            ms=round(1000 * (time.monotonic() - start), 3),
        )

    async def reason(self, given: ReasonInput, deadline_s: float | None = None) -> ReasonResult:
        """Reason about an image's record; see :class:`physgauge.ensemble.judge.look.Reasoner`."""
        own = time.monotonic() + self._reasoning.timeout_s
        until = own if deadline_s is None else min(own, deadline_s)
        return await reason_by_model(self._engine, given, self._reasoning, until)

    async def _others(
        self, method: Method, image: U8, deadline_s: float | None
    ) -> list[tuple[Sight, Spent]]:
        """What observers with engines of their own see."""
        return [] if method == "terravis" else await self._observers.look(image, deadline_s)

    async def _ask(self, method: Method, image: U8, crops: Sequence[Crop], until: float) -> Look:
        """The judge's own look, and what it observes: in the same session, where a mode has one."""
        engine, probes, settings = self._shot, self._probes, self._settings
        watch = None if method == "terravis" else self._observers.beside
        if method == "pcmde":
            look = Look("")
        elif settings.mode == "onepass":
            return await look_onepass(engine, image, crops, probes, settings, until, watch)
        elif settings.mode == "paper":
            look = await look_paper(engine, image, probes, settings, until)
        elif settings.mode == "single_prompt":
            look = await look_single_prompt(engine, image, probes, until)
        else:
            look = await look_direct(engine, image, probes, until)
        if watch is None:
            return look
        sight, spent = await watch.look(self._engine, image, until, probes.preamble)
        return replace(look, sights=(sight,), spent=total([look.spent, spent]))

    async def close(self) -> None:
        """Close the engine and the observers'."""
        try:
            await self._observers.close()
        finally:
            await self._engine.close()
