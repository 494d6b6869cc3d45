"""Messages between a coordinator and its worker processes: msgpack over a socket pair.

Both are ours and of one version. Images from anyone are decoded in other processes still
(`ensemble/sandbox`), so what comes from a worker is taken at its word.
"""

from __future__ import annotations

import socket
import struct
import threading
from typing import Any, Final

import msgspec

from physgauge.bulk.watch.events import AnyEvent
from physgauge.bulk.work import GivenUp, RowMade, Setup, Task

_LENGTH: Final = struct.Struct("<I")
_READ: Final = 1 << 18


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message to a worker: load models for this; where to work is said later."""

    setup: Setup
    worker: str


class Open(msgspec.Struct, frozen=True, tag=True):
    """The run folder is there: this is where to work."""

    setup: Setup


class Do(msgspec.Struct, frozen=True, tag=True):
    """Here is a task."""

    task: Task


class Nothing(msgspec.Struct, frozen=True, tag=True):
    """There is no task; `over`: nor will there be."""

    over: bool


class Finish(msgspec.Struct, frozen=True, tag=True):
    """Commit what can be committed within `within_s`, give the rest up, and end."""

    within_s: float


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker's models are loaded."""


class Want(msgspec.Struct, frozen=True, tag=True):
    """A task, please; `wait`: answer when there is one, or it is over."""

    wait: bool


class Broke(msgspec.Struct, frozen=True, tag=True):
    """The worker ends here, on something that it has in hand."""

    how: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The worker cannot go on, and nor could another: a wrong profile, no room on the disk."""

    kind: str
    """"config" or "environment", else "fault"."""
    message: str


ToWorker = Begin | Open | Do | Nothing | Finish
FromWorker = AnyEvent | RowMade | GivenUp | Ready | Want | Broke | Failed


class Channel:
    """One end. Sending is safe from several threads; it never waits where `wait` is False.

    Args:
        link: the socket.
        expects: type of what comes in (`ToWorker` or `FromWorker`).
        wait: whether to wait until a message has been handed over (workers), or keep what the other side
            does not take (the coordinator must not hang on a worker that stands still).
    """

    def __init__(self, link: socket.socket, expects: Any, *, wait: bool) -> None:
        self._link, self._wait = link, wait
        link.setblocking(wait)
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(expects)
        self._lock = threading.Lock()
        self._out, self._in = bytearray(), bytearray()

    def fileno(self) -> int:
        """For `selectors`."""
        return self._link.fileno()

    @property
    def unsent(self) -> bool:
        """Whether `flush` has something to do."""
        return bool(self._out)

    def send(self, message: ToWorker | FromWorker) -> None:
        """Hand a message over.

        Raises:
            OSError: nobody is there any more.
        """
        body = self._encoder.encode(message)
        with self._lock:
            if self._wait:
                self._link.sendall(_LENGTH.pack(len(body)) + body)
                return
            self._out += _LENGTH.pack(len(body)) + body
            self._send()

    def flush(self) -> None:
        """Send what was kept, as far as it is taken.

        Raises:
            OSError: as `send`.
        """
        with self._lock:
            self._send()

    def _send(self) -> None:
        try:
            while self._out:
                del self._out[: self._link.send(self._out)]
        except BlockingIOError:
            pass

    def receive(self) -> list[Any] | None:
        """What has come, as far as it is whole; None: nothing has. A channel that waits does so until
        something has.

        Raises:
            EOFError: the other side is gone, and nothing is left of what it said.
        """
        try:
            part = self._link.recv(_READ)
        except BlockingIOError:
            return None
        except OSError:
            part = b""
        if not part:
            raise EOFError
        self._in += part
        found, at = [], 0
        while len(self._in) - at >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._in, at)
            end = at + _LENGTH.size + size
            if len(self._in) < end:
                break
            found.append(self._decoder.decode(bytes(self._in[at + _LENGTH.size : end])))
            at = end
        del self._in[:at]
        return found

    def close(self) -> None:
        """Hang up."""
        self._link.close()
