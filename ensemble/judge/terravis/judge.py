"""An engine as a judge: asks it in the profile's mode."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from physgauge.ensemble.judge.engine import Engine
from physgauge.ensemble.judge.look import Crop, Look
from physgauge.ensemble.judge.terravis.baselines import look_direct, look_single_prompt
from physgauge.ensemble.judge.terravis.onepass import look_onepass
from physgauge.ensemble.judge.terravis.paper import look_paper
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.judge_settings import JudgeSettings
from physgauge.types import U8


class EngineJudge:
    """A :class:`physgauge.ensemble.judge.look.Judge` over an engine; owns and closes it.

    Args:
        engine: any.
        probes: what it is asked.
        settings: how it is asked.
    """

    def __init__(self, engine: Engine, probes: ProbeSet, settings: JudgeSettings) -> None:
        self._engine, self._probes, self._settings = engine, probes, settings
        self._tag = probes.tag

    @property
    def name(self) -> str:
        """The engine's."""
        return self._engine.name

    @property
    def models(self) -> Mapping[str, str]:
        """The engine's."""
        return self._engine.models

    @property
    def probe_version(self) -> str:
        """Of the probe set."""
        return self._tag

    async def look(
        self, image: U8, crops: Sequence[Crop] = (), deadline_s: float | None = None
    ) -> Look:
        """Look at an image; see :class:`physgauge.ensemble.judge.look.Judge`."""
        start = time.monotonic()
        own = start + self._settings.timeout_s
        until = own if deadline_s is None else min(own, deadline_s)
        look = await self._ask(image, crops, until)
        return replace(look, ms=round(1000 * (time.monotonic() - start), 3))

    async def _ask(self, image: U8, crops: Sequence[Crop], until: float) -> Look:
        engine, probes, settings = self._engine, self._probes, self._settings
        match settings.mode:
            case "onepass":
                return await look_onepass(engine, image, crops, probes, settings, until)
            case "paper":
                return await look_paper(engine, image, probes, settings, until)
            case "single_prompt":
                return await look_single_prompt(engine, image, probes, until)
            case "direct":
                return await look_direct(engine, image, probes, until)

    async def close(self) -> None:
        """Close the engine."""
        await self._engine.close()
