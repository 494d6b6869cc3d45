"""Part boxes that somebody else detected: COCO JSON, a plain JSON list, JSON Lines, or Parquet.

* COCO: ``images`` (id, file_name, width, height; optional caption, domain, view), ``categories`` (name,
  supercategory), ``annotations`` (image_id, category_id, bbox [x, y, w, h]; optional score, default 1).
* a list, or JSON Lines, of :class:`BoxRecord` objects;
* Parquet: one row an image with a ``boxes`` list or with the ``detections`` of an earlier run, or one row
  a box (image_id, width, height, label, x0, y0, x1, y1, optional score);
* the folder of an earlier run.

A label is ``domain.component``, or just the component when the category's supercategory or the record's
domain says the rest.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from physgauge.clients.coco import read_coco
from physgauge.clients.storage import is_remote
from physgauge.errors import BoxesError, ConfigError

MAX_SIDE: Final = 1_000_000
"""px of an image, and of any coordinate."""
MAX_BOXES: Final = 1024
"""Of one image: the rules look at pairs of boxes, and take no more."""
_SINGLE: Final = struct.Struct("4f")


class PartBox(msgspec.Struct, frozen=True, kw_only=True):
    """One part box."""

    label: str
    box: list[float]
    """x0, y0, x1, y1 in px of the image."""
    score: float = 1.0


class BoxRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All part boxes of one image."""

    image_id: str
    width: int
    height: int
    boxes: list[PartBox] = []
    caption: str | None = None
    domain: str | None = None
    view: str | None = None


Entry = BoxRecord | tuple[str, BoxesError]
"""A record, or the image id and what is wrong with it."""


def read_boxes(name: str | Path) -> list[Entry]:
    """Read boxes of any of the formats above; one entry an image, in file order.

    Raises:
        ConfigError: unreadable, no known format, or an image named twice; a fault within one image's
            record is that image's entry instead.
    """
    path = Path(name)
    suffix = path.suffix.lower()
    if is_remote(name) or path.is_dir():
        entries = _from_run(name)
    elif suffix == ".parquet":
        entries = _from_parquet(path)
    elif suffix in (".jsonl", ".ndjson"):
        lines = _text(path).split(b"\n")
        records = (_json(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip())
        entries = [_entry(record, f"line {n}") for n, record in enumerate(records, 1)]
    elif suffix == ".json":
        data = _json(_text(path), str(path))
        if isinstance(data, dict):
            coco = enumerate(read_coco(data, str(path)))
            entries = [_entry(record, f"images[{n}]") for n, record in coco]
        elif isinstance(data, list):
            entries = [_entry(record, f"record {n}") for n, record in enumerate(data)]
        else:
            raise ConfigError(
                f"{path}: expected a COCO object or a list of records, got {data!r:.40}"
            )
    else:
        raise ConfigError(
            f"{path}: expected .parquet, .json, .jsonl or the folder of a run, got {suffix!r}"
        )
    _check_unique(entries, path)
    return entries


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def _json(data: bytes, where: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{where}: not JSON: {error}") from None
    except RecursionError:
        raise ConfigError(f"{where}: expected flat records, got deeper nesting") from None


def _check_unique(entries: Iterable[Entry], path: Path) -> None:
    seen: set[str] = set()
    for entry in entries:
        name = entry.image_id if isinstance(entry, BoxRecord) else entry[0]
        if name in seen:
            raise ConfigError(f"{path}: expected each image once, got {name!r} again")
        seen.add(name)


def _entry(record: Any, where: str) -> Entry:
    """One record, checked; a fault becomes that image's entry."""
    if isinstance(record, tuple):  # its reader found the fault
        return record
    try:
        return check(msgspec.convert(record, BoxRecord), where)
    except msgspec.ValidationError as error:
        name = record.get("image_id") if isinstance(record, dict) else None
        name = name if isinstance(name, str) else where
        return (name, BoxesError("boxes_invalid", f"{name}: {error}"))
    except BoxesError as error:
        return (record["image_id"], error)


def check(record: BoxRecord, where: str) -> BoxRecord:
    """The record, if an image can have it.

    Raises:
        BoxesError: a size that is not 1 to MAX_SIDE px, more than MAX_BOXES boxes, a box that is not four
            finite numbers with x1 > x0 and y1 > y0 or lies outside the image, or a score outside 0..1.
    """

    def fault(what: str) -> BoxesError:
        return BoxesError("boxes_invalid", f"{record.image_id} ({where}): {what}")

    size = f"{record.width}x{record.height}"
    if record.width < 1 or record.height < 1:
        raise fault(f"expected a size of at least 1x1 px, got {size}")
    if max(record.width, record.height) > MAX_SIDE:
        raise fault(f"expected a size of at most {MAX_SIDE} px a side, got {size:.80}")
    if len(record.boxes) > MAX_BOXES:
        raise fault(f"expected at most {MAX_BOXES} boxes, got {len(record.boxes)}")
    for number, part in enumerate(record.boxes):
        here = f"boxes[{number}]"
        if len(part.box) != 4:
            raise fault(f"{here}: expected [x0, y0, x1, y1], got {len(part.box)} numbers")
        if not all(abs(value) <= MAX_SIDE for value in part.box):  # false for NaN and infinity too
            raise fault(f"{here}: expected finite coordinates within 1e6 px, got {part.box}")
        x0, y0, x1, y1 = _SINGLE.unpack(_SINGLE.pack(*part.box))  # as the rules will see them
        if not (x1 > x0 and y1 > y0):
            raise fault(f"{here}: expected x1 > x0 and y1 > y0, got {part.box}")
        if x1 <= 0 or y1 <= 0 or x0 >= record.width or y0 >= record.height:
            raise fault(f"{here}: expected a box within the image of {size} px, got {part.box}")
        if not 0 <= part.score <= 1:
            raise fault(f"{here}: expected a score in 0..1, got {part.score}")
    return record


def _from_parquet(path: Path) -> list[Entry]:
    from physgauge.clients.table import read_records

    records = read_records(path)
    first = next(iter(records), None)
    if first is None:
        return []
    if "label" in first:
        records = list(_group_flat(records, path))
    elif "detections" in first:
        records = [{**r, "boxes": r["detections"]} for r in records if r.get("error") is None]
    elif "boxes" not in first:
        raise ConfigError(
            f"{path}: expected columns image_id, width, height and boxes (or detections, or "
            f"label, x0, y0, x1, y1), got {', '.join(first)}"
        )
    return [_entry(_known(record), f"row {number}") for number, record in enumerate(records)]


def _from_run(name: str | Path) -> list[Entry]:
    """The detections of an earlier run; rows with errors have none."""
    from physgauge.clients.runs import open_run

    columns = ["image_id", "caption", "error_code", "width", "height", "detections"]
    records = (r for table in open_run(name).tables(columns) for r in table.to_pylist())
    return [
        _entry(_known({**record, "boxes": record["detections"]}), f"row {number}")
        for number, record in enumerate(records)
        if record["error_code"] is None
    ]


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """Only the fields a record has, without nulls (they stand for "not given")."""
    known = {k: v for k in BoxRecord.__struct_fields__ if (v := record.get(k)) is not None}
    if isinstance(known.get("boxes"), list):
        known["boxes"] = [_given(box) if isinstance(box, dict) else box for box in known["boxes"]]
    return known


def _given(record: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if v is not None}


def _group_flat(rows: list[dict[str, Any]], path: Path) -> Iterator[dict[str, Any]]:
    """One row a box -> one record an image, in order of first appearance."""
    images: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        try:
            box = [row[k] for k in ("x0", "y0", "x1", "y1")]
            name = row["image_id"]
        except KeyError as error:
            raise ConfigError(
                f"{path}: row {number}: expected a column {error.args[0]!r}"
            ) from None
        if not isinstance(name, str):
            raise ConfigError(f"{path}: row {number}: image_id: expected text, got {name!r:.80}")
        image = images.setdefault(name, {**row, "boxes": []})
        score = 1.0 if row.get("score") is None else row["score"]
        image["boxes"].append({"label": row["label"], "box": box, "score": score})
    yield from images.values()
