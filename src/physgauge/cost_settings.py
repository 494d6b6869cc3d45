"""What a run costs: the ``[cost]`` section of a profile. Prices are no part of a run's fingerprint."""

from __future__ import annotations

from typing import Annotated

import msgspec

from physgauge.settings import Settings

Price = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""US dollars."""


class CostSettings(Settings, frozen=True, kw_only=True):
    """Prices; what has none is reported as null, never guessed."""

    per_hour: Price | None = None
    """Of all that a session occupies (machine, GPUs, servers), US dollars an hour."""
    per_million_tokens: Price | None = None
    """Of a judge's tokens that were computed (read without a cache, and written), US dollars a million;
    where the judge's server names its charge itself, that counts instead."""
    per_million_cached_tokens: Price | None = None
    """Of tokens read from the server's cache, US dollars a million."""
