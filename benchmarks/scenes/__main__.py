"""``python -m benchmarks.scenes make|bench|examples|pairs|pairs-...``: docs/scenes.md, docs/pairs.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from physgauge.errors import PhysgaugeError

from .dataset import CHOICES, Order, make
from .examples import write_examples
from .pairs import dataset as pairs
from .pairs.registry import CATEGORIES, load
from .pairs.sheet import sheet
from .pairs.table import PAGE, filled


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scenes", description="Rendered images with exact ground truth."
    )
    sub = parser.add_subparsers(dest="command", required=True)
    m = sub.add_parser(
        "make", help="write a data set: images/, annotations.json (COCO), truth.parquet"
    )
    m.add_argument("--domain", default="all", help=f"one of {', '.join(CHOICES)}")
    m.add_argument("--count", type=int, required=True, help="number of images")
    m.add_argument("--seed", type=int, required=True, help="same seed, same images")
    m.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    m.add_argument(
        "--subjects",
        type=int,
        default=1,
        help="2: two subjects an image; 3: two or three, of one domain or of two (1)",
    )
    b = sub.add_parser("bench", help="measure the rate (RESULT line)")
    b.add_argument("--count", type=int, default=200)
    e = sub.add_parser("examples", help="write the committed example images")
    e.add_argument("--out", type=Path, default=Path("examples/scenes"), help="folder")
    for p in (m, b):
        p.add_argument("--size", type=int, default=320, help="width and height in px (320)")
        p.add_argument("--workers", type=int, default=2, help="render processes (2)")
        p.add_argument(
            "--violated",
            type=float,
            default=0.5,
            help="share of images with a planted violation (0.5)",
        )
        p.add_argument("--format", default="jpeg", help="jpeg or png")
    _pairs_parsers(sub)
    return parser


def _pairs_parsers(sub: Any) -> None:
    d = sub.add_parser(
        "pairs", help="write minimal pairs of all 18 categories: images/, truth.parquet"
    )
    d.add_argument("--count", type=int, required=True, help="number of pairs")
    d.add_argument("--seed", type=int, required=True, help="same seed, same images")
    d.add_argument("--out", type=Path, required=True, help="a new or empty folder")
    d.add_argument("--size", type=int, default=320, help="width and height in px (320)")
    d.add_argument("--workers", type=int, default=2, help="render processes (2)")
    d.add_argument("--split", default="train", help="train or held_out (train)")
    d.add_argument(
        "--others", type=float, default=0.15, help="share of images that are not eligible (0.15)"
    )
    d.add_argument("--categories", help="some of the 18, with commas (all)")
    sub.add_parser("pairs-table", help="renew the tables in docs/pairs.md")
    s = sub.add_parser(
        "pairs-sheet", help="a contact sheet: clean, violated, where they differ; or a base alone"
    )
    s.add_argument("--base", help="base scene (all)")
    s.add_argument("--recipe", help="violation")
    s.add_argument("--category", help="all violations of a category")
    s.add_argument("--count", type=int, default=6, help="rows of a recipe, pictures of a base (6)")
    s.add_argument("--seed", type=int, default=0, help="same seed, same sheet (0)")
    s.add_argument("--out", type=Path, default=Path("sheet.png"), help="file (sheet.png)")


def _run(a: argparse.Namespace) -> None:
    if a.command == "examples":
        print(f"{write_examples(a.out)} images in {a.out}")
        return
    if a.command == "pairs":
        categories = tuple(a.categories.split(",")) if a.categories else CATEGORIES
        order = pairs.Order(
            a.count, a.seed, a.out, a.size, a.workers, a.split, a.others, categories
        )
        print("RESULT " + json.dumps(pairs.make_set(order)))
        return
    if a.command == "pairs-table":
        load()
        PAGE.write_text(filled(PAGE.read_text()))
        return
    if a.command == "pairs-sheet":
        sheet(a.base, a.recipe, a.category, a.count, a.seed, a.out)
        return
    rest = (a.size, a.workers, a.violated, a.format)
    if a.command == "make":
        print(json.dumps(make(Order(a.domain, a.count, a.seed, a.out, *rest, a.subjects))))
        return
    with tempfile.TemporaryDirectory() as folder:
        result = make(Order("all", a.count, 1, Path(folder) / "set", *rest), quiet=True)
    print("RESULT " + json.dumps(result))


def main(argv: list[str] | None = None) -> int:
    """Runs the command; errors are one line on stderr and exit code 2."""
    a = _parser().parse_args(argv)
    try:
        _run(a)
    except PhysgaugeError as e:
        print(f"error: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
