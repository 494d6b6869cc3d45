"""Small images of which no two are equal, in the shapes that bulk inputs have."""

from __future__ import annotations

import csv
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import numpy as np
from PIL import Image

from physgauge.clients.table import arrow

Kind = Literal["tar", "parquet", "folder"]
KINDS: Final[tuple[Kind, ...]] = ("tar", "parquet", "folder")
SIDE: Final = 96
_BLOCKS: Final = 8
_CAPTIONS: Final = (
    "a red sedan at the side of the road", "a jet with two engines over the sea", "a dog with four legs",
    "a bird on a fence", "an aircraft", "a car with four wheels",
)  # fmt: skip


def picture(number: int, seed: int = 0) -> bytes:
    """A JPEG of blocks around a colour of its own."""
    random = np.random.default_rng((seed, number))
    colour = random.integers(40, 216, 3)
    blocks = random.integers(-40, 41, (_BLOCKS, _BLOCKS, 3)) + colour
    pixels = np.kron(
        np.clip(blocks, 0, 255).astype(np.uint8), np.ones((SIDE // _BLOCKS,) * 2 + (1,))
    )
    data = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(data, "JPEG", quality=80)
    return data.getvalue()


def caption(number: int) -> str:
    """What stands beside it."""
    return _CAPTIONS[number % len(_CAPTIONS)]


def pictures(numbers: range, seed: int = 0) -> Iterator[tuple[str, bytes, str]]:
    """Id, bytes and caption."""
    for number in numbers:
        yield f"{number:08d}", picture(number, seed), caption(number)


def make_inputs(
    folder: Path, count: int, kind: Kind, per_file: int = 512, seed: int = 0
) -> list[str]:
    """Write them, `per_file` a file; returns arguments of ``physgauge score``."""
    folder.mkdir(parents=True, exist_ok=True)
    captions = folder / "captions.csv"
    for file, first in enumerate(range(0, count, per_file)):
        some = pictures(range(first, min(first + per_file, count)), seed)
        match kind:
            case "tar":
                _tar(folder / f"{file:06d}.tar", some)
            case "parquet":
                _parquet(folder / f"{file:06d}.parquet", some)
            case "folder":
                _folder(folder / "images" / f"{file:06d}", some, captions)
    if kind == "folder":
        return [str(folder / "images"), "--captions", str(captions)]
    return [str(folder / f"*.{kind}")]


def _tar(path: Path, some: Iterator[tuple[str, bytes, str]]) -> None:
    with tarfile.open(path, "w") as tar:
        for name, data, text in some:
            for ending, content in ((".jpg", data), (".txt", text.encode())):
                member = tarfile.TarInfo(name + ending)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _parquet(path: Path, some: Iterator[tuple[str, bytes, str]]) -> None:
    names, images, captions = zip(*some, strict=True)
    pa = arrow()
    table = pa.table({"id": names, "image": pa.array(images, pa.binary()), "caption": captions})
    pa.parquet.write_table(table, path, row_group_size=128)


def _folder(folder: Path, some: Iterator[tuple[str, bytes, str]], captions: Path) -> None:
    folder.mkdir(parents=True)
    new = not captions.exists()
    with captions.open("a", newline="") as file:
        lines = csv.writer(file)
        if new:
            lines.writerow(["image", "caption"])
        for name, data, text in some:
            (folder / f"{name}.jpg").write_bytes(data)
            lines.writerow([f"{folder.name}/{name}.jpg", text])
