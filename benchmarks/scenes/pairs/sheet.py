"""Contact sheets to look at: rows of clean, violated, and where they differ with the violation's box."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.random import SeedSequence
from PIL import Image, ImageDraw

from benchmarks.scenes.paints import U8
from benchmarks.scenes.render import Stage
from physgauge.errors import ConfigError

from .draw import draw
from .pair import Drawn, PlantingError, attempt, visible_targets
from .pool import Shared
from .registry import BASES, RECIPES, Base, Recipe, Severity, load, recipes_of

_T = TypeVar("_T")


def sheet(
    base: str | None, recipe: str | None, category: str | None, count: int, seed: int, out: Path
) -> None:
    """Writes a sheet and prints a line per try.

    With a base alone, its pictures; with a recipe or a category, pairs on the base (or on all bases).

    Raises:
        ConfigError: an unknown name.
    """
    load()
    stage = Stage(320)
    bases = [_get(BASES, base, "base")] if base else [BASES[name] for name in sorted(BASES)]
    if recipe or category:
        recipes = [_get(RECIPES, recipe, "recipe")] if recipe else list(recipes_of(category or ""))
        if not recipes:
            raise ConfigError(f"--category: expected one with recipes, got {category!r}")
        rows = [row for one in recipes for row in _pairs(stage, bases, one, count, seed)]
    else:
        rows = _worlds(stage, bases, count, seed)
    if not rows:
        raise ConfigError("expected something to show, got no pair that is evident")
    Image.fromarray(np.concatenate(rows)).save(out)
    print(f"{len(rows)} rows in {out}")


def _get(table: dict[str, _T], name: str | None, what: str) -> _T:
    if name not in table:
        raise ConfigError(f"--{what}: expected one of {', '.join(sorted(table))}, got {name!r}")
    return table[name]


def _worlds(stage: Stage, bases: list[Base], count: int, seed: int) -> list[U8]:
    """Three pictures a row."""
    pictures: list[U8] = []
    for base in bases:
        for k in range(count):
            start = time.perf_counter()
            world = base.make(np.random.default_rng(SeedSequence([seed, k])))
            made = time.perf_counter()
            stage.clear()
            canvas = draw(stage, world)
            seen = {key: round(float(canvas.mask(key).mean()), 4) for key in canvas.keys}
            print(
                f"{base.name} {k}: made {1e3 * (made - start):.0f} ms, "
                f"drawn {1e3 * (time.perf_counter() - made):.0f} ms; seen {seen}"
            )
            pictures.append(_titled(canvas.pixels, f"{base.name} {k}"))
    blank = np.zeros_like(pictures[0]) if pictures else np.zeros((0, 0, 3), np.uint8)
    pictures += [blank] * (-len(pictures) % 3)
    return [np.concatenate(pictures[k : k + 3], 1) for k in range(0, len(pictures), 3)]


def _pairs(stage: Stage, bases: list[Base], recipe: Recipe, count: int, seed: int) -> list[U8]:
    """Up to `count` rows of one recipe, major and minor in turn, on the bases in turn."""
    rows: list[U8] = []
    reasons: Counter[str] = Counter()
    tries = 0
    for k in range(12 * count):
        if len(rows) == count:
            break
        rng = np.random.default_rng(SeedSequence([seed, k]))
        base = bases[int(rng.integers(len(bases)))]
        world = base.make(rng)
        severity: Severity = "major" if k % 2 == 0 else "minor"
        shared = Shared.of(stage, world)
        targets = visible_targets(shared, recipe, severity)
        if not targets:
            reasons[f"no {severity} target on {base.name}"] += 1
            continue
        tries += 1
        at = targets[int(rng.integers(len(targets)))]
        try:
            got = attempt(stage, rng, base, shared, recipe, severity, at)
        except PlantingError as e:
            got = f"ERROR {e}"
        if isinstance(got, str):
            reasons[got if got.startswith("ERROR") else f"{base.name}, {at.key}: {got}"] += 1
            continue
        print(f"{recipe.name} on {base.name} at {at.key} ({severity}): {got.planted.detail}")
        rows.append(_row(got))
    print(f"{recipe.name}: {len(rows)} evident of {tries} tries")
    for reason, n in reasons.most_common(12):
        print(f"  {n} x {reason}")
    return rows


def _row(drawn: Drawn) -> U8:
    delta = np.abs(drawn.clean.astype(np.int16) - drawn.violated).max(-1)
    shown = np.clip(128 + np.stack([delta] * 3, -1) // 2, 0, 255).astype(np.uint8)
    shown[drawn.evidence.mask] = shown[drawn.evidence.mask] // 2 + np.array([0, 90, 0], np.uint8)
    image = Image.fromarray(shown)
    ImageDraw.Draw(image).rectangle(drawn.evidence.box, outline=(255, 0, 0))
    title = f"{drawn.recipe.name} ({drawn.severity})"
    return np.concatenate(
        [_titled(drawn.clean, drawn.base.name), _titled(drawn.violated, title), np.asarray(image)],
        1,
    )


def _titled(pixels: U8, text: str) -> U8:
    image = Image.fromarray(pixels)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 6 * len(text) + 4, 11), fill=(0, 0, 0))
    pen.text((2, 0), text, fill=(255, 255, 255))
    return np.asarray(image)
