"""Walks over the typed tree: parts, witnesses, bounds, the components that a rule needs."""

from __future__ import annotations

from collections.abc import Mapping

from physgauge.rules_kernel.language.tree import (
    AliasUse,
    AllOf,
    Arithmetic,
    Beside,
    Best,
    Between,
    Bool,
    Bound,
    Compare,
    Count,
    Cut,
    Expand,
    Expected,
    Fold,
    Group,
    Hull,
    Largest,
    Logic,
    Measure,
    Member,
    Present,
    Quantifier,
    Relation,
    SameBox,
    Tree,
    Variable,
    WitnessRef,
)


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
    opened: set[str] = set()
    todo: list[Tree] = [node]
    while todo:
        part = todo.pop(0)
        if isinstance(part, Count | Present | Expected):
            continue
        if isinstance(part, AliasUse) and part.name not in opened:
            opened.add(part.name)
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
