"""The oracle's images, numbers and boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from physgauge.rules_kernel import reference_math as plain
from physgauge.rules_kernel.arrays import BoxesLike, ObservedLike
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.pack import Pack
from physgauge.rules_kernel.reference_math import MEASURES, BoxTuple, Number


@dataclass(frozen=True)
class Part:
    """One box of the image. `row` is its packed index."""

    row: int
    label: int
    score: float
    box: BoxTuple


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


def image_of(boxes: BoxesLike, observed: ObservedLike, i: int) -> Image:
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
class Values:
    """Evaluates numbers and boxes on one image; `bound` holds the current boxes."""

    pack: Pack
    image: Image
    bound: dict[t.Variable, Part] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    """Of each alias that was looked at, its value: aliases know no bound boxes."""

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
                return plain.known(ends[group.members[0]])
            case t.ImageSize(axis=axis):
                return self.image.size[axis]
            case t.Measure(what=what, box=box):
                found = self.box(box)
                return None if found is None else MEASURES[what](*found)
            case t.Between(what=what, a=a, b=b):
                first, second = self.box(a), self.box(b)
                if first is None or second is None:
                    return None
                return plain.between(what, first, second)
            case t.Beside(what=what, box=inner, a=a, b=b):
                found3 = [self.box(part) for part in (inner, a, b)]
                boxes = [part for part in found3 if part is not None]
                return None if len(boxes) < 3 else plain.beside(what, *map(plain.centre, boxes))
            case t.Arithmetic(op=op, args=args):
                numbers = [self.number(arg) for arg in args]
                known = [n for n in numbers if n is not None]
                return (
                    None if len(known) < len(numbers) else plain.known(plain.arithmetic(op, known))
                )
            case t.Fold():
                return self.fold(node)[0]
            case t.AliasUse(name=name):
                return self.alias(name, self.number)  # type: ignore[no-any-return]

    def alias(self, name: str, evaluate: Callable[[Any], Any]) -> Any:
        """An alias' number or box; looked at once, as aliases of aliases grow fast when written out."""
        if name not in self.known:
            self.known[name] = evaluate(self.pack.aliases[name].tree)
        return self.known[name]

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
                return plain.hull([part.box for part in self.parts(group)])
            case t.Hull(parts=parts, strict=strict):
                found = [self.box(part) for part in parts]
                known = [box for box in found if box is not None]
                return None if strict and len(known) < len(found) else plain.hull(known)
            case t.Expand(box=inner, share=share):
                box, by = self.box(inner), self.number(share)
                if box is None or by is None:
                    return None
                x, y = by * (box[2] - box[0]), by * (box[3] - box[1])
                return (box[0] - x, box[1] - y, box[2] + x, box[3] + y)
            case t.AliasUse(name=name):
                return self.alias(name, self.box)  # type: ignore[no-any-return]

    def single(self, node: t.Best | t.Largest) -> Part | None:
        if isinstance(node, t.Best):
            own = [part for part in self.image.parts if part.label == node.component]
            return max(own, key=lambda part: part.score, default=None)
        return max(
            self.parts(node.group), key=lambda part: MEASURES["area"](*part.box), default=None
        )
