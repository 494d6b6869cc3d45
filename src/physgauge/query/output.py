"""A query's result, for people and programs."""

from __future__ import annotations

import base64
import csv
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Final, Literal, get_args

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from physgauge.errors import ConfigError
from physgauge.query.duck import Query
from physgauge.report.printable import printable

Format = Literal["table", "csv", "json", "jsonl", "parquet"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
SHOWN: Final = 1000
"""Lines of a table for people; the other formats have all."""


def format_of(path: Path | None, asked: Format | None) -> Format:
    """The format asked for, or that of a file's name; a table where there is neither.

    Raises:
        ConfigError: a name that says none.
    """
    if asked is not None:
        return asked
    if path is None:
        return "table"
    kind = path.suffix.lower().lstrip(".")
    found: Format | None = "table" if kind == "txt" else None
    for one in FORMATS:
        found = one if one == kind else found
    if found is None:
        raise ConfigError(
            f"-o {path}: expected a name in .csv, .json, .jsonl, .parquet or .txt, or --format; got "
            f"{path.suffix or 'no suffix'}"
        )
    return found


Lines = Iterator[tuple[Any, ...]]


def write_result(query: Query, sql: str, kind: Format, path: Path | None) -> None:
    """Write what a statement selects.

    Args:
        query: open rows.
        sql: the statement.
        kind: of the result.
        path: a file that takes its name when it is whole; None = standard output.

    Raises:
        ConfigError: Parquet on standard output, or bad SQL that shows when it runs.
        EnvironmentProblem: rows that cannot be read.
        OSError: the file cannot be written.
    """
    if kind == "parquet":
        if path is None:
            raise ConfigError("--format parquet: expected -o FILE with it")
        from physgauge.clients.batches import write_batches

        with _whole(path) as file:
            schema, batches = query.batches(sql)
            write_batches(file, schema, batches)
        return
    names, lines = query.select(sql)
    write = {"table": _table, "csv": _csv, "json": _json, "jsonl": _jsonl}[kind]
    if path is None:
        write(names, lines, sys.stdout)
        return
    with _whole(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        write(names, lines, text)
        text.detach()  # flushes, and leaves the file open


@contextmanager
def _whole(path: Path) -> Iterator[IO[bytes]]:
    """A file beside it, which takes its name at the end."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _table(names: list[str], lines: Lines, out: IO[str]) -> None:
    table = Table()
    for name in names:
        table.add_column(Text(printable(name)), overflow="fold")
    more = 0
    for row in lines:
        if table.row_count < SHOWN:
            table.add_row(*(Text(_shown(value)) for value in row))
        else:
            more += 1
    console = Console(file=out, width=None if out.isatty() else 200)
    console.print(table)
    if more:
        console.print(f"{more:,} more lines; --format csv, json or jsonl, or -o FILE has all")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else printable(_cell(value))


def _csv(names: list[str], lines: Lines, out: IO[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in lines:
        writer.writerow("" if value is None else _cell(value) for value in row)


def _cell(value: Any) -> str:
    """A value as text; lists, maps and structs as JSON."""
    plain = _plain(value)
    if isinstance(plain, str):
        return plain
    return _ENCODER.encode(plain).decode()


def _json(names: list[str], lines: Lines, out: IO[str]) -> None:
    before = "["
    for line in _objects(names, lines):
        out.write(f"{before}\n{line}")
        before = ","
    out.write("[]\n" if before == "[" else "\n]\n")


def _jsonl(names: list[str], lines: Lines, out: IO[str]) -> None:
    for line in _objects(names, lines):
        out.write(line + "\n")


def _objects(names: list[str], lines: Lines) -> Iterator[str]:
    if len(set(names)) != len(names):
        raise ConfigError(
            f"SQL: expected each column once for JSON, got {', '.join(names)}: use AS"
        )
    for row in lines:
        plain = {name: _plain(value) for name, value in zip(names, row, strict=True)}
        yield _ENCODER.encode(plain).decode()


_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
"""NaN and infinity become null."""
_TEXT: Final[dict[type, Callable[[Any], str]]] = {
    datetime: lambda value: value.isoformat(),
    date: lambda value: value.isoformat(),
    time: lambda value: value.isoformat(),
    timedelta: str,
    bytes: lambda value: base64.b64encode(value).decode(),
}


def _plain(value: Any) -> Any:
    """As JSON can hold it: bytes in base64, times in ISO 8601."""
    if value is None or isinstance(value, bool | int | float | str | Decimal):
        return value
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else _cell(key): _plain(one) for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return _TEXT.get(type(value), str)(value)
