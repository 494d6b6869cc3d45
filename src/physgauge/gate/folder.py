"""What passes, copied or linked into a new folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from physgauge.clients.runs.names import ATTEMPTS
from physgauge.clients.sources import Entry, Sourcing, Unit, read_unit
from physgauge.clients.storage import Store, is_remote, open_store
from physgauge.errors import ConfigError
from physgauge.gate.judged import Judged, JudgedUnit
from physgauge.gate.names import key_of, others
from physgauge.gate.rule import Reason


def new_folder(address: str) -> Store:
    """A folder for images.

    Raises:
        ConfigError: it holds something, or cannot be made.
    """
    store = open_store(address)
    if not is_remote(address) and Path(address).exists() and not Path(address).is_dir():
        raise ConfigError(f"{address}: expected a new or empty folder, got a file")
    if next(store.list(""), None) is not None:
        raise ConfigError(f"{address}: expected a new or empty folder, got one with files in it")
    store.make()
    return store


def tidy(store: Store) -> None:
    """Take away what was only needed while files were written."""
    if not is_remote(store.address):
        with suppress(OSError):
            os.rmdir(store.where(ATTEMPTS.rstrip("/")))


def copy_unit(
    store: Store, unit: JudgedUnit, sourcing: Sourcing
) -> Iterator[tuple[Judged, Reason | None]]:
    """Copy the images of a unit that pass; each of them with why it could not be, if so.

    Raises:
        EnvironmentProblem: the folder cannot be written.
    """
    passing = [one for one in unit.images if one.decision.passed]
    if unit.shard is not None:
        if passing:
            yield from _from_archive(store, unit, sourcing)
        return
    there = [(one, one.entry) for one in passing if one.entry is not None]
    for one in passing:
        if one.entry is None:
            yield (
                one,
                Reason("source:unknown", "expected to know where its bytes lie: not in this run"),
            )
    loaded = read_unit(Unit(number=0, entries=[entry for _, entry in there]), sourcing)
    for (one, entry), image in zip(there, loaded, strict=True):
        if image.data is None:
            yield one, Reason("source:unreadable", str(image.error))
        elif reason := replaced(entry, len(image.data)):
            yield one, reason
        else:
            _create(store, one.row.image_id, image.data)
            yield one, None


def _from_archive(
    store: Store, unit: JudgedUnit, sourcing: Sourcing
) -> Iterator[tuple[Judged, Reason | None]]:
    """In order of the archive, as its rows are; entries without rows are passed over."""
    images = iter(unit.images)
    one = next(images, None)
    place = "" if unit.shard is None else unit.shard.where.place
    for image in read_unit(Unit(number=0, shard=unit.shard), sourcing):
        if one is None:
            return
        # Here the archive may be called by its whole path, and in the run as it was given.
        name = image.entry.image_id.removeprefix(place)
        if name != one.row.image_id.removeprefix(unit.archive):
            continue
        if one.decision.passed:
            if image.data is None:
                yield one, Reason("source:unreadable", str(image.error))
            else:
                _create(store, one.row.image_id, image.data)
                yield one, None
        one = next(images, None)
    while one is not None:
        if one.decision.passed:
            yield one, Reason("source:unreadable", "expected it in its archive, which lacks it now")
        one = next(images, None)


def _create(store: Store, image_id: str, data: bytes) -> None:
    for key in others(key_of(image_id, data[:16])):
        if store.create(_free(store, key), data, durable=False):
            return


def _free(store: Store, key: str) -> str:
    """The key, or one without folders where a file has the name of one of them."""
    if is_remote(store.address):
        return key
    path = Path(store.where(key))
    for parent in path.relative_to(store.address).parents:
        if (Path(store.address) / parent).is_file():
            return key.replace("/", "~")
    return key.replace("/", "~") if path.is_dir() else key


def link_unit(store: Store, unit: JudgedUnit) -> Iterator[tuple[Judged, Reason | None]]:
    """Make hard links to the images of a unit that pass, as :func:`copy_unit`."""
    for one in unit.images:
        if not one.decision.passed:
            continue
        entry = one.entry
        if entry is None or entry.where.kind != "file":
            yield one, Reason("source:no_file", "expected a local file to link to: use --copy")
            continue
        path = os.fsdecode(entry.where.raw) if entry.where.raw else entry.where.place
        try:
            about = os.stat(path)
            reason = replaced(entry, about.st_size)
            if reason is None:
                _link(store, one.row.image_id, path)
            yield one, reason
        except OSError as error:
            yield one, Reason("source:unreadable", f"cannot be linked to ({error.strerror})")


def _link(store: Store, image_id: str, path: str) -> None:
    with open(path, "rb") as file:
        head = file.read(16)
    for key in others(key_of(image_id, head)):
        target = Path(store.where(_free(store, key)))
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(os.path.realpath(path), target)
        except FileExistsError:
            continue
        return


def replaced(entry: Entry, size: int) -> Reason | None:
    """Why an image is not the one that was scored, as far as size and time of change tell."""
    where = entry.where
    if entry.size >= 0 and where.kind in ("file", "object") and size != entry.size:
        said = f"expected the {entry.size} bytes that were scored, got {size}"
        return Reason("source:replaced", said)
    if where.kind == "file" and entry.version:
        path = os.fsdecode(where.raw) if where.raw else where.place
        try:
            newer = str(os.stat(path).st_mtime_ns) != entry.version
        except OSError as error:
            return Reason("source:unreadable", f"cannot be read ({error.strerror})")
        if newer:
            return Reason("source:replaced", "expected the file that was scored, got a newer one")
    return None
