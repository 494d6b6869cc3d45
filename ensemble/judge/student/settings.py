"""The table ``[judge.student]``."""

from __future__ import annotations

from typing import Annotated

import msgspec

from physgauge.config import LoadedProfile
from physgauge.errors import ConfigError
from physgauge.settings import Settings, read_table


class StudentSettings(Settings, frozen=True, kw_only=True):
    """``[judge.student]``."""

    model: str
    """Path of the ``.onnx`` file, relative to the profile."""
    threads: Annotated[int, msgspec.Meta(ge=1, le=256)] = 1
    """Of one call; images are answered one batch after the other."""
    batch: Annotated[int, msgspec.Meta(ge=1, le=256)] = 4
    """Images of a call at most: those that wait when it begins."""
    providers: tuple[str, ...] = ("CPUExecutionProvider",)
    """What onnxruntime runs it on, the first that there is."""


def read_settings(loaded: LoadedProfile) -> StudentSettings:
    """Of a profile whose judge is a student, or has one before it.

    Raises:
        ConfigError: a setting is wrong, or something is asked of the student that it cannot do.
    """
    profile = loaded.profile
    judge = profile.judge
    if judge is None:
        raise ConfigError(f"profile {profile.name}: judge: expected a table, got none")
    return read_table(judge.student, StudentSettings, f"profile {profile.name}: judge.student")
