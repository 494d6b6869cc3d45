"""Any iterable of inputs as an async one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np

_END: Final = object()


def check(images: Any) -> AsyncIterable[Any] | Iterable[Any]:
    """The inputs.

    Raises:
        TypeError: one image in place of many, or nothing that can be gone through.
    """
    one = isinstance(images, str | bytes | bytearray | memoryview | os.PathLike | tuple)
    array = isinstance(images, np.ndarray) and images.ndim != 4
    if one or array or not isinstance(images, AsyncIterable | Iterable):
        raise TypeError(
            "images: expected an iterable or async iterable of images, got one "
            f"{type(images).__name__}: put a single image into a list"
        )
    return images


async def each(images: AsyncIterable[Any] | Iterable[Any]) -> AsyncGenerator[Any]:
    """The inputs, one by one. An iterator is advanced in one thread of its own, since it may take its
    time; lists and arrays are not."""
    if isinstance(images, AsyncIterable):
        async for one in images:
            yield one
        return
    if isinstance(images, Sequence | np.ndarray):
        for one in images:
            yield one
        return
    thread = ThreadPoolExecutor(1, "physgauge-input")
    loop, iterator = asyncio.get_running_loop(), iter(images)
    try:
        while (one := await loop.run_in_executor(thread, next, iterator, _END)) is not _END:
            yield one
    finally:
        thread.shutdown(wait=False, cancel_futures=True)
