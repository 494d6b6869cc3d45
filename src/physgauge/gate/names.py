"""File names of images in a new folder: their ids, as far as a file can be called so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Final

from physgauge.errors import ImageError
from physgauge.formats import sniff

SUFFIXES: Final = {"jpeg": ".jpg", "png": ".png", "webp": ".webp", "npy": ".npy"}
_KNOWN: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", ".npy"})
_MOST: Final = 200
"""Bytes of one part of a name; file systems take 255."""


def key_of(image_id: str, head: bytes) -> str:
    """The name of an image, with the folders of its id: ``/data/a/../x.png`` becomes ``data/a/x.png``.

    Args:
        image_id: any text.
        head: the image's first bytes, for a suffix where the id has none.
    """
    parts = [_part(part) for part in image_id.split("/") if part not in ("", ".", "..")]
    name = parts.pop() if parts else "image"
    if PurePosixPath(name).suffix.lower() not in _KNOWN:
        with suppress(ImageError):  # bytes that are no image by now keep the name as it is
            name += SUFFIXES[sniff(head)]
    return "/".join([*parts, name])


def others(key: str) -> Iterator[str]:
    """The name, and what to take where it is taken: ``a/x~2.png``, ``a/x~3.png`` ..."""
    yield key
    path = PurePosixPath(key)
    number = 2
    while True:
        yield str(path.with_name(f"{path.stem}~{number}{path.suffix}"))
        number += 1


def _part(text: str) -> str:
    """One part, without what a file system or a shell could stumble over."""
    plain = "".join(c if c.isprintable() and c not in '\\:*?"<>|' else "_" for c in text)
    data = plain.encode()
    if len(data) <= _MOST:
        return plain
    suffix = PurePosixPath(plain).suffix.encode()[-16:]
    return (data[: _MOST - len(suffix)] + suffix).decode(errors="ignore")
