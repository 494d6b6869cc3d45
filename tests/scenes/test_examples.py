"""The committed example images: complete, small, half of them violated."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from PIL import Image

from physgauge.types import DOMAINS, PART_CLASSES

FOLDER = Path(__file__).parents[2] / "examples" / "scenes"


def test_examples_are_complete_and_half_violated() -> None:
    truth = json.loads((FOLDER / "truth.json").read_text(encoding="utf-8"))
    with (FOLDER / "captions.csv").open(newline="", encoding="utf-8") as f:
        captions = list(csv.DictReader(f))
    files = sorted(p.name for p in FOLDER.glob("*.jpg"))
    assert files == sorted(t["file"] for t in truth) == sorted(c["file"] for c in captions)
    assert len(files) == 24
    assert Counter((t["domain"], t["violated"]) for t in truth) == {
        (d, v): 4 for d in DOMAINS for v in (False, True)
    }
    for t, c in zip(truth, captions, strict=True):
        assert t["caption"] == c["caption"]
        assert t["violated"] == (t["kind"] is not None)
        assert all(p["cls"] in PART_CLASSES for p in t["parts"])
        with Image.open(FOLDER / t["file"]) as image:
            assert image.size == (t["width"], t["height"]) == (320, 320)
        assert (FOLDER / t["file"]).stat().st_size < 60_000
