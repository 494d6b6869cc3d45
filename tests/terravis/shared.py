"""What the tests of TerraVis share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.look import Crop, Look
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.judge_settings import JudgeSettings
from tests.terravis.scripted import Scripted

IMAGE = np.zeros((96, 128, 3), np.uint8)


@cache
def probes() -> ProbeSet:
    """The shipped set."""
    return load_probes("terravis")


def look(
    engine: Scripted, crops: Sequence[Crop] = (), left_s: float | None = None, **settings: Any
) -> Look:
    """One look at an empty image."""
    chosen = JudgeSettings(engine="onepass", **settings)
    until = None if left_s is None else time.monotonic() + left_s
    judge = EngineJudge(engine, probes(), chosen)
    return asyncio.run(judge.look(IMAGE, crops, until))


def scored(seen: Look, **counting: float) -> wire.TerraVis:
    """What it comes to."""
    return terravis_of([seen], Counting(**counting))[0]
