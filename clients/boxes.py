"""Part boxes that somebody else detected: COCO JSON, a plain JSON list, JSON Lines, or Parquet.

* COCO: ``images`` (id, file_name, width, height; optional caption, domain, view), ``categories`` (name,
  supercategory), ``annotations`` (image_id, category_id, bbox [x, y, w, h]; optional score, default 1).
* a list, or JSON Lines, of :class:`BoxRecord` objects;
* Parquet: one row an image with a ``boxes`` list or with the ``detections`` of an earlier run's
  ``rows.parquet``, or one row a box (image_id, width, height, label, x0, y0, x1, y1, optional score).

A label is ``domain.component``, or just the component when the category's supercategory or the record's
domain says the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from physgauge.errors import BoxesError, ConfigError


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


def read_boxes(path: Path) -> list[Entry]:
    """Read boxes of any of the formats above; one entry an image, in file order.

    Raises:
        ConfigError: unreadable, no known format, or an image named twice; a fault within one image's
            record is that image's entry instead.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        entries = _from_parquet(path)
    elif suffix in (".jsonl", ".ndjson"):
        lines = _text(path).split(b"\n")
        records = (_json(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip())
        entries = [_entry(record, f"line {n}") for n, record in enumerate(records, 1)]
    elif suffix == ".json":
        data = _json(_text(path), str(path))
        if isinstance(data, dict):
            entries = _from_coco(data, str(path))
        elif isinstance(data, list):
            entries = [_entry(record, f"record {n}") for n, record in enumerate(data)]
        else:
            raise ConfigError(
                f"{path}: expected a COCO object or a list of records, got {data!r:.40}"
            )
    else:
        raise ConfigError(f"{path}: expected .parquet, .json or .jsonl, got {suffix!r}")
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
        BoxesError: size below 1 px, a box that is not four finite numbers with x1 > x0 and y1 > y0, or a
            score outside 0..1.
    """

    def fault(what: str) -> BoxesError:
        return BoxesError("boxes_invalid", f"{record.image_id} ({where}): {what}")

    if record.width < 1 or record.height < 1:
        raise fault(f"expected a size of at least 1x1 px, got {record.width}x{record.height}")
    for number, part in enumerate(record.boxes):
        here = f"boxes[{number}]"
        if len(part.box) != 4:
            raise fault(f"{here}: expected [x0, y0, x1, y1], got {len(part.box)} numbers")
        x0, y0, x1, y1 = part.box
        if not all(abs(value) <= 1e6 for value in part.box):  # false for NaN and infinity too
            raise fault(f"{here}: expected finite coordinates within 1e6 px, got {part.box}")
        if not (x1 > x0 and y1 > y0):
            raise fault(f"{here}: expected x1 > x0 and y1 > y0, got {part.box}")
        if not 0 <= part.score <= 1:
            raise fault(f"{here}: expected a score in 0..1, got {part.score}")
    return record


def _from_coco(data: dict[str, Any], where: str) -> list[Entry]:
    for key in ("images", "annotations", "categories"):
        if not isinstance(data.get(key), list):
            raise ConfigError(f"{where}: expected a COCO object with a list {key!r}")
    try:
        labels = {c["id"]: _coco_label(c) for c in data["categories"]}
        names = {image["id"]: str(image.get("file_name", image["id"])) for image in data["images"]}
    except (KeyError, TypeError, AttributeError):
        raise ConfigError(
            f"{where}: expected an id in every image, an id and a name in every category"
        ) from None
    boxes: dict[Any, list[Any]] = {image: [] for image in names}
    for number, annotation in enumerate(data["annotations"]):
        here = f"{where}: annotations[{number}]"
        try:
            image, category = annotation["image_id"], annotation["category_id"]
            box = [float(value) for value in annotation["bbox"]]
            x, y, w, h = box
            score = annotation.get("score", 1.0)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ConfigError(
                f"{here}: expected image_id, category_id and bbox [x, y, width, height]"
            ) from None
        if image not in boxes:
            raise ConfigError(f"{here}: image_id: expected an id of 'images', got {image!r}")
        if category not in labels:
            raise ConfigError(
                f"{here}: category_id: expected an id of 'categories', got {category!r}"
            )
        boxes[image].append(
            {"label": labels[category], "box": [x, y, x + w, y + h], "score": score}
        )
    return [
        _entry(
            {
                "image_id": names[image["id"]],
                "boxes": boxes[image["id"]],
                **{
                    k: image[k]
                    for k in ("width", "height", "caption", "domain", "view")
                    if k in image
                },
            },
            f"images[{number}]",
        )
        for number, image in enumerate(data["images"])
    ]


def _coco_label(category: dict[str, Any]) -> str:
    name, group = str(category["name"]), category.get("supercategory")
    return f"{group}.{name}" if group and group != name and "." not in name else name


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


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """Only the fields a record has, without nulls (they stand for "not given")."""
    known = {k: v for k in BoxRecord.__struct_fields__ if (v := record.get(k)) is not None}
    if "boxes" in known:
        known["boxes"] = [{k: v for k, v in box.items() if v is not None} for box in known["boxes"]]
    return known


def _group_flat(rows: list[dict[str, Any]], path: Path) -> Iterator[dict[str, Any]]:
    """One row a box -> one record an image, in order of first appearance."""
    images: dict[Any, dict[str, Any]] = {}
    for number, row in enumerate(rows):
        try:
            box = [row[k] for k in ("x0", "y0", "x1", "y1")]
            image = images.setdefault(row["image_id"], {**row, "boxes": []})
        except KeyError as error:
            raise ConfigError(
                f"{path}: row {number}: expected a column {error.args[0]!r}"
            ) from None
        score = 1.0 if row.get("score") is None else row["score"]
        image["boxes"].append({"label": row["label"], "box": box, "score": score})
    yield from images.values()
