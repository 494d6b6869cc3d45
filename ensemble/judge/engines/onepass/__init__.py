"""A transformers model that answers all questions about an image in one pass (docs/onepass.md)."""

from __future__ import annotations

import asyncio

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.engine import Engine
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings as Settings

__all__ = ["Settings", "from_settings"]


async def from_settings(settings: Settings, loaded: LoadedProfile) -> Engine:
    """The engine of a profile, ready.

    Raises:
        ConfigError: settings that are wrong, a model that cannot be used.
        EnvironmentProblem: torch, transformers or the device is missing.
    """
    # torch and transformers: not before a profile asks for them.
    from physgauge.ensemble.judge.engines.onepass.build import build

    judge = loaded.profile.judge
    paper = judge is not None and judge.mode == "paper"
    return await asyncio.to_thread(
        build, settings, loaded.folder, not paper, f"profile {loaded.profile.name}: judge.onepass"
    )
