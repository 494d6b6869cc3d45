"""What a run folder, or a source, needs of the place it lies in: local disk or an object store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


class Missing(KeyError):
    """No object has that key."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address

    def __str__(self) -> str:
        return f"{self.address}: expected a file, got none"


@dataclass(frozen=True, slots=True)
class Listed:
    """One object of a listing."""

    key: str
    """Below the store's root, parts joined by ``/``."""
    size: int
    """Bytes."""
    version: str
    """Another one when the object was written again: mtime in ns on a disk, the ETag elsewhere. Only
    ever compared for equality: clocks jump."""


class Store(Protocol):
    """Objects under one root. Keys are ``a/b.c``: never empty, no leading ``/``, no ``..``.

    A store may be used by several threads. It is not carried to another process: open it there again by
    its ``address``. Every method raises EnvironmentProblem, with the object's address and the reason,
    where the store can't do what it is asked (full, read-only, refused, unreachable after retries).
    """

    owner: str
    """Who writes, for names of files half written: a session's token, or ``x``."""

    @property
    def address(self) -> str:
        """What :func:`open_store` takes: a path, or ``s3://bucket/prefix``."""
        ...

    def where(self, key: str) -> str:
        """The object's full address, for people and messages."""
        ...

    def make(self) -> None:
        """Make the root folder, where stores have folders."""
        ...

    def get(self, key: str) -> bytes:
        """The whole object.

        Raises:
            Missing: there is none.
        """
        ...

    def read_range(self, key: str, start: int, end: int) -> bytes:
        """Bytes start up to end (exclusive); fewer where the object ends before.

        Raises:
            Missing: there is none.
        """
        ...

    def open(self, key: str) -> BinaryIO:
        """A seekable file to read from, for formats that hop about (Parquet, tar).

        Raises:
            Missing: there is none.
        """
        ...

    def create(self, key: str, data: bytes | Path, durable: bool = True) -> bool:
        """Make an object that does not exist yet: whole or not at all, and by one caller only.

        Args:
            key: the object's.
            data: its content; a Path (of a scratch file of this store) is moved. Content should hold
                something that no other caller writes: after a doubtful answer the object is read back,
                and is ours if it equals ``data``.
            durable: it outlives a power cut once this returns.

        Returns:
            False: the object exists already, and somebody else made it.
        """
        ...

    def replace(self, key: str, data: bytes) -> None:
        """Write an object, over what was there; readers see the old or the new one, whole."""
        ...

    def delete(self, key: str) -> None:
        """Take an object away; no error where there is none."""
        ...

    def list(self, prefix: str) -> Iterator[Listed]:
        """The objects whose keys start with the prefix, at any depth, sorted by key (as bytes)."""
        ...

    def stat(self, key: str) -> Listed | None:
        """What a listing says of one object; None: there is none."""
        ...

    def scratch(self, owner: str) -> Path | None:
        """A new name for a file that :meth:`create` can then move in; None: memory has to do.

        Args:
            owner: begins the name, so that leftovers can be told whose they are.
        """
        ...
