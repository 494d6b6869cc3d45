"""From an address to a store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from physgauge.clients.storage.local import LocalStore
from physgauge.clients.storage.store import Store
from physgauge.errors import ConfigError

REMOTE: Final = ("s3", "gs", "az", "memory")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_remote(address: str | Path) -> bool:
    """Whether it is ``scheme://...`` and not a path of this machine."""
    found = _SCHEME.match(str(address))
    return found is not None and found[1].lower() != "file"


def open_store(address: str | Path) -> Store:
    """The store at a path, ``file://``, ``s3://bucket/prefix``, ``gs://``, ``az://`` or ``memory://name``.

    Nothing is asked of it yet. Endpoint, region and credentials of object stores come from their usual
    environment variables (docs/bulk.md).

    Raises:
        ConfigError: another scheme, an address without a bucket, or none.
        EnvironmentProblem: the package for object stores is missing.
    """
    text = str(address)
    found = _SCHEME.match(text)
    if not text:  # a variable of a shell that is not set: never the current folder
        raise ConfigError("expected a folder or s3://BUCKET/PREFIX, got an empty text")
    if found is None:
        return LocalStore(Path(address))
    scheme = found[1].lower()
    rest = text[found.end() :]
    if scheme == "file":
        return LocalStore(Path("/" + rest.lstrip("/")))
    if scheme not in REMOTE:
        known = ", ".join(f"{one}://" for one in REMOTE)
        raise ConfigError(f"{text}: expected a path or one of {known}; got {scheme}://")
    bucket, _, prefix = rest.partition("/")
    if not bucket:
        raise ConfigError(f"{text}: expected {scheme}://BUCKET/PREFIX, got no bucket")
    from physgauge.clients.storage.objects import ObjectStore

    return ObjectStore(scheme, bucket, prefix.strip("/"))


def locate(address: str | Path) -> tuple[Store, str]:
    """The store of one object's folder (of its bucket, elsewhere), and the object's key in it.

    Raises:
        ConfigError: an address that names no object.
    """
    text = str(address)
    if not is_remote(text):
        path = Path(text.removeprefix("file://"))
        if not path.name:
            raise ConfigError(f"{text}: expected a file's address, got a folder's")
        return LocalStore(path.parent), path.name
    scheme, _, rest = text.partition("://")
    bucket, _, key = rest.partition("/")
    if not key.strip("/"):
        raise ConfigError(f"{text}: expected {scheme}://BUCKET/KEY, got no key")
    return open_store(f"{scheme}://{bucket}"), key.strip("/")
