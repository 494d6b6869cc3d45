"""Folders, local and in stores: what lies in them, and of which one kind they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from physgauge.clients.files import IMAGE_SUFFIXES, RUN_TABLES, SCHEMA_FILE, walk
from physgauge.clients.sources.kinds import (
    MANIFEST_SUFFIXES,
    TABLE_SUFFIXES,
    TAR_SUFFIXES,
    FileKind,
    by_suffix,
)
from physgauge.clients.sources.loose import BATCH_ROWS
from physgauge.clients.sources.places import Place
from physgauge.clients.storage import Store
from physgauge.errors import ConfigError

_IMAGES: Final = tuple(IMAGE_SUFFIXES)
SUFFIXES: Final = (*IMAGE_SUFFIXES, *TAR_SUFFIXES, *TABLE_SUFFIXES, *MANIFEST_SUFFIXES)


def image_batches(folder: str, others: list[str]) -> Iterator[list[str]]:
    """The images below a folder, sorted, some at a time; what else may be an input goes to `others`."""
    batch: list[str] = []
    for path in walk(folder, SUFFIXES):
        if path.lower().endswith(_IMAGES):
            batch.append(path)
        else:
            others.append(path)
        if len(batch) >= BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def remote_folder(store: Store, root: str, prefix: str) -> Iterator[Place]:
    """The objects below a prefix that may be inputs, sorted by key; hidden parts and the tables of a run
    are left out.

    Args:
        store: of the bucket.
        root: ``s3://bucket/``.
        prefix: empty, or ends in ``/``.
    """
    runs: dict[str, bool] = {}
    for listed in store.list(prefix):
        below = listed.key[len(prefix) :]
        if not listed.key.lower().endswith(SUFFIXES) or any(
            part.startswith(".") for part in below.split("/")
        ):
            continue
        above, _, folder = below.rpartition("/")[0].rpartition("/")
        if folder in RUN_TABLES:
            schema = prefix + (f"{above}/" if above else "") + SCHEMA_FILE
            if schema not in runs:
                runs[schema] = store.stat(schema) is not None
            if runs[schema]:
                continue
        yield Place("object", root + listed.key, listed.size, listed.version)


def sorted_out(
    folder: str,
    images: int,
    places: Iterable[Place],
    holds_images: Callable[[Place, str], bool],
) -> Iterator[tuple[FileKind, Place]]:
    """What else is read of a folder: its archives, or its tables.

    Manifests (CSV, JSON Lines) are named by themselves, never taken out of a folder.

    Raises:
        ConfigError: images, archives or tables with images side by side: which of them are meant can't be
            told, and none may be left out quietly. Or nothing but manifests.
    """
    others: dict[FileKind, list[Place]] = {}
    for place in places:
        others.setdefault(by_suffix(place.text) or "image", []).append(place)
    tables: list[tuple[FileKind, Place]] = [
        (kind, place) for kind in ("parquet", "arrow") for place in others.get(kind, ())
    ]
    if images:
        tables = [one for one in tables if holds_images(one[1], one[0])]
    archives = others.get("tar", [])
    held = [
        f"{count} {what}"
        for count, what in (
            (images, "images"),
            (len(archives), "tar archives"),
            (len(tables), "tables"),
        )
        if count
    ]
    if len(held) > 1:
        raise ConfigError(
            f"{folder}: expected one kind of input in a folder, got {' and '.join(held)}: name what is "
            "meant, for example by a pattern"
        )
    manifests = others.get("delimited", []) + others.get("jsonl", [])
    if not held and manifests:
        raise ConfigError(
            f"{folder}: expected images, tar archives or tables, got manifests only: name the manifest "
            f"itself ({manifests[0].name:.200})"
        )
    for place in archives:
        yield "tar", place
    yield from tables
