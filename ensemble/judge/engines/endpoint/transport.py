"""HTTP to one server (the only file that imports httpx): no redirects, no more of an answer than wanted,
no secrets in messages."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import httpx

from physgauge.errors import ConfigError

CHUNK: Final = 2**16


class NoAnswer(Exception):
    """The connection broke or stayed silent; `sent` says whether the server may have seen the request."""

    def __init__(self, what: str, sent: bool) -> None:
        super().__init__(what)
        self.sent = sent


class TooLarge(Exception):
    """The answer went past the limit."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes
    retry_after: str | None
    location: str | None
    """Where a redirect points to: scheme and host only."""


class Transport:
    """A pool of connections to one server. It binds to the event loop it is first used in."""

    def __init__(
        self,
        headers: dict[str, str],
        *,
        connections: int,
        connect_s: float,
        read_s: float,
        max_answer_bytes: int,
        ca_file: str | None = None,
        proxy: str | None = None,
    ) -> None:
        try:
            verify = ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError):
            raise ConfigError(f"ca_file: expected certificates (PEM), got {ca_file}") from None
        self._limit = max_answer_bytes
        self._read_s = read_s
        try:
            self._client = httpx.AsyncClient(
                # Compressed answers could grow past any limit on their way out of the decoder.
                headers={**headers, "Accept-Encoding": "identity"},
                verify=verify,
                proxy=proxy,
                trust_env=False,
                follow_redirects=False,
                timeout=httpx.Timeout(read_s, connect=connect_s, pool=None),
                limits=httpx.Limits(
                    max_connections=connections, max_keepalive_connections=connections
                ),
            )
        except (ValueError, httpx.InvalidURL) as error:
            raise ConfigError(
                f"proxy or headers: cannot be used ({type(error).__name__})"
            ) from None

    async def get(self, url: str) -> Answer:
        """As :meth:`post`."""
        return await self._send("GET", url, None)

    async def post(self, url: str, body: bytes) -> Answer:
        """Send JSON, get what comes.

        Args:
            url: whole, on the one server.
            body: JSON.

        Raises:
            NoAnswer: no connection, a broken one, or one that stays silent.
            TooLarge: more bytes than the limit.
        """
        return await self._send("POST", url, body)

    async def _send(self, method: str, url: str, body: bytes | None) -> Answer:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            # httpx's read limit is for each piece: a server that drips would never meet it.
            async with (
                asyncio.timeout(self._read_s),
                self._client.stream(method, url, content=body, headers=headers) as response,
            ):
                return Answer(
                    response.status_code,
                    await self._body(response),
                    response.headers.get("retry-after"),
                    _place(response.headers.get("location")),
                )
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise NoAnswer(f"no connection ({type(error).__name__})", sent=False) from None
        except TimeoutError:
            raise NoAnswer(f"no whole answer within {self._read_s:g} s", sent=True) from None
        except httpx.HTTPError as error:  # its text may hold the URL: the kind is enough
            raise NoAnswer(f"broken connection ({type(error).__name__})", sent=True) from None

    async def _body(self, response: httpx.Response) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise NoAnswer("an encoded answer that nobody asked for", sent=True)
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_raw(CHUNK):
            size += len(part)
            if size > self._limit:
                raise TooLarge(f"expected at most {self._limit} bytes, got more")
            parts.append(part)
        return b"".join(parts)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Transport:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _place(location: str | None) -> str | None:
    if location is None:
        return None
    parts = urlsplit(location)
    return f"{parts.scheme}://{parts.hostname}" if parts.hostname else "another path of it"
