"""A store as the file system that DuckDB reads from: only the files of one run, and only to read."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.clients.storage import Store

SCHEME: Final = "physgauge-run"
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Rows of a run never change under their name."""


def file_system(store: Store, keys: Mapping[str, str]) -> Any:
    """An fsspec file system in which ``physgauge-run://NAME`` is an object of the store.

    Args:
        store: where the objects lie.
        keys: name to key; nothing else is there.

    Raises:
        EnvironmentProblem: fsspec is missing.
    """
    try:
        from fsspec.spec import AbstractFileSystem
    except ImportError:
        raise EnvironmentProblem(
            "queries of runs in object stores need fsspec: pip install 'physgauge[bulk]'"
        ) from None

    class Files(AbstractFileSystem):  # type: ignore[misc]
        protocol = SCHEME
        cachable = False

        def _key(self, path: str) -> str:
            key = keys.get(str(self._strip_protocol(path)))
            if key is None:
                raise FileNotFoundError(errno.ENOENT, "no file of this run", path)
            return key

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            found = store.stat(self._key(path))
            if found is None:
                raise FileNotFoundError(errno.ENOENT, "gone since the run was opened", path)
            return {"name": self._strip_protocol(path), "size": found.size, "type": "file"}

        def modified(self, path: str) -> datetime:
            return _LONG_AGO

        def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
            if mode != "rb":
                raise PermissionError(errno.EPERM, "a run is only read", path)
            return store.open(self._key(path))

    return Files()
