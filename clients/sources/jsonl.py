"""JSON Lines manifests: one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from physgauge.clients.captions import CAPTION_COLUMNS
from physgauge.clients.sources.arrow import Carried, Table
from physgauge.clients.sources.columns import DOMAIN_COLUMN, ID_COLUMNS, PATH_COLUMNS
from physgauge.clients.sources.lines import lines, opened
from physgauge.clients.sources.places import Place
from physgauge.clients.sources.refs import Batch, Refs, listed
from physgauge.errors import ConfigError

BATCH_ROWS: Final = 8192
_RECORD: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ANY: Final = msgspec.json.Decoder()


@dataclass(slots=True)
class Record:
    """What one JSON object says about an image."""

    image_id: str | None = None
    path: str | None = None
    caption: str | None = None
    domain: str | None = None
    extra: list[tuple[str, str]] = field(default_factory=list)
    """Carried columns, null ones left out; values that are not text as the JSON that was given."""
    fault: tuple[str, str] | None = None
    """Code and message, if it can't be used."""


def read_jsonl(place: Place, refs: Refs, container: int) -> Iterator[Table]:
    """A manifest's rows as tables of the plan. A line that is no object, or names no image, is an entry
    with a fault.

    Raises:
        ConfigError: unreadable, or its first line is no JSON: then it is another format.
    """
    with opened(place) as file:
        records: list[Record] = []
        at: list[int] = []
        begun = False
        for number, line in enumerate(lines(file, place.name), 1):
            if not line.strip():
                continue
            record = parse(line)
            if not begun and record.fault is not None and record.fault[1].startswith("not a JSON"):
                raise ConfigError(f"{place.name}:{number}: {record.fault[1]}")
            begun = True
            records.append(record)
            at.append(number)
            if len(records) == BATCH_ROWS:
                yield _table(records, at, place, refs, container)
                records, at = [], []
        if records:
            yield _table(records, at, place, refs, container)


def parse(data: bytes, paths: tuple[str, ...] = PATH_COLUMNS) -> Record:
    """What a JSON object says; a fault in place of an exception.

    Args:
        data: the object.
        paths: names under which it may say where the image lies.
    """
    try:
        given = _RECORD.decode(data)
        texts = {name: _text(value) for name, value in given.items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # msgspec's own words for a wrong type end in the place: "Expected `object`, got `array`"
        return Record(fault=("manifest_invalid", f"not a JSON object: {error}"))
    record = Record()
    taken = [_first(names, texts) for names in (ID_COLUMNS, paths, CAPTION_COLUMNS)]
    record.image_id, record.path, record.caption = (
        None if name is None else texts[name][0] or None for name in taken
    )
    domain = texts.get(DOMAIN_COLUMN)
    record.domain = None if domain is None else domain[0] or None
    _, path, caption = taken
    if path is not None and not texts[path][1]:
        record.fault = ("manifest_invalid", f"{path}: expected text, got {texts[path][0]!s:.80}")
        record.path = None
    elif caption is not None and not texts[caption][1]:
        got = texts[caption][0]
        record.fault = ("caption_invalid", f"{caption}: expected text or null, got {got!s:.80}")
        record.caption = None
    held = {*taken, DOMAIN_COLUMN}
    record.extra = [
        (name, text) for name, (text, _) in texts.items() if name not in held and text is not None
    ]
    return record


def _text(raw: msgspec.Raw) -> tuple[str | None, bool]:
    """A value as text, and whether it was text or null in the file."""
    data = bytes(raw)
    if data == b"null":
        return None, True
    value: Any = _ANY.decode(data)  # also what is carried as it stands must be JSON
    if isinstance(value, str):
        return value, True
    return data.decode(), False


def _first(names: tuple[str, ...], given: dict[str, tuple[str | None, bool]]) -> str | None:
    return next((name for name in names if name in given), None)


def _table(records: list[Record], at: list[int], place: Place, refs: Refs, container: int) -> Table:
    extra = Carried()
    for record in records:
        extra.add(record.extra)
    batch = Batch(
        place.name,
        container,
        at,
        [record.path for record in records],
        [record.image_id for record in records],
        [record.caption for record in records],
        [record.domain for record in records],
        extra.column(),
        {n: record.fault for n, record in enumerate(records) if record.fault is not None},
    )
    return listed(batch, refs)
