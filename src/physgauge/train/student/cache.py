"""Images decoded once: what the network sees of each, as one file of bytes that processes share."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from physgauge.ensemble.letterbox import letterbox
from physgauge.errors import ConfigError
from physgauge.types import U8


def pixels(files: Sequence[Path], size: int, folder: Path) -> U8:
    """[N, size, size, 3] letterboxed RGB of image files, mapped from a file in `folder` that is named by
    what it holds and written at first use.

    Raises:
        ConfigError: a file that cannot be read as an image.
    """
    path = folder / f"pixels-{_key(files, size)}.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".{os.getpid()}")
        shape = (len(files), size, size, 3)
        made = np.lib.format.open_memmap(aside, mode="w+", dtype=np.uint8, shape=shape)
        for file, square in zip(files, made, strict=True):
            letterbox(read(file), size, square)
        made.flush()
        del made
        aside.replace(path)
    stored: U8 = np.load(path, mmap_mode="r")
    return stored


def read(file: Path) -> U8:
    """[H, W, 3] of an image file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with Image.open(file) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError) as error:
        kind = type(error).__name__
        raise ConfigError(
            f"{file}: expected an image, got one that cannot be read ({kind})"
        ) from None


def _key(files: Sequence[Path], size: int) -> str:
    """Of names, sizes and times of the files."""
    digest = hashlib.sha256(str(size).encode())
    for file in files:
        try:
            state = file.stat()
        except OSError as error:
            raise ConfigError(f"{file}: cannot be read ({error.strerror})") from None
        digest.update(f"{file.resolve()}\0{state.st_size}\0{state.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]
