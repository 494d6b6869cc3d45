"""Truths as generated code."""

from __future__ import annotations

from dataclasses import dataclass

from physgauge.rules_kernel.codegen.emit import EDGES
from physgauge.rules_kernel.codegen.numbers import NumberEmitter
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.walk import witness_refs
from physgauge.rules_kernel.pack import Pack


@dataclass(frozen=True)
class Found:
    """Text of a truth's value, measured number and two witness places."""

    value: str
    measured: str = "math.nan"
    a: str = "-1"
    b: str = "-1"


class TruthEmitter(NumberEmitter):
    """Adds truths. Each leaves a `Found`."""

    def __init__(self, pack: Pack) -> None:
        super().__init__(pack)
        self.vacuous = False

    def assign(self, name: str, found: Found) -> None:
        self.body.add(
            f"{name}, {name}_m = {found.value}, {found.measured}",
            f"{name}_a, {name}_b = {found.a}, {found.b}",
        )

    def _named(self, name: str) -> Found:
        return Found(name, f"{name}_m", f"{name}_a", f"{name}_b")

    def truth(self, node: t.Bool, scope: tuple[t.Variable, ...]) -> Found:
        """Write the statements of a truth; say where its outcome stands."""
        match node:
            case t.Logic(op="not", args=args):
                inner = self.truth(args[0], scope)
                return Found(f"(2 - {inner.value})", inner.measured, inner.a, inner.b)
            case t.Logic(op="and" | "or" as op, args=args):
                return self._junction(op, args, scope)
            case t.Logic(op="implies", args=args):
                return self._implies(args[0], args[1], scope)
            case t.Logic(op="iff", args=args):
                return self._iff(args[0], args[1], scope)
            case t.Quantifier():
                return self._quantifier(node, scope)
            case _:
                self.local.clear()
                value, measured = self._leaf(node)
                return Found(value, measured, *self._witness(node, scope))

    def _leaf(self, node: t.Bool) -> tuple[str, str]:
        """Value and measured number of a truth without truths inside."""
        name, add = self.fresh("v"), self.body.add
        measured = "math.nan"
        match node:
            case t.Compare():
                return self._compare(node, name)
            case t.Member(value=value, numbers=numbers, negated=negated):
                measured = f"{name}_m"
                add(f"{measured} = {self.number(value)}")
                tests = [f"equal({measured}, {float(n)!r})" for n in numbers]
                text = tests[0] if len(tests) == 1 else f"max({', '.join(tests)})"
                add(f"{name} = {f'2 - {text}' if negated else text}")
            case t.ViewIn(views=views, negated=negated):
                tests_ = " or ".join(f"view[i] == {v}" for v in views)
                unknown = "" if 0 in views else "1 if view[i] == 0 else "
                hit, miss = (0, 2) if negated else (2, 0)
                add(f"{name} = {unknown}{hit} if {tests_} else {miss}")
            case t.Relation(what=what, a=a, b=b):
                add(f"{name} = {what}({self.edges(a)}, {self.edges(b)})")
            case t.Cut(box=box):
                size = "np.float64(size[i, 0]), np.float64(size[i, 1])"
                add(f"{name} = cut({self.edges(box)}, {size})")
            case t.SameBox(a=a, b=b, negated=negated):
                sign = "!=" if negated else "=="
                add(f"{name} = 2 if {self.places[a]} {sign} {self.places[b]} else 0")
            case t.Present(group=group):
                measured = self.count("count", group)
                add(f"{name} = 2 if {measured} >= 1.0 else 0")
            case t.Expected(group=group):
                measured = self.count("count", group)
                low, high = (self.count(f"expected_{end}", group) for end in ("min", "max"))
                add(f"{name} = within({measured}, {low}, {high})")
            case t.Flag(source=source, column=column):
                add(f"{name} = 2 if {source}[i, {column}] else 0")
            case _:
                raise TypeError(f"not a leaf: {node!r}")
        return name, measured

    def _compare(self, node: t.Compare, name: str) -> tuple[str, str]:
        texts = [self.number(arg) for arg in node.args]
        measured = f"{name}_m"
        self.body.add(f"{measured} = {texts[node.measured]}")
        texts[node.measured] = measured
        steps = [
            _comparison(left, op, right)
            for left, op, right in zip(texts, node.ops, texts[1:], strict=False)
        ]
        # A chain is an "and": the least of its steps.
        self.body.add(
            f"{name} = {steps[0] if len(steps) == 1 else 'min(' + ', '.join(steps) + ')'}"
        )
        return name, measured

    def _witness(self, node: t.Bool, scope: tuple[t.Variable, ...]) -> tuple[str, str]:
        refs = witness_refs(node, scope)
        if len(refs) == 1 and isinstance(refs[0], t.Group):
            return self.first_two(refs[0])
        places = [self._place(ref) for ref in refs] + ["-1", "-1"]
        return places[0], places[1]

    def _place(self, ref: t.WitnessRef) -> str:
        match ref:
            case t.Bound(var=var):
                return self.places[var]
            case t.Fold():
                return f"{self.fold(ref)}_at"
            case t.Group():
                return self.first_two(ref)[0]
            case _:
                return self.box(ref)

    def _junction(self, op: str, args: tuple[t.Bool, ...], scope: tuple[t.Variable, ...]) -> Found:
        """and: the first of the lowest operands decides; or: the first of the highest."""
        name = self.fresh(op)
        settled, beats = ("0", "<") if op == "and" else ("2", ">")
        self.assign(name, self.truth(args[0], scope))
        depth = self.body.depth
        for arg in args[1:]:
            self.body.add(f"if {name} != {settled}:")
            self.body.depth = depth + 1
            found = self.truth(arg, scope)
            with self.body.indented(f"if {found.value} {beats} {name}:"):
                self.assign(name, found)
            self.body.depth = depth
        return self._named(name)

    def _implies(self, premise: t.Bool, then: t.Bool, scope: tuple[t.Variable, ...]) -> Found:
        """False premise: true if vacuous truths count, else not applicable."""
        name = self.fresh("implies")
        first = self.truth(premise, scope)
        if self.vacuous:
            self.assign(name, Found(f"2 - {first.value}", first.measured, first.a, first.b))
            condition = f"if {name} != 2:"
        else:
            self.assign(name, Found("1", first.measured, first.a, first.b))
            condition = f"if {first.value} == 2:"
        with self.body.indented(condition):
            second = self.truth(then, scope)
            take = f"{second.value} > {name}" if self.vacuous else None
            if take:
                # Kleene: the larger of "not premise" and the conclusion.
                with self.body.indented(f"if {second.value} >= {name}:"):
                    self._follow(name, second)
            else:
                self._follow(name, second)
        return self._named(name)

    def _follow(self, name: str, second: Found) -> None:
        """Take the conclusion's outcome; keep the premise's boxes where it points at none."""
        self.body.add(f"{name}, {name}_m = {second.value}, {second.measured}")
        with self.body.indented(f"if {second.a} >= 0 or {second.b} >= 0:"):
            self.body.add(f"{name}_a, {name}_b = {second.a}, {second.b}")

    def _iff(self, left: t.Bool, right: t.Bool, scope: tuple[t.Variable, ...]) -> Found:
        name = self.fresh("iff")
        self.assign(name, self.truth(left, scope))
        second = self.truth(right, scope)
        both = f"1 if {name} == 1 or {second.value} == 1 else 2 if {name} == {second.value} else 0"
        self._follow(name, Found(f"({both})", second.measured, second.a, second.b))
        return self._named(name)

    def _quantifier(self, node: t.Quantifier, scope: tuple[t.Variable, ...]) -> Found:
        """all: the first of the lowest bodies decides; any: a true body, else the nearest box."""
        name, var = self.fresh(node.op), self.fresh(node.var.name)
        self.places[node.var] = var
        near = self.places[node.near] if node.near and node.op == "any" else None
        empty = 2 if node.op == "all" and self.vacuous else 1
        self.body.add(
            f"{name}, {name}_m, {name}_a, {name}_b = {empty}, math.nan, -1, -1",
            f"{name}_first = True",
        )
        if near:
            self.body.add(f"{name}_far = math.inf")
        with self.each(node.group, var):
            found = self.truth(node.body, (*scope, node.var))
            value = self.fresh("b")
            self.body.add(f"{value} = {found.value}")
            found = Found(value, found.measured, found.a, found.b)
            if node.op == "all":
                with self.body.indented(f"if {name}_first or {value} < {name}:"):
                    self.assign(name, found)
                self.body.add(f"{name}_first = False")
                with self.body.indented(f"if {name} == 0:"):
                    self.body.add("break")
            else:
                self._any_step(name, var, near, found)
        return self._named(name)

    def _any_step(self, name: str, var: str, near: str | None, found: Found) -> None:
        with self.body.indented(f"if {found.value} == 2:"):
            self.assign(name, found)
            self.body.add("break")
        self.body.add(
            f"{name} = {found.value} if {name}_first else max({name}, {found.value})",
        )
        closer = f"{name}_first"
        if near:
            near_edges = ", ".join(f"{near}_{edge}" for edge in EDGES)
            edges = ", ".join(f"{var}_{edge}" for edge in EDGES)
            self.body.add(f"{name}_d = distance({near_edges}, {edges})")
            closer = f"{name}_d < {name}_far"
        with self.body.indented(f"if {closer}:"):
            if near:
                self.body.add(f"{name}_far = {name}_d")
            self.body.add(f"{name}_m = {found.measured}")
            self.body.add(f"{name}_a, {name}_b = {found.a}, {found.b}")
        self.body.add(f"{name}_first = False")


def _comparison(left: str, op: str, right: str) -> str:
    match op:
        case "<":
            return f"less({left}, {right})"
        case ">":
            return f"less({right}, {left})"
        case "<=":
            return f"at_most({left}, {right})"
        case ">=":
            return f"at_most({right}, {left})"
        case "==":
            return f"equal({left}, {right})"
    return f"2 - equal({left}, {right})"
