"""COCO detections to the records of :mod:`physgauge.clients.boxes`, one an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

import msgspec

from physgauge.errors import BoxesError, ConfigError

Record = dict[str, Any] | tuple[str, BoxesError]
"""A record as written, or the image's name and what is wrong with it."""

_Named = TypeVar("_Named", "_Image", "_Category")
_CARRIED = ("width", "height", "caption", "domain", "view")


class _Annotation(msgspec.Struct, frozen=True):
    image_id: int | str
    category_id: int | str
    bbox: Annotated[list[float], msgspec.Meta(min_length=4, max_length=4)]
    score: float = 1.0


class _Category(msgspec.Struct, frozen=True):
    id: int | str
    name: str
    supercategory: str | None = None

    @property
    def label(self) -> str:
        group = self.supercategory
        known = not group or group == self.name or "." in self.name
        return self.name if known else f"{group}.{self.name}"


class _Image(msgspec.Struct, frozen=True):
    id: int | str
    file_name: str | None = None

    @property
    def name(self) -> str:
        return str(self.id) if self.file_name is None else self.file_name


def read_coco(data: dict[str, Any], where: str) -> Iterator[Record]:
    """The images of a COCO object, in its order, each with its boxes.

    Raises:
        ConfigError: a list that is missing, an image or category that is none, one id twice, or an
            annotation of no image; any other fault of an annotation is its image's.
    """
    for key in ("images", "annotations", "categories"):
        if not isinstance(data.get(key), list):
            raise ConfigError(f"{where}: expected a COCO object with a list {key!r}")
    images = _by_id(data["images"], _Image, f"{where}: images")
    labels = {
        i: c.label for i, c in _by_id(data["categories"], _Category, f"{where}: categories").items()
    }
    boxes: dict[int | str, list[Any]] = {i: [] for i in images}
    faults: dict[int | str, BoxesError] = {}
    for number, raw in enumerate(data["annotations"]):
        image = raw.get("image_id") if isinstance(raw, dict) else None
        if not isinstance(image, int | str) or image not in images:
            raise ConfigError(
                f"{where}: annotations[{number}]: image_id: expected an id of 'images', got {image!r:.80}"
            )
        try:
            boxes[image].append(_box(raw, labels))
        except (msgspec.ValidationError, ValueError) as error:
            text = f"{images[image].name}: annotations[{number}]: {error}"
            faults.setdefault(image, BoxesError("boxes_invalid", text))
    for raw, (i, image) in zip(data["images"], images.items(), strict=True):
        if i in faults:
            yield image.name, faults[i]
        else:
            known = {k: raw[k] for k in _CARRIED if k in raw}
            yield {"image_id": image.name, "boxes": boxes[i], **known}


def _by_id(values: list[Any], kind: type[_Named], where: str) -> dict[int | str, _Named]:
    found: dict[int | str, _Named] = {}
    for number, value in enumerate(values):
        try:
            one = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{where}[{number}]: {error}") from None
        if one.id in found:
            raise ConfigError(f"{where}[{number}]: expected each id once, got {one.id!r:.80} again")
        found[one.id] = one
    return found


def _box(raw: Any, labels: dict[int | str, str]) -> dict[str, Any]:
    one = msgspec.convert(raw, _Annotation)
    if one.category_id not in labels:
        raise ValueError(
            f"category_id: expected an id of 'categories', got {one.category_id!r:.80}"
        )
    x, y, w, h = one.bbox
    return {"label": labels[one.category_id], "box": [x, y, x + w, y + h], "score": one.score}
