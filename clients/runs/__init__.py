"""Run folders: what a bulk run writes and everybody reads (docs/bulk.md)."""

from physgauge.clients.runs.listing import Committed
from physgauge.clients.runs.readers import open_run, read_ids, read_row, read_run
from physgauge.clients.runs.record import Difference, RunFile
from physgauge.clients.runs.run import Run
from physgauge.clients.runs.session import Session
from physgauge.clients.runs.small import RunWriter, occupied, wipe

__all__ = [
    "Committed",
    "Difference",
    "Run",
    "RunFile",
    "RunWriter",
    "Session",
    "occupied",
    "open_run",
    "read_ids",
    "read_row",
    "read_run",
    "wipe",
]
