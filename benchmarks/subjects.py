"""Are several subjects of a picture told apart, and does the worst one decide?

``python -m benchmarks.subjects --seed 7101 --count 200`` renders pictures of two or three subjects (half
of them with one planted violation) and as many of one, and scores both as `physgauge score` and
`physgauge score-boxes` do, with their captions and without.

* right: every part (planted ones aside) is with the parts of its own subject and with no other's. From
  detections: every detected box that matches a part (same class, IoU of at least 0.5).
* not_applicable: pictures that got no score because their subjects cannot be told apart, or for less.
* judged_planted: of the violated pictures with a score, those whose judged subject has the planted part
  (for a missing part: is the violated subject).
* auroc: of S_final, violated against clean, as in `benchmarks.separation`; pictures without a score tie
  with every other. auroc_scored leaves them out.
* wrongly_split: pictures of one subject that were judged as several.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.separation import auroc
from physgauge import wire
from physgauge.clients.boxes import BoxRecord, PartBox
from physgauge.clients.table import read_records
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import Item

Truth = dict[str, Any]
Scorer = Callable[[Sequence[Truth]], list[wire.Row]]
SIDES = ("x0", "y0", "x1", "y1")
MATCH = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """One picture's truth and its row."""

    truth: Truth
    row: wire.Row

    @property
    def s_final(self) -> float:
        """NaN where there is none."""
        return float("nan") if self.row.pcmde.s_final is None else self.row.pcmde.s_final

    def owners(self) -> list[tuple[int, int, bool]]:
        """(true subject, subject in the row, planted) of each detection that matches a part."""
        of = {i: k for k, s in enumerate(self.row.pcmde.subjects) for i in s.parts}
        found = []
        for index, detection in enumerate(self.row.detections):
            part = self._part(detection)
            if part is not None:
                found.append((part.get("subject", 0), of.get(index, 0), part["planted"]))
        return found

    def _part(self, detection: wire.Detection) -> Truth | None:
        own = [p for p in self.truth["parts"] if p["cls"] == detection.label]
        best: Truth | None = max(
            own, key=lambda p: _iou([p[k] for k in SIDES], detection.box), default=None
        )
        if best is None or _iou([best[k] for k in SIDES], detection.box) < MATCH:
            return None
        return best

    @property
    def right(self) -> bool:
        """Whether the parts are grouped as they should be."""
        pairs = {(true, got) for true, got, planted in self.owners() if not planted}
        trues, gots = {t for t, _ in pairs}, {g for _, g in pairs}
        return len(pairs) == len(trues) == len(gots) and self.groups == len(self.truth["subjects"])

    @property
    def groups(self) -> int:
        """How many subjects the row has."""
        return max(1, len(self.row.pcmde.subjects))

    @property
    def judged_planted(self) -> bool:
        """Whether the judged subject is the violated one."""
        owners = self.owners()
        judged = [true for true, got, planted in owners if got == 0 and not planted]
        if any(planted and got == 0 for _, got, planted in owners):
            return True
        violated = next(k for k, s in enumerate(self.truth["subjects"]) if s["violated"])
        return bool(judged) and max(set(judged), key=judged.count) == violated


def _iou(a: Sequence[float], b: Sequence[float]) -> float:
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    return w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h)


def from_boxes(profile: str, *, captions: bool) -> Scorer:
    """Rows of the exact boxes; nobody says domain or view."""

    def rows(truths: Sequence[Truth]) -> list[wire.Row]:
        records = [
            BoxRecord(
                image_id=t["file"], width=t["width"], height=t["height"],
                caption=t["caption"] if captions else None,
                boxes=[PartBox(label=p["cls"], box=[p[k] for k in SIDES]) for p in t["parts"]],
            )
            for t in truths
        ]  # fmt: skip
        with Pipeline(load_profile(profile), Options(), detect=False) as pipeline:
            return list(pipeline.score_boxes(records, source="truth"))

    return rows


def from_images(profile: str, folder: Path, *, captions: bool) -> Scorer:
    """Rows of the images."""

    def rows(truths: Sequence[Truth]) -> list[wire.Row]:
        items = (
            Item(
                t["file"], (folder / t["file"]).read_bytes(), t["file"],
                caption=t["caption"] if captions else None,
            )
            for t in truths
        )  # fmt: skip
        with Pipeline(load_profile(profile), Options()) as pipeline:
            return [scored.row for scored in pipeline.score(items)]

    return rows


def figures(cases: Sequence[Case]) -> dict[str, Any]:
    """What is reported of pictures of several subjects."""
    scored = [c for c in cases if c.row.pcmde.s_final is not None]
    violated = [c for c in scored if c.truth["violated"]]
    return {
        "right": _share(c.right for c in cases),
        "not_applicable": _share(c.row.pcmde.s_final is None for c in cases),
        "right_of_scored": _share(c.right for c in scored),
        "judged_planted": _share(c.judged_planted for c in violated),
        "auroc": _separation(cases),
        "auroc_scored": _separation(scored),
        "images": len(cases),
    }


def _separation(cases: Sequence[Case]) -> float | None:
    value = auroc(
        [c.s_final for c in cases if c.truth["violated"]],
        [c.s_final for c in cases if not c.truth["violated"]],
    )
    return None if np.isnan(value) else round(value, 4)


def _share(flags: Iterable[bool]) -> float | None:
    known = list(flags)
    return round(sum(known) / len(known), 4) if known else None


def split(cases: Sequence[Case]) -> dict[str, Any]:
    """What is reported of pictures of one subject."""
    shown = [c for c in cases if c.truth["domain"] != "none"]
    loose = [c for c in shown if c.truth["kind"] in ("extra", "detached")]
    return {
        "wrongly_split": sum(c.groups > 1 for c in shown),
        "of": len(shown),
        "extra_or_detached_wrongly_split": sum(c.groups > 1 for c in loose),
        "of_extra_or_detached": len(loose),
        "auroc": _separation(shown),
    }


def print_table(console: Console, name: str, cases: Sequence[Case]) -> None:
    """Figures by arrangement and by how the domains mix."""
    table = Table("pictures", "n", "right", "n/a", "judged planted", "AUROC", "scored", title=name)

    def line(label: str, group: Sequence[Case]) -> None:
        f = figures(group)
        cells = ("right", "not_applicable", "judged_planted", "auroc", "auroc_scored")
        table.add_row(
            label, str(len(group)), *("-" if f[k] is None else f"{f[k]:.3f}" for k in cells)
        )

    for arrangement in ("apart", "near", "overlapping"):
        line(arrangement, [c for c in cases if c.truth["arrangement"] == arrangement])
    for number in (2, 3):
        line(f"{number} subjects", [c for c in cases if len(c.truth["subjects"]) == number])
    domains = [{s["domain"] for s in c.truth["subjects"]} for c in cases]
    for domain in ("aircraft", "animal", "car"):
        line(domain, [c for c, own in zip(cases, domains, strict=True) if own == {domain}])
    line("mixed", [c for c, own in zip(cases, domains, strict=True) if len(own) > 1])
    line("all", cases)
    console.print(table)


def make_scenes(seed: int, count: int, folder: Path, subjects: int) -> None:
    """Fresh scenes of all domains in `folder`."""
    command = [sys.executable, "-m", "benchmarks.scenes", "make", "--domain", "all"]
    command += ["--count", str(count), "--seed", str(seed), "--out", str(folder)]
    command += ["--subjects", str(subjects)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Several subjects in a picture")
    parser.add_argument("--seed", type=int, default=7101)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--profile", default="tiny")
    parser.add_argument("--data", type=Path, help="folder with several/ and single/ made before")
    parser.add_argument("--exact", action="store_true", help="exact boxes only, no detector")
    options = parser.parse_args()
    console, start = Console(width=130), time.monotonic()
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.data or Path(scratch)
        for name, subjects in (("several", 3), ("single", 1)):
            if not (folder / name).exists():
                make_scenes(options.seed, options.count, folder / name, subjects)
            truths = read_records(folder / name / "truth.parquet")
            for captions in (True, False):
                told = "" if captions else "_without_captions"
                scorers = {"true_boxes": from_boxes(options.profile, captions=captions)}
                if not options.exact:
                    scorers["detections"] = from_images(
                        options.profile, folder / name, captions=captions
                    )
                for source, scorer in scorers.items():
                    rows = scorer(truths)
                    cases = [Case(t, row) for t, row in zip(truths, rows, strict=True)]
                    if subjects > 1:
                        print_table(console, f"{source}{told}", cases)
                    result[f"{name}_{source}{told}"] = (figures if subjects > 1 else split)(cases)
    console.print(f"{options.count} images of each in {time.monotonic() - start:.1f} s")
    print("RESULT", json.dumps(result))


if __name__ == "__main__":
    main()
