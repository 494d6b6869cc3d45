"""Numbers as generated code: text of an expression, after the statements it needs."""

from __future__ import annotations

from physgauge.rules_kernel.codegen.boxes import BoxEmitter
from physgauge.rules_kernel.codegen.emit import is_free
from physgauge.rules_kernel.language import tree as t


class NumberEmitter(BoxEmitter):
    """Adds numbers and folds."""

    def number(self, node: t.Num) -> str:
        match node:
            case t.Const(value=value):
                return repr(float(value))
            case t.Count(what=what, group=group):
                return self.count(what, group)
            case t.ImageSize(axis=axis):
                return f"np.float64(size[i, {axis}])"
            case t.Measure(what=what, box=box):
                return f"{what}({self.box(box)})"
            case t.Between(what=what, a=a, b=b):
                return f"{what}({self.box(a)}, {self.box(b)})"
            case t.Beside(what=what, box=box, a=a, b=b):
                return f"{what}({self.box(box)}, {self.box(a)}, {self.box(b)})"
            case t.Arithmetic(op=op, args=args):
                return self.arithmetic(op, args)
            case t.Fold():
                return self.fold(node)
            case t.AliasUse(name=name):
                return self.alias(name)
        raise TypeError(f"not a number: {node!r}")

    def arithmetic(self, op: str, args: tuple[t.Num, ...]) -> str:
        parts = [self.number(arg) for arg in args]
        match op:
            case "neg":
                return f"(-{parts[0]})"
            case "abs":
                return f"abs({parts[0]})"
            case "sqrt":
                return f"root({parts[0]})"
            case "min" | "max":
                text = parts[0]
                for part in parts[1:]:
                    text = f"{'lower' if op == 'min' else 'upper'}({text}, {part})"
                return text
            case "/":
                if isinstance(args[1], t.Const):
                    return f"({parts[0]} / {parts[1]})"
                return f"quotient({parts[0]}, {parts[1]})"
            case "%":
                return f"remainder({parts[0]}, {parts[1]})"
        return f"({parts[0]} {op} {parts[1]})"

    def fold(self, node: t.Fold) -> str:
        """min, max or mean of a value over boxes; NaN over nothing or with any NaN in it."""
        memo = self.local if is_free(node) else self.made
        if node not in memo:
            if memo is self.local:
                memo[node] = self._fold(node)
            else:
                with self.hoisted():
                    memo[node] = self._fold(node)
        return memo[node]

    def _fold(self, node: t.Fold) -> str:
        name, var = self.fresh(node.op), self.fresh(node.var.name)
        self.places[node.var] = var
        add = self.body.add
        add(f"{name} = math.nan", f"{name}_at = none")
        if node.op == "mean":
            add(f"{name}_n = 0.0")
        with self.each(node.group, var):
            add(f"{name}_v = {self.number(node.value)}")
            if node.op == "mean":
                add(f"{name} = {name}_v if {name}_n == 0.0 else {name} + {name}_v")
                add(f"{name}_n += 1.0")
            else:
                sign = "<" if node.op == "min" else ">"
                with self.body.indented(f"if math.isnan({name}_v):"):
                    add(f"{name} = math.nan", "break")
                with self.body.indented(f"if {name}_at < 0 or {name}_v {sign} {name}:"):
                    add(f"{name} = {name}_v", f"{name}_at = {var}")
        if node.op == "mean":
            add(f"{name} = quotient({name}, {name}_n)")
        return name
