"""The records of the sources: plain data (msgspec) that travels to worker processes and Ray actors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from physgauge.errors import InputError

Kind = Literal["file", "object", "web", "cell", "member", "none"]
"""Where an entry's bytes lie: a local file, an object of a store, a URL, a cell of a table, a member of a
tar archive; `none`: nowhere, and the entry's fault says why."""


class Where(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where the bytes of one entry lie."""

    kind: Kind
    place: str = ""
    """Path or URL of the file; of the table or archive for `cell` and `member`."""
    raw: bytes = b""
    """The path's bytes if they are not UTF-8 (`place` then shows them escaped)."""
    item: str = ""
    """`cell`: the column of the bytes (``image``, or ``image.bytes`` in a struct). `member`: its name."""
    group: int = -1
    """`cell`: the row group (Parquet) or record batch (Arrow) in the file, from 0."""
    row: int = -1
    """`cell`: the row in its group, from 0."""


class Fault(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Why an entry cannot be scored, known before its bytes are read."""

    code: str
    """A key of :data:`physgauge.errors.ERROR_CODES`."""
    message: str

    def error(self) -> InputError:
        """As the exception that becomes the entry's row."""
        return InputError(self.code, self.message)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One input image of a run; each gets one row, in this order."""

    image_id: str
    """As given, else made from where it lies. May come twice in an input: the later ones say so in
    `warning`."""
    source: str
    """Where the bytes lie, for people: a path, a URL, ``shard.tar/000017.png``, ``part.parquet#17``."""
    origin: str
    """What named it, for messages: ``list.csv:12``, or as `source`."""
    where: Where
    caption: str | None = None
    domain: str | None = None
    """What the manifest says the image shows; None = the run's own choice."""
    extra: dict[str, str] = {}
    """Carried columns; null ones left out."""
    size: int = -1
    """Bytes when the plan was made; -1 = not known."""
    version: str = ""
    """mtime in ns (local) or etag (stores) when the plan was made; empty = not known."""
    warning: str | None = None
    """For the row's warnings."""
    fault: Fault | None = None


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A tar archive of samples: what is in it is known when it is read."""

    where: Where
    """`file`, `object` or `web`."""
    size: int = -1
    version: str = ""
    warning: str | None = None
    """For the rows of all of its entries."""


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """What is worked and committed together: listed entries, or one tar archive."""

    number: int
    """From 0, in input order."""
    entries: list[Entry] = []
    shard: Shard | None = None
    """Set: `entries` is empty, and :func:`read_unit` finds them."""

    @property
    def count(self) -> int | None:
        """Number of entries; None = known when the archive has been read."""
        return None if self.shard is not None else len(self.entries)


@dataclass(frozen=True, slots=True)
class Loaded:
    """One entry with its bytes, or with what is wrong. Exactly one of `data` and `error` is set."""

    entry: Entry
    data: bytes | None
    error: InputError | None = None


class Sourcing(msgspec.Struct, frozen=True, kw_only=True):
    """How inputs are looked for and read; plain data, goes with the units."""

    unit_size: int = 512
    """Entries in a unit."""
    root: str | None = None
    """What relative paths in manifests start from; None = the manifest's folder."""
    allow_hosts: tuple[str, ...] = ()
    """``host``, ``host:port`` or ``*.domain`` that http(s) may be read from; ``s3://bucket`` (any store)
    that rows of a manifest may name though the manifest lies elsewhere."""
    captions: str | None = None
    """Caption file (:mod:`physgauge.clients.captions`) for loose images."""
    most_bytes: int = 192 << 20
    """Of one image."""
    most_text_bytes: int = 1 << 20
    """Of one caption or JSON member of an archive, and of one line of a list."""
    fetchers: int = 4
    """Threads that fetch remote images ahead."""
    ahead_bytes: int = 64 << 20
    """What they may hold, apart from the image that is waited for."""
    timeout_s: float = 60.0
    """For one image from a URL, all tries together."""
