"""A set of pairs: images/, truth.parquet and summary.json; see docs/pairs.md."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.random import SeedSequence

from benchmarks.scenes.post import develop, encode
from benchmarks.scenes.render import Stage, check_platform
from physgauge.errors import ConfigError

from .others.photos import lend
from .pair import SPLITS, Fits, Pair, Split, bases_of, know, look, make_pair
from .pool import BLOCK, Pool
from .registry import CATEGORIES, FAMILIES, load, others_of
from .truth import write_truth

_STEP: Final = BLOCK // 4
"""Pairs a job: a process that makes neighbours makes their worlds once."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to make."""

    count: int
    """Pairs."""
    seed: int
    out: Path
    size: int = 320
    workers: int = 2
    split: Split = "train"
    others: float = 0.15
    """Share of the images that are not eligible."""
    categories: tuple[str, ...] = CATEGORIES

    def check(self) -> None:
        """Raises ConfigError when a field is out of range or the folder is in use."""
        for name, value, low, high in (
            ("count", self.count, 1, 10_000_000),
            ("seed", self.seed, 0, 2**63 - 1),
            ("size", self.size, 64, 2048),
            ("workers", self.workers, 1, 256),
            ("others", self.others, 0, 0.9),
        ):
            if not low <= value <= high:
                raise ConfigError(f"--{name}: expected {low} to {high}, got {value}")
        if self.split not in SPLITS:
            raise ConfigError(f"--split: expected one of {', '.join(SPLITS)}, got {self.split!r}")
        unknown = [c for c in self.categories if c not in CATEGORIES]
        if unknown or not self.categories:
            raise ConfigError(
                f"--categories: expected some of {', '.join(CATEGORIES)}, got {unknown or 'none'}"
            )
        if self.out.exists() and (not self.out.is_dir() or any(self.out.iterdir())):
            raise ConfigError(
                f"--out: expected a new or empty folder, got {self.out} with files in it"
            )

    def others_before(self, pair: int) -> int:
        """How many other images come before a pair: they are spread evenly among the pairs."""
        return int(pair * 2 * self.others / (1 - self.others) + 1e-9)

    def index(self, pair: int) -> int:
        """Index of the pair's first image."""
        return 2 * pair + self.others_before(pair)


@dataclass(frozen=True, slots=True)
class Made:
    """What a worker hands back of one pair and the others behind it."""

    rows: list[dict[str, Any]]
    given_up: tuple[str, ...]
    errors: tuple[str, ...]


def make_set(order: Order, quiet: bool = False) -> dict[str, Any]:
    """Writes the set; returns counts and the rate.

    Raises:
        ConfigError: a field is out of range.
        EnvironmentProblem: there is nothing to draw with.
        RuntimeError: no recipe of a category gave an evident pair.
    """
    order.check()
    check_platform()
    start = time.perf_counter()
    rows: list[dict[str, Any]] = []
    log = _Log()
    for pair, made in enumerate(_pairs(order, log)):
        rows += made.rows
        log.add(made)
        if not quiet and (pair + 1) % 50 == 0:
            rate = len(rows) / (time.perf_counter() - start)
            print(
                f"\r{pair + 1}/{order.count} pairs, {rate:.1f} images/s   ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    if not quiet:
        print(file=sys.stderr)
    write_truth(rows, order.out / "truth.parquet")
    seconds = time.perf_counter() - start
    result = {
        "images": len(rows),
        "pairs": order.count,
        "seconds": round(seconds, 1),
        "images_per_s": round(len(rows) / seconds, 2),
        "split": order.split,
        **log.counts(rows),
    }
    (order.out / "summary.json").write_text(json.dumps(result, indent=1) + "\n")
    return result


@dataclass(slots=True)
class _Log:
    given_up: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, made: Made) -> None:
        self.given_up.update(made.given_up)
        self.errors.update(made.errors)

    def counts(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        planted = [row for row in rows if row["twin"] == "violated"]
        return {
            "recipes": dict(sorted(Counter(row["recipe"] for row in planted).items())),
            "bases": dict(sorted(Counter(row["base"] for row in planted).items())),
            "severities": dict(Counter(row["severity"] for row in planted)),
            "styles": dict(Counter(row["style"] for row in planted)),
            "given_up": dict(self.given_up.most_common()),
            "errors": dict(self.errors.most_common(20)),
        }


_pool: Pool | None = None


def _start(size: int) -> None:
    global _pool  # noqa: PLW0603 one render context per worker process
    load()
    _pool = Pool(Stage(size))
    lend(_pool.stage)


def _pairs(order: Order, log: _Log) -> Iterator[Made]:
    """Makes the images (writing their files) and yields the pairs in their order."""
    (order.out / "images").mkdir(parents=True, exist_ok=True)
    if order.workers == 1:
        _start(order.size)
        yield from _run(order, log, map)
        return
    with ProcessPoolExecutor(
        order.workers, get_context("spawn"), initializer=_start, initargs=(order.size,)
    ) as pool:
        yield from _run(order, log, pool.map)


def _run(order: Order, log: _Log, each: Callable[..., Iterable[Any]]) -> Iterator[Made]:
    load()
    names = bases_of(order.split)
    fits = {}
    for name, (found, errors) in zip(names, each(look, names), strict=True):
        fits[name] = found
        log.errors.update(errors)
    steps = [range(k, min(k + _STEP, order.count)) for k in range(0, order.count, _STEP)]
    for done in each(_work, [(order, fits, step) for step in steps]):
        yield from done


def _work(job: tuple[Order, dict[str, Fits], range]) -> list[Made]:
    order, fits, pairs = job
    assert _pool is not None
    know(fits)
    made = []
    for k in pairs:
        category = order.categories[k % len(order.categories)]
        pair = make_pair(_pool, order.seed, k, category, order.split)
        rows = _pair_rows(order, k, pair)
        first = order.others_before(k)
        for other in range(first, order.others_before(k + 1)):
            rows.append(_other(order, other, order.index(k) + 2 + other - first))
        made.append(Made(rows, pair.given_up, pair.errors))
    return made


def _pair_rows(order: Order, number: int, pair: Pair) -> list[dict[str, Any]]:
    drawn, first = pair.drawn, order.index(number)
    both = {
        "pair": number,
        "base": drawn.base.name,
        "recipe": drawn.recipe.name,
        "pair_category": drawn.recipe.category,
        "pair_severity": drawn.severity,
        "eligible": True,
        "style": pair.style,
        "novel_base": drawn.base.held_out,
        "novel_recipe": drawn.recipe.held_out,
    }
    x0, y0, x1, y1 = drawn.evidence.box
    violated = {
        **both,
        "twin": "violated",
        "category": drawn.recipe.category,
        "severity": drawn.severity,
        "detail": drawn.planted.detail,
        "x0": x0,
        "y0": y0,
        "x1": x1,
        "y1": y1,
        "mask": drawn.evidence.cells(),
    }
    return [
        _written(order, first, pair.violated, violated),
        _written(order, first + 1, pair.clean, {**both, "twin": "clean"}),
    ]


def _other(order: Order, number: int, index: int) -> dict[str, Any]:
    """Draws and writes the picture `number` of those that are not eligible."""
    code = 11 + SPLITS.index(order.split)
    rng = np.random.default_rng(SeedSequence([order.seed, code, number]))
    family = FAMILIES[number % len(FAMILIES)]
    known = others_of(family, held_out=order.split == "held_out")
    if not known:
        raise RuntimeError(f"expected a picture of family {family!r} for {order.split}, got none")
    other = known[int(rng.integers(len(known)))]
    data = encode(rng, develop(rng, other.make(rng, order.size)), "jpeg")
    what = {
        "twin": "other",
        "eligible": False,
        "family": family,
        "detail": other.name,
        "style": "none",
        "novel_base": other.held_out,
        "novel_recipe": False,
    }
    return _written(order, index, data, what)


def _written(order: Order, index: int, data: bytes, what: Mapping[str, Any]) -> dict[str, Any]:
    """Writes an image; its row."""
    file = f"images/{index:06d}.jpg"
    (order.out / file).write_bytes(data)
    return {
        "image_id": f"{index:06d}",
        "file": file,
        "index": index,
        "seed": order.seed,
        "width": order.size,
        "height": order.size,
        "split": order.split,
        **what,
    }
