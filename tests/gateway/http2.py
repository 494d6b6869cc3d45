"""A caller who speaks HTTP/2 by hand: gRPC's own clients send whole messages, and answer pings."""

from __future__ import annotations

import asyncio
import struct
from typing import Final, Self

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload  # fmt: skip


def headers(path: str, more: dict[str, str] | None = None) -> bytes:
    """A gRPC call's, in HPACK without compression."""
    fields = {
        ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc", **(more or {}),
    }  # fmt: skip
    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields.items())


def text(value: str) -> bytes:
    data = value.encode()
    assert len(data) < 127
    return bytes([len(data)]) + data


class Caller:
    """A connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, address: str) -> Self:
        host, _, port = address.rpartition(":")
        made = cls(*await asyncio.open_connection(host, int(port)))
        made.writer.write(PREFACE + frame(SETTINGS, 0, 0, b""))
        return made

    async def call(self, path: str, stream: int = 1, more: dict[str, str] | None = None) -> None:
        self.writer.write(frame(HEADERS, 4, stream, headers(path, more)))
        await self.writer.drain()

    async def data(self, payload: bytes, stream: int = 1) -> None:
        self.writer.write(frame(DATA, 0, stream, payload))
        await self.writer.drain()

    async def until(self, *kinds: int, within_s: float = 10.0) -> tuple[int, int, bytes] | None:
        """The next frame of these kinds (kind, stream, payload); None = the connection is over."""
        async with asyncio.timeout(within_s):
            while True:
                try:
                    head = await self._reader.readexactly(9)
                    payload = await self._reader.readexactly(int.from_bytes(head[:3], "big"))
                except (asyncio.IncompleteReadError, ConnectionError):
                    return None
                if head[3] in kinds:
                    return head[3], int.from_bytes(head[5:], "big"), payload

    def close(self) -> None:
        self.writer.close()
