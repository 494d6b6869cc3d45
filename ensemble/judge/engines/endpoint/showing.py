"""How a session's image gets to the server: encoded once, and sent once where the server keeps it."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from physgauge.ensemble.judge.engines.endpoint.completion import Read
from physgauge.ensemble.judge.engines.endpoint.pictures import data_url, encode
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings
from physgauge.ensemble.judge.engines.tasks import Tasks
from physgauge.types import U8

Part = dict[str, Any]
"""A part of a chat message."""


class Showing:
    """One image.

    Args:
        image: [H, W, 3] uint8 RGB.
        settings: format, limits.
        once: whether the server keeps images by name (vLLM's ``uuid``).
        tasks: of the session.
    """

    def __init__(self, image: U8, settings: EndpointSettings, once: bool, tasks: Tasks) -> None:
        self._image, self._settings, self._once, self._tasks = image, settings, once, tasks
        # Nobody else can know the name: another client's image could otherwise take its place.
        self._name = f"physgauge-{secrets.token_hex(16)}"
        self._first = asyncio.Lock()
        self._there = False
        self._encoding: asyncio.Task[msgspec.Raw | None] | None = None
        self.encode_s = 0.0
        """Seconds of processor time that encoding took."""

    async def ask(self, send: Callable[[Part], Awaitable[Read]], quick: bool) -> Read:
        """Send a request with the image, or with its name where the server has it.

        An image that can't be sent (too small, too many bytes) is `skipped`.

        Args:
            send: sends a request with this part of a message.
            quick: it is answered in a moment: others then wait for it, and go with the name.
        """
        if not self._once:
            return await self._whole(send)
        if not self._there and quick:
            async with self._first:  # one goes ahead with the image
                if not self._there:
                    return await self._whole(send)
        if not self._there:
            return await self._whole(send)
        read = await send({"type": "image_url", "image_url": None, "uuid": self._name})
        # Refused: its cache has lost the image.
        return await self._whole(send) if read.outcome == "blocked" else read

    async def _whole(self, send: Callable[[Part], Awaitable[Read]]) -> Read:
        if self._encoding is None:
            self._encoding = self._tasks.start(asyncio.to_thread(self._encoded))
        url = await asyncio.shield(self._encoding)
        if url is None:
            return Read("skipped")
        shown: Part = {"url": url}
        if self._settings.detail is not None:
            shown["detail"] = self._settings.detail
        name = {"uuid": self._name} if self._once else {}
        read = await send({"type": "image_url", "image_url": shown, **name})
        self._there = self._there or read.outcome == "answered"
        return read

    def _encoded(self) -> msgspec.Raw | None:
        """The data URL as a JSON string; None: it can't be sent."""
        s = self._settings
        if min(self._image.shape[:2]) < s.min_side_px:
            return None
        start = time.thread_time()
        encoded = encode(self._image, s.image, s.jpeg_quality)
        if len(encoded) > s.max_image_bytes:
            return None
        # Base64 needs no escaping: put into every request as it is.
        raw = msgspec.Raw(b'"' + data_url(encoded, s.image) + b'"')
        self.encode_s = time.thread_time() - start
        return raw
