"""What `physgauge serve` hands down to the processes that run its models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Final

import msgspec

from physgauge.errors import ConfigError
from physgauge.settings import Settings

VARIABLE: Final = "PHYSGAUGE_SERVE"
"""The environment variable that holds :class:`ServeSettings` as JSON; unset = the defaults."""
MAX_PLACES: Final = 1024
"""The queues of the steps in ``model_repository`` are longer than this."""


class ServeSettings(Settings, frozen=True, kw_only=True):
    """How a server scores; the same for all its processes."""

    profile: str = "tiny"
    """A shipped profile or the path of one."""
    packs: tuple[str, ...] = ()
    """Rule packs that replace the profile's, by their domain."""
    workers: Annotated[int, msgspec.Meta(ge=0, le=256)] = 0
    """Decode worker processes; 0 = one per core, at most 4."""
    threads: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Of the detector and of the rules; 0 = one per core."""
    places: Annotated[int, msgspec.Meta(ge=1, le=MAX_PLACES)] = 128
    """Images in hand; more are turned away at once."""
    log_rows: bool = True
    """One line of JSON on standard error per row; never captions or pixels."""
    canary_id: str = ""
    """Request id of the supervisor's own image, which has a place of its own and is neither counted nor
    logged. Each supervisor makes one that no caller knows; empty = there is no such image."""

    def is_canary(self, request_id: str) -> bool:
        """Whether a request is the supervisor's own."""
        return bool(self.canary_id) and request_id == self.canary_id


def settings_from(environment: Mapping[str, str] | None = None) -> ServeSettings:
    """The settings of this process, or of another environment.

    Raises:
        ConfigError: not JSON, an unknown key, or a value out of range.
    """
    text = (os.environ if environment is None else environment).get(VARIABLE, "{}")
    try:
        return msgspec.json.decode(text, type=ServeSettings)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{VARIABLE}: {error}") from None
