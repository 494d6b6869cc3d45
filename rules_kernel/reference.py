"""The oracle: interprets the typed tree of each rule in plain Python, box by box.

It shares nothing with the generated code but the tree, so that the two can be held against each
other. Truths are True, False or None (not applicable); numbers are float or None.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.rules_kernel import reference_math as plain
from physgauge.rules_kernel.arrays import (
    BoxesLike,
    ObservedLike,
    RuleArrays,
    check_boxes,
    check_observed,
)
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.walk import witness_refs
from physgauge.rules_kernel.pack import Pack, Rule
from physgauge.rules_kernel.reference_math import Number, Truth
from physgauge.rules_kernel.reference_values import Part, Values, image_of


@dataclass(frozen=True)
class Outcome:
    """A truth with the number and the boxes (packed rows) that decided it."""

    value: Truth
    measured: Number = None
    witness: tuple[int, ...] = ()


def evaluate(pack: Pack, boxes: BoxesLike, observed: ObservedLike) -> RuleArrays:
    """Evaluate every rule on every image; arrays and errors as in `kernels.CompiledPack`."""
    images, _ = check_boxes(boxes, len(pack.components))
    check_observed(observed, images, len(pack.components), len(pack.facts), len(pack.tags))
    status = np.full((images, len(pack.rules)), -1, np.int8)
    measured = np.full(status.shape, np.nan, np.float32)
    witness = np.full((*status.shape, 2), -1, np.int32)
    for i in range(images):
        image = image_of(boxes, observed, i)
        for r, rule in enumerate(pack.rules):
            outcome = _Truths(pack, image).outcome(rule)
            if outcome.value is None:
                continue
            status[i, r] = int(outcome.value)
            if outcome.measured is not None and abs(outcome.measured) < 3.4e38:
                measured[i, r] = outcome.measured
            for k, row in enumerate(dict.fromkeys(outcome.witness)):
                witness[i, r, k] = row
    return RuleArrays(status, measured, witness)


class _Truths(Values):
    """Evaluates rules on one image."""

    rule: Rule

    def outcome(self, rule: Rule) -> Outcome:
        """The outcome of one rule."""
        self.rule = rule
        if self.rule.views is not None and self.image.view not in self.rule.views:
            return Outcome(None)
        outcome = self.truth(self.rule.tree, ())
        absent = any(not self.parts(group) for group in self.rule.subjects)
        if outcome.value is None and absent and self.rule.missing != "exclude":
            return Outcome(self.rule.missing == "satisfied")
        return outcome

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
                    plain.compare(a, op, b)
                    for a, op, b in zip(numbers, ops, numbers[1:], strict=False)
                ]
                return plain.all_of(steps), numbers[measured]
            case t.Member(value=value, numbers=members, negated=negated):
                number = self.number(value)
                hit = plain.any_of([plain.compare(number, "==", member) for member in members])
                return (plain.negated(hit) if negated else hit), number
            case t.ViewIn(views=views, negated=negated):
                if self.image.view == 0 and 0 not in views:
                    return None, None
                return (self.image.view in views) != negated, None
            case t.Relation(what=what, a=a, b=b):
                first, second = self.box(a), self.box(b)
                if first is None or second is None:
                    return None, None
                return (plain.inside if what == "inside" else plain.intersects)(first, second), None
            case t.Cut(box=box):
                whole = self.box(box)
                return (None if whole is None else plain.cut(whole, self.image.size)), None
            case t.SameBox(a=a, b=b, negated=negated):
                return (self.bound[a].row == self.bound[b].row) != negated, None
            case t.Present(group=group):
                return self.fused(group) >= 1, self.fused(group)
            case t.Expected(group=group):
                count = self.fused(group)
                low = plain.known(self.image.expected_min[group.members[0]])
                high = plain.known(self.image.expected_max[group.members[0]])
                if low is None and high is None:
                    return None, count
                above = low is None or bool(plain.compare(low, "<=", count))
                below = high is None or bool(plain.compare(count, "<=", high))
                return above and below, count
            case t.Flag(source=source, column=column):
                return (self.image.said if source == "said" else self.image.tags)[column], None
        raise TypeError(f"not a leaf: {node!r}")

    def witness(self, node: t.Bool, scope: tuple[t.Variable, ...]) -> tuple[int, ...]:
        refs = witness_refs(node, scope)
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
                return Outcome(plain.negated(first.value), first.measured, first.witness)
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
            decisive = min(found, key=lambda pair: plain.distance(here, pair[1].box))[0]
        return Outcome(value, decisive.measured, decisive.witness)
