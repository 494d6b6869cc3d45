"""A folder of this machine, or of a network file system with hard links."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from physgauge.clients.storage.faults import said
from physgauge.clients.storage.store import Listed, Missing

ATTEMPTS: Final = "attempts"
"""The folder below the root in which files are written before they get their name."""


class LocalStore:
    """Files below a folder; see :class:`physgauge.clients.storage.store.Store`.

    An object gets its name by ``os.link``, which fails where the name is taken: of many callers, on one
    machine or on NFS, one wins.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.owner = "x"
        self._made: set[Path] = set()

    @property
    def address(self) -> str:
        """The root's path."""
        return str(self.root)

    def where(self, key: str) -> str:
        """See Store."""
        return str(self._path(key)) if key else str(self.root)

    def _path(self, key: str) -> Path:
        if not key or key.startswith("/") or ".." in key.split("/"):
            raise ValueError(f"expected a key such as a/b.c, got {key!r}")
        return self.root / key

    def make(self) -> None:
        """See Store."""
        with said(self.root, "made"):
            self.root.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> bytes:
        """See Store."""
        with self._reading(key) as path:
            return path.read_bytes()

    def read_range(self, key: str, start: int, end: int) -> bytes:
        """See Store."""
        with self._reading(key) as path, path.open("rb") as file:
            file.seek(start)
            return file.read(max(0, end - start))

    def open(self, key: str) -> BinaryIO:
        """See Store."""
        with self._reading(key) as path:
            return path.open("rb")

    @contextmanager
    def _reading(self, key: str) -> Iterator[Path]:
        path = self._path(key)
        with said(path, "read"):
            try:
                yield path
            except (FileNotFoundError, NotADirectoryError):
                raise Missing(str(path)) from None

    def create(self, key: str, data: bytes | Path, durable: bool = True) -> bool:
        """See Store."""
        path = self._path(key)
        with said(path, "written"):
            self._folder(path.parent)
            attempt = self._write(data, durable) if isinstance(data, bytes) else data
            try:
                if isinstance(data, Path) and durable:
                    _sync(data)
                return _link(attempt, path, durable)
            finally:
                with suppress(OSError):
                    attempt.unlink(missing_ok=True)

    def replace(self, key: str, data: bytes) -> None:
        """See Store."""
        path = self._path(key)
        with said(path, "written"):
            self._folder(path.parent)
            attempt = self._write(data, durable=True)
            try:
                attempt.replace(path)
            except BaseException:
                attempt.unlink(missing_ok=True)
                raise

    def delete(self, key: str) -> None:
        """See Store."""
        path = self._path(key)
        with said(path, "deleted"), suppress(FileNotFoundError, NotADirectoryError):
            path.unlink()

    def list(self, prefix: str) -> Iterator[Listed]:
        """See Store. What comes and goes meanwhile may be listed or not."""
        folder, _, name = prefix.rpartition("/")
        yield from self._walk(f"{folder}/" if folder else "", name)

    def _walk(self, folder: str, name: str) -> Iterator[Listed]:
        path = self.root / folder
        with said(path, "read"):
            try:
                entries = list(os.scandir(path))
            except (FileNotFoundError, NotADirectoryError):
                return
            # A folder sorts as its name with the slash, so that keys come in order.
            found = sorted(
                (os.fsencode(e.name + ("/" if e.is_dir() else "")), e)
                for e in entries
                if e.name.startswith(name)
            )
        for _, entry in found:
            key = folder + entry.name
            if entry.is_dir():
                yield from self._walk(f"{key}/", "")
            elif (one := _listed(key, Path(entry.path))) is not None:
                yield one

    def stat(self, key: str) -> Listed | None:
        """See Store."""
        path = self._path(key)
        with said(path, "read"):
            return _listed(key, path)

    def scratch(self, owner: str) -> Path:
        """See Store."""
        folder = self.root / ATTEMPTS
        with said(folder, "made"):
            self._folder(folder)
        return folder / f"{owner}.{secrets.token_hex(8)}"

    def _write(self, data: bytes, durable: bool) -> Path:
        attempt = self.scratch(self.owner)
        try:
            with attempt.open("xb") as file:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
        except BaseException:
            attempt.unlink(missing_ok=True)
            raise
        return attempt

    def _folder(self, path: Path) -> None:
        """Make a folder below the root. Not the root: where that has gone (an unmounted disk), rows must
        not go to what lies under it."""
        if path in self._made or path == self.root:
            return
        self._folder(path.parent)
        path.mkdir(exist_ok=True)
        _sync(path.parent)
        self._made.add(path)


def _listed(key: str, path: Path) -> Listed | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(found.st_mode):
        return None
    return Listed(key, found.st_size, str(found.st_mtime_ns))


def _link(attempt: Path, path: Path, durable: bool) -> bool:
    while True:
        try:
            os.link(attempt, path)
            break
        except FileExistsError:
            try:
                there = path.lstat()
            except FileNotFoundError:  # taken away since: a claim that was given back
                continue
            # NFS may say so of our own link, whose answer was lost on the way.
            if not os.path.samestat(attempt.stat(), there):
                return False
            break
    if durable:
        _sync(path.parent)
    return True


def _sync(path: Path) -> None:
    """Have a file's content, or a folder's names, outlive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems know no fsync of folders
            raise
    finally:
        os.close(descriptor)
