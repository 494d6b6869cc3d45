"""A set of pairs on disk, and judges that know the truth or do not."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from physgauge import wire
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.selftest.pairs import Truth

CATEGORIES = ("contact_state", "optical_effect", "relative_scale")


def truth(pairs: int = 60, others: int = 12) -> list[dict[str, Any]]:
    """The table of a set, as docs/pairs.md has it (the columns that matter here)."""
    rows: list[dict[str, Any]] = []
    for k in range(pairs):
        category, severity = CATEGORIES[k % 3], ("major", "minor")[k // 3 % 2]
        for twin in ("violated", "clean"):
            bad = twin == "violated"
            rows.append({
                "pair": k, "twin": twin, "category": category if bad else None,
                "pair_category": category, "severity": severity if bad else None,
                "pair_severity": severity, "eligible": True, "family": None,
                **dict.fromkeys(("x0", "y0"), 4.0 if bad else None),
                **dict.fromkeys(("x1", "y1"), 20.0 if bad else None),
            })  # fmt: skip
    for _ in range(others):
        rows.append({
            "pair": None, "twin": "other", "category": None, "pair_category": None, "severity": None,
            "pair_severity": None, "eligible": False, "family": "layout",
            "x0": None, "y0": None, "x1": None, "y1": None,
        })  # fmt: skip
    named = [{"image_id": f"{n:06d}", "file": f"images/{n:06d}.jpg"} for n in range(len(rows))]
    return [{**name, **row, "mask": None} for name, row in zip(named, rows, strict=True)]


def written(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """The set as files; each picture has a colour of its own."""
    (folder / "images").mkdir(parents=True)
    for n, row in enumerate(rows):
        out = io.BytesIO()
        image = np.full((64, 64, 3), (3 * n) % 256, np.uint8)
        Image.fromarray(image).save(out, "JPEG")
        (folder / row["file"]).write_bytes(out.getvalue())
    pq.write_table(pa.Table.from_pylist(list(rows)), folder / "truth.parquet")
    return folder


def records(rows: Sequence[dict[str, Any]]) -> list[Truth]:
    """The same without files."""
    fields = [name for name in Truth.__struct_fields__ if name != "box"]
    return [Truth(**{name: row[name] for name in fields}) for row in rows]


Says = Callable[[Truth, str], wire.Answer]


def answered(
    p: float, major: float | None = None, severity: wire.Severity | None = None
) -> wire.Answer:
    """An answer with probabilities."""
    return wire.Answer(
        outcome="answered", answer=p >= 0.5, p_yes=p, p_major=major, severity=severity
    )


def judged(
    some: Sequence[Truth], says: Says, eligible: Callable[[Truth], float]
) -> list[wire.TerraVis]:
    """What such a judge's rows would have."""
    looks = []
    for one in some:
        p = eligible(one)
        looks.append(Look(
            "onepass", wire.Eligible(answer=p >= 0.5, p=p, outcome="answered"),
            {name: says(one, name) for name in CATEGORIES},
        ))  # fmt: skip
    return terravis_of(looks, Counting())


def oracle(one: Truth, name: str) -> wire.Answer:
    """Knows it."""
    yes = one.category == name
    major = float(one.severity == "major") if yes else None
    return answered(float(yes), major)
