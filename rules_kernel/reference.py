"""The oracle: interprets the typed tree of each rule in plain Python, box by box.

It shares nothing with the generated code but the tree, so that the two can be held against each
other. Truths are True, False or None (not applicable); numbers are float or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from physgauge.rules_kernel import tree as t
from physgauge.rules_kernel.arrays import (
    BoxesLike,
    ObservedLike,
    RuleArrays,
    check_boxes,
    check_observed,
)
from physgauge.rules_kernel.pack import Pack, Rule

BoxTuple = tuple[float, float, float, float]
Number = float | None
Truth = bool | None


@dataclass(frozen=True)
class Part:
    """One box of the image. `row` is its packed index."""

    row: int
    label: int
    score: float
    box: BoxTuple


@dataclass(frozen=True)
class Outcome:
    """A truth with the number and the boxes (packed rows) that decided it."""

    value: Truth
    measured: Number = None
    witness: tuple[int, ...] = ()


@dataclass(frozen=True)
class Image:
    """One image's share of the arrays, as plain values."""

    parts: tuple[Part, ...]
    counts: tuple[float, ...]
    said: tuple[bool, ...]
    expected_min: tuple[float, ...]
    expected_max: tuple[float, ...]
    view: int
    size: tuple[float, float]
    tags: tuple[bool, ...]


def evaluate(pack: Pack, boxes: BoxesLike, observed: ObservedLike) -> RuleArrays:
    """Evaluate every rule on every image; arrays and errors as in `kernels.CompiledPack`."""
    images, _ = check_boxes(boxes, len(pack.components))
    check_observed(observed, images, len(pack.components), len(pack.facts), len(pack.tags))
    status = np.full((images, len(pack.rules)), -1, np.int8)
    measured = np.full(status.shape, np.nan, np.float32)
    witness = np.full((*status.shape, 2), -1, np.int32)
    for i in range(images):
        image = _image(boxes, observed, i)
        for r, rule in enumerate(pack.rules):
            outcome = _Interpreter(pack, image, rule).outcome()
            if outcome.value is None:
                continue
            status[i, r] = int(outcome.value)
            if outcome.measured is not None and abs(outcome.measured) < 3.4e38:
                measured[i, r] = outcome.measured
            for k, row in enumerate(dict.fromkeys(outcome.witness)):
                witness[i, r, k] = row
    return RuleArrays(status, measured, witness)


def _image(boxes: BoxesLike, observed: ObservedLike, i: int) -> Image:
    rows = range(int(boxes.offsets[i]), int(boxes.offsets[i + 1]))
    parts = [
        Part(
            n,
            int(boxes.label[n]),
            float(boxes.score[n]),
            (
                float(boxes.xyxy[n, 0]),
                float(boxes.xyxy[n, 1]),
                float(boxes.xyxy[n, 2]),
                float(boxes.xyxy[n, 3]),
            ),
        )
        for n in rows
    ]
    return Image(
        parts=tuple(sorted(parts, key=lambda part: (part.label, part.row))),
        counts=tuple(float(v) for v in observed.counts[i]),
        said=tuple(bool(v) for v in observed.said[i]),
        expected_min=tuple(float(v) for v in observed.expected_min[i]),
        expected_max=tuple(float(v) for v in observed.expected_max[i]),
        view=int(observed.view[i]),
        size=(float(observed.size[i, 0]), float(observed.size[i, 1])),
        tags=tuple(bool(v) for v in observed.tags[i]),
    )


@dataclass
class _Interpreter:
    pack: Pack
    image: Image
    rule: Rule
    bound: dict[t.Variable, Part] = field(default_factory=dict)

    def outcome(self) -> Outcome:
        if self.rule.views is not None and self.image.view not in self.rule.views:
            return Outcome(None)
        outcome = self.truth(self.rule.tree, ())
        absent = any(not self.parts(group) for group in self.rule.subjects)
        if outcome.value is None and absent and self.rule.missing != "exclude":
            return Outcome(self.rule.missing == "satisfied")
        return outcome

    # ---- groups

    def labels(self, group: t.Group) -> tuple[int, ...]:
        if not group.foreign:
            return group.members
        last = len(self.pack.components) - 1
        return tuple(c for c in range(last + 1) if c == last or self.image.expected_max[c] == 0)

    def parts(self, group: t.Group) -> list[Part]:
        labels = self.labels(group)
        return [part for part in self.image.parts if part.label in labels]

    def boxes_of(self, label: int) -> int:
        return sum(part.label == label for part in self.image.parts)

    def fused(self, group: t.Group) -> float:
        numbers = []
        for label in self.labels(group):
            count = self.image.counts[label]
            numbers.append(float(self.boxes_of(label)) if math.isnan(count) else count)
        return sum(numbers) if group.foreign else max(numbers)

    # ---- numbers

    def number(self, node: t.Num) -> Number:
        match node:
            case t.Const(value=value):
                return value
            case t.Count(what="count", group=group):
                return self.fused(group)
            case t.Count(what="boxes", group=group):
                return float(len(self.parts(group)))
            case t.Count(what=what, group=group):
                ends = (
                    self.image.expected_min if what == "expected_min" else self.image.expected_max
                )
                return _known(ends[group.members[0]])
            case t.ImageSize(axis=axis):
                return self.image.size[axis]
            case t.Measure(what=what, box=box):
                found = self.box(box)
                return None if found is None else _MEASURES[what](*found)
            case t.Between(what=what, a=a, b=b):
                first, second = self.box(a), self.box(b)
                if first is None or second is None:
                    return None
                return _between(what, first, second)
            case t.Beside(what=what, box=inner, a=a, b=b):
                found3 = [self.box(part) for part in (inner, a, b)]
                boxes = [part for part in found3 if part is not None]
                return None if len(boxes) < 3 else _beside(what, *map(_centre, boxes))
            case t.Arithmetic(op=op, args=args):
                numbers = [self.number(arg) for arg in args]
                known = [n for n in numbers if n is not None]
                return None if len(known) < len(numbers) else _known(_arithmetic(op, known))
            case t.Fold():
                return self.fold(node)[0]
            case t.AliasUse(name=name):
                return self.number(self.pack.aliases[name].tree)  # type: ignore[arg-type]

    def fold(self, node: t.Fold) -> tuple[Number, Part | None]:
        """The value, and for min and max the part it comes from."""
        found: list[tuple[float, Part]] = []
        for part in self.each(node.group, node.var):
            value = self.number(node.value)
            if value is None:
                return None, None
            found.append((value, part))
        if not found:
            return None, None
        if node.op == "mean":
            return sum(value for value, _ in found) / len(found), None
        pick = min if node.op == "min" else max
        return pick(found, key=lambda pair: pair[0])

    def each(self, group: t.Group, var: t.Variable) -> Iterator[Part]:
        for part in self.parts(group):
            self.bound[var] = part
            yield part

    # ---- boxes

    def box(self, node: t.Box) -> BoxTuple | None:
        match node:
            case t.Bound(var=var):
                return self.bound[var].box
            case t.Best() | t.Largest():
                part = self.single(node)
                return part.box if part else None
            case t.AllOf(group=group):
                return _hull([part.box for part in self.parts(group)])
            case t.Hull(parts=parts, strict=strict):
                found = [self.box(part) for part in parts]
                known = [box for box in found if box is not None]
                return None if strict and len(known) < len(found) else _hull(known)
            case t.Expand(box=inner, share=share):
                box, by = self.box(inner), self.number(share)
                if box is None or by is None:
                    return None
                x, y = by * (box[2] - box[0]), by * (box[3] - box[1])
                return (box[0] - x, box[1] - y, box[2] + x, box[3] + y)
            case t.AliasUse(name=name):
                return self.box(self.pack.aliases[name].tree)  # type: ignore[arg-type]

    def single(self, node: t.Best | t.Largest) -> Part | None:
        if isinstance(node, t.Best):
            own = [part for part in self.image.parts if part.label == node.component]
            return max(own, key=lambda part: part.score, default=None)
        return max(
            self.parts(node.group), key=lambda part: _MEASURES["area"](*part.box), default=None
        )

    # ---- truths

    def truth(self, node: t.Bool, scope: tuple[t.Variable, ...]) -> Outcome:
        match node:
            case t.Logic(op=op, args=args):
                return self.logic(op, args, scope)
            case t.Quantifier():
                return self.quantifier(node, scope)
            case _:
                value, measured = self.leaf(node)
                return Outcome(value, measured, self.witness(node, scope))

    def leaf(self, node: t.Bool) -> tuple[Truth, Number]:
        match node:
            case t.Compare(args=args, ops=ops, measured=measured):
                numbers = [self.number(arg) for arg in args]
                steps = [
                    _compare(a, op, b) for a, op, b in zip(numbers, ops, numbers[1:], strict=False)
                ]
                return _all(steps), numbers[measured]
            case t.Member(value=value, numbers=members, negated=negated):
                number = self.number(value)
                hit = _any([_compare(number, "==", member) for member in members])
                return (_not(hit) if negated else hit), number
            case t.ViewIn(views=views, negated=negated):
                if self.image.view == 0 and 0 not in views:
                    return None, None
                return (self.image.view in views) != negated, None
            case t.Relation(what=what, a=a, b=b):
                first, second = self.box(a), self.box(b)
                if first is None or second is None:
                    return None, None
                return (_inside if what == "inside" else _intersects)(first, second), None
            case t.Cut(box=box):
                whole = self.box(box)
                return (None if whole is None else _cut(whole, self.image.size)), None
            case t.SameBox(a=a, b=b, negated=negated):
                return (self.bound[a].row == self.bound[b].row) != negated, None
            case t.Present(group=group):
                return self.fused(group) >= 1, self.fused(group)
            case t.Expected(group=group):
                count = self.fused(group)
                low = _known(self.image.expected_min[group.members[0]])
                high = _known(self.image.expected_max[group.members[0]])
                if low is None and high is None:
                    return None, count
                above = low is None or bool(_compare(low, "<=", count))
                below = high is None or bool(_compare(count, "<=", high))
                return above and below, count
            case t.Flag(source=source, column=column):
                return (self.image.said if source == "said" else self.image.tags)[column], None
        raise TypeError(f"not a leaf: {node!r}")

    def witness(self, node: t.Bool, scope: tuple[t.Variable, ...]) -> tuple[int, ...]:
        refs = t.witness_refs(node, scope)
        if len(refs) == 1 and isinstance(refs[0], t.Group):
            return tuple(part.row for part in self.parts(refs[0])[:2])
        rows: list[int] = []
        for ref in refs:
            part: Part | None
            match ref:
                case t.Bound(var=var):
                    part = self.bound[var]
                case t.Fold():
                    part = self.fold(ref)[1]
                case t.Group():
                    part = next(iter(self.parts(ref)), None)
                case _:
                    part = self.single(ref)
            rows += [part.row] if part else []
        return tuple(rows)

    def logic(self, op: str, args: tuple[t.Bool, ...], scope: tuple[t.Variable, ...]) -> Outcome:
        first = self.truth(args[0], scope)
        match op:
            case "not":
                return Outcome(_not(first.value), first.measured, first.witness)
            case "and" | "or":
                settled = op == "or"
                for arg in args[1:]:
                    if first.value is settled:
                        break
                    second = self.truth(arg, scope)
                    beats = second.value is settled or (
                        first.value is not None and second.value is None
                    )
                    first = second if beats else first
                return first
            case "implies":
                return self.implies(first, args[1], scope)
        second = self.truth(args[1], scope)
        unclear = first.value is None or second.value is None
        value = None if unclear else first.value == second.value
        return Outcome(value, second.measured, second.witness or first.witness)

    def implies(self, first: Outcome, then: t.Bool, scope: tuple[t.Variable, ...]) -> Outcome:
        if first.value is not True and not self.rule.vacuous:
            return Outcome(None, first.measured, first.witness)
        if first.value is False:
            return Outcome(True, first.measured, first.witness)
        second = self.truth(then, scope)
        if first.value is None and second.value is False:
            return Outcome(None, first.measured, first.witness)
        return Outcome(second.value, second.measured, second.witness or first.witness)

    def quantifier(self, node: t.Quantifier, scope: tuple[t.Variable, ...]) -> Outcome:
        found: list[tuple[Outcome, Part]] = []
        for part in self.each(node.group, node.var):
            outcome = self.truth(node.body, (*scope, node.var))
            if outcome.value is (node.op == "any"):
                return outcome
            found.append((outcome, part))
        if not found:
            return Outcome(True if node.op == "all" and self.rule.vacuous else None)
        value: Truth = node.op == "all"
        if any(outcome.value is None for outcome, _ in found):
            value = None
        decisive = found[0][0]
        if node.op == "any" and node.near is not None:
            here = self.bound[node.near].box
            decisive = min(found, key=lambda pair: _distance(here, pair[1].box))[0]
        return Outcome(value, decisive.measured, decisive.witness)


def _known(value: float) -> Number:
    return None if math.isnan(value) else value


def _not(value: Truth) -> Truth:
    return None if value is None else not value


def _all(values: list[Truth]) -> Truth:
    if any(value is False for value in values):
        return False
    return None if any(value is None for value in values) else True


def _any(values: list[Truth]) -> Truth:
    return _not(_all([_not(value) for value in values]))


def _compare(a: Number, op: str, b: Number) -> Truth:
    """Bounds hold within 1e-6 relative; strict ones need that much to spare."""
    if a is None or b is None or not abs(a) + abs(b) < 1.7e308:
        return None
    slack = 1e-6 * max(abs(a), abs(b))
    return {
        "<": b - a > slack,
        "<=": a - b <= slack,
        ">": a - b > slack,
        ">=": b - a <= slack,
        "==": abs(a - b) <= slack,
        "!=": abs(a - b) > slack,
    }[op]


def _arithmetic(op: str, args: list[float]) -> float:
    a = args[0]
    match op:
        case "neg":
            return -a
        case "abs":
            return abs(a)
        case "sqrt":
            return math.nan if a < 0 else math.sqrt(a)
        case "min":
            return min(args)
        case "max":
            return max(args)
        case "+":
            return a + args[1]
        case "-":
            return a - args[1]
        case "*":
            return a * args[1]
    return math.nan if args[1] == 0 else a / args[1]


_MEASURES: dict[str, Callable[[float, float, float, float], float]] = {
    "x0": lambda x0, y0, x1, y1: x0,
    "y0": lambda x0, y0, x1, y1: y0,
    "x1": lambda x0, y0, x1, y1: x1,
    "y1": lambda x0, y0, x1, y1: y1,
    "cx": lambda x0, y0, x1, y1: (x0 + x1) / 2,
    "cy": lambda x0, y0, x1, y1: (y0 + y1) / 2,
    "width": lambda x0, y0, x1, y1: x1 - x0,
    "height": lambda x0, y0, x1, y1: y1 - y0,
    "area": lambda x0, y0, x1, y1: (x1 - x0) * (y1 - y0),
    "diagonal": lambda x0, y0, x1, y1: math.hypot(x1 - x0, y1 - y0),
}


def _hull(boxes: list[BoxTuple]) -> BoxTuple | None:
    if not boxes:
        return None
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))


def _overlap(a: BoxTuple, b: BoxTuple) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def _between(what: str, a: BoxTuple, b: BoxTuple) -> Number:
    area_a, area_b = (_MEASURES["area"](*box) for box in (a, b))
    match what:
        case "iou":
            either = area_a + area_b - _overlap(a, b)
            return None if either == 0 else _known(_overlap(a, b) / either)
        case "containment":
            return None if area_a == 0 else _known(_overlap(a, b) / area_a)
        case "gap":
            across = max(0.0, b[0] - a[2], a[0] - b[2])
            down = max(0.0, b[1] - a[3], a[1] - b[3])
            return math.hypot(across, down)
    return _distance(a, b)


def _distance(a: BoxTuple, b: BoxTuple) -> float:
    return math.hypot((a[0] + a[2]) / 2 - (b[0] + b[2]) / 2, (a[1] + a[3]) / 2 - (b[1] + b[3]) / 2)


def _inside(a: BoxTuple, b: BoxTuple) -> bool:
    pairs = ((b[0], a[0]), (b[1], a[1]), (a[2], b[2]), (a[3], b[3]))
    return all(_compare(low, "<=", high) is True for low, high in pairs)


def _intersects(a: BoxTuple, b: BoxTuple) -> bool:
    pairs = ((a[0], b[2]), (b[0], a[2]), (a[1], b[3]), (b[1], a[3]))
    return all(_compare(low, "<=", high) is True for low, high in pairs)


def _cut(box: BoxTuple, size: tuple[float, float]) -> bool:
    across, down = 0.01 * size[0], 0.01 * size[1]
    return (
        box[0] <= across or box[1] <= down or box[2] >= 0.99 * size[0] or box[3] >= 0.99 * size[1]
    )


Point = tuple[float, float]


def _centre(box: BoxTuple) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _beside(what: str, p: Point, a: Point, b: Point) -> Number:
    axis = (b[0] - a[0], b[1] - a[1])
    if sum(map(abs, axis)) <= 1e-9 * sum(map(abs, a + b)):
        return None
    step = (p[0] - a[0], p[1] - a[1])
    if what == "along":
        return (axis[0] * step[0] + axis[1] * step[1]) / (axis[0] ** 2 + axis[1] ** 2)
    return abs(axis[0] * step[1] - axis[1] * step[0]) / math.hypot(*axis)
