"""A pair set in the format of docs/pairs.md, drawn of plain shapes: small enough for tests.

    python -m tests.student.make_set DIR --count PAIRS --seed S

A scene is a few coloured discs on a ground; a category's violation is a black square with a hole of a colour
of its own, pasted somewhere, so that a network can learn it in seconds. Images that are not eligible are
stripes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from physgauge.train.student.layout import FAMILIES, probe_ids
from physgauge.types import U8


def scene(rng: np.random.Generator, size: int) -> Image.Image:
    """Discs on a ground."""
    image = Image.new("RGB", (size, size), tuple(int(x) for x in rng.integers(120, 230, 3)))
    draw = ImageDraw.Draw(image)
    for _ in range(5):
        x, y, r = (int(v) for v in rng.integers(20, size - 20, 3))
        r = 8 + r % 30
        draw.ellipse((x - r, y - r, x + r, y + r), tuple(int(c) for c in rng.integers(60, 255, 3)))
    return image


def plant(
    image: Image.Image, category: int, major: bool, rng: np.random.Generator
) -> tuple[Image.Image, tuple[int, int, int, int]]:
    """The violation, in the middle if it is major, near the border if not."""
    size, side = image.width, 48
    edge = size - side
    x, y = (int(v) for v in rng.integers(edge // 3, 2 * edge // 3, 2))
    if not major:
        x = int(rng.choice([8, edge - 8]))
    hue = tuple(int(c) for c in np.random.default_rng(category).integers(0, 255, 3))
    twin = image.copy()
    draw = ImageDraw.Draw(twin)
    draw.rectangle((x, y, x + side, y + side), (0, 0, 0))
    draw.rectangle((x + 12, y + 12, x + side - 12, y + side - 12), hue)
    return twin, (x, y, x + side, y + side)


def stripes(rng: np.random.Generator, size: int, family: int) -> Image.Image:
    """Not eligible."""
    rows = (np.arange(size) // (6 + 4 * family) % 2)[:, None, None] * 255
    tint = rng.integers(60, 255, 3)
    pixels: U8 = np.broadcast_to(rows * (tint / 255.0), (size, size, 3)).astype(np.uint8)
    return Image.fromarray(np.ascontiguousarray(pixels))


def cells(box: tuple[int, int, int, int], size: int) -> bytes:
    """Share of each of 16 x 16 cells that a box covers, times 255."""
    edges = np.arange(17) * size / 16

    def along(low: int, high: int) -> np.ndarray[Any, Any]:
        shared = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
        return np.asarray(np.clip(shared, 0, None) / (size / 16))

    covered = np.outer(along(box[1], box[3]), along(box[0], box[2]))
    return bytes(np.round(255 * covered).astype(np.uint8).tobytes())


def make(folder: Path, count: int, seed: int, size: int = 320, split: str = "train") -> None:
    """Write a set of `count` pairs and a third as many images that are not eligible."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    probes = probe_ids()
    (folder / "images").mkdir(parents=True)
    rows: list[dict[str, Any]] = []

    def keep(image: Image.Image, **row: Any) -> None:
        index = len(rows)
        name = f"images/{index:06d}.jpg"
        image.save(folder / name, quality=95)
        blank: dict[str, Any] = dict.fromkeys(
            ("pair", "base", "recipe", "category", "pair_category", "severity", "pair_severity", "family",
             "detail", "x0", "y0", "x1", "y1", "mask")
        )  # fmt: skip
        rows.append(
            blank | {
                "image_id": f"s{seed}-{index}", "file": name, "index": index, "seed": seed, "width": size,
                "height": size, "style": "plain", "split": split, "eligible": True,
                "novel_base": split == "held_out" and index % 4 < 2,
                "novel_recipe": split == "held_out" and index % 8 < 4,
            } | row
        )  # fmt: skip

    for pair in range(count):
        rng = np.random.default_rng((seed, pair))
        category, major = pair % len(probes), bool(rng.random() < 0.5)
        clean = scene(rng, size)
        twin, box = plant(clean, category, major, rng)
        shared = {
            "pair": pair, "base": "discs", "recipe": f"square_{category}", "pair_category": probes[category],
            "pair_severity": "major" if major else "minor",
        }  # fmt: skip
        x0, y0, x1, y1 = (float(v) for v in box)
        keep(
            twin, twin="violated", category=probes[category], severity=shared["pair_severity"],
            x0=x0, y0=y0, x1=x1, y1=y1, mask=cells(box, size), detail="a square", **shared,
        )  # fmt: skip
        keep(clean, twin="clean", **shared)
    for other in range(max(1, count // 3)):
        family = other % len(FAMILIES)
        rng = np.random.default_rng((seed, 1, other))
        picture = stripes(rng, size, family)
        keep(picture, twin="other", eligible=False, family=FAMILIES[family])
    schema = pa.schema(
        [("pair", pa.int64()), ("mask", pa.binary())]
        + [(n, pa.string()) for n in ("image_id", "file", "twin", "base", "recipe", "category", "pair_category",
                                      "severity", "pair_severity", "family", "style", "split", "detail")]
        + [(n, pa.int64()) for n in ("index", "seed", "width", "height")]
        + [(n, pa.bool_()) for n in ("eligible", "novel_base", "novel_recipe")]
        + [(n, pa.float64()) for n in ("x0", "y0", "x1", "y1")]
    )  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / "truth.parquet")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="train")
    given = parser.parse_args()
    make(given.folder, given.count, given.seed, split=given.split)
