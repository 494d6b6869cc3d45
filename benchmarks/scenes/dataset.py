"""A data set folder: images, COCO annotations and the truth table. The only user of pyarrow here."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from physgauge.errors import ConfigError
from physgauge.types import DOMAINS, PART_CLASSES

from .compose import Shot, shoot
from .render import Stage, check_platform
from .several import LIT, shoot_several

CHOICES: Final = ("all", *DOMAINS, "none")


@dataclass(frozen=True, slots=True)
class Order:
    """What to make."""

    domain: str
    count: int
    seed: int
    out: Path
    size: int = 320
    workers: int = 2
    violated: float = 0.5
    form: str = "jpeg"
    subjects: int = 1
    """Most subjects of an image; with more than 1, each has two at least."""

    def check(self) -> None:
        """Raises ConfigError when a field is out of range or the folder is in use."""
        if self.domain not in CHOICES:
            raise ConfigError(
                f"--domain: expected one of {', '.join(CHOICES)}, got {self.domain!r}"
            )
        if self.form not in ("jpeg", "png"):
            raise ConfigError(f"--format: expected jpeg or png, got {self.form!r}")
        for name, value, low, high in (
            ("count", self.count, 1, 10_000_000),
            ("seed", self.seed, 0, 2**63 - 1),
            ("size", self.size, 64, 2048),
            ("workers", self.workers, 1, 256),
            ("violated", self.violated, 0, 1),
            ("subjects", self.subjects, 1, 3),
        ):
            if not low <= value <= high:
                raise ConfigError(f"--{name}: expected {low} to {high}, got {value}")
        if self.subjects > 1 and self.domain == "none":
            raise ConfigError("--subjects: expected a domain that has subjects, got none")
        if self.out.exists() and (not self.out.is_dir() or any(self.out.iterdir())):
            raise ConfigError(
                f"--out: expected a new or empty folder, got {self.out} with files in it"
            )


_stage: Stage | None = None


def _start(size: int, several: bool) -> None:
    global _stage  # noqa: PLW0603 one render context per worker process
    _stage = Stage(size, lit=LIT) if several else Stage(size)


def _work(job: tuple[Order, list[int]]) -> list[tuple[int, Shot]]:
    order, indices = job
    assert _stage is not None
    out = []
    for i in indices:
        what = (order.seed, i, order.domain, order.violated, order.form)
        if order.subjects > 1:
            shot = shoot_several(_stage, *what, order.subjects)
        else:
            shot = shoot(_stage, *what)
        (order.out / file_name(i, order.form)).write_bytes(shot.data)
        out.append((i, shot))
    return out


def file_name(index: int, form: str) -> str:
    """Path of an image inside the data set."""
    return f"images/{index:06d}.{'jpg' if form == 'jpeg' else 'png'}"


def shots(order: Order) -> Iterator[tuple[int, Shot]]:
    """Makes the images (writing their files) and yields them in the order of their index."""
    (order.out / "images").mkdir(parents=True, exist_ok=True)
    step = 8
    jobs = [
        (order, list(range(i, min(i + step, order.count)))) for i in range(0, order.count, step)
    ]
    if order.workers == 1:
        _start(order.size, order.subjects > 1)
        for job in jobs:
            yield from _work(job)
        return
    with ProcessPoolExecutor(
        order.workers,
        get_context("spawn"),
        initializer=_start,
        initargs=(order.size, order.subjects > 1),
    ) as pool:
        for done in pool.map(_work, jobs):
            yield from done


def make(order: Order, quiet: bool = False) -> dict[str, Any]:
    """Writes the whole data set; returns counts and the rate for the summary line."""
    order.check()
    check_platform()
    start = time.perf_counter()
    rows: list[dict[str, Any]] = []
    coco = _coco_head(order)
    counts: Counter[str] = Counter()
    for i, shot in shots(order):
        rows.append(row(order, i, shot))
        _coco_add(coco, order, i, shot)
        counts[shot.domain] += 1
        counts["violated"] += shot.kind is not None
        if not quiet and (i + 1) % 100 == 0:
            rate = (i + 1) / (time.perf_counter() - start)
            left = (order.count - i - 1) / rate
            print(
                f"\r{i + 1}/{order.count} images, {rate:.1f}/s, {left:.0f} s left   ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    if not quiet:
        print(file=sys.stderr)
    (order.out / "annotations.json").write_text(json.dumps(coco))
    write_truth(rows, order.out / "truth.parquet")
    seconds = time.perf_counter() - start
    return {
        "images": order.count,
        "seconds": round(seconds, 1),
        "images_per_s": round(order.count / seconds, 1),
        **counts,
    }


def row(order: Order, index: int, shot: Shot) -> dict[str, Any]:
    """The truth table's row of an image."""
    truth: dict[str, Any] = {
        "image_id": f"{index:06d}",
        "file": file_name(index, order.form),
        "index": index,
        "seed": order.seed,
        "width": order.size,
        "height": order.size,
        "domain": shot.domain,
        "subtype": shot.subtype,
        "view": shot.view,
        "caption": shot.caption,
        "azimuth_deg": shot.azimuth,
        "elevation_deg": shot.elevation,
        "occluded": shot.occluded,
        "violated": shot.kind is not None,
        "kind": shot.kind,
        "planted_class": shot.planted_class,
        "detail": shot.detail,
        "parts": [
            {
                "cls": s.cls,
                "instance": s.instance,
                "x0": s.box[0],
                "y0": s.box[1],
                "x1": s.box[2],
                "y1": s.box[3],
                "visible_px": s.px,
                "visible_fraction": s.fraction,
                "planted": s.planted,
            }
            for s in shot.parts
        ],
    }
    if shot.subjects:
        truth["arrangement"] = shot.arrangement
        truth["subjects"] = list(shot.subjects)
        for part, owner in zip(truth["parts"], shot.subject_of, strict=True):
            part["subject"] = owner
    return truth


def write_truth(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes the truth table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    f32, i32, text = pa.float32(), pa.int32(), pa.string()
    several = any("subjects" in row for row in rows)
    part = pa.struct(
        [
            ("cls", text),
            ("instance", i32),
            ("x0", f32),
            ("y0", f32),
            ("x1", f32),
            ("y1", f32),
            ("visible_px", i32),
            ("visible_fraction", f32),
            ("planted", pa.bool_()),
            *([("subject", i32)] if several else []),
        ]
    )
    subject = pa.struct(
        [
            ("domain", text),
            ("subtype", text),
            ("view", text),
            ("azimuth_deg", f32),
            ("violated", pa.bool_()),
        ]
    )
    more = [("arrangement", text), ("subjects", pa.list_(subject))]
    schema = pa.schema(
        [
            ("image_id", text),
            ("file", text),
            ("index", pa.int64()),
            ("seed", pa.int64()),
            ("width", i32),
            ("height", i32),
            ("domain", text),
            ("subtype", text),
            ("view", text),
            ("caption", text),
            ("azimuth_deg", f32),
            ("elevation_deg", f32),
            ("occluded", pa.bool_()),
            ("violated", pa.bool_()),
            ("kind", text),
            ("planted_class", text),
            ("detail", text),
            ("parts", pa.list_(part)),
            *(more if several else []),
        ]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path, compression="zstd")


def _coco_head(order: Order) -> dict[str, Any]:
    categories = [
        {"id": i + 1, "name": c, "supercategory": c.split(".")[0]}
        for i, c in enumerate(PART_CLASSES)
    ]
    info = {
        "description": "physgauge rendered scenes",
        "seed": order.seed,
        "domain": order.domain,
        "violated": order.violated,
    }
    return {"info": info, "images": [], "annotations": [], "categories": categories}


def _coco_add(coco: dict[str, Any], order: Order, index: int, shot: Shot) -> None:
    image = {
        "id": index,
        "file_name": file_name(index, order.form),
        "width": order.size,
        "height": order.size,
    }
    coco["images"].append({**image, "domain": shot.domain, "view": shot.view})
    for s in shot.parts:
        x0, y0, x1, y1 = s.box
        coco["annotations"].append(
            {
                "id": len(coco["annotations"]) + 1,
                "image_id": index,
                "category_id": PART_CLASSES.index(s.cls) + 1,
                "bbox": [x0, y0, x1 - x0, y1 - y0],
                "area": s.px,
                "iscrowd": 0,
                "visible_fraction": round(s.fraction, 4),
            }
        )
