"""The index of equal images for a session: a file of its own, filled from the rows that are committed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from physgauge.bulk.index import Index
from physgauge.bulk.twins import WHOLE, key_of
from physgauge.clients.runs import Run
from physgauge.clients.runs.reading import tables

_NAME: Final = "physgauge-{pid}-"
_OURS: Final = re.compile(r"physgauge-(\d+)-.*")
_COLUMNS: Final = (
    "pixel_sha256", "caption", "provenance.domain", "error_code", "terravis.fault", "terravis.status",
    "pcmde.status",
)  # fmt: skip


@contextmanager
def index_file() -> Iterator[Path]:
    """A place for the index, gone afterwards; so are those of processes that were killed."""
    base = Path(tempfile.gettempdir())
    for old in base.glob("physgauge-*-*"):
        found = _OURS.fullmatch(old.name)
        if found is not None and not Path(f"/proc/{found[1]}").exists() and _mine(old):
            shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_NAME.format(pid=os.getpid())) as folder:
        yield Path(folder) / "twins.sqlite"


def _mine(folder: Path) -> bool:
    with suppress(OSError):
        return os.path.isdir("/proc/self") and folder.stat().st_uid == os.getuid()
    return False


def fill(path: Path, run: Run, pending: Container[int]) -> None:
    """Note the rows of all units that are as they should be.

    Raises:
        EnvironmentProblem: a file that cannot be read.
    """
    index = Index(path)
    units = [one for unit, one in run.committed().items() if unit not in pending]
    try:
        for unit, table in zip(units, tables(run.store, units, _COLUMNS), strict=True):
            columns = [table.column(name).to_pylist() for name in _COLUMNS]
            index.put(
                (key_of(pixels, caption, domain), unit.unit, unit.generation, number)
                for number, (pixels, caption, domain, code, fault, *statuses) in enumerate(
                    zip(*columns, strict=True)
                )
                if pixels is not None
                and code is None
                and fault is None
                and WHOLE.issuperset(statuses)
            )
    finally:
        index.close()
