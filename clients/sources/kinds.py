"""What a file is: an image, a tar archive, a table, or a manifest; told by suffix and first bytes."""

from __future__ import annotations

import os
from typing import Final, Literal

from physgauge.clients.files import IMAGE_SUFFIXES
from physgauge.clients.sources.places import Place, read_range
from physgauge.errors import ConfigError

FileKind = Literal["image", "tar", "parquet", "arrow", "delimited", "jsonl"]

TAR_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz")
PARQUET_SUFFIXES: Final = (".parquet", ".pq")
ARROW_SUFFIXES: Final = (".arrow", ".feather", ".ipc")
TABLE_SUFFIXES: Final = (*PARQUET_SUFFIXES, *ARROW_SUFFIXES)
MANIFEST_SUFFIXES: Final = (".csv", ".tsv", ".jsonl", ".ndjson")
HEAD_BYTES: Final = 512
_BY_SUFFIX: Final[tuple[tuple[tuple[str, ...], FileKind], ...]] = (
    (tuple(IMAGE_SUFFIXES), "image"),
    (TAR_SUFFIXES, "tar"),
    (PARQUET_SUFFIXES, "parquet"),
    (ARROW_SUFFIXES, "arrow"),
    ((".csv", ".tsv"), "delimited"),
    ((".jsonl", ".ndjson"), "jsonl"),
)


def by_suffix(name: str) -> FileKind | None:
    """What a file's name says; None: nothing that we know."""
    low = name.lower()
    return next((kind for suffixes, kind in _BY_SUFFIX if low.endswith(suffixes)), None)


def by_content(head: bytes) -> FileKind | None:
    """What a file's first HEAD_BYTES say; None: text, or nothing that we know."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):  # a file, or a stream of batches
        return "arrow"
    if head[257:262] == b"ustar":
        return "tar"
    if head.startswith((b"\xff\xd8\xff", b"\x89PNG", b"\x93NUMPY")) or (
        head.startswith(b"RIFF") and head[8:12] == b"WEBP"
    ):
        return "image"
    return None


def tell(place: Place) -> FileKind:
    """What a file named by itself is. An image's suffix is believed (the decoder goes by magic bytes and
    says what is wrong); for all others the content has the last word.

    Raises:
        ConfigError: unreadable, or suffix and content don't go together.
    """
    said = by_suffix(place.text)
    if said == "image" or place.kind == "web":
        return _of_url(place, said)
    if place.kind == "file" and not os.path.isfile(place.text):
        return "image"  # a pipe, a device, a link to nothing: reading it says so in its row
    head = read_range(place, 0, HEAD_BYTES)
    found = by_content(head)
    if said in ("parquet", "arrow", "tar") and found != said:
        zipped = said == "tar" and (
            head.startswith(b"\x1f\x8b") or not place.text.lower().endswith((".gz", ".tgz"))
        )
        if zipped:  # its content is told when it is read: old tar archives have no magic
            return "tar"
        raise _doubt(place, f"{said}, by its suffix", head)
    if said in ("delimited", "jsonl") and head.startswith(b"\x1f\x8b"):
        raise _doubt(place, "text", head)
    if found is not None or said is not None:
        return found or said or "image"
    return _unknown(place, head)


def _of_url(place: Place, said: FileKind | None) -> FileKind:
    if said in (None, "image"):
        return "image"
    raise ConfigError(
        f"{place.name:.300}: expected an image behind a URL, got a {said} suffix: archives, tables and "
        "manifests are read from disks and object stores"
    )


def _unknown(place: Place, head: bytes) -> FileKind:
    """A file without a suffix or content that we know."""
    low = place.text.lower()
    if low.endswith((".gz", ".zst", ".zip", ".7z", ".bz2", ".xz")):
        raise _doubt(place, "an image, a tar archive, a table or a manifest", head)
    if low.endswith((".txt", ".lst", ".list")):
        raise ConfigError(
            f"{place.name:.300}: expected an image, a tar archive, a table or a manifest; a list of "
            f"paths is given as @{place.name:.300}"
        )
    if low.endswith((".json", ".xlsx", ".yaml", ".yml", ".toml", ".pkl", ".xml", ".html", ".md")):
        raise _doubt(place, "CSV, TSV, JSON Lines or Parquet for a manifest", head)
    return "image"


def _doubt(place: Place, expected: str, head: bytes) -> ConfigError:
    return ConfigError(f"{place.name:.300}: expected {expected}; it begins with {head[:12]!r}")
