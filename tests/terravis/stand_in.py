"""An engine module as `ensemble/judge/engines/__init__.py` wants one, for tests of the registry."""

from __future__ import annotations

import asyncio

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.engine import Engine
from physgauge.settings import Positive
from physgauge.settings import Settings as Base
from tests.terravis.scripted import Scripted


class Settings(Base, frozen=True, kw_only=True):
    """Its table."""

    layers: Positive = 1


async def from_settings(settings: Settings, loaded: LoadedProfile) -> Engine:
    """Bound to the loop that runs it."""
    return Scripted(
        name=f"{loaded.profile.name}:{settings.layers}:{id(asyncio.get_running_loop())}"
    )
