"""Rows for whoever names a run: a folder, ``s3://...``, or one Parquet file of rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from physgauge import wire
from physgauge.clients.runs.run import Run
from physgauge.clients.storage import is_remote, open_store
from physgauge.errors import ConfigError


def open_run(path: str | Path) -> Run:
    """The run in a folder.

    Raises:
        ConfigError: none there; says what is.
    """
    try:
        return Run.open(open_store(path))
    except ConfigError:
        old = Path(path) / "rows.parquet"
        if not is_remote(path) and old.is_file():
            raise ConfigError(
                f"{path}: expected a run folder (run.json), got rows of an earlier version: give the "
                f"file itself, {old}"
            ) from None
        raise


def _file(path: str | Path) -> Path | None:
    return Path(path) if not is_remote(path) and Path(path).is_file() else None


def read_run(path: str | Path) -> Iterator[wire.Row]:
    """The rows, in order, checksums verified.

    Raises:
        ConfigError: no rows there, or rows of another version.
        EnvironmentProblem: a damaged or unreadable file; names it.
    """
    from physgauge.clients.table import read_rows

    file = _file(path)
    yield from open_run(path).rows() if file is None else read_rows(file)


def read_ids(path: str | Path) -> list[str]:
    """The image ids of all rows, in order; raises as :func:`read_run`."""
    from physgauge.clients.table import read_table

    file = _file(path)
    if file is not None:
        with file.open("rb") as source:
            tables = [read_table(source, str(file), ["image_id"])]
    else:
        tables = list(open_run(path).tables(["image_id"]))
    return [name for table in tables for name in table["image_id"].to_pylist()]


def read_row(path: str | Path, number: int) -> wire.Row:
    """The row at a place in the order, from 0; raises as :func:`read_run`."""
    from physgauge.clients.table import read_rows

    file = _file(path)
    if file is not None:
        return next(islice(read_rows(file), number, None))
    run, before = open_run(path), 0
    for unit in run.committed().values():
        if number < before + unit.entries:
            return next(islice(run.rows([unit.unit]), number - before, None))
        before += unit.entries
    raise IndexError(f"{path}: expected the number of one of {before} rows, got {number}")
