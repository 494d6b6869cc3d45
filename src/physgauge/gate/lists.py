"""What passes and what is rejected, as lists: for people, and for the next program."""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from physgauge.errors import ConfigError
from physgauge.gate.judged import Judged
from physgauge.gate.rule import Reason

COLUMNS: Final = (
    "image_id", "path", "source", "caption", "terravis_score", "terravis_score_soft", "terravis_low",
    "terravis_high", "pcmde_verdict", "pcmde_s_final", "reasons",
)  # fmt: skip
KINDS: Final = (".txt", ".csv", ".jsonl")


class ListFile:
    """A list that is written line by line and takes its name when it is whole; a context manager.

    ``.txt``: one path a line (the source, where an image has no path of its own). ``.csv``, ``.jsonl``:
    `COLUMNS`, and what was carried; manifests that `physgauge score` reads (the text as ``@FILE.txt``).

    Args:
        path: by its suffix; ``-`` is standard output, as ``.txt``.

    Raises:
        ConfigError: another suffix, or no such folder.
    """

    def __init__(self, path: str) -> None:
        self._path = None if path == "-" else Path(path)
        self._kind = ".txt" if self._path is None else self._path.suffix.lower()
        if self._kind not in KINDS:
            raise ConfigError(f"{path}: expected a name in {', '.join(KINDS)}, or -")
        if self._path is not None and not self._path.parent.is_dir():
            raise ConfigError(f"{path}: expected a folder that exists, got {self._path.parent}")
        self._file: IO[str] = sys.stdout
        self._writer: Any = None

    def add(self, one: Judged, reasons: tuple[Reason, ...]) -> None:
        """One image.

        Raises:
            ConfigError: a path that a text list cannot hold.
        """
        record = _record(one, reasons)
        if self._kind == ".txt":
            name = record["path"] or record["source"]
            if "\n" in name or "\r" in name:
                raise ConfigError(f"{name!r:.200}: a .txt list cannot hold it: use .csv or .jsonl")
            self._file.write(f"{name}\n")
        elif self._kind == ".csv":
            self._writer.writerow([
                json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict)
                else "" if value is None else value
                for value in record.values()
            ])  # fmt: skip
        else:
            record |= {k: v for k, v in record.pop("extra").items() if k not in record}
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def __enter__(self) -> Self:
        if self._path is not None:
            self._partial = self._path.with_name(f".{self._path.name}.{os.getpid()}.partial")
            self._file = self._partial.open("w", encoding="utf-8", newline="")
        if self._kind == ".csv":
            self._writer = csv.writer(self._file, lineterminator="\n")
            self._writer.writerow([*COLUMNS, "extra"])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._path is None:
            return
        try:
            self._file.close()
            if kind is None:
                self._partial.replace(self._path)
        finally:
            self._partial.unlink(missing_ok=True)


def _record(one: Judged, reasons: tuple[Reason, ...]) -> dict[str, Any]:
    row = one.row
    values = (
        row.image_id, _path(one), row.source, row.caption, row.terravis.score, row.terravis.score_soft,
        row.terravis.low, row.terravis.high, row.pcmde.verdict, row.pcmde.s_final,
        [f"{reason.code}: {reason.says}" for reason in reasons],
    )  # fmt: skip
    return {**dict(zip(COLUMNS, values, strict=True)), "extra": dict(row.extra)}


def _path(one: Judged) -> str | None:
    """Where it lies, if it is a file or object by itself."""
    where = None if one.entry is None else one.entry.where
    if where is None or where.kind not in ("file", "object", "web"):
        return None
    return os.path.abspath(where.place) if where.kind == "file" else where.place
