"""The typed tree of a rule: what the checker makes, and the code generator and the oracle read.

Three types: `Num` (float64; NaN = not applicable), `Box` (x0, y0, x1, y1 in px, and for single
boxes their place among the image's boxes), `Bool` (false, not applicable, true).
Component indices are positions in the pack's `components`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Group:
    """Components taken together: one, a lenient union of several, or `foreign` (parts that the
    image's type does not have: expected_max == 0, and "other")."""

    name: str
    members: tuple[int, ...]
    foreign: bool = False


@dataclass(frozen=True)
class Variable:
    """The current box of a quantifier or fold. `id` is unique within its rule."""

    name: str
    id: int


# Numbers


@dataclass(frozen=True)
class Const:
    value: float


@dataclass(frozen=True)
class Count:
    """Of `group`: what = "count" (fused), "boxes", "expected_min" or "expected_max"."""

    what: str
    group: Group


@dataclass(frozen=True)
class ImageSize:
    axis: int
    """0 width, 1 height."""


@dataclass(frozen=True)
class Measure:
    """One of MEASURES of a box."""

    what: str
    box: Box


@dataclass(frozen=True)
class Between:
    """One of BETWEEN of two boxes."""

    what: str
    a: Box
    b: Box


@dataclass(frozen=True)
class Beside:
    """Where the centre of `box` is, seen from the line through the centres of `a` and `b`: what =
    "along" (0 at a, 1 at b) or "aside" (px from the line)."""

    what: str
    box: Box
    a: Box
    b: Box


@dataclass(frozen=True)
class Arithmetic:
    """op: + - * / % neg abs sqrt min max, over one, two or more numbers."""

    op: str
    args: tuple[Num, ...]


@dataclass(frozen=True)
class Fold:
    """op (min, max, mean) of `value` over the boxes of `group`."""

    op: str
    group: Group
    var: Variable
    value: Num


# Boxes


@dataclass(frozen=True)
class Bound:
    var: Variable


@dataclass(frozen=True)
class Best:
    """The highest-scoring box of a component (the first of equals)."""

    component: int


@dataclass(frozen=True)
class Largest:
    """The box of largest area in a group (the first of equals)."""

    group: Group


@dataclass(frozen=True)
class AllOf:
    """The hull over all boxes of a group, as an argument of union/span."""

    group: Group


@dataclass(frozen=True)
class Hull:
    """Smallest box around `parts`; `strict` (span) needs every part, else (union) any will do."""

    parts: tuple[Box, ...]
    strict: bool


@dataclass(frozen=True)
class Expand:
    """Every edge of `box` moved outwards by `share` of the box's own width or height."""

    box: Box
    share: Num


@dataclass(frozen=True)
class AliasUse:
    """A named number or box of the pack."""

    name: str


# Truths


@dataclass(frozen=True)
class Compare:
    """args[0] ops[0] args[1] ops[1] ...; `measured` is the argument a report shows."""

    args: tuple[Num, ...]
    ops: tuple[str, ...]
    measured: int
    bound: str = field(compare=False, default="")


@dataclass(frozen=True)
class Member:
    """value in {numbers}"""

    value: Num
    numbers: tuple[float, ...]
    negated: bool
    bound: str = field(compare=False, default="")


@dataclass(frozen=True)
class ViewIn:
    """The image's view is one of `views` (indices into VIEWS). Not applicable for an unknown view
    unless `views` names it."""

    views: tuple[int, ...]
    negated: bool


@dataclass(frozen=True)
class Logic:
    """op: not, and, or, implies, iff."""

    op: str
    args: tuple[Bool, ...]


@dataclass(frozen=True)
class Quantifier:
    """op (all, any) of `body` over the boxes of `group`; `near` is the enclosing variable whose
    box picks the reference that a failing `any` reports."""

    op: str
    group: Group
    var: Variable
    body: Bool
    near: Variable | None


@dataclass(frozen=True)
class Relation:
    """what: inside, intersects."""

    what: str
    a: Box
    b: Box


@dataclass(frozen=True)
class Cut:
    """An edge of the box lies within 1 % of the image's edge: the part may go on outside."""

    box: Box


@dataclass(frozen=True)
class SameBox:
    a: Variable
    b: Variable
    negated: bool


@dataclass(frozen=True)
class Present:
    group: Group


@dataclass(frozen=True)
class Expected:
    """The fused count lies within the expectation."""

    group: Group


@dataclass(frozen=True)
class Flag:
    """A column of said or tags."""

    source: str
    column: int


Num: TypeAlias = (
    Const | Count | ImageSize | Measure | Between | Beside | Arithmetic | Fold | AliasUse
)
Box: TypeAlias = Bound | Best | Largest | AllOf | Hull | Expand | AliasUse
Bool: TypeAlias = (
    Compare
    | Member
    | ViewIn
    | Logic
    | Quantifier
    | Relation
    | Cut
    | SameBox
    | Present
    | Expected
    | Flag
)
Tree: TypeAlias = Num | Box | Bool

MEASURES = ("x0", "y0", "x1", "y1", "cx", "cy", "width", "height", "area", "diagonal")
BETWEEN = ("iou", "containment", "gap", "distance")
BESIDE = ("along", "aside")
RELATIONS = ("inside", "intersects")

WitnessRef: TypeAlias = Bound | Best | Largest | Fold | Group
"""Something a comparison mentions that a report can point at with a box."""
