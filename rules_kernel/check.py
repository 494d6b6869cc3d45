"""Names and types: turns syntax into the typed tree, or says what is wrong and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from physgauge.rules_kernel import tree as t
from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.errors import did_you_mean
from physgauge.rules_kernel.intervals import range_of, verdict
from physgauge.rules_kernel.syntax import KEYWORDS, Node, SyntaxProblem

Scope = tuple[t.Variable, ...]
MAX_QUANTIFIERS = 3

_GROUPS = ("count", "boxes", "present", "expected", "expected_min", "expected_max", "largest")
_OTHERS = ("abs", "sqrt", "min", "max", "mean", "all", "any", "union", "span", "expand", "cut")
FUNCTIONS = frozenset(
    {*t.MEASURES, *t.BETWEEN, *t.BESIDE, *t.RELATIONS, *_GROUPS, *_OTHERS, "said", "tag", "subtype"}
)
RESERVED = FUNCTIONS | KEYWORDS | {"W", "H", "view", "foreign", "other"}

_TYPE_NAMES = {"number": "a number", "box": "a box", "boolean": "a condition", "view": "the view"}


@dataclass
class Names:
    """What the expressions of one pack may mention. `aliases` fills up as aliases are checked."""

    components: tuple[str, ...]
    tags: tuple[str, ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    aliases: dict[str, t.Num | t.Box] = field(default_factory=dict)
    alias_types: dict[str, str] = field(default_factory=dict)

    def group(self, name: str) -> t.Group | None:
        """The components that a name stands for where components are counted or visited."""
        if name == "foreign":
            return t.Group(name, (), foreign=True)
        if name in self.components:
            return t.Group(name, (self.components.index(name),))
        hull = self.aliases.get(name)
        if isinstance(hull, t.Hull) and not hull.strict:
            members: set[int] = set()
            for part in hull.parts:
                if not isinstance(part, t.AllOf):
                    return None
                members.update(part.group.members)
            return t.Group(name, tuple(sorted(members)))
        return None


def check_rule(node: Node, source: str, names: Names) -> t.Bool:
    """The typed tree of a rule. Raises SyntaxProblem."""
    return _Checker(source, names).boolean(node, ())


def check_alias(node: Node, source: str, names: Names) -> tuple[str, t.Num | t.Box]:
    """Type ("number" or "box") and tree of an alias. Raises SyntaxProblem."""
    checker = _Checker(source, names)
    kind, value = checker.value(node, ())
    if kind not in {"number", "box"}:
        raise checker.wrong("an alias names a box or a number", node, got=_TYPE_NAMES[kind])
    return kind, value  # type: ignore[return-value]


class _Checker:
    def __init__(self, source: str, names: Names) -> None:
        self.source, self.names = source, names
        self.variables = 0

    def wrong(
        self,
        problem: str,
        node: Node,
        *,
        expected: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> SyntaxProblem:
        return SyntaxProblem(problem, node.at, expected=expected, got=got, hint=hint)

    def text(self, node: Node) -> str:
        return self.source[node.at : node.end]

    # ---- values by type

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
            case "neg" | "+" | "-" | "*" | "/":
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

    def unknown(self, node: Node, extra: list[str], what: str = "name") -> SyntaxProblem:
        known = [*extra, *self.names.components, *self.names.aliases, "W", "H", "view", "foreign"]
        hint = did_you_mean(node.text, known)
        return self.wrong(
            f"unknown {what} {node.text[:40]!r}",
            node,
            expected="a component, an alias or a bound name",
            hint=hint or f"components: {', '.join(self.names.components)}",
        )

    # ---- operators

    def arithmetic(self, node: Node, scope: Scope) -> t.Num:
        args = tuple(self.number(arg, scope) for arg in node.args)
        if node.kind == "/" and range_of(args[1], self.names.aliases) == (0.0, 0.0):
            raise self.wrong("division by zero", node.args[1], got=self.text(node.args[1])[:40])
        return t.Arithmetic(node.kind, args)

    def logic(self, node: Node, scope: Scope) -> t.Bool:
        args = tuple(self.boolean(arg, scope) for arg in node.args)
        if node.kind in {"implies", "iff"} and args[0] == args[1]:
            raise self.wrong(f"both sides of {node.kind!r} are the same: always true", node)
        return t.Logic(node.kind, args)

    def comparison(self, node: Node, scope: Scope) -> t.Bool:
        if any(arg.kind == "name" and arg.text == "view" for arg in node.args):
            return self.view_test(node)
        if node.ops in {("==",), ("!=",)} and (same := self.same_box(node, scope)):
            return same
        args = tuple(self.number(arg, scope) for arg in node.args)
        for left, op, right, at in zip(args, node.ops, args[1:], node.args, strict=False):
            fixed = verdict(
                op, range_of(left, self.names.aliases), range_of(right, self.names.aliases)
            )
            if fixed is not None or left == right:
                outcome = (op in {"==", "<=", ">="}) if fixed is None else fixed
                raise self.wrong(
                    f"a comparison that is always {str(outcome).lower()}",
                    at,
                    got=self.text(node)[:60],
                )
        measured = 1 if len(args) > 2 or isinstance(args[0], t.Const) else 0
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
            number = range_of(self.number(arg, scope), self.names.aliases)
            if number[0] != number[1]:
                raise self.wrong("a member of the set is no constant", arg, expected="a number")
            numbers.append(number[0])
        low, high = range_of(value, self.names.aliases)
        if all(not low <= n <= high for n in numbers):
            raise self.wrong(
                "no member of the set can be reached", rest[0], got=self.text(node)[:60]
            )
        listed = "{" + ", ".join(self.text(arg) for arg in rest) + "}"
        return t.Member(value, tuple(numbers), negated, f"{node.kind} {listed}")

    # ---- functions

    def call(self, node: Node, scope: Scope) -> tuple[str, t.Tree]:
        name, n = node.text, len(node.args)
        if name not in FUNCTIONS:
            raise self.wrong(
                f"unknown function {name[:40]!r}",
                node,
                hint=did_you_mean(name, FUNCTIONS) or "see rules_kernel/LANGUAGE.md",
            )
        if name in t.MEASURES:
            self.arity(node, 1, "(box)")
            return "number", t.Measure(name, self.box(node.args[0], scope))
        if name in t.BESIDE:
            self.arity(node, 3, "(box, from, to)")
            p, a, b = (self.box(arg, scope) for arg in node.args)
            if a == b:
                raise self.wrong(f"{name}: the line needs two different boxes", node)
            return "number", t.Beside(name, p, a, b)
        if name == "cut":
            self.arity(node, 1, "(box)")
            return "boolean", t.Cut(self.box(node.args[0], scope))
        if name in t.BETWEEN or name in t.RELATIONS:
            self.arity(node, 2, "(box, box)")
            a, b = self.box(node.args[0], scope), self.box(node.args[1], scope)
            if a == b:
                raise self.wrong(f"{name} of a box with itself", node)
            if name in t.RELATIONS:
                return "boolean", t.Relation(name, a, b)
            return "number", t.Between(name, a, b)
        if name in _GROUPS:
            self.arity(node, 1, "(component)")
            return self.of_group(node)
        if name in {"all", "any"}:
            return "boolean", self.quantifier(node, scope)
        if name == "mean" or (name in {"min", "max"} and self.is_group(node.args[0], scope)):
            return "number", self.fold(node, scope)
        if name in {"abs", "sqrt"}:
            self.arity(node, 1, "(number)")
            return "number", t.Arithmetic(name, (self.number(node.args[0], scope),))
        if name in {"min", "max"}:
            if n < 2:
                self.arity(node, 2, "(component, number) or of two or more numbers")
            return "number", t.Arithmetic(name, tuple(self.number(a, scope) for a in node.args))
        if name in {"union", "span"}:
            parts = tuple(self.hull_part(arg, scope) for arg in node.args)
            return "box", t.Hull(parts, strict=name == "span")
        if name == "expand":
            self.arity(node, 2, "(box, share)")
            return "box", t.Expand(self.box(node.args[0], scope), self.number(node.args[1], scope))
        return "boolean", self.fact(node) if name == "said" else self.tag(node)

    def arity(self, node: Node, n: int, usage: str) -> None:
        if len(node.args) != n:
            raise self.wrong(
                f"wrong number of arguments for {node.text}",
                node,
                expected=f"{node.text}{usage}",
                got=f"{len(node.args)} argument{'s' if len(node.args) != 1 else ''}",
            )

    def is_group(self, node: Node, scope: Scope) -> bool:
        if node.kind == "as":
            return True
        bound = any(var.name == node.text for var in scope)
        return node.kind == "name" and not bound and self.names.group(node.text) is not None

    def group(self, node: Node) -> t.Group:
        group = self.names.group(node.text) if node.kind == "name" else None
        if group is None:
            if node.kind == "name" and node.text not in self.names.aliases:
                raise self.unknown(node, [], "component")
            raise self.wrong(
                f"{self.text(node)[:40]!r} names no component",
                node,
                expected="a component, foreign, or an alias that is a union of components",
            )
        return group

    def of_group(self, node: Node) -> tuple[str, t.Tree]:
        group = self.group(node.args[0])
        if node.text == "largest":
            return "box", t.Largest(group)
        if node.text == "present":
            return "boolean", t.Present(group)
        if node.text.startswith("expected") and (group.foreign or len(group.members) != 1):
            raise self.wrong(
                f"{node.text} needs a single component", node.args[0], got=self.text(node.args[0])
            )
        if node.text == "expected":
            return "boolean", t.Expected(group)
        return "number", t.Count(node.text, group)

    def bind(self, node: Node, scope: Scope) -> tuple[t.Group, t.Variable]:
        """The group and the new variable of a quantifier or fold."""
        if len(scope) >= MAX_QUANTIFIERS:
            raise self.wrong(
                "too many nested quantifiers", node, expected=f"at most {MAX_QUANTIFIERS} levels"
            )
        first = node.args[0]
        named = first.kind == "as"
        group = self.group(first.args[0] if named else first)
        name = first.args[1].text if named else first.text
        if any(var.name == name for var in scope):
            raise self.wrong(
                f"{name!r} is already the current box of an outer {node.text}",
                first,
                hint=f"name one of them: {node.text}({group.name} as other_{group.name}, ...)",
            )
        taken = name in RESERVED or name in self.names.components or name in self.names.aliases
        if named and taken:
            raise self.wrong(f"{name!r} already means something else", first.args[1])
        self.variables += 1
        return group, t.Variable(name, self.variables)

    def quantifier(self, node: Node, scope: Scope) -> t.Bool:
        self.arity(node, 2, "(component, condition)")
        group, var = self.bind(node, scope)
        body = self.boolean(node.args[1], (*scope, var))
        if not any(isinstance(part, t.Bound) and part.var == var for part in t.walk(body)) and not (
            any(isinstance(part, t.SameBox) and var in (part.a, part.b) for part in t.walk(body))
        ):
            raise self.wrong(
                f"the condition of {node.text}({group.name}, ...) does not mention {var.name!r}",
                node.args[1],
            )
        return t.Quantifier(node.text, group, var, body, scope[-1] if scope else None)

    def fold(self, node: Node, scope: Scope) -> t.Num:
        self.arity(node, 2, "(component, number)")
        group, var = self.bind(node, scope)
        return t.Fold(node.text, group, var, self.number(node.args[1], (*scope, var)))

    def hull_part(self, node: Node, scope: Scope) -> t.Box:
        bound = any(var.name == node.text for var in scope)
        if node.kind == "name" and not bound:
            group = self.names.group(node.text)
            if group is not None and not group.foreign:
                return t.AllOf(group)
        return self.box(node, scope)

    def fact(self, node: Node) -> t.Bool:
        self.arity(node, 3, "(component, relation, reference)")
        words = tuple(arg.text if arg.kind == "name" else "" for arg in node.args)
        facts: Mapping[tuple[str, ...], int] = {f: k for k, f in enumerate(self.names.facts)}
        if words not in facts:
            near = did_you_mean(" ".join(words), [" ".join(fact) for fact in facts])
            raise self.wrong(
                f"unknown fact {self.text(node)[:60]!r}",
                node,
                expected="a fact of the pack's [said] facts",
                hint=near or "facts: " + "; ".join(" ".join(fact) for fact in facts),
            )
        return t.Flag("said", facts[words])

    def tag(self, node: Node) -> t.Bool:
        self.arity(node, 1, "(tag)")
        name = node.args[0].text
        if node.args[0].kind != "name" or name not in self.names.tags:
            raise self.wrong(
                f"unknown tag {self.text(node.args[0])[:40]!r}",
                node.args[0],
                expected="a tag of the pack's tags",
                hint=did_you_mean(name, self.names.tags)
                or f"tags: {', '.join(self.names.tags) or 'none'}",
            )
        return t.Flag("tags", self.names.tags.index(name))
