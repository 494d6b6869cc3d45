"""Names and types: turns syntax into the typed tree, or says what is wrong and where."""

from __future__ import annotations

from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.errors import did_you_mean
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.calls import Calls
from physgauge.rules_kernel.language.intervals import range_of, verdict
from physgauge.rules_kernel.language.names import FUNCTIONS, Names, Scope
from physgauge.rules_kernel.language.reach import constant, contradiction
from physgauge.rules_kernel.language.syntax import Node

_TYPE_NAMES = {"number": "a number", "box": "a box", "boolean": "a condition", "view": "the view"}


def check_rule(node: Node, source: str, names: Names) -> t.Bool:
    """The typed tree of a rule. Raises SyntaxProblem."""
    return Checker(source, names).boolean(node, ())


def check_alias(node: Node, source: str, names: Names) -> tuple[str, t.Num | t.Box]:
    """Type ("number" or "box") and tree of an alias. Raises SyntaxProblem."""
    checker = Checker(source, names)
    kind, value = checker.value(node, ())
    if kind not in {"number", "box"}:
        raise checker.wrong("an alias names a box or a number", node, got=_TYPE_NAMES[kind])
    return kind, value  # type: ignore[return-value]


class Checker(Calls):
    """Names, operators and the type of any expression."""

    def __init__(self, source: str, names: Names) -> None:
        self.source, self.names = source, names
        self.variables = 0

    def _typed(self, wanted: str, node: Node, scope: Scope) -> t.Tree:
        kind, value = self.value(node, scope)
        if kind != wanted:
            hint = None
            if kind == "box" and wanted == "number":
                hint = f"for example width({self.text(node)}) or count(...)"
            raise self.wrong(
                f"wrong type of {self.text(node)[:40]!r}",
                node,
                expected=_TYPE_NAMES[wanted],
                got=_TYPE_NAMES[kind],
                hint=hint,
            )
        return value

    def number(self, node: Node, scope: Scope) -> t.Num:
        return self._typed("number", node, scope)  # type: ignore[return-value]

    def box(self, node: Node, scope: Scope) -> t.Box:
        return self._typed("box", node, scope)  # type: ignore[return-value]

    def boolean(self, node: Node, scope: Scope) -> t.Bool:
        return self._typed("boolean", node, scope)  # type: ignore[return-value]

    def value(self, node: Node, scope: Scope) -> tuple[str, t.Tree]:
        """Type and tree of any expression."""
        match node.kind:
            case "number":
                return "number", t.Const(node.value)
            case "name":
                return self.name(node, scope)
            case "call":
                return self.call(node, scope)
            case "neg" | "+" | "-" | "*" | "/" | "%":
                return "number", self.arithmetic(node, scope)
            case "not" | "and" | "or" | "implies" | "iff":
                return "boolean", self.logic(node, scope)
            case "<":
                return "boolean", self.comparison(node, scope)
            case "in" | "not in":
                return "boolean", self.membership(node, scope)
        raise self.wrong("'as' is only for the component of all, any, min, max or mean", node)

    def name(self, node: Node, scope: Scope) -> tuple[str, t.Tree]:
        for var in scope:
            if var.name == node.text:
                return "box", t.Bound(var)
        names = self.names
        if node.text in names.components:
            return "box", t.Best(names.components.index(node.text))
        if node.text in names.aliases:
            return names.alias_types[node.text], t.AliasUse(node.text)
        if node.text in {"W", "H"}:
            return "number", t.ImageSize("WH".index(node.text))
        if node.text == "view":
            return "view", t.ViewIn((), negated=False)
        if node.text == "foreign":
            raise self.wrong(
                "foreign is a group of parts, not one box",
                node,
                expected="count, boxes, present, largest, all, any, min, max or mean of it",
            )
        if node.text in FUNCTIONS:
            raise self.wrong(f"{node.text} needs arguments", node, expected=f"{node.text}(...)")
        raise self.unknown(node, [v.name for v in scope])

    def arithmetic(self, node: Node, scope: Scope) -> t.Num:
        args = tuple(self.number(arg, scope) for arg in node.args)
        if node.kind in {"/", "%"} and range_of(args[1], self.names.ranges) == (0.0, 0.0):
            raise self.wrong("division by zero", node.args[1], got=self.text(node.args[1])[:40])
        return t.Arithmetic(node.kind, args)

    def logic(self, node: Node, scope: Scope) -> t.Bool:
        args = tuple(self.boolean(arg, scope) for arg in node.args)
        if node.kind == "and" and (at := contradiction(args, self.names.ranges)) is not None:
            raise self.wrong(
                "conditions that never hold together", node.args[at], got=self.text(node)[:60]
            )
        if node.kind in {"implies", "iff"} and args[0] == args[1]:
            raise self.wrong(f"both sides of {node.kind!r} are the same: always true", node)
        for at, arg in enumerate(args):
            if node.kind in {"and", "or"} and arg in args[:at]:
                text = self.text(node.args[at])[:60]
                raise self.wrong(
                    f"a condition is twice in this {node.kind!r}", node.args[at], got=text
                )
        whole = t.Logic(node.kind, args)
        if (fixed := constant(whole)) is not None:
            raise self.wrong(
                f"a condition that is always {str(fixed).lower()}", node, got=self.text(node)[:60]
            )
        return whole

    def comparison(self, node: Node, scope: Scope) -> t.Bool:
        if any(arg.kind == "name" and arg.text == "view" for arg in node.args):
            return self.view_test(node)
        if node.ops in {("==",), ("!=",)} and (same := self.same_box(node, scope)):
            return same
        args: tuple[t.Num, ...] = tuple(self.number(arg, scope) for arg in node.args)
        for left, op, right, at in zip(args, node.ops, args[1:], node.args, strict=False):
            fixed = verdict(
                op, range_of(left, self.names.ranges), range_of(right, self.names.ranges)
            )
            if fixed is not None or left == right:
                outcome = (op in {"==", "<=", ">="}) if fixed is None else fixed
                raise self.wrong(
                    f"a comparison that is always {str(outcome).lower()}",
                    at,
                    got=self.text(node)[:60],
                )
        made = t.Compare(args, node.ops, 0)
        if len(node.args) > 2 and contradiction([made], self.names.ranges) is not None:
            raise self.wrong("a chain that never holds", node, got=self.text(node)[:60])
        measured = 1 if len(node.args) > 2 or isinstance(args[0], t.Const) else 0
        return t.Compare(args, node.ops, measured, self._bound(node, measured))

    def _bound(self, node: Node, measured: int) -> str:
        texts = [self.text(arg) for arg in node.args]
        if len(texts) == 2:
            flip = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            op = node.ops[0]
            return f"{flip.get(op, op)} {texts[0]}" if measured else f"{op} {texts[1]}"
        texts[measured] = "x"
        return texts[0] + "".join(
            f" {op} {text}" for op, text in zip(node.ops, texts[1:], strict=True)
        )

    def same_box(self, node: Node, scope: Scope) -> t.Bool | None:
        bound = {var.name: var for var in scope}
        if not all(arg.kind == "name" and arg.text in bound for arg in node.args):
            return None
        a, b = (bound[arg.text] for arg in node.args)
        if a == b:
            raise self.wrong(f"{a.name!r} is compared with itself", node)
        return t.SameBox(a, b, negated=node.ops == ("!=",))

    def view_test(self, node: Node) -> t.Bool:
        left, right = node.args[0], node.args[1]
        if node.ops not in {("==",), ("!=",)} or left.text != "view":
            raise self.wrong(
                "the view cannot be compared like this",
                node,
                expected="view == NAME or view in {NAME, ...}",
            )
        return t.ViewIn((self.view_index(right),), negated=node.ops == ("!=",))

    def view_index(self, node: Node) -> int:
        if node.kind != "name" or node.text not in VIEWS:
            raise self.wrong(
                f"unknown view {self.text(node)[:40]!r}",
                node,
                expected=", ".join(VIEWS),
                hint=did_you_mean(node.text, VIEWS),
            )
        return VIEWS.index(node.text)

    def membership(self, node: Node, scope: Scope) -> t.Bool:
        first, *rest = node.args
        negated = node.kind == "not in"
        if first.kind == "name" and first.text == "view":
            return t.ViewIn(tuple(sorted({self.view_index(arg) for arg in rest})), negated)
        value = self.number(first, scope)
        numbers: list[float] = []
        for arg in rest:
            number = range_of(self.number(arg, scope), self.names.ranges)
            if number[0] != number[1]:
                raise self.wrong("a member of the set is no constant", arg, expected="a number")
            if number[0] in numbers:
                raise self.wrong("a number is twice in the set", arg, got=self.text(arg)[:40])
            numbers.append(number[0])
        low, high = range_of(value, self.names.ranges)
        if all(not low <= n <= high for n in numbers):
            raise self.wrong(
                "no member of the set can be reached", rest[0], got=self.text(node)[:60]
            )
        listed = "{" + ", ".join(self.text(arg) for arg in rest) + "}"
        return t.Member(value, tuple(numbers), negated, f"{node.kind} {listed}")
