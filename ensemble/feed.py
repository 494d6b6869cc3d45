"""The feed: items to pixels through the decode workers, in order, a bounded number ahead."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace

from physgauge.config import Profile
from physgauge.ensemble.captions.parser import check_caption
from physgauge.ensemble.decode import Decoded, Decoder
from physgauge.errors import ImageError, InputError
from physgauge.types import Item

AHEAD_BYTES = 256 * 2**20
"""Bytes ahead of the detector, encoded and as pixels; one image more than this is still taken, alone."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """An item that can be scored."""

    item: Item
    """With its caption checked."""
    decoded: Decoded
    decode_ms: float
    """From handing it to the workers to its pixels, the queue included."""

    @property
    def size(self) -> int:
        """Bytes of pixels."""
        return int(self.decoded.rgb.nbytes)


@dataclass(frozen=True, slots=True)
class Broken:
    """An item that cannot be scored, and why."""

    item: Item
    error: InputError
    size: int = 0
    """Bytes of pixels: none."""


@dataclass(frozen=True, slots=True)
class Known:
    """An item that has been decoded and needs no more: the caller has what is to be said about it."""

    item: Item
    width: int
    height: int
    sha256: str
    """Of the pixels."""
    warnings: tuple[str, ...]
    decoder: str
    decode_ms: float
    size: int = 0
    """Bytes of pixels: they have gone."""

    @classmethod
    def of(cls, pixels: Pixels) -> Known:
        """Without its pixels."""
        one = pixels.decoded
        return cls(
            pixels.item, one.width, one.height, one.sha256, one.warnings, one.decoder, pixels.decode_ms,
        )  # fmt: skip


class _Started:
    """An item on its way."""

    def __init__(self, item: Item, pending: Future[Decoded] | InputError, size: int = 0) -> None:
        self._item = item
        self._pending = pending
        self.size = size
        self._begun = self._done = time.perf_counter()
        if isinstance(pending, Future):
            pending.add_done_callback(self._stamp)

    def _stamp(self, _: Future[Decoded]) -> None:
        self._done = time.perf_counter()

    def finish(self) -> Pixels | Broken:
        if isinstance(self._pending, InputError):
            return Broken(self._item, self._pending)
        try:
            decoded = self._pending.result()
        except ImageError as error:
            return Broken(self._item, error)
        return Pixels(self._item, decoded, 1000 * (self._done - self._begun))

    def cancel(self) -> None:
        if isinstance(self._pending, Future):
            self._pending.cancel()


class Feed:
    """Decodes items in worker processes; use as a context manager.

    Args:
        profile: limits and batch size.
        workers: decode processes; 0 = one per core, at most 4.
    """

    def __init__(self, profile: Profile, workers: int) -> None:
        self._profile = profile
        self._decoder = Decoder(profile.decode, workers)
        # Enough in flight that the workers stay busy while the detector has a full batch.
        self._window = profile.run.batch_size + 2 * self._decoder.workers

    def decode(self, items: Iterable[Item]) -> Iterator[Pixels | Broken]:
        """Pixels or an error for every item, in order."""
        source = iter(items)
        waiting: deque[_Started] = deque()
        ahead, more = 0, True
        try:
            while True:
                while more and len(waiting) < self._window and ahead < AHEAD_BYTES:
                    item = next(source, None)
                    if item is None:
                        more = False
                        break
                    waiting.append(self._start(item))
                    ahead += waiting[-1].size
                if not waiting:
                    return
                ahead -= waiting[0].size
                yield waiting.popleft().finish()
        finally:
            for started in waiting:
                started.cancel()

    def _start(self, item: Item) -> _Started:
        """Hand the bytes to a worker; the item goes on without them."""
        light = replace(item, data=None)
        if item.error is not None:
            return _Started(light, item.error)
        try:
            caption = check_caption(item.caption, self._profile.pcmde.max_caption_chars)
        except InputError as error:
            return _Started(replace(light, caption=None), error)
        if item.data is None:
            return _Started(
                light, ImageError("image_unreadable", "expected encoded bytes, got none")
            )
        pending, pixel_bytes = self._decoder.start(item.data)
        return _Started(replace(light, caption=caption), pending, len(item.data) + pixel_bytes)

    def close(self) -> None:
        """Stop the workers."""
        self._decoder.close(cancel=True)


def without_known(
    decoded: Iterable[Pixels | Broken], known: Callable[[Pixels], bool]
) -> Iterator[Pixels | Broken | Known]:
    """The same, in order; images that are known go on without their pixels."""
    for one in decoded:
        yield Known.of(one) if isinstance(one, Pixels) and known(one) else one
