"""The decode stage: encoded bytes to :class:`Decoded` pixels, by the pixel policy (`pixels/policy.py`).

:class:`Decoder` runs it in worker processes that can be killed (`sandbox/`), for images from anyone;
:func:`decode_pixels` runs it here, for images one trusts. Both give the same pixels and the same errors,
except that only the sandbox has a time limit, a memory limit, and survives a crash of the decoder.

    with Decoder(workers=2) as decoder:
        for image in decoder.decode_many(read(path) for path in paths):
            ...  # Decoded or ImageError, in order
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Self

from physgauge.config import MAX_WORKERS, DecodeLimits
from physgauge.ensemble.pixels.header import read_header
from physgauge.ensemble.pixels.record import Decoded, pixel_sha256
from physgauge.ensemble.sandbox.lanes import Job, Jobs, Lane
from physgauge.errors import ConfigError, ImageError

__all__ = ["Decoded", "Decoder", "decode_pixels", "pixel_sha256"]

Encoded = bytes | bytearray | memoryview


def decode_pixels(data: Encoded, limits: DecodeLimits | None = None) -> Decoded:
    """Decode one image in this process; nothing can stop it early. Needs Pillow.

    Raises:
        ImageError: with the code that says what is wrong.
    """
    from physgauge.ensemble.pixels import policy

    return policy.decode_pixels(_as_bytes(data), limits)


class Decoder:
    """Decodes in worker processes. Thread-safe; use as a context manager.

    A worker that takes longer than `limits.base_s` + `limits.per_mpx_s` per megapixel (of processor time,
    so that a busy machine changes no result; on the clock eight times that), that crashes or is killed
    costs the image in hand, which gets `decode_timeout` or `decode_crashed`; no other image is touched.
    """

    def __init__(self, limits: DecodeLimits | None = None, workers: int = 0) -> None:
        """Start the workers; they get ready while the caller goes on.

        Args:
            limits: what is accepted; None for the defaults.
            workers: processes; 0 = one per core, at most 4.
        """
        if not 0 <= workers <= MAX_WORKERS:
            raise ConfigError(f"workers: expected 0 to {MAX_WORKERS}, got {workers}")
        self._limits = limits or DecodeLimits()
        self._process = os.getpid()
        self._jobs = Jobs()
        count = workers or min(4, len(os.sched_getaffinity(0)))
        self._lanes = [Lane(self._jobs, self._limits, f"decode-{n}") for n in range(count)]
        for lane in self._lanes:
            lane.start()
        # Also at exit, and when the owner forgot to close.
        self._closing = weakref.finalize(self, _close, self._jobs, self._lanes, True)

    @property
    def workers(self) -> int:
        """How many worker processes decode."""
        return len(self._lanes)

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """Process ids of the workers alive, for monitoring."""
        return tuple(pid for lane in self._lanes if (pid := lane.pid) is not None)

    def submit(self, data: Encoded) -> Future[Decoded]:
        """Start decoding; the future ends in the image or an ImageError.

        The queue has no bound of its own: callers bound what they have in flight (`decode_many` does).

        Raises:
            RuntimeError: the decoder is closed, or belongs to the process this one was forked from.
        """
        return self.start(data)[0]

    def start(self, data: Encoded) -> tuple[Future[Decoded], int]:
        """As `submit`, with the bytes that the pixels will take (0 for an image refused at once), for a
        caller who bounds memory.

        Raises:
            RuntimeError: as `submit`.
        """
        if os.getpid() != self._process:
            raise RuntimeError(
                "expected a Decoder made in this process, got one from before a fork"
            )
        future: Future[Decoded] = Future()
        encoded = _as_bytes(data)
        try:
            header = read_header(encoded, self._limits)
        except ImageError as error:
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return future, 0
        self._jobs.put(Job(encoded, header, future))
        return future, 3 * header.width * header.height

    def decode(self, data: Encoded) -> Decoded:
        """Decode one image and wait for it.

        Raises:
            ImageError: with the code that says what is wrong.
            EnvironmentProblem: no worker can be started.
        """
        return self.submit(data).result()

    def decode_many(
        self, items: Iterable[Encoded], window: int | None = None
    ) -> Iterator[Decoded | ImageError]:
        """Decode images in order; errors are yielded in their image's place.

        Args:
            items: encoded images; read only as far ahead as the window.
            window: images in flight or waiting to be taken; None for 4 per worker.

        Raises:
            EnvironmentProblem: no worker can be started.
            Whatever `items` raises, after the images before it.
        """
        size = 4 * self.workers if window is None else window
        if size < 1:
            raise ConfigError(f"window: expected 1 or more, got {size}")
        return self._in_order(iter(items), size)

    def _in_order(self, source: Iterator[Encoded], size: int) -> Iterator[Decoded | ImageError]:
        pending: deque[Future[Decoded]] = deque()
        failure: Exception | None = None
        open_ended = True
        try:
            while True:
                while open_ended and len(pending) < size:
                    try:
                        pending.append(self.submit(next(source)))
                    except StopIteration:
                        open_ended = False
                    except Exception as error:
                        failure, open_ended = error, False
                if not pending:
                    break
                yield _result(pending.popleft())
            if failure is not None:
                raise failure
        finally:
            for future in pending:
                future.cancel()

    def close(self, cancel: bool = False) -> None:
        """End the workers once the submitted images are done; with `cancel`, at once.

        Args:
            cancel: the futures of images not done yet end in CancelledError.
        """
        _close(self._jobs, self._lanes, cancel)
        self._closing.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(cancel=kind is not None)


def _close(jobs: Jobs, lanes: list[Lane], cancel: bool) -> None:
    jobs.close(cancel)
    for lane in lanes if cancel else ():
        lane.stop()
    for lane in lanes:
        lane.join()


def _result(future: Future[Decoded]) -> Decoded | ImageError:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, ImageError):
        return error
    raise error


def _as_bytes(data: Encoded) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"expected bytes, got {type(data).__name__}")
