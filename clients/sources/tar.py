"""Members of a tar archive as a stream: bounded memory, nothing run, nothing followed, and an archive
that ends early is noticed.

ustar, GNU long names and pax headers are read; ``tarfile`` itself stops without a word at a header that
is cut, and keeps every member in memory.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Final, Literal, Protocol

from physgauge.clients.sources.lines import opened
from physgauge.clients.sources.places import Place

BLOCK: Final = 512
MAX_HEADER: Final = 1 << 20
"""Bytes of a long name or a pax header."""
GZIP: Final = 31
"""zlib's window bits for data with a gzip header."""
PACKED_AT_ONCE: Final = 1 << 18
_SKIP_AT_ONCE: Final = 1 << 20

MemberKind = Literal["file", "link", "other"]


class Damaged(Exception):
    """The archive ends early or is broken; says where.

    Args:
        what: one sentence.
        packed: it is the gzip data that is.
    """

    def __init__(self, what: str, packed: bool = False) -> None:
        super().__init__(what)
        self.packed = packed


@dataclass(frozen=True, slots=True)
class Member:
    """One member that is no folder."""

    name: str
    kind: MemberKind
    size: int
    at: int
    """Of its header in the (unpacked) archive, in bytes."""


class Readable(Protocol):
    """What an archive is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""
        ...


class Archive:
    """Walks through an archive; :meth:`read` before the next member, or its content is passed over."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._at = 0
        self._left = 0
        """Bytes of the current member, and its padding, that are still to come."""
        self._padding = 0

    def __iter__(self) -> Iterator[Member]:
        """The members in order.

        Raises:
            Damaged: a header or content that is cut or broken, or no end mark.
        """
        shared: dict[str, str] = {}
        own: dict[str, str] = {}
        ended = False
        while True:
            self._skip()
            at = self._at
            try:
                block = self._take(BLOCK, "a header or the end mark")
                if not block.strip(b"\0"):
                    ended = True
                    continue
                info = self._header(block, at)
            except Damaged as error:
                # Archives may be joined end to end; what else follows an end mark is none of them.
                if ended and not error.packed:
                    return
                raise
            ended = False
            if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
                text = self._extra(info, at).rstrip(b"\0").decode("utf-8", "surrogateescape")
                if info.type == tarfile.GNUTYPE_LONGNAME:
                    own["path"] = text
                continue
            if info.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.XGLTYPE):
                given = _pax(self._extra(info, at), at)
                (shared if info.type == tarfile.XGLTYPE else own).update(given)
                continue
            said = {**shared, **own}
            own = {}
            size = _size(said, info, at)
            # Links and devices have no content, whatever their size says.
            self._expect(size if info.isreg() or info.type not in tarfile.SUPPORTED_TYPES else 0)
            if info.isdir():
                continue
            link = info.issym() or info.islnk()
            whole = info.isreg() and not info.issparse() and "GNU.sparse.major" not in said
            kind: MemberKind = "link" if link else "file" if whole else "other"
            yield Member(said.get("path", info.name), kind, size, at)

    def read(self) -> bytes:
        """The current member's content (look at its size first).

        Raises:
            Damaged: it is cut.
        """
        size = self._left - self._padding
        data = self._take(size, "the rest of a member")
        self._left -= size
        return data

    def _expect(self, size: int) -> None:
        self._padding = -size % BLOCK
        self._left = size + self._padding

    def _skip(self) -> None:
        while self._left:
            part = self._take(min(self._left, _SKIP_AT_ONCE), "the rest of a member")
            self._left -= len(part)

    def _take(self, size: int, what: str) -> bytes:
        try:
            data = self._file.read(size)
            while len(data) < size and (more := self._file.read(size - len(data))):
                data += more
        except (EOFError, zlib.error) as error:
            reason = "ends early" if isinstance(error, EOFError) else "is not what was packed"
            raise Damaged(
                f"the packed data {reason} at byte {self._at} of the unpacked archive", packed=True
            ) from None
        if len(data) < size:
            raise Damaged(f"the archive ends at byte {self._at + len(data)}; expected {what}")
        self._at += size
        return data

    def _header(self, block: bytes, at: int) -> tarfile.TarInfo:
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise Damaged(f"expected a tar header at byte {at} ({error})") from None
        if info.size < 0:
            raise Damaged(f"expected a tar header at byte {at} (a size below 0)")
        return info

    def _extra(self, info: tarfile.TarInfo, at: int) -> bytes:
        if info.size > MAX_HEADER:
            raise Damaged(f"expected a header of at most {MAX_HEADER} bytes at byte {at}")
        self._expect(info.size)
        return self.read()


def _pax(data: bytes, at: int) -> dict[str, str]:
    """Records ``LENGTH KEY=VALUE\\n``."""
    found: dict[str, str] = {}
    while data.strip(b"\0"):
        number, _, rest = data.partition(b" ")
        length = int(number) if number.isdigit() and len(number) < 8 else 0
        record, data = rest[: max(0, length - len(number) - 1)], data[length:]
        key, equals, value = record.partition(b"=")
        if not length or not equals or not record.endswith(b"\n"):
            raise Damaged(f"expected a pax header at byte {at}")
        found[key.decode("utf-8", "replace")] = value[:-1].decode("utf-8", "surrogateescape")
    return found


def _size(said: dict[str, str], info: tarfile.TarInfo, at: int) -> int:
    text = said.get("size")
    if text is None:
        return info.size
    if not text.isdigit() or len(text) > 18:
        raise Damaged(f"expected a size in the pax header at byte {at}, got {text!r:.40}")
    return int(text)


class Unpacked:
    """gzip as a stream. Unlike ``gzip.GzipFile`` it gives out all that can be unpacked of data that is
    cut, before it says so."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._packed = b""
        self._unzip = zlib.decompressobj(GZIP)
        self._begun = False

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end.

        Raises:
            EOFError: the packed data ends early.
            zlib.error: it is damaged.
        """
        while size:  # zlib takes 0 for "without limit"
            if self._unzip.eof:  # one gzip stream may follow another; zeros pad the last
                self._packed = self._unzip.unused_data
                self._unzip, self._begun = zlib.decompressobj(GZIP), False
            if not self._begun:
                self._packed = self._packed.lstrip(b"\0")
            self._packed = self._packed or self._file.read(PACKED_AT_ONCE)
            if not self._packed:
                if not self._begun:
                    return b""
                if out := self._unzip.decompress(b"", size):
                    return out
                raise EOFError
            if not self._begun and not self._packed.strip(b"\0"):
                continue
            self._begun = True
            out = self._unzip.decompress(self._packed, size)
            self._packed = self._unzip.unconsumed_tail
            if out:
                return out
        return b""


@contextmanager
def open_archive(place: Place) -> Iterator[Archive]:
    """An archive, unpacked on the way if it begins as gzip does.

    Raises:
        ConfigError: it cannot be read.
    """
    with opened(place) as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not packed:
            yield Archive(file)
            return
        yield Archive(Unpacked(file))
