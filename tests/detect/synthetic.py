"""A tiny data set in the scene format: coloured shapes that stand for parts. For tests only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw

from physgauge.types import DOMAINS, PART_CLASSES, VIEWS

COLOURS = {"car.wheel": (20, 20, 20), "car.door": (200, 30, 30), "animal.eye": (250, 250, 60),
           "animal.leg": (120, 70, 20), "aircraft.wing": (70, 110, 230), "aircraft.engine": (230, 120, 20)}  # fmt: skip


def make(folder: Path, count: int, seed: int, size: tuple[int, int] = (320, 240)) -> Path:
    """Write `count` images of `size` (width, height) px with up to six shapes of one domain each."""
    rng = np.random.default_rng(seed)
    (folder / "images").mkdir(parents=True)
    rows = [_row(folder, index, rng, size) for index in range(count)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "truth.parquet")
    return folder


def _row(
    folder: Path, index: int, rng: np.random.Generator, size: tuple[int, int]
) -> dict[str, Any]:
    domain = (*DOMAINS, "none")[index % 4]
    image = Image.new("RGB", size, tuple(int(v) for v in rng.integers(120, 200, 3)))
    draw = ImageDraw.Draw(image)
    parts = []
    names = [name for name in COLOURS if name.startswith(domain)]
    for instance in range(int(rng.integers(2, 7)) if names else 0):
        name = names[int(rng.integers(len(names)))]
        w, h = (int(v) for v in rng.integers(12, 60, 2))
        x, y = int(rng.integers(0, size[0] - w)), int(rng.integers(0, size[1] - h))
        draw.rectangle((x, y, x + w - 1, y + h - 1), fill=COLOURS[name])
        parts.append(
            {"cls": name, "instance": instance, "x0": float(x), "y0": float(y), "x1": float(x + w),
             "y1": float(y + h), "visible_px": w * h, "visible_fraction": 1.0, "planted": False}
        )  # fmt: skip
    file = f"images/{index:06d}.png"
    image.save(folder / file)
    assert all(p["cls"] in PART_CLASSES for p in parts)
    view = VIEWS[1 + index % 5] if names else None
    return {"image_id": f"{index:06d}", "file": file, "domain": domain, "view": view,
            "violated": False, "parts": parts}  # fmt: skip
