"""Caption files: which caption and which further columns belong to which image.

CSV with a header, JSON Lines, or JSON (a list of objects, or an object from file name to caption or to
an object). The image is named by one of the columns ``file``, ``image``, ``image_id``, ``path`` or
``file_name``; the caption by ``caption``, ``prompt`` or ``text``; every other column is carried.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physgauge.errors import CaptionError, ConfigError

IMAGE_COLUMNS = ("file", "image", "image_id", "path", "file_name")
CAPTION_COLUMNS = ("caption", "prompt", "text")


@dataclass(frozen=True, slots=True)
class Captioned:
    """What a caption file says about one image."""

    caption: str | None
    extra: dict[str, str]
    """Carried columns; values that are not text as their JSON text."""
    error: CaptionError | None = None
    """Why the caption cannot be used; it becomes that image's error row."""


class CaptionTable:
    """Captions looked up by path: the longest matching tail of the path wins, so ``a/1.png`` in the file
    serves the image ``/data/a/1.png``, and a bare stem (``1``) serves ``1.png``."""

    def __init__(self, entries: Mapping[str, Captioned], where: str) -> None:
        self._entries = dict(entries)
        self.where = where
        self.used: set[str] = set()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, path: Path) -> Captioned | None:
        """The entry for an image, or None."""
        for key in _keys_of(path):
            entry = self._entries.get(key)
            if entry is not None:
                self.used.add(key)
                return entry
        return None

    def unused(self) -> list[str]:
        """Names in the file that no image asked for."""
        return sorted(set(self._entries) - self.used)


def read_captions(path: Path) -> CaptionTable:
    """Read a caption file (``.csv``, ``.jsonl``/``.ndjson`` or ``.json``).

    Raises:
        ConfigError: unreadable, not of its format, a missing column, an image named twice; says where.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"captions {path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"captions {path}: expected UTF-8 text, got byte {error.object[error.start]:#04x} "
            f"at offset {error.start}"
        ) from None
    readers = {".csv": _csv, ".jsonl": _jsonl, ".ndjson": _jsonl, ".json": _json}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(f"captions {path}: expected .csv, .jsonl or .json, got {path.suffix!r}")
    entries: dict[str, Captioned] = {}
    for where, record in reader(text, str(path)):
        name, entry = _entry(record, where)
        if name in entries:
            raise ConfigError(f"{where}: expected each image once, got {name!r} again")
        entries[name] = entry
    return CaptionTable(entries, str(path))


def _csv(text: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(sys.maxsize)  # an overlong caption is that image's error, not the file's
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_header(reader.fieldnames or (), f"captions {where}:1")
        for record in reader:
            if None in record or None in record.values():
                expected = len(reader.fieldnames or ())
                raise ConfigError(
                    f"captions {where}:{reader.line_num}: expected {expected} columns as in the header, "
                    "got another number"
                )
            yield f"captions {where}:{reader.line_num}", record
    except csv.Error as error:
        raise ConfigError(f"captions {where}:{reader.line_num}: not CSV: {error}") from None


def _check_header(names: Sequence[str], where: str) -> None:
    if not names:
        raise ConfigError(f"{where}: expected a header that names the columns, got none")
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: expected each column once, got {name!r:.80} again")
    if not set(names) & set(CAPTION_COLUMNS):
        raise ConfigError(
            f"{where}: expected a column with the caption ({', '.join(CAPTION_COLUMNS)}), "
            f"got {', '.join(names):.200}"
        )


def _jsonl(text: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"captions {where}:{number}", _loads(line, f"captions {where}:{number}")


def _json(text: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    data = _loads(text, f"captions {where}")
    records: Iterable[Any]
    if isinstance(data, dict):
        records = [
            {**(value if isinstance(value, dict) else {"caption": value}), "file": name}
            for name, value in data.items()
        ]
    elif isinstance(data, list):
        records = data
    else:
        raise ConfigError(f"captions {where}: expected a list or an object, got {_kind(data)}")
    for index, record in enumerate(records):
        yield f"captions {where}[{index}]", record


def _loads(text: str, where: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ConfigError(f"{where}: expected JSON numbers, got {constant:.40}")

    def finite(number: str) -> float:
        return refuse(number) if math.isinf(float(number)) else float(number)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ConfigError(f"{where}: expected each name once, got {twice!r} again")
        return record

    try:
        return json.loads(text, parse_constant=refuse, parse_float=finite, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{where}: not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        ) from None
    except RecursionError:
        raise ConfigError(
            f"{where}: expected flat records, got deeper nesting than can be read"
        ) from None
    except ValueError:  # what Python makes of it
        raise ConfigError(f"{where}: expected numbers of at most 4,300 digits") from None


def _entry(record: Any, where: str) -> tuple[str, Captioned]:
    if not isinstance(record, Mapping):
        raise ConfigError(f"{where}: expected an object, got {_kind(record)}")
    image_column = next((c for c in IMAGE_COLUMNS if c in record), None)
    if image_column is None:
        raise ConfigError(
            f"{where}: expected a column naming the image ({', '.join(IMAGE_COLUMNS)}), "
            f"got {', '.join(map(str, record)) or 'none'}"
        )
    name = record[image_column]
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{where}: {image_column}: expected an image name, got {_kind(name)}")
    caption_column = next((c for c in CAPTION_COLUMNS if c in record), None)
    caption = None if caption_column is None else record[caption_column]
    error = None
    if caption is not None and not isinstance(caption, str):
        error = CaptionError(
            "caption_invalid",
            f"{where}: {caption_column}: expected text or null, got {_kind(caption)}",
        )
        caption = None
    carried = {
        str(key): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in record.items()
        if key not in (image_column, caption_column)
    }
    odd = [key for key, text in carried.items() if not _is_text(key + text)]
    if odd or (caption and not _is_text(caption)):
        column = odd[0].encode("utf-8", "backslashreplace").decode() if odd else caption_column
        error = CaptionError(
            "caption_invalid",
            f"{where}: {column}: expected Unicode text, got half of a surrogate pair",
        )
        caption, carried = None, {k: text for k, text in carried.items() if k not in odd}
    return _normal(name), Captioned(caption or None, carried, error)


def _is_text(value: str) -> bool:
    """Half of a surrogate pair passes as JSON, and fits in no file."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _normal(name: str) -> str:
    return "/".join(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))


def _keys_of(path: Path) -> Iterator[str]:
    parts = [p for p in path.as_posix().split("/") if p not in ("", ".")]
    for start in range(len(parts)):
        yield "/".join(parts[start:])
    for start in range(len(parts)):
        yield "/".join([*parts[start:-1], path.stem])


def _kind(value: Any) -> str:
    return {
        type(None): "null",
        bool: "a boolean",
        str: "empty text" if value == "" else "text",
    }.get(type(value), type(value).__name__)
