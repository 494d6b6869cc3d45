"""Run folders: what a bulk run writes and everybody reads (docs/bulk.md)."""

from physgauge.clients.runs.record import Difference, RunFile
from physgauge.clients.runs.run import Committed, Run, read_run, wipe
from physgauge.clients.runs.session import Session

__all__ = ["Committed", "Difference", "Run", "RunFile", "Session", "read_run", "wipe"]
