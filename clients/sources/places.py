"""Addresses: local paths, objects of a store, URLs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from physgauge.clients.files import name_of
from physgauge.clients.sources.records import Kind, Where
from physgauge.clients.storage import Store, is_remote, open_store
from physgauge.errors import ConfigError, EnvironmentProblem

WEB: Final = ("http://", "https://")
HASHED_AT_ONCE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """One file, wherever it lies, and what is known of it."""

    kind: Kind
    """``file``, ``object`` or ``web``."""
    text: str
    """Path as the system has it (bytes that are not UTF-8 escaped by surrogates), or the address."""
    size: int = -1
    version: str = ""

    @property
    def name(self) -> str:
        """As text for rows and messages."""
        return name_of(self.text) if self.kind == "file" else self.text

    def where(self) -> Where:
        """As plain data."""
        raw = raw_of(self.text) if self.kind == "file" else b""
        return Where(self.kind, self.name, raw)


def place_of(where: Where, size: int = -1, version: str = "") -> Place:
    """The file that a `Where` lies in (a cell's table, a member's archive)."""
    kind: Kind = where.kind
    if kind in ("cell", "member", "none"):
        kind = kind_of(where.place)
    return Place(kind, os.fsdecode(where.raw) if where.raw else where.place, size, version)


def raw_of(path: str) -> bytes:
    """The bytes of a local path that is not UTF-8; empty for all others."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return b""


def kind_of(address: str) -> Kind:
    """``web``, ``object`` or ``file``."""
    if address.lower().startswith(WEB):
        return "web"
    return "object" if is_remote(address) else "file"


def local(path: str) -> Place:
    """A local path with its size and mtime; both unknown where there is no such file."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return Place("file", path)
    return Place("file", path, about.st_size, str(about.st_mtime_ns))


def file_states(paths: Sequence[Any]) -> tuple[Any, Any]:
    """Size in bytes and mtime in ns of local files; -1 where there is no such file. int64 [N] each"""
    import numpy as np

    stat, sizes, mtimes = os.stat, [], []
    for path in paths:
        try:
            about = stat(path)
        except (OSError, ValueError):  # ValueError: a name that no file can have
            sizes.append(-1)
            mtimes.append(-1)
        else:
            sizes.append(about.st_size)
            mtimes.append(about.st_mtime_ns)
    return np.array(sizes, dtype=np.int64), np.array(mtimes, dtype=np.int64)


@lru_cache(maxsize=64)
def bucket(scheme: str, name: str) -> Store:
    """The store of a bucket, kept open."""
    return open_store(f"{scheme}://{name}")


def object_of(address: str) -> tuple[Store, str]:
    """Store and key of ``s3://bucket/key``.

    Raises:
        ConfigError: no bucket, no key, or a scheme that no store has.
    """
    scheme, _, rest = address.partition("://")
    name, _, key = rest.partition("/")
    if not name or not key.strip("/"):
        raise ConfigError(f"{address:.300}: expected {scheme}://BUCKET/KEY")
    return bucket(scheme.lower(), name), key.strip("/")


def bucket_of(address: str) -> str:
    """``s3://bucket`` of an address in a store; scheme, host and port of a URL."""
    parts = urlsplit(address)
    return f"{parts.scheme.lower()}://{parts.netloc}"


def about(place: Place) -> Place | None:
    """The place with size and version as they are now; None: there is nothing there."""
    if place.kind == "file":
        found = local(place.text)
        return None if found.size < 0 else found
    if place.kind == "web":
        return place
    store, key = object_of(place.text)
    listed = store.stat(key)
    return None if listed is None else Place("object", place.text, listed.size, listed.version)


def read_range(place: Place, start: int, end: int) -> bytes:
    """Bytes start to end (exclusive) of a local file or object.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        if place.kind == "file":
            with open(place.text, "rb") as file:
                file.seek(start)
                return file.read(end - start)
        store, key = object_of(place.text)
        return store.read_range(key, start, end)
    except OSError as error:
        raise ConfigError(f"{place.name}: cannot be read ({error.strerror})") from None
    except KeyError as error:
        raise ConfigError(f"{place.name}: cannot be read ({error})") from None
    except EnvironmentProblem as error:
        raise ConfigError(str(error)) from None


def digest(place: Place) -> str:
    """SHA-256 of a local file (hex); an object's etag; empty for anything else.

    Raises:
        ConfigError: it cannot be read.
    """
    if place.kind != "file":
        return place.version
    hashed = hashlib.sha256()
    try:
        with open(place.text, "rb") as file:
            while block := file.read(HASHED_AT_ONCE):
                hashed.update(block)
    except OSError as error:
        raise ConfigError(f"{place.name}: cannot be read ({error.strerror})") from None
    return hashed.hexdigest()
