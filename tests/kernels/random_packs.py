"""Random well-typed rules, packs and batches, for holding the kernel against the oracle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from physgauge.rules_kernel import (
    VIEWS,
    ExpressionError,
    ObservedArrays,
    Pack,
    PackedBoxes,
    parse_pack,
)

COMPONENTS = ("nose", "wing", "leg")
LABELS = len(COMPONENTS) + 1
GROUPS = (*COMPONENTS, "other", "foreign", "torso")

_HEAD = """
name = "random"
version = 1
domain = "random"
components = ["nose", "wing", "leg"]
tags = ["bird", "captioned"]
weights = { presence = 0.35, spatial = 0.25, relational = 0.25, caption = 0.15 }
missing = "MISSING"
vacuous = VACUOUS
minimum_rules = 1
[aliases]
torso = "union(wing, leg)"
reach = "distance(nose, wing)"
wide = "expand(span(nose, leg), 0.25)"
[said]
facts = [["leg", "below", "wing"], ["nose", "at", "wing"]]
"""


@dataclass
class Writer:
    """Writes random expressions; `scope` holds the names of current boxes."""

    rng: random.Random
    names: list[str] = field(default_factory=list)

    def boolean(self, depth: int, scope: tuple[str, ...]) -> str:
        pick = self.rng.choice
        if depth <= 0:
            return pick([self.compare, self.compare, self.fact])(0, scope)
        kinds = [self.compare, self.fact, self.logic, self.logic, self.relation, self.chain]
        if len(scope) < 3:
            kinds += [self.quantifier] * 3
        return pick(kinds)(depth, scope)

    def logic(self, depth: int, scope: tuple[str, ...]) -> str:
        parts = [self.boolean(depth - 1, scope) for _ in range(self.rng.randint(2, 3))]
        op = self.rng.choice(["and", "or", "and", "or", "implies", "iff", "not"])
        if op == "not":
            return f"not ({parts[0]})"
        if op in {"implies", "iff"}:
            return f"({parts[0]}) {op} ({parts[1]})"
        return f" {op} ".join(f"({part})" for part in parts)

    def quantifier(self, depth: int, scope: tuple[str, ...]) -> str:
        name = f"v{len(scope)}"
        op, group = self.rng.choice(["all", "any"]), self.rng.choice(GROUPS)
        return f"{op}({group} as {name}, {self.boolean(depth - 1, (*scope, name))})"

    def compare(self, depth: int, scope: tuple[str, ...]) -> str:
        op = self.rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"{self.number(depth - 1, scope)} {op} {self.number(depth - 1, scope)}"

    def chain(self, depth: int, scope: tuple[str, ...]) -> str:
        number = self.number(depth - 1, scope)
        if self.rng.random() < 0.5:
            return f"{number} in {{0, 2, {self.rng.randint(1, 9)}}}"
        return f"{self.rng.randint(0, 2)} <= {number} < {self.number(0, scope)}"

    def relation(self, depth: int, scope: tuple[str, ...]) -> str:
        if len(scope) >= 2 and self.rng.random() < 0.3:
            return f"{scope[0]} {self.rng.choice(['==', '!='])} {scope[1]}"
        if self.rng.random() < 0.2:
            return f"cut({self.box(depth - 1, scope)})"
        what = self.rng.choice(["inside", "intersects"])
        return f"{what}({self.box(depth - 1, scope)}, {self.box(depth - 1, scope)})"

    def fact(self, depth: int, scope: tuple[str, ...]) -> str:
        rng = self.rng
        return rng.choice(
            [
                f"present({rng.choice(GROUPS)})",
                f"expected({rng.choice(COMPONENTS)})",
                "said(leg, below, wing)",
                "tag(bird)",
                f"view {rng.choice(['==', '!='])} {rng.choice(VIEWS)}",
                f"view in {{{rng.choice(VIEWS)}, {rng.choice(VIEWS)}}}",
                f"count({rng.choice(GROUPS)}) {rng.choice(['<=', '>', '=='])} {rng.randint(0, 2)}",
                f"boxes({rng.choice(GROUPS)}) {rng.choice(['>=', '<'])} {rng.randint(1, 2)}",
            ]
        )

    def number(self, depth: int, scope: tuple[str, ...]) -> str:
        rng = self.rng
        if depth <= 0:
            what = rng.choice(["x0", "y1", "cx", "cy", "width", "height", "area", "diagonal"])
            flat = f"{what}({self.box(0, scope)})"
            return rng.choice([flat, flat, flat, f"{rng.randint(0, 6)}", "25%", "reach", "W"])
        kind = rng.randint(0, 6)
        a, b = (self.number(depth - 1, scope) for _ in range(2))
        if kind <= 1:
            return f"({a} {rng.choice('+-*/')} {b})"
        if kind == 2:
            return rng.choice(
                [f"abs({a})", f"sqrt({a})", f"-{a}", f"min({a}, {b})", f"max({a}, {b})"]
            )
        if kind == 3 and len(scope) < 3:
            name = f"v{len(scope)}"
            op, group = rng.choice(["min", "max", "mean"]), rng.choice(GROUPS)
            return f"{op}({group} as {name}, {self.number(depth - 1, (*scope, name))})"
        if kind == 4:
            what = rng.choice(["expected_min", "expected_max", "count"])
            count = f"{what}({rng.choice(COMPONENTS)})"
            by = rng.choice(["2", "3", f"(cx({self.box(0, scope)}) - 3)"])
            return rng.choice([count, count, f"{count} % {by}"])
        if rng.random() < 0.2:
            three = ", ".join(self.box(depth - 1, scope) for _ in range(3))
            return f"{rng.choice(['along', 'aside'])}({three})"
        what = rng.choice(["iou", "containment", "gap", "distance"])
        return f"{what}({self.box(depth - 1, scope)}, {self.box(depth - 1, scope)})"

    def box(self, depth: int, scope: tuple[str, ...]) -> str:
        rng = self.rng
        if scope and rng.random() < 0.6:
            return rng.choice(scope)
        if depth <= 0 or rng.random() < 0.5:
            return rng.choice([*COMPONENTS, "other", "torso", "wide"])
        inner = self.box(depth - 1, scope)
        return rng.choice(
            [
                f"largest({rng.choice(GROUPS)})",
                f"expand({inner}, {rng.choice(['0.5', '10%', '-0.25'])})",
                f"union({inner}, {self.box(0, scope)})",
                f"span({inner}, {self.box(0, scope)})",
            ]
        )


def pack_text(rules: list[str], missing: str = "exclude", *, vacuous: bool = False) -> bytes:
    """A pack of spatial rules R0, R1, ... with the test components and aliases."""
    text = _HEAD.replace("MISSING", missing).replace("VACUOUS", str(vacuous).lower())
    for k, rule in enumerate(rules):
        text += f'[[spatial]]\nid = "R{k}"\nsays = "rule {k}"\nrule = "{rule}"\n'
    return text.encode()


def random_pack(rng: random.Random, rules: int, depth: int = 3) -> Pack:
    """A pack of `rules` random rules (constant ones, which the checker refuses, are left out)."""
    missing = rng.choice(["exclude", "exclude", "satisfied", "violated"])
    vacuous = rng.random() < 0.5
    kept: list[str] = []
    while len(kept) < rules:
        rule = Writer(rng).boolean(depth, ())
        try:
            parse_pack(pack_text([rule]))
        except ExpressionError:
            continue
        kept.append(rule)
    return parse_pack(pack_text(kept, missing, vacuous=vacuous))


SCALES = (*[1.0] * 8, 2.0**123, 2.0**-100)
"""For `random_batch`: of ten images one with huge boxes (near the end of float32), one with tiny ones."""


def random_batch(
    rng: random.Random, images: int, scales: Sequence[float] = (1.0,)
) -> tuple[PackedBoxes, ObservedArrays]:
    """Images with few boxes on a coarse grid: touching, nested, duplicated, without area; each
    image at one of the scales."""
    xyxy: list[list[float]] = []
    label: list[int] = []
    offsets = [0]
    for _ in range(images):
        scale, first = rng.choice(scales), len(xyxy)
        for _ in range(rng.choice([0, 1, 2, 4, 7, 9])):
            if len(xyxy) > first and rng.random() < 0.2:
                xyxy.append(list(xyxy[-1]))
            else:
                x, y = rng.randint(0, 6), rng.randint(0, 6)
                box = [x, y, x + rng.choice([0, 1, 2, 5]), y + rng.choice([0, 1, 2.5, 4])]
                xyxy.append([value * scale for value in box])
            label.append(rng.randrange(LABELS))
        offsets.append(len(xyxy))
    n = len(xyxy)
    boxes = PackedBoxes(
        np.array(xyxy, np.float32).reshape(n, 4),
        np.array([rng.choice([0.5, 0.7, 1.0]) for _ in range(n)], np.float32),
        np.array(label, np.int16),
        np.array(offsets, np.int64),
    )

    def table(values: list[float]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        drawn = [[rng.choice(values) for _ in range(LABELS)] for _ in range(images)]
        return np.array(drawn, np.float32).reshape(images, LABELS)

    nan = float("nan")
    observed = ObservedArrays(
        counts=table([nan, nan, 0, 1, 2, 3]),
        said=np.array([[rng.random() < 0.5] * 2 for _ in range(images)], np.bool_).reshape(-1, 2),
        expected_min=table([nan, 0, 1]),
        expected_max=table([nan, 0, 1, 2]),
        view=np.array([rng.randrange(len(VIEWS)) for _ in range(images)], np.int8),
        size=np.array([[12, 10]] * images, np.float32).reshape(images, 2),
        tags=np.array([[rng.random() < 0.5] * 2 for _ in range(images)], np.bool_).reshape(-1, 2),
    )
    return boxes, observed
