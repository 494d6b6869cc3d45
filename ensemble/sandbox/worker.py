"""The worker process: decode what lies in a slot, write the pixels beside it, answer.

Started by `process.py` in a fresh interpreter; imports numpy, msgspec and Pillow only.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import socket
from functools import partial

import msgspec
import numpy as np

from physgauge.config import DecodeLimits
from physgauge.ensemble.sandbox.protocol import (
    Hello,
    Layout,
    Reply,
    Start,
    layout,
    receive_job,
    send_message,
)
from physgauge.orphans import die_with
from physgauge.types import U8


def main(argument: str) -> None:
    """Serve jobs until the parent is gone.

    Args:
        argument: a :class:`Start` as JSON.
    """
    start = msgspec.json.decode(argument, type=Start)
    die_with(start.parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The arena is a shared mapping and does not count as data; an address-space limit would count it.
    most = start.limits.worker_memory_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    link = socket.socket(fileno=start.socket_fd)
    shape = layout(start.limits)
    arena = mmap.mmap(start.arena_fd, shape.total_bytes)
    _serve(link, _Slots(arena, shape), start.limits)
    os._exit(0)


class _Slots:
    """The arena, where only the pixels of the image in hand can be written.

    The others may be in a caller's hands already: a decoder that writes astray dies of it."""

    def __init__(self, arena: mmap.mmap, shape: Layout) -> None:
        self._arena, self._shape = arena, shape
        self._protect = ctypes.CDLL(None, use_errno=True).mprotect
        self._protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(arena))
        self._open: tuple[int, int] | None = None
        self._allow(self._address, shape.total_bytes, mmap.PROT_READ)

    def encoded(self, slot: int, size: int) -> bytes:
        """What is to be decoded."""
        at = slot * self._shape.slot_bytes + self._shape.pixel_bytes
        return self._arena[at : at + size]

    def place(self, slot: int, height: int, width: int) -> U8:
        """Where its pixels go: writable until `shut`."""
        at = slot * self._shape.slot_bytes
        self._open = self._address + at, 3 * height * width
        self._allow(*self._open, mmap.PROT_READ | mmap.PROT_WRITE)
        return np.ndarray((height, width, 3), dtype=np.uint8, buffer=self._arena, offset=at)

    def shut(self) -> None:
        """Nothing can be written."""
        if self._open:
            self._allow(*self._open, mmap.PROT_READ)
            self._open = None

    def _allow(self, address: int, size: int, what: int) -> None:
        if self._protect(address, size, what):
            raise OSError(ctypes.get_errno(), "mprotect")


def _serve(link: socket.socket, slots: _Slots, limits: DecodeLimits) -> None:
    from PIL import Image

    from physgauge.ensemble.pixels.policy import decode_pixels
    from physgauge.errors import ImageError

    Image.MAX_IMAGE_PIXELS = None  # sizes are checked by the policy, before Pillow sees the data
    send_message(link, Hello(ready=True))
    while (job := receive_job(link)) is not None:
        number, slot, size = job
        try:
            image = decode_pixels(slots.encoded(slot, size), limits, partial(slots.place, slot))
            reply = Reply(
                job=number,
                width=image.width,
                height=image.height,
                format=image.format,
                sha256=image.sha256,
                warnings=list(image.warnings),
                decoder=image.decoder,
            )
        except ImageError as error:
            reply = Reply(job=number, code=error.code, message=error.message)
        except MemoryError:
            reply = Reply(
                job=number,
                code="decode_crashed",
                message="expected an image that decodes in "
                f"{limits.worker_memory_bytes / 2**20:,.0f} MiB, got one that needs more",
            )
        except Exception as error:  # one image's fault of ours must not take the worker down
            reply = Reply(
                job=number,
                code="internal",
                message=f"expected pixels or a known error, got {type(error).__name__}",
            )
        slots.shut()
        send_message(link, reply)
