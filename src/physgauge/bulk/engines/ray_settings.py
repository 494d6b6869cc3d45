"""What a user says of the Ray engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

from physgauge.errors import ConfigError

MAX_ACTORS: Final = 4096
_ACTORS: Final = re.compile(r"(\d{1,6})(?::(\d{1,6}))?")
_ADDRESS: Final = re.compile(r"auto|local|[^\s/:]+:\d{1,5}|\[[0-9A-Fa-f:]+\]:\d{1,5}")


@dataclass(frozen=True, slots=True)
class RaySettings:
    """Checked when made.

    Raises:
        ConfigError: an address or number that is wrong.
    """

    address: str = "auto"
    """``HOST:PORT`` of a cluster; `auto`: the one in ``RAY_ADDRESS``, or on this machine, or else a new
    one on this machine; `local`: a new one on this machine."""
    least: int = 1
    """Actors at any time, each with a pipeline of its own (1 to 4,096),"""
    most: int | None = None
    """and at most, where there is work for them and room; None = as many as `least`."""
    gpus: float = 0.0
    """Of one actor: 0, a part of one (0.25: four share one), or a whole number."""
    cpus: float = 1.0
    """Of one actor, for Ray's bookkeeping: it holds nobody to them."""

    def __post_init__(self) -> None:
        if self.address.startswith("ray://"):
            raise ConfigError(
                f"--ray-address: expected HOST:PORT, got {self.address:.200}: Ray Data does not run "
                "through Ray Client; start this on a machine of the cluster, or as a Ray job"
            )
        if not _ADDRESS.fullmatch(self.address):
            raise ConfigError(
                f"--ray-address: expected HOST:PORT, auto or local, got {self.address!r:.200}"
            )
        if not 1 <= self.least <= self.top <= MAX_ACTORS:
            raise ConfigError(
                f"--ray-actors: expected MIN[:MAX], 1 to {MAX_ACTORS:,}, got {self.least}:{self.top}"
            )
        if not (0 <= self.gpus <= 64 and (self.gpus < 1 or self.gpus == int(self.gpus))):
            raise ConfigError(
                f"--ray-gpus-per-actor: expected a part of 1 or a whole number, got {self.gpus:g}"
            )
        if not 0 <= self.cpus <= 1024:
            raise ConfigError(f"--ray-cpus-per-actor: expected 0 to 1,024, got {self.cpus:g}")

    @property
    def top(self) -> int:
        """The most actors."""
        return self.least if self.most is None else self.most

    @classmethod
    def of(cls, address: str, actors: str, gpus: float, cpus: float) -> Self:
        """From the command line's words.

        Raises:
            ConfigError: as the class does.
        """
        found = _ACTORS.fullmatch(actors.strip())
        if found is None:
            raise ConfigError(f"--ray-actors: expected MIN or MIN:MAX, got {actors!r:.80}")
        most = None if found[2] is None else int(found[2])
        return cls(address, int(found[1]), most, gpus, cpus)
