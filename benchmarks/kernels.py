"""How fast do rules run? ``python -m benchmarks.kernels``

20 boxes and 20 rules an image: the published aircraft rules and more of their kind, over 5 components,
so that a component has 4 boxes and quantifiers work. Times are the best of several short runs, so that
other load on the machine shows as little as possible; the whole of `evaluate` is timed, checks and
allocation of the outputs included. The oracle (plain Python) runs on fewer of the same images.

Weighted box fusion runs beside the `ensemble-boxes` package (`kernels_fusion.py`), each on one core.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import kernels_cuda, kernels_fusion
from benchmarks.kernels_numpy import statuses
from physgauge.rules_kernel import (
    ObservedArrays,
    Pack,
    PackedBoxes,
    compile_pack,
    load_pack,
    parse_pack,
    reference,
    shipped_packs,
)

BOXES, RULES = 20, 20
MANY = 40_000
"""Images at once on two cores: a thread is only worth its start on some thousand images."""
CLASSES = (kernels_fusion.LABELS, 3, 1)
"""Of the boxes that are fused: the fewer, the more there are of each."""

_PACK = """
name = "benchmark"
version = 1
domain = "aircraft"
components = ["head", "engine", "wing", "tail", "tail_wing"]
tags = ["captioned"]
weights = { presence = 0.35, spatial = 0.25, relational = 0.25, caption = 0.15 }
[aliases]
fuselage = "span(head, tail)"
length = "width(fuselage)"
"""

_RULES = (
    "count(head) == 1",
    "count(tail) == 1",
    "2 <= count(engine) <= 4",
    "1 <= count(wing) <= 2",
    "all(engine, 0.05 * length <= width(engine) <= 0.15 * length)",
    "count(foreign) == 0",
    "all(engine, any(wing, abs(cy(engine) - cy(wing)) < 0.08 * H or inside(engine, expand(wing, 0.25))))",
    "distance(head, tail) >= 0.3 * length",
    "all(tail_wing, gap(tail_wing, tail) <= 0.1 * length)",
    "any(wing, y0(wing) <= cy(fuselage) <= y1(wing))",
    "all(engine, gap(engine, union(wing)) <= 0.05 * length)",
    "15% <= along(union(wing), head, tail) <= 115%",
    "all(wing, aside(wing, head, tail) <= 0.5 * length)",
    "present(engine) implies present(wing)",
    "present(head) iff present(tail)",
    "0.05 <= mean(engine, width(engine)) / length <= 0.15",
    "max(engine, diagonal(engine)) <= 2 * min(engine, diagonal(engine))",
    "max(tail_wing, area(tail_wing)) <= area(largest(wing))",
    "tag(captioned) implies expected(engine) and expected(wing)",
    "tag(captioned) implies expected(head) and expected(tail)",
)


def benchmark_pack() -> Pack:
    """The 20 rules."""
    text = _PACK
    for k, rule in enumerate(_RULES):
        text += f'[[spatial]]\nid = "B{k + 1}"\nsays = "rule {k + 1}"\nrule = "{rule}"\n'
    pack = parse_pack(text.encode(), "benchmark")
    assert len(pack.rules) == RULES
    return pack


def batch(pack: Pack, images: int, seed: int = 1) -> tuple[PackedBoxes, ObservedArrays]:
    """Random images of BOXES boxes each, with what a pipeline would know about them."""
    rng = np.random.default_rng(seed)
    n, parts = images * BOXES, len(pack.components) - 1
    corner = rng.uniform(0, 400, (n, 2))
    xyxy = np.concatenate([corner, corner + rng.uniform(10, 120, (n, 2))], axis=1)
    blank = pack.blank(np.full((images, 2), 512, np.float32))
    expected = rng.integers(1, 5, blank.counts.shape).astype(np.float32)
    boxes = PackedBoxes(
        xyxy.astype(np.float32),
        rng.uniform(0.5, 1, n).astype(np.float32),
        rng.integers(0, parts, n).astype(np.int16),
        np.arange(0, n + 1, BOXES, dtype=np.int64),
    )
    observed = ObservedArrays(
        counts=blank.counts,
        said=blank.said,
        expected_min=np.minimum(expected, 2),
        expected_max=expected,
        view=rng.integers(0, 6, images).astype(np.int8),
        size=blank.size,
        tags=np.ones(blank.tags.shape, np.bool_),
    )
    return boxes, observed


def rate(work: Callable[[], object], images: int, seconds: float) -> float:
    """Images per second of the fastest run within about `seconds`."""
    work()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return images / best


def measure(pack: Pack, seconds: float) -> dict[str, float]:
    """Rates of one pack."""
    kernel = compile_pack(pack)
    boxes, observed = batch(pack, 4000)
    many, all_seen = batch(pack, MANY)
    out = {
        "one": rate(lambda: kernel.evaluate(boxes, observed, threads=1), 4000, seconds),
        "two": rate(lambda: kernel.evaluate(many, all_seen, threads=2), MANY, seconds),
    }
    if pack.name == "benchmark":
        np.testing.assert_array_equal(
            statuses(boxes, observed), kernel.evaluate(boxes, observed).status
        )
        out["numpy"] = rate(lambda: statuses(boxes, observed), 4000, seconds)
        few, seen = batch(pack, 40)
        out["oracle"] = rate(lambda: reference.evaluate(pack, few, seen), 40, seconds)
    return out


def fusion(labels: int, seconds: float) -> tuple[float, float]:
    """Images per second of weighted box fusion of so many classes: ours and the package's, on the same
    images."""
    few, many = kernels_fusion.make(8, labels), kernels_fusion.make(256, labels)
    kernels_fusion.check(few)
    return (
        rate(kernels_fusion.ours(many), 256, seconds),
        rate(kernels_fusion.theirs(few), 8, seconds),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Images per second of the rule kernels")
    parser.add_argument("--seconds", type=float, default=4.0, help="per measurement")
    parser.add_argument("--cuda", action="store_true", help="on a GPU instead (kernels_cuda.py)")
    args = parser.parse_args()
    if args.cuda:
        kernels_cuda.report([benchmark_pack(), *map(load_pack, shipped_packs())], batch)
        return
    table = Table("pack", "rules", "images/s, 1 core", "images/s, 2 cores", "x oracle", "x NumPy")
    for name in shipped_packs():
        pack = load_pack(name)
        got = measure(pack, args.seconds)
        table.add_row(name, str(len(pack.rules)), f"{got['one']:,.0f}", f"{got['two']:,.0f}")
    got = measure(benchmark_pack(), args.seconds)
    ratio, plain = got["one"] / got["oracle"], got["one"] / got["numpy"]
    rates = (f"{value:,.0f}" for value in (got["one"], got["two"], ratio, plain))
    table.add_row("benchmark", str(RULES), *rates)
    Console().print(table)
    table = Table(
        "classes",
        "images/s, 1 core",
        "ensemble-boxes",
        "x",
        title="weighted box fusion, 3 x 300 boxes",
    )
    fused: dict[int, tuple[float, float]] = {}
    for labels in CLASSES:
        ours, package = fusion(labels, args.seconds)
        fused[labels] = (ours, ours / package)
        table.add_row(str(labels), f"{ours:,.0f}", f"{package:,.1f}", f"{ours / package:,.0f}")
    Console().print(table)
    result = {
        "images_per_s_1_core": round(got["one"]),
        "images_per_s_2_cores": round(got["two"]),
        "vs_oracle": round(ratio, 1),
        "vs_numpy": round(plain, 1),
        "fusion_images_per_s": round(fused[kernels_fusion.LABELS][0]),
        "fusion_vs_ensemble_boxes": round(fused[kernels_fusion.LABELS][1], 1),
        "fusion_vs_ensemble_boxes_3_classes": round(fused[3][1], 1),
        "fusion_vs_ensemble_boxes_1_class": round(fused[1][1], 1),
    }
    print("RESULT", json.dumps(result))


if __name__ == "__main__":
    main()
