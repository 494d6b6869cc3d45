"""Conditions that no picture can meet, or none can break, because their parts contradict each other:
`count(wing) > 3 and count(wing) < 2`, `view == front` in a rule for side views."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.language.intervals import Range, range_of
from physgauge.rules_kernel.language.syntax import Node
from physgauge.rules_kernel.language.tokens import SyntaxProblem
from physgauge.rules_kernel.language.tree import Bool, Compare, Logic, Member, Num

_FLIP = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


def _bounds(part: Bool, aliases: Mapping[str, Range]) -> Iterator[tuple[Num, Range]]:
    """(term, closed range) for each constant bound that `part` sets on a term; a strict bound leaves out
    a sliver."""
    if isinstance(part, Member) and not part.negated:
        yield part.value, (min(part.numbers), max(part.numbers))
    if not isinstance(part, Compare):
        return
    for left, op, right in zip(part.args, part.ops, part.args[1:], strict=False):
        for term, sign, bound in ((left, op, right), (right, _FLIP.get(op, op), left)):
            low, high = range_of(bound, aliases)
            if low != high or math.isinf(low) or sign not in _FLIP:
                continue
            step = 1e-9 * max(1.0, abs(low))
            yield term, {
                "<": (-math.inf, low - step), "<=": (-math.inf, low),
                ">": (low + step, math.inf), ">=": (low, math.inf), "==": (low, low),
            }[sign]  # fmt: skip


def contradiction(parts: Sequence[Bool], aliases: Mapping[str, Range]) -> int | None:
    """Index of the first of `parts` that cannot hold together with those before it."""
    seen: dict[Num, Range] = {}
    for index, part in enumerate(_flat(parts)):
        for term, (low, high) in _bounds(part, aliases):
            before = seen.get(term, (-math.inf, math.inf))
            seen[term] = max(low, before[0]), min(high, before[1])
            if seen[term][0] > seen[term][1]:
                return min(index, len(parts) - 1)
    return None


_OPPOSITE = {">=": "<", "<=": ">", "!=": "=="}
MOST_PARTS = 8
"""Different parts whose every combination is tried."""


def constant(whole: Bool) -> bool | None:
    """What a condition of and, or, not, implies, iff comes out as whatever its parts are: True, False, or
    None, where it depends on them."""
    parts: dict[Bool, int] = {}
    _collect(whole, parts)
    if len(parts) > MOST_PARTS:
        return None
    outcomes = {
        _holds(whole, parts, values) for values in product((False, True), repeat=len(parts))
    }
    return outcomes.pop() if len(outcomes) == 1 else None


def _positive(part: Bool) -> tuple[Bool, bool]:
    """A part, or what it is the opposite of: `a >= b` is `not a < b`."""
    if isinstance(part, Compare) and len(part.ops) == 1 and part.ops[0] in _OPPOSITE:
        return Compare(part.args, (_OPPOSITE[part.ops[0]],), 0), False
    if isinstance(part, Compare):
        return Compare(part.args, part.ops, 0), True
    return part, True


def _collect(node: Bool, parts: dict[Bool, int]) -> None:
    if isinstance(node, Logic):
        for arg in node.args:
            _collect(arg, parts)
    else:
        parts.setdefault(_positive(node)[0], len(parts))


def _holds(node: Bool, parts: Mapping[Bool, int], values: Sequence[bool]) -> bool:
    if not isinstance(node, Logic):
        part, positive = _positive(node)
        return values[parts[part]] == positive
    first, *rest = (_holds(arg, parts, values) for arg in node.args)
    match node.op:
        case "not":
            return not first
        case "and":
            return first and all(rest)
        case "or":
            return first or any(rest)
        case "implies":
            return not first or rest[0]
    return first == rest[0]


def _flat(parts: Sequence[Bool]) -> list[Bool]:
    """With the parts of inner conjunctions in their place (one level: the parser joins the rest)."""
    flat: list[Bool] = []
    for part in parts:
        inner = part.args if isinstance(part, Logic) and part.op == "and" else (part,)
        flat.extend(inner)
    return flat


def check_views(node: Node, views: Sequence[int]) -> None:
    """Raise SyntaxProblem for a test of the view that comes out alike in all of a rule's `views`."""
    _each(node, lambda test: _check_view(test, views))


def _each(node: Node, check: Callable[[Node], None]) -> None:
    if node.kind in {"<", "in", "not in"} and node.args[0].text == "view":
        check(node)
    for arg in node.args:
        _each(arg, check)


def _check_view(test: Node, views: Sequence[int]) -> None:
    named = {arg.text for arg in test.args[1:]}
    negated = test.kind == "not in" or test.ops == ("!=",)
    outcomes = {(VIEWS[view] in named) != negated for view in views}
    if len(outcomes) == 1:
        raise SyntaxProblem(
            f"a view test that is always {str(outcomes.pop()).lower()} here",
            test.at,
            got=f"views = [{', '.join(VIEWS[view] for view in views)}]",
        )
