"""The committed example images: picked by eye from one seed, made again by this command."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Final

from physgauge.errors import ConfigError

from .compose import shoot
from .dataset import Order, row
from .render import Stage

SEED: Final = 2026
VIOLATED: Final = 0.6
SIZE: Final = 320
PICKS: Final[dict[str, tuple[int, ...]]] = {
    "aircraft": (9, 2, 43, 30, 49, 51, 50, 19),
    "car": (16, 8, 60, 25, 66, 21, 71, 15),
    "animal": (20, 5, 49, 39, 28, 76, 50, 79),
}
"""Indices per domain; every second one is violated."""


def write_examples(out: Path) -> int:
    """Writes 24 JPEG files, captions.csv (file, caption) and truth.json; returns the number of images.

    Raises:
        ConfigError: `out` holds files other than earlier examples.
    """
    strangers = [p.name for p in out.glob("*") if p.suffix not in (".jpg", ".csv", ".json", ".md")]
    if strangers:
        raise ConfigError(f"--out: expected a folder of examples, got {out} with {strangers[0]!r}")
    out.mkdir(parents=True, exist_ok=True)
    stage = Stage(SIZE)
    truth: list[dict[str, Any]] = []
    for domain, indices in PICKS.items():
        order = Order(domain, 1, SEED, out, SIZE, violated=VIOLATED)
        for k, index in enumerate(indices):
            shot = shoot(stage, SEED, index, domain, VIOLATED, "jpeg")
            name = f"{domain}_{k + 1:02d}"
            (out / f"{name}.jpg").write_bytes(shot.data)
            truth.append({**row(order, index, shot), "image_id": name, "file": f"{name}.jpg"})
    stage.close()
    with (out / "captions.csv").open("w", newline="", encoding="utf-8") as f:
        table = csv.writer(f, lineterminator="\n")
        table.writerow(["file", "caption"])
        table.writerows([t["file"], t["caption"]] for t in truth)
    lines = ",\n".join(json.dumps(t) for t in truth)
    (out / "truth.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return len(truth)
