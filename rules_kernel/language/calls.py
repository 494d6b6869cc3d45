"""Function calls, quantifiers and folds of the language: arguments checked, tree nodes made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from physgauge.rules_kernel.errors import did_you_mean
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.intervals import range_of
from physgauge.rules_kernel.language.names import (
    FUNCTIONS,
    GROUP_FUNCTIONS,
    MAX_QUANTIFIERS,
    RESERVED,
    Names,
    Scope,
)
from physgauge.rules_kernel.language.syntax import Node
from physgauge.rules_kernel.language.tokens import SyntaxProblem
from physgauge.rules_kernel.language.walk import walk


class Calls(ABC):
    """The part of the checker that deals with calls; `Checker` adds names and operators."""

    source: str
    names: Names
    variables: int

    @abstractmethod
    def number(self, node: Node, scope: Scope) -> t.Num:
        """The tree of a number."""

    @abstractmethod
    def box(self, node: Node, scope: Scope) -> t.Box:
        """The tree of a box."""

    @abstractmethod
    def boolean(self, node: Node, scope: Scope) -> t.Bool:
        """The tree of a condition."""

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

    def unknown(self, node: Node, extra: list[str], what: str = "name") -> SyntaxProblem:
        known = [*extra, *self.names.components, *self.names.aliases, "W", "H", "view", "foreign"]
        hint = did_you_mean(node.text, known)
        return self.wrong(
            f"unknown {what} {node.text[:40]!r}",
            node,
            expected="a component, an alias or a bound name",
            hint=hint or f"components: {', '.join(self.names.components)}",
        )

    def call(self, node: Node, scope: Scope) -> tuple[str, t.Tree]:
        """Type and tree of a function call."""
        name = node.text
        if name in {"min", "max"} and not self.is_group(node.args[0], scope):
            return "number", self.extreme(node, scope)
        for names, kind, read in (
            (t.MEASURES, "number", self.measure),
            (t.BETWEEN, "number", self.between),
            (t.BESIDE, "number", self.beside),
            (t.RELATIONS, "boolean", self.relation),
            (("cut",), "boolean", self.cut),
            (("all", "any"), "boolean", self.quantifier),
            (("min", "max", "mean"), "number", self.fold),
            (("abs", "sqrt"), "number", self.unary_function),
            (("union", "span"), "box", self.hull),
            (("expand",), "box", self.expand),
            (("said",), "boolean", self.fact),
            (("tag", "subtype"), "boolean", self.tag),
            (("named",), "boolean", self.named),
        ):
            if name in names:
                return kind, read(node, scope)
        if name in GROUP_FUNCTIONS:
            return self.of_group(node)
        hint = did_you_mean(name, FUNCTIONS) or "see rules_kernel/LANGUAGE.md"
        raise self.wrong(f"unknown function {name[:40]!r}", node, hint=hint)

    def measure(self, node: Node, scope: Scope) -> t.Num:
        self.arity(node, 1, "(box)")
        return t.Measure(node.text, self.box(node.args[0], scope))

    def two_boxes(self, node: Node, scope: Scope) -> tuple[t.Box, t.Box]:
        self.arity(node, 2, "(box, box)")
        a, b = self.box(node.args[0], scope), self.box(node.args[1], scope)
        if a == b:
            raise self.wrong(f"{node.text} of a box with itself", node)
        return a, b

    def between(self, node: Node, scope: Scope) -> t.Num:
        return t.Between(node.text, *self.two_boxes(node, scope))

    def relation(self, node: Node, scope: Scope) -> t.Bool:
        return t.Relation(node.text, *self.two_boxes(node, scope))

    def beside(self, node: Node, scope: Scope) -> t.Num:
        self.arity(node, 3, "(box, from, to)")
        p, a, b = (self.box(arg, scope) for arg in node.args)
        if a == b:
            raise self.wrong(f"{node.text}: the line needs two different boxes", node)
        return t.Beside(node.text, p, a, b)

    def cut(self, node: Node, scope: Scope) -> t.Bool:
        self.arity(node, 1, "(box)")
        return t.Cut(self.box(node.args[0], scope))

    def unary_function(self, node: Node, scope: Scope) -> t.Num:
        self.arity(node, 1, "(number)")
        return t.Arithmetic(node.text, (self.number(node.args[0], scope),))

    def extreme(self, node: Node, scope: Scope) -> t.Num:
        if len(node.args) < 2:
            self.arity(node, 2, "(component, number) or of two or more numbers")
        return t.Arithmetic(node.text, tuple(self.number(arg, scope) for arg in node.args))

    def hull(self, node: Node, scope: Scope) -> t.Box:
        parts = tuple(self.hull_part(arg, scope) for arg in node.args)
        return t.Hull(parts, strict=node.text == "span")

    def expand(self, node: Node, scope: Scope) -> t.Box:
        self.arity(node, 2, "(box, share)")
        box, share = self.box(node.args[0], scope), self.number(node.args[1], scope)
        if range_of(share, self.names.ranges)[1] <= -0.5:
            raise self.wrong(
                "nothing is left of the box", node.args[1], expected="above -50%",
                got=self.text(node.args[1])[:40],
            )  # fmt: skip
        return t.Expand(box, share)

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
        if node.text.startswith("expected"):
            group = self.single(node)
        if node.text == "expected":
            return "boolean", t.Expected(group)
        return "number", t.Count(node.text, group)

    def single(self, node: Node) -> t.Group:
        """The group of a call's first argument, which must be one component."""
        group = self.group(node.args[0])
        if group.foreign or len(group.members) != 1:
            raise self.wrong(
                f"{node.text} needs a single component", node.args[0], got=self.text(node.args[0])
            )
        return group

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
        if not any(isinstance(part, t.Bound) and part.var == var for part in walk(body)) and not (
            any(isinstance(part, t.SameBox) and var in (part.a, part.b) for part in walk(body))
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

    def fact(self, node: Node, scope: Scope) -> t.Bool:
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

    def tag(self, node: Node, scope: Scope) -> t.Bool:
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

    def named(self, node: Node, scope: Scope) -> t.Bool:
        """A column behind those of the pack's own tags."""
        self.arity(node, 1, "(component)")
        name = self.names.components[self.single(node).members[0]]
        if name not in self.names.named:
            self.names.named.append(name)
        return t.Flag("tags", len(self.names.tags) + self.names.named.index(name))
