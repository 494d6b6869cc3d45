"""Truths as generated code: each leaves an outcome (see `outcomes`) under a name."""

from __future__ import annotations

from physgauge.rules_kernel.codegen.numbers import NumberEmitter
from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.walk import witness_refs
from physgauge.rules_kernel.pack import Pack

Scope = tuple[t.Variable, ...]


class TruthEmitter(NumberEmitter):
    """Adds truths."""

    def __init__(self, pack: Pack) -> None:
        super().__init__(pack)
        self.vacuous = False
        """The rule at hand counts vacuous truths."""

    def truth(self, node: t.Bool, scope: Scope) -> str:
        """Write the statements of a truth; the name of its outcome."""
        match node:
            case t.Logic(op="not", args=args):
                return self._name("not", f"negated({self.truth(args[0], scope)})")
            case t.Logic(op="and" | "or" as op, args=args):
                return self._junction(op, args, scope)
            case t.Logic(op="implies", args=args):
                return self._implies(args[0], args[1], scope)
            case t.Logic(op="iff", args=args):
                first = self.truth(args[0], scope)
                return self._name("iff", f"alike({first}, {self.truth(args[1], scope)})")
            case t.Quantifier():
                return self._quantifier(node, scope)
            case _:
                self.local.clear()
                value, measured = self._leaf(node)
                places = ", ".join(self._witness(node, scope))
                return self._name("f", f"({value}, {measured}, {places})")

    def _name(self, stem: str, text: str) -> str:
        name = self.fresh(stem)
        self.body.add(f"{name} = {text}")
        return name

    def _leaf(self, node: t.Bool) -> tuple[str, str]:
        """Value and measured number of a truth without truths inside."""
        match node:
            case t.Compare():
                return self._compare(node)
            case t.Member(value=value, numbers=numbers, negated=negated):
                measured = self._name("m", self.number(value))
                tests = [f"equal({measured}, {float(n)!r})" for n in numbers]
                text = tests[0] if len(tests) == 1 else f"max({', '.join(tests)})"
                return f"2 - {text}" if negated else text, measured
            case t.ViewIn(views=views, negated=negated):
                tests_ = " or ".join(f"view[i] == {v}" for v in views)
                unknown = "" if 0 in views else "1 if view[i] == 0 else "
                hit, miss = (0, 2) if negated else (2, 0)
                return f"{unknown}{hit} if {tests_} else {miss}", "math.nan"
            case t.Relation(what=what, a=a, b=b):
                return f"{what}({self.box(a)}, {self.box(b)})", "math.nan"
            case t.Cut(box=box):
                size = "np.float64(size[i, 0]), np.float64(size[i, 1])"
                return f"cut({self.box(box)}, {size})", "math.nan"
            case t.SameBox(a=a, b=b, negated=negated):
                sign = "!=" if negated else "=="
                return f"2 if {self.places[a]} {sign} {self.places[b]} else 0", "math.nan"
            case t.Present(group=group):
                count = self.count("count", group)
                return f"2 if {count} >= 1.0 else 0", count
            case t.Expected(group=group):
                count = self.count("count", group)
                low, high = (self.count(f"expected_{end}", group) for end in ("min", "max"))
                return f"within({count}, {low}, {high})", count
            case t.Flag(source=source, column=column):
                return f"2 if {source}[i, {column}] else 0", "math.nan"
        raise TypeError(f"not a leaf: {node!r}")

    def _compare(self, node: t.Compare) -> tuple[str, str]:
        texts = [self.number(arg) for arg in node.args]
        if not texts[node.measured].isidentifier():
            texts[node.measured] = self._name("m", texts[node.measured])
        steps = [
            _comparison(left, op, right)
            for left, op, right in zip(texts, node.ops, texts[1:], strict=False)
        ]
        # A chain is an "and": the least of its steps.
        value = steps[0] if len(steps) == 1 else f"min({', '.join(steps)})"
        return value, texts[node.measured]

    def _witness(self, node: t.Bool, scope: Scope) -> tuple[str, str]:
        refs = witness_refs(node, scope)
        if len(refs) == 1 and isinstance(refs[0], t.Group):
            return self.first_two(refs[0])
        places = [self._place(ref) for ref in refs] + ["none", "none"]
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
                return self.place(ref)

    def _junction(self, op: str, args: tuple[t.Bool, ...], scope: Scope) -> str:
        """and: the first of the lowest operands decides; or: the first of the highest."""
        settled, pick = ("0", "lesser") if op == "and" else ("2", "greater")
        name = self._name(op, self.truth(args[0], scope))
        for arg in args[1:]:
            with self.body.indented(f"if {name}[0] != {settled}:"):
                self.body.add(f"{name} = {pick}({name}, {self.truth(arg, scope)})")
        return name

    def _implies(self, premise: t.Bool, then: t.Bool, scope: Scope) -> str:
        """False premise: true if vacuous truths count, else not applicable."""
        first = self.truth(premise, scope)
        start, test, join = (
            ("negated", "!= 0", "implied") if self.vacuous else ("unclear", "== 2", "followed")
        )
        name = self._name("implies", f"{start}({first})")
        with self.body.indented(f"if {first}[0] {test}:"):
            self.body.add(f"{name} = {join}({first}, {self.truth(then, scope)})")
        return name

    def _quantifier(self, node: t.Quantifier, scope: Scope) -> str:
        """all: the first of the lowest bodies decides; any: a true body, else the nearest box."""
        var = self.fresh(node.var.name)
        self.places[node.var] = var
        near = f"{self.places[node.near]}_box" if node.near and node.op == "any" else None
        name = self._name(node.op, "every" if node.op == "all" else "some")
        if near:
            self.body.add(f"{name}_far = math.inf")
        with self.each(node.group, var):
            found = self.truth(node.body, (*scope, node.var))
            if node.op == "all":
                self.body.add(f"{name} = lesser({name}, {found})")
                with self.body.indented(f"if {name}[0] == 0:"):
                    self.body.add("break")
            else:
                with self.body.indented(f"if {found}[0] == 2:"):
                    self.body.add(f"{name} = {found}", "break")
                take = f"{name}[0] < 0"
                if near:
                    self.body.add(f"{name}_d = distance({near}, {var}_box)")
                    take = f"{name}_d < {name}_far"
                self.body.add(f"{name} = nearer({name}, {found}, {take})")
                if near:
                    self.body.add(f"{name}_far = min({name}_far, {name}_d)")
        empty = 2 if node.op == "all" and self.vacuous else 1
        self.body.add(f"{name} = settled({name}, np.int64({empty}))")
        return name


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
