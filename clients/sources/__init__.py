"""Where the images of a run come from: PATHs become a plan of units, units become bytes.

    PATHs ─ open_inputs ─ make_plan (frozen in the run's folder) ─ Plan.unit(n) ─ read_unit ─ Loaded

The functions are loaded when they are asked for: the base install imports this without pyarrow, and
streams local images with `open_images`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from physgauge.clients.sources.records import (
    Entry,
    Fault,
    Loaded,
    Shard,
    Sourcing,
    Unit,
    Where,
)

if TYPE_CHECKING:
    from physgauge.clients.sources.compare import without
    from physgauge.clients.sources.differences import Changes, changes
    from physgauge.clients.sources.plain import open_images
    from physgauge.clients.sources.plan import Plan, open_plan
    from physgauge.clients.sources.planning import make_plan, open_inputs
    from physgauge.clients.sources.reading import read_unit
    from physgauge.clients.sources.updating import update_plan

__all__ = [
    "Changes",
    "Entry",
    "Fault",
    "Loaded",
    "Plan",
    "Shard",
    "Sourcing",
    "Unit",
    "Where",
    "changes",
    "make_plan",
    "open_images",
    "open_inputs",
    "open_plan",
    "read_unit",
    "update_plan",
    "without",
]

_HOMES = {
    "Changes": "differences",
    "Plan": "plan",
    "changes": "differences",
    "make_plan": "planning",
    "open_images": "plain",
    "open_inputs": "planning",
    "open_plan": "plan",
    "read_unit": "reading",
    "update_plan": "updating",
    "without": "compare",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"physgauge.clients.sources.{_HOMES[name]}"), name)
