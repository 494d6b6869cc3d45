"""Does S_final separate physically wrong pictures from right ones?

``python -m benchmarks.separation --seed 7001 --count 400`` renders fresh scenes (half of them with one
planted violation), scores the images as `physgauge score` does, scores the exact part boxes as
`physgauge score-boxes` does, and compares.

* AUROC: probability that a violated picture has a lower S_final than a clean one, ties counting half. An
  image that shows a subject but got no S_final ties with every other: it neither helps nor vanishes.
* rule_precision: of the rules that fired, the share that fired on a violated picture and is about the
  planted part (mentions it, or fired at a planted box). rule_recall: of the violated pictures, the share
  with at least one such rule.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from physgauge import wire
from physgauge.clients.boxes import BoxRecord, PartBox
from physgauge.clients.table import read_records
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import Item


@dataclass(frozen=True, slots=True)
class Case:
    """One scene's truth and the row it got."""

    truth: dict[str, Any]
    row: wire.Row

    @property
    def s_final(self) -> float:
        """S_final, NaN where there is none."""
        return float("nan") if self.row.pcmde.s_final is None else self.row.pcmde.s_final


def auroc(violated: Sequence[float], clean: Sequence[float]) -> float:
    """P(violated < clean) + P(tie) / 2 over all pairs; NaN scores tie with everything; NaN if a side is
    empty."""
    if not len(violated) or not len(clean):
        return float("nan")
    v, c = np.asarray(violated, np.float64)[:, None], np.asarray(clean, np.float64)[None, :]
    unscored = np.isnan(v) | np.isnan(c)
    return float(np.where(unscored, 0.5, (v < c) + 0.5 * (v == c)).mean())


def separation(cases: Iterable[Case]) -> float:
    """AUROC of S_final over cases that show a subject."""
    split: dict[bool, list[float]] = {True: [], False: []}
    for case in cases:
        split[case.truth["violated"]].append(case.s_final)
    return auroc(split[True], split[False])


def rule_hits(case: Case) -> tuple[int, int]:
    """(rules that fired, of these about the planted part)."""
    fired = [rule for rule in case.row.pcmde.rules if rule.status == "violated"]
    if not case.truth["violated"]:
        return len(fired), 0
    return len(fired), sum(_about_planted(case, rule) for rule in fired)


def _about_planted(case: Case, rule: wire.RuleResult) -> bool:
    component = case.truth["planted_class"].partition(".")[2]
    words = set(rule.says.lower().replace(",", " ").replace("_", " ").split())
    name = component.replace("_", " ").split()
    if any(word.startswith(name[0]) for word in words):
        return True
    planted = [
        [p[k] for k in ("x0", "y0", "x1", "y1")] for p in case.truth["parts"] if p["planted"]
    ]
    boxes = [case.row.detections[index].box for index in rule.boxes]
    return any(_iou(a, b) >= 0.5 for a in planted for b in boxes)


def _iou(a: Sequence[float], b: Sequence[float]) -> float:
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h
    return w * h / union


def score_images(truths: Sequence[dict[str, Any]], folder: Path, profile: str) -> list[Case]:
    """Rows of the images, through decode, detector, rules and score."""
    items = (
        Item(t["file"], (folder / t["file"]).read_bytes(), t["file"], caption=t["caption"])
        for t in truths
    )
    with Pipeline(load_profile(profile), Options()) as pipeline:
        rows = [scored.row for scored in pipeline.score(items)]
    return [Case(t, row) for t, row in zip(truths, rows, strict=True)]


def score_truth(truths: Sequence[dict[str, Any]], profile: str) -> list[Case]:
    """Rows of the exact part boxes, the truth's domain and view."""
    shown = [t for t in truths if t["domain"] != "none"]
    records = [
        BoxRecord(
            image_id=t["file"], width=t["width"], height=t["height"], caption=t["caption"],
            domain=t["domain"], view=t["view"],
            boxes=[PartBox(label=p["cls"], box=[p[k] for k in ("x0", "y0", "x1", "y1")])
                   for p in t["parts"]],
        )
        for t in shown
    ]  # fmt: skip
    with Pipeline(load_profile(profile), Options(), detect=False) as pipeline:
        rows = list(pipeline.score_boxes(records, source="truth"))
    return [Case(t, row) for t, row in zip(shown, rows, strict=True)]


def report(cases: Sequence[Case], exact: Sequence[Case]) -> dict[str, Any]:
    """The figures of the RESULT line."""
    shown = [case for case in cases if case.truth["domain"] != "none"]
    none = [case for case in cases if case.truth["domain"] == "none"]
    fired, right = (sum(column) for column in zip(*map(rule_hits, shown), strict=True))
    violated = [case for case in shown if case.truth["violated"]]
    domains = sorted({case.truth["domain"] for case in shown})
    return {
        "auroc": _round(separation(shown)),
        "auroc_true_boxes": _round(separation(exact)),
        "per_domain": {
            d: _round(separation(c for c in shown if c.truth["domain"] == d)) for d in domains
        },
        "per_domain_true_boxes": {
            d: _round(separation(c for c in exact if c.truth["domain"] == d)) for d in domains
        },
        "rule_precision": _round(right / fired if fired else float("nan")),
        "rule_recall": _round(sum(rule_hits(c)[1] > 0 for c in violated) / max(1, len(violated))),
        "scored": _round(sum(c.row.pcmde.s_final is not None for c in shown) / max(1, len(shown))),
        "none_with_verdict": sum(c.row.pcmde.verdict is not None for c in none),
        "images": len(cases),
        "none": len(none),
    }


def _round(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)


def print_tables(console: Console, cases: Sequence[Case], exact: Sequence[Case]) -> None:
    """AUROC by planted kind, and the rules that fire on clean pictures."""
    table = Table("domain", "kind", "images", "AUROC", "AUROC, true boxes", title="By planted kind")
    for domain in sorted({c.truth["domain"] for c in exact}):
        for kind in sorted({c.truth["kind"] for c in exact if c.truth["kind"]}):
            cells = []
            for group in (cases, exact):
                of = [c for c in group if c.truth["domain"] == domain]
                bad = [c.s_final for c in of if c.truth["kind"] == kind]
                cells.append(auroc(bad, [c.s_final for c in of if not c.truth["violated"]]))
            table.add_row(domain, kind, str(len(bad)), f"{cells[0]:.3f}", f"{cells[1]:.3f}")
    console.print(table)
    table = Table(
        "domain", "rule", "says", "detections", "true boxes", title="Fires on clean pictures"
    )
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for column, group in enumerate((cases, exact)):
        for case in group:
            if case.truth["violated"] or case.truth["domain"] == "none":
                continue
            for rule in case.row.pcmde.rules:
                if rule.status == "violated":
                    counts[case.truth["domain"], rule.id, rule.says][column] += 1
    for key, pair in sorted(counts.items(), key=lambda kv: -sum(kv[1])):
        table.add_row(*key, *map(str, pair))
    console.print(table)


def make_scenes(seed: int, count: int, folder: Path) -> None:
    """Fresh scenes of all domains in `folder`."""
    command = [sys.executable, "-m", "benchmarks.scenes", "make", "--domain", "all"]
    command += ["--count", str(count), "--seed", str(seed), "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description="Separation of violated and clean scenes")
    parser.add_argument("--seed", type=int, default=7001)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--profile", default="tiny")
    parser.add_argument("--data", type=Path, help="scenes made before, instead of fresh ones")
    options = parser.parse_args()
    console = Console(width=150)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.data or Path(scratch) / "scenes"
        if options.data is None:
            make_scenes(options.seed, options.count, folder)
        truths = read_records(folder / "truth.parquet")
        cases = score_images(truths, folder, options.profile)
    exact = score_truth(truths, options.profile)
    print_tables(console, cases, exact)
    result = report(cases, exact)
    console.print(f"{len(cases)} images in {time.monotonic() - start:.1f} s, seed {options.seed}")
    print("RESULT", json.dumps(result))


if __name__ == "__main__":
    main()
