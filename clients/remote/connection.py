"""One gRPC connection to one server: unary KServe calls. The only file here that knows gRPC.

Never one gRPC stream: a stream answers in order, so one slow image holds back all behind it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import grpc
import msgspec

from physgauge.clients.remote.address import Tls
from physgauge.clients.remote.faults import Blame, CallFailed, failure
from physgauge.clients.remote.kserve import INFER, READY, Call, is_ready, request, result
from physgauge.contract import TOKEN_HEADER
from physgauge.errors import ConfigError, RequestError

_OPTIONS: Final = [
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    # Every connection its own: a new one must not inherit a dead one's socket.
    ("grpc.use_local_subchannel_pool", 1),
    # Retries are ours, so that each is counted and goes where there is room.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # A peer that is gone without a word is noticed; servers allow a ping each 10 s.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
]


class Door(msgspec.Struct, frozen=True):
    """How connections of a client are opened."""

    credentials: Any
    """gRPC's; None = no TLS."""
    options: tuple[tuple[str, Any], ...]
    metadata: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, token: str | None, tls: Tls | None) -> Door:
        """From what a caller gives.

        Raises:
            ConfigError: a TLS file that cannot be read, or a token that is none.
        """
        if token is not None and not (token and all("!" <= c <= "~" for c in token)):
            raise ConfigError("token: expected visible ASCII characters, got others or none")
        metadata = () if token is None else ((TOKEN_HEADER, token),)
        if tls is None:
            return cls(None, (), metadata)
        credentials = grpc.ssl_channel_credentials(*tls.read())
        name = () if tls.name is None else (("grpc.ssl_target_name_override", tls.name),)
        return cls(credentials, name, metadata)


class Connection:
    """A connection and its calls.

    Args:
        address: ``host:port``.
        door: TLS and token.
    """

    def __init__(self, address: str, door: Door) -> None:
        options = [*_OPTIONS, *door.options]
        if door.credentials is None:
            self._channel = grpc.aio.insecure_channel(address, options)
        else:
            self._channel = grpc.aio.secure_channel(address, door.credentials, options)
        # Bytes in and out: `kserve` makes them with fewer copies than gRPC's stubs.
        self._infer: Any = self._channel.unary_unary(INFER)
        self._ready: Any = self._channel.unary_unary(READY)
        self._metadata = door.metadata
        self._calls: set[Any] = set()
        self._dropped = False  # `drop` was called
        self._closed = False

    async def problem(self, within_s: float) -> str | None:
        """Why the server cannot be talked to; None = it can."""
        try:
            answer = await self._ready(b"", timeout=within_s, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
                return f"no answer in {within_s:g} s"
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                return (error.details() or "unavailable")[:300]
            return None  # a server without health protocol is a server
        return None if is_ready(answer) else "it is not ready"

    async def score(self, call: Call, within_s: float) -> bytes:
        """The result row as JSON.

        Raises:
            CallFailed: why there is none.
        """
        if self._closed:  # between the lease and the call
            raise _moved()
        cancelled = _cancelling()
        pending = self._infer(request(call), timeout=within_s, metadata=self._metadata)
        self._calls.add(pending)
        try:
            return result(await pending, call.request_id)
        except grpc.aio.AioRpcError as error:
            raise failure(error.code().name, error.details() or "") from None
        except asyncio.CancelledError:
            if self._dropped and _cancelling() == cancelled:
                raise _moved() from None  # by `drop`, not by the caller
            pending.cancel()
            raise
        finally:
            self._calls.discard(pending)

    def drop(self) -> None:
        """Take back the calls in hand; `close` is still to come."""
        self._dropped = True
        for pending in list(self._calls):
            pending.cancel()

    @property
    def idle(self) -> bool:
        """Whether no call is in hand."""
        return not self._calls

    async def close(self) -> None:
        """Hang up."""
        self._closed = True
        self.drop()
        await self._channel.close()


def _cancelling() -> int:
    """How often the running task has been told to end."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _moved() -> CallFailed:
    what = "expected an answer, got a server that fell silent"
    return CallFailed(RequestError("unavailable", what), Blame.MOVED)
