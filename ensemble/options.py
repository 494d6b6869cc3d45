"""What a caller may choose over a pipeline's profile."""

from __future__ import annotations

from dataclasses import dataclass

from physgauge.wire import Method


@dataclass(frozen=True, slots=True)
class Options:
    """Of one run."""

    domain: str = "auto"
    """What all images show, or "auto"."""
    packs: tuple[str, ...] = ()
    """Rule packs that replace the profile's, by their domain."""
    workers: int | None = None
    """Decode worker processes; None = the profile's."""
    threads: int | None = None
    """Threads of the detector and the kernels; None = the profile's."""
    method: Method = "both"
    """What images are scored by; `both` leaves out what the profile cannot do."""
