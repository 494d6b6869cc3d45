"""Where do our packs and the published rules disagree? ``python -m benchmarks.flavours``

Exact part boxes (of the committed examples, or of ``--data DIR`` made by `benchmarks.scenes make`)
through both packs of their domain, by the oracle, so that no detector's mistakes are in it:

* which rules fire on right pictures and on wrong ones, and S_rules of both;
* how many pictures get another answer when they are mirrored, doubled in size, or shown with half as much
  again of background around them. Nothing about the thing has changed then.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from physgauge.clients.table import read_records
from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.expectations import Expecter
from physgauge.ensemble.specifications.load import DomainSpec, load_specification
from physgauge.rules_kernel import VIEWS, Pack, PackedBoxes, load_pack, reference, rule_scores
from physgauge.types import DOMAINS

EXAMPLES = Path(__file__).parents[1] / "examples" / "scenes" / "truth.json"
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Shot:
    """What is known of a picture: exact boxes with their classes, px."""

    name: str
    domain: str
    view: str
    caption: str | None
    violated: bool
    size: tuple[float, float]
    parts: tuple[tuple[str, Box], ...]

    def moved(self, size: tuple[float, float], place: Callable[[Box], Box]) -> Shot:
        """With every box somewhere else in a picture of another size."""
        return replace(self, size=size, parts=tuple((c, place(box)) for c, box in self.parts))


def mirrored(shot: Shot) -> Shot:
    """Left and right exchanged."""
    w, h = shot.size
    return shot.moved((w, h), lambda b: (w - b[2], b[1], w - b[0], b[3]))


def doubled(shot: Shot) -> Shot:
    """Twice as many px each way."""
    w, h = shot.size
    return shot.moved((2 * w, 2 * h), lambda b: (2 * b[0], 2 * b[1], 2 * b[2], 2 * b[3]))


def widened(shot: Shot) -> Shot:
    """A quarter of the size more background on every side."""
    w, h = shot.size
    x, y = w / 4, h / 4
    return shot.moved((w + 2 * x, h + 2 * y), lambda b: (b[0] + x, b[1] + y, b[2] + x, b[3] + y))


CHANGES = {"mirrored": mirrored, "doubled": doubled, "widened": widened}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a pack says about a picture."""

    status: dict[str, int]
    """Rule id to 1, 0 or -1."""
    measured: dict[str, float]
    witness: dict[str, list[int]]
    """Rule id to the parts of the picture that it points at."""
    s_rules: float

    @property
    def broken(self) -> list[str]:
        """Ids of the violated rules."""
        return [rule for rule, status in self.status.items() if status == 0]


def read_shots(data: Path = EXAMPLES) -> list[Shot]:
    """The pictures of a truth.json or of a data set's folder that show a subject."""
    if data.is_dir():
        records = read_records(data / "truth.parquet")
    else:
        records = json.loads(data.read_text(encoding="utf-8"))
    return [shot_of(t) for t in records if t["domain"] in DOMAINS]


def shot_of(truth: dict[str, Any]) -> Shot:
    """A row of a scene data set's truth."""
    parts = tuple((p["cls"], (p["x0"], p["y0"], p["x1"], p["y1"])) for p in truth["parts"])
    name = Path(truth["file"]).stem
    size = (float(truth["width"]), float(truth["height"]))
    return Shot(
        name, truth["domain"], truth["view"], truth["caption"], truth["violated"], size, parts
    )


@cache
def _specifications() -> tuple[dict[str, DomainSpec], CaptionParser]:
    specs = {domain: load_specification(domain) for domain in DOMAINS}
    return specs, CaptionParser(specs.values())


def judge(pack: Pack, shot: Shot) -> Answer:
    """A pack's answer by the oracle, on the picture's exact boxes."""
    specs, parser = _specifications()
    own = [(c.partition(".")[::2], box) for c, box in shot.parts]
    label = [pack.label(part if domain == shot.domain else "") for (domain, part), _ in own]
    boxes = PackedBoxes(
        np.array([box for _, box in own], np.float32).reshape(-1, 4),
        np.ones(len(own), np.float32),
        np.array(label, np.int16),
        np.array([0, len(own)], np.int64),
    )
    counts = np.bincount(label, minlength=len(pack.components)).astype(np.float32)[None]
    view = np.array([VIEWS.index(shot.view)], np.int8)
    expect = Expecter(
        specs[shot.domain],
        pack.components,
        pack.tags,
        pack.hidden,
        literal=pack.expect == "caption",
    )
    expected = expect([parser.parse(shot.caption, shot.domain)], view, counts)
    seen = replace(
        pack.blank(np.array([shot.size], np.float32)),
        counts=counts,
        expected_min=expected.expected_min,
        expected_max=expected.expected_max,
        view=view,
        tags=expected.tags,
    )
    out = reference.evaluate(pack, boxes, seen)
    scores = rule_scores(
        out.status, pack.category_index, pack.weights, pack.minimum_rules, pack.rule_weights
    )
    return Answer(
        dict(zip(pack.rule_ids, out.status[0].tolist(), strict=True)),
        dict(zip(pack.rule_ids, out.measured[0].tolist(), strict=True)),
        {
            r: [k for k in w if k >= 0]
            for r, w in zip(pack.rule_ids, out.witness[0].tolist(), strict=True)
        },
        float(scores.s_rules[0]),
    )


def packs(flavour: str) -> dict[str, Pack]:
    """Each domain's pack: "" for ours, "@paper" for the published rules."""
    return {domain: load_pack(f"{domain}{flavour}") for domain in DOMAINS}


FLAVOURS = {"ours": "", "paper": "@paper"}


def compare(shots: Sequence[Shot]) -> dict[str, Any]:
    """The figures of the RESULT line."""
    result: dict[str, Any] = {"images": len(shots), "right": sum(not s.violated for s in shots)}
    for name, flavour in FLAVOURS.items():
        of = packs(flavour)
        answers = {shot.name: judge(of[shot.domain], shot) for shot in shots}
        clean = [answers[s.name] for s in shots if not s.violated]
        planted = [answers[s.name] for s in shots if s.violated]
        result[name] = {
            "right_with_a_broken_rule": sum(bool(a.broken) for a in clean),
            "wrong_with_a_broken_rule": sum(bool(a.broken) for a in planted),
            "s_rules_right": round(float(np.mean([a.s_rules for a in clean])), 1),
            "s_rules_wrong": round(float(np.mean([a.s_rules for a in planted])), 1),
            **{
                how: sum(
                    judge(of[s.domain], change(s)).status != answers[s.name].status for s in shots
                )
                for how, change in CHANGES.items()
            },
        }
    return result


def print_tables(console: Console, shots: Sequence[Shot]) -> None:
    """Every picture's broken rules in both flavours; the published rules that fire on right pictures."""
    ours, paper = packs(""), packs("@paper")
    table = Table("picture", "view", "wrong", "S_rules ours", "broken", "S_rules @paper", "broken")
    fired: Counter[tuple[str, str]] = Counter()
    for shot in shots:
        a, b = judge(ours[shot.domain], shot), judge(paper[shot.domain], shot)
        if not shot.violated:
            fired.update((shot.domain, rule) for rule in b.broken)
        table.add_row(
            shot.name, shot.view, "yes" if shot.violated else "", f"{a.s_rules:.1f}",
            " ".join(a.broken), f"{b.s_rules:.1f}", " ".join(b.broken),
        )  # fmt: skip
    if len(shots) <= 50:
        console.print(table)
    table = Table("domain", "rule", "says", "right pictures it fires on", title="@paper")
    says = {(d, rule.id): rule.says for d, pack in paper.items() for rule in pack.rules}
    of = Counter(shot.domain for shot in shots if not shot.violated)
    for (domain, rule), hits in sorted(fired.items()):
        table.add_row(domain, rule, says[domain, rule], f"{hits} of {of[domain]}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Our packs against the published rules")
    parser.add_argument(
        "--data", type=Path, default=EXAMPLES, help="a truth.json, or a scene folder"
    )
    parser.add_argument(
        "--pictures", type=Path, metavar="DIR", help="write the pictures of docs/packs.md there"
    )
    options = parser.parse_args()
    if options.pictures is not None:
        from benchmarks.flavours_pictures import write_pictures

        print(f"{write_pictures(options.pictures)} pictures in {options.pictures}")
        return
    shots = read_shots(options.data)
    print_tables(Console(width=150), shots)
    print("RESULT", json.dumps(compare(shots)))


if __name__ == "__main__":
    main()
