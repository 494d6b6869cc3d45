"""Run folders for tests."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from physgauge import wire
from physgauge.clients.runs import RunWriter
from physgauge.clients.storage import open_store


def write_run(folder: str | Path, rows: Iterable[wire.Row]) -> None:
    """A run without a plan; over what was there."""
    with RunWriter(open_store(folder), {}, overwrite=True) as writer:
        for row in rows:
            writer.write(row)
