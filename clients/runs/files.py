"""Which files hold the rows of a run: for readers of many rows (`query`, `diff`, `gate`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from physgauge.clients.runs.record import RunFile
from physgauge.clients.runs.run import Run
from physgauge.clients.storage import Missing, Store, is_remote, locate, open_store
from physgauge.errors import ConfigError, EnvironmentProblem


@dataclass(frozen=True, slots=True)
class RowFiles:
    """Whole Parquet files, in order of units."""

    address: str
    """As given, for messages."""
    store: Store
    keys: list[str]
    """Of the highest generation of each unit."""
    rows: int | None
    """In all of them; None: nobody has counted (a file by itself)."""
    records: tuple[RunFile, ...]
    """Of the run, one a generation; empty for a file by itself."""


def verify(files: RowFiles) -> None:
    """Read every byte of the rows and check the pages' checksums.

    Raises:
        EnvironmentProblem: a file is damaged, unreadable or gone; names it.
    """
    from physgauge.clients.table import read_table

    for key in files.keys:
        where = files.store.where(key)
        try:
            with files.store.open(key) as file:
                read_table(file, where)
        except Missing as error:
            raise EnvironmentProblem(str(error)) from None


def row_files(address: str | Path) -> RowFiles:
    """The files of a run folder (path or ``s3://``), or one Parquet file of rows.

    Raises:
        ConfigError: neither a run with rows nor a file; says which.
    """
    text = str(address)
    if text.endswith(".parquet"):
        store, key = locate(text)
        if store.stat(key) is None:
            raise ConfigError(f"{text}: expected a file of rows, got none")
        return RowFiles(text, store, [key], None, ())
    if not is_remote(text) and not Path(text).is_dir():
        raise ConfigError(f"{text}: expected a run folder or FILE.parquet, got neither")
    run = Run.open(open_store(text))
    there = run.committed().values()
    if not there:
        raise ConfigError(f"{text}: expected rows, got a run without any yet")
    keys, rows = [one.key for one in there], sum(one.entries for one in there)
    return RowFiles(text, run.store, keys, rows, run.records)
