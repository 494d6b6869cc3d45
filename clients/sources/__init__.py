"""Where the images of a run come from: PATHs become a plan of units, units become bytes.

    PATHs ─ open_inputs ─ make_plan (frozen in the run's folder) ─ Plan.unit(n) ─ read_unit ─ Loaded

The names below are loaded when they are asked for: the base install imports this without pyarrow.
"""

from __future__ import annotations

from physgauge.clients.sources.records import (
    Entry,
    Fault,
    Loaded,
    Shard,
    Sourcing,
    Unit,
    Where,
)

__all__ = ["Entry", "Fault", "Loaded", "Shard", "Sourcing", "Unit", "Where"]
