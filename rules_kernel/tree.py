"""The typed tree of a rule: what the checker makes, and the code generator and the oracle read.

Three types: `Num` (float64; NaN = not applicable), `Box` (x0, y0, x1, y1 in px, and for single
boxes their place among the image's boxes), `Bool` (false, not applicable, true).
Component indices are positions in the pack's `components`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """op: + - * / neg abs sqrt min max, over one, two or more numbers."""

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


def children(node: Tree) -> tuple[Tree, ...]:
    """The direct parts of a node, in written order."""
    match node:
        case Measure(box=box) | Cut(box=box):
            return (box,)
        case Between(a=a, b=b) | Relation(a=a, b=b):
            return (a, b)
        case Beside(box=box, a=a, b=b):
            return (box, a, b)
        case Arithmetic(args=args) | Compare(args=args) | Logic(args=args):
            return tuple(args)
        case Fold(value=value) | Member(value=value):
            return (value,)
        case Hull(parts=parts):
            return tuple(parts)
        case Expand(box=box, share=share):
            return (box, share)
        case Quantifier(body=body):
            return (body,)
        case _:
            return ()


def walk(node: Tree) -> list[Tree]:
    """The node and everything below it, in written order."""
    out: list[Tree] = [node]
    for child in children(node):
        out.extend(walk(child))
    return out


def _mentions(node: Tree) -> list[WitnessRef]:
    match node:
        case Fold(op=op):
            return [] if op == "mean" else [node]
        case Best() | Largest() | Bound():
            return [node]
        case Count(group=group) | Present(group=group) | Expected(group=group):
            return [group]
        case SameBox(a=a, b=b):
            return [Bound(a), Bound(b)]
        case _:
            return [ref for child in children(node) for ref in _mentions(child)]


def witness_refs(node: Bool, scope: tuple[Variable, ...]) -> tuple[WitnessRef, ...]:
    """The boxes that a leaf truth points at, most telling first: the variables in scope from the
    outermost inwards, then the other boxes it mentions as written; at most two."""
    refs: list[WitnessRef] = [Bound(var) for var in scope]
    for ref in _mentions(node):
        if ref not in refs:
            refs.append(ref)
    return tuple(refs[:2])


def bound_text(node: Bool) -> str:
    """The bound of the first comparison that can decide `node`, as written ("" if none)."""
    for part in walk(node):
        if isinstance(part, Compare | Member):
            return part.bound
    return ""


def groups(node: Tree) -> tuple[Group, ...]:
    """The groups that the node itself (not its parts) names."""
    match node:
        case Best(component=component):
            return (Group("", (component,)),)
        case (
            Largest(group=group)
            | AllOf(group=group)
            | Fold(group=group)
            | Quantifier(group=group)
            | Count(group=group)
            | Present(group=group)
            | Expected(group=group)
        ):
            return (group,)
        case _:
            return ()


def subjects(node: Tree, aliases: Mapping[str, Tree]) -> tuple[Group, ...]:
    """Groups whose boxes a rule needs (not those it only counts). A lenient union is one group;
    `foreign` is none: its absence is the normal case."""
    found: dict[tuple[int, ...], Group] = {}
    todo: list[Tree] = [node]
    while todo:
        part = todo.pop(0)
        if isinstance(part, Count | Present | Expected):
            continue
        if isinstance(part, AliasUse):
            todo.insert(0, aliases[part.name])
        if isinstance(part, Hull) and not part.strict:
            inner = [p for p in part.parts if isinstance(p, AllOf)]
            members = tuple(sorted({m for p in inner for m in p.group.members}))
            if inner:
                found.setdefault(members, Group("", members))
            todo[0:0] = [p for p in part.parts if not isinstance(p, AllOf)]
            continue
        for group in groups(part):
            if not group.foreign:
                found.setdefault(group.members, group)
        todo[0:0] = children(part)
    return tuple(found.values())
