"""The messages between a lane and its worker, and the layout of the memory they share.

The worker may have been taken over by the image it decodes, so what it sends is parsed strictly, into
these types only, and never unpickled.
"""

from __future__ import annotations

import socket
import struct
import time
from typing import Annotated, Final

import msgspec

from physgauge.config import DecodeLimits

SLOTS: Final = 2
"""Images at a worker: one being decoded, one to go on with. Memory is only taken where it is written."""
LENT: Final = 6
"""Images more of a worker's that the caller may hold in the arena; beyond that, pixels are copied."""
_PAGE: Final = 65_536  # a multiple of every page size in use
_LENGTH: Final = struct.Struct("<I")
_MAX_MESSAGE: Final = 65_536
_JOB: Final = struct.Struct("<QIQ")


class Layout(msgspec.Struct, frozen=True):
    """Sizes in the arena, bytes: each slot holds pixels, then encoded data."""

    pixel_bytes: int
    encoded_bytes: int

    @property
    def slot_bytes(self) -> int:
        """One slot."""
        return self.pixel_bytes + self.encoded_bytes

    @property
    def total_bytes(self) -> int:
        """The whole arena."""
        return (SLOTS + LENT) * self.slot_bytes


def layout(limits: DecodeLimits) -> Layout:
    """The arena that has room for whatever `limits` accept."""

    def pages(size: int) -> int:
        return -(-size // _PAGE) * _PAGE

    return Layout(pages(3 * limits.max_pixels), pages(limits.max_encoded_bytes))


class Start(msgspec.Struct, frozen=True):
    """The worker's argument."""

    limits: DecodeLimits
    arena_fd: int
    socket_fd: int
    parent: int
    """Process id of the parent, to notice when it is gone already."""


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First message of a worker that is ready."""

    ready: bool


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a job: an error code and message, or where `code` is None an image in its slot."""

    job: int
    code: str | None = None
    message: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    width: int = 0
    height: int = 0
    format: str = ""
    sha256: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    warnings: list[Annotated[str, msgspec.Meta(max_length=1000)]] = []
    decoder: Annotated[str, msgspec.Meta(max_length=1000)] = ""


def send_job(link: socket.socket, job: int, slot: int, size: int) -> None:
    """Tell the worker that `size` encoded bytes lie in `slot`."""
    link.sendall(_JOB.pack(job, slot, size))


def receive_job(link: socket.socket) -> tuple[int, int, int] | None:
    """The next job's number, slot and size; None when the parent is gone."""
    data = b""
    while len(data) < _JOB.size:
        part = link.recv(_JOB.size - len(data))
        if not part:
            return None
        data += part
    job, slot, size = _JOB.unpack(data)
    return job, slot, size


def send_message(link: socket.socket, message: Hello | Reply) -> None:
    """Send one message to the parent."""
    body = msgspec.json.encode(message)
    link.sendall(_LENGTH.pack(len(body)) + body)


class Inbox:
    """The parent's end: whole messages out of the socket's bytes, within a time."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._bytes = bytearray()

    def next(self, timeout_s: float) -> bytes | None:
        """The next message, or None when time is up first.

        Raises:
            EOFError: the worker is gone, or sent something that is no message.
        """
        until = time.monotonic() + timeout_s
        while True:
            if len(self._bytes) >= _LENGTH.size:
                (size,) = _LENGTH.unpack_from(self._bytes)
                if size > _MAX_MESSAGE:
                    raise EOFError
                end = _LENGTH.size + size
                if len(self._bytes) >= end:
                    message = bytes(self._bytes[_LENGTH.size : end])
                    del self._bytes[:end]
                    return message
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._link.settimeout(left)
            try:
                part = self._link.recv(_MAX_MESSAGE)
            except TimeoutError:
                return None
            except OSError:
                raise EOFError from None
            if not part:
                raise EOFError
            self._bytes += part
