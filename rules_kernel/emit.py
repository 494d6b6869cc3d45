"""Numbers and boxes as generated code: text of an expression, after the statements it needs.

What depends on no quantifier (an alias, the largest box, a hull over a component) is written once,
into the function's prologue, and used by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from physgauge.rules_kernel import tree as t
from physgauge.rules_kernel.pack import Pack

EDGES = ("x0", "y0", "x1", "y1")


class Block:
    """Lines of code with an indentation."""

    def __init__(self, depth: int = 1) -> None:
        self.lines: list[str] = []
        self.depth = depth

    def add(self, *lines: str) -> None:
        self.lines.extend("    " * self.depth + line if line else "" for line in lines)

    @contextmanager
    def indented(self, header: str) -> Iterator[None]:
        self.add(header)
        self.depth += 1
        yield
        self.depth -= 1


class Emitter:
    """Writes numbers and boxes. `body` receives the statements of the rule at hand."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.prologue = Block()
        self.body = Block()
        self.made: dict[object, str] = {}
        """Names of what stands in the prologue."""
        self.local: dict[object, str] = {}
        """Names of folds within the current truth."""
        self.serial = 0
        self.places: dict[t.Variable, str] = {}

    def fresh(self, stem: str) -> str:
        self.serial += 1
        return f"{stem}_{self.serial}"

    @contextmanager
    def hoisted(self) -> Iterator[None]:
        """Statements go to the prologue meanwhile. Inner ones land before outer ones, and never
        inside an outer one's loop."""
        outer, self.body = self.body, Block()
        yield
        self.prologue.lines += self.body.lines
        self.body = outer

    # ---- groups

    def component(self, index: int) -> str:
        return self.pack.components[index]

    def stem(self, group: t.Group) -> str:
        """A name for the group, the same for the same components."""
        members = "_or_".join(self.component(c) for c in group.members)
        return "foreign" if group.foreign else members

    def is_foreign(self, label: str) -> str:
        other = len(self.pack.components) - 1
        return f"({label} == {other} or expected_max[i, {label}] == 0.0)"

    @contextmanager
    def each(self, group: t.Group, var: str) -> Iterator[None]:
        """A loop over the group's boxes, with `var` as the place and var_x0.. as the box."""
        if len(group.members) == 1 and not group.foreign:
            c = group.members[0]
            header, skip = f"for {var} in range(start[{c}], start[{c + 1}]):", ""
        else:
            header = f"for {var} in range(start[0], start[{len(self.pack.components)}]):"
            if group.foreign:
                skip = f"if not {self.is_foreign(f'{var}_label')}:"
            else:
                tests = " or ".join(f"{var}_label == {c}" for c in group.members)
                skip = f"if not ({tests}):"
        with self.body.indented(f"{header}  # {self.stem(group)}"):
            if skip:
                self.body.add(f"{var}_label = label[order[{var}]]")
                with self.body.indented(skip):
                    self.body.add("continue")
            for k, edge in enumerate(EDGES):
                self.body.add(f"{var}_{edge} = np.float64(placed[{var}, {k}])")
            yield

    def count(self, what: str, group: t.Group) -> str:
        """The number of a Count node; fused counts fall back to the box count."""
        key = (what, group.members, group.foreign)
        if key in self.made:
            return self.made[key]
        name = self.made[key] = f"{what}_{self.stem(group)}"
        add = self.prologue.add
        if what in {"expected_min", "expected_max"}:
            add(f"{name} = np.float64({what}[i, {group.members[0]}])")
            return name
        boxes = "start[{0} + 1] - start[{0}]".replace("{0} + 1", "{1}")
        count = "counted(counts[i, {0}], {2})" if what == "count" else "np.float64({2})"

        def of(c: int | str) -> str:
            following = c + 1 if isinstance(c, int) else f"{c} + 1"
            return count.format(c, following, boxes.format(c, following))

        if group.foreign:
            # No branch: which parts are foreign differs from image to image.
            add(f"{name} = 0.0")
            with self.prologue.indented(f"for c in range({len(self.pack.components)}):"):
                add(f"{name} += ({of('c')}) * np.float64{self.is_foreign('c')}")
        else:
            # A union is seen as often as the member that is seen most; its boxes add up.
            join = "max" if what == "count" else "sum"
            parts = [of(c) for c in group.members]
            text = (
                parts[0]
                if len(parts) == 1
                else (f"max({', '.join(parts)})" if join == "max" else " + ".join(parts))
            )
            add(f"{name} = {text}")
        return name

    def first_two(self, group: t.Group) -> tuple[str, str]:
        """Places of the group's first two boxes, -1 where there are fewer."""
        key = ("first", group.members, group.foreign)
        name = self.made.get(key)
        if name is None:
            name = self.made[key] = f"first_{self.stem(group)}"
            add = self.prologue.add
            if len(group.members) == 1 and not group.foreign:
                a, b = f"start[{group.members[0]}]", f"start[{group.members[0] + 1}]"
                add(f"{name} = {a} if {a} < {b} else -1")
                add(f"{name}_next = {a} + 1 if {a} + 1 < {b} else -1")
            else:
                boxes = self.count("boxes", group)
                add(f"{name} = -1", f"{name}_next = -1")
                with self.hoisted(), self.body.indented(f"if {boxes} > 0.0:"):
                    var = self.fresh("k")
                    with self.each(group, var):
                        with self.body.indented(f"if {name} >= 0:"):
                            self.body.add(f"{name}_next = {var}", "break")
                        self.body.add(f"{name} = {var}")
        return name, f"{name}_next"

    # ---- numbers

    def number(self, node: t.Num) -> str:
        match node:
            case t.Const(value=value):
                return repr(float(value))
            case t.Count(what=what, group=group):
                return self.count(what, group)
            case t.ImageSize(axis=axis):
                return f"np.float64(size[i, {axis}])"
            case t.Measure(what=what, box=box):
                return _measure(what, self.box(box))
            case t.Between(what=what, a=a, b=b):
                return f"{what}({self.edges(a)}, {self.edges(b)})"
            case t.Beside(what=what, box=box, a=a, b=b):
                return f"{what}({self.edges(box)}, {self.edges(a)}, {self.edges(b)})"
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
        return f"({parts[0]} {op} {parts[1]})"

    def alias(self, name: str) -> str:
        """The prologue name of an alias: a number's variable or a box's prefix."""
        if name not in self.made:
            alias = self.pack.aliases[name]
            with self.hoisted():
                if alias.kind == "number":
                    value = self.number(alias.tree)  # type: ignore[arg-type]
                    self.made[name] = f"alias_{name}"
                    self.body.add(f"alias_{name} = {value}  # {_plain(alias.source)}")
                else:
                    self.made[name] = self.box(alias.tree)  # type: ignore[arg-type]
        return self.made[name]

    def fold(self, node: t.Fold) -> str:
        """min, max or mean of a value over boxes; NaN over nothing or with any NaN in it."""
        memo = self.local if _free(node) else self.made
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
        add(f"{name} = math.nan", f"{name}_at = -1", *([f"{name}_n = 0.0"] * (node.op == "mean")))
        with self.each(node.group, var):
            value = self.number(node.value)
            add(f"{name}_v = {value}")
            if node.op == "mean":
                add(f"{name} = {name}_v if {name}_n == 0.0 else {name} + {name}_v")
                add(f"{name}_n += 1.0")
            else:
                sign = "<" if node.op == "min" else ">"
                with self.body.indented(f"if {name}_v != {name}_v:"):
                    add(f"{name} = math.nan", "break")
                with self.body.indented(f"if {name}_at < 0 or {name}_v {sign} {name}:"):
                    add(f"{name} = {name}_v", f"{name}_at = {var}")
        if node.op == "mean":
            add(f"{name} = quotient({name}, {name}_n)")
        return name

    # ---- boxes

    def edges(self, node: t.Box) -> str:
        prefix = self.box(node)
        return ", ".join(f"{prefix}_{edge}" for edge in EDGES)

    def box(self, node: t.Box) -> str:
        """A prefix p such that p_x0, p_y0, p_x1, p_y1 are the box; NaN where it is absent."""
        if isinstance(node, t.Bound):
            return self.places[node.var]
        if isinstance(node, t.AliasUse):
            return self.alias(node.name)
        if node in self.made:
            return self.made[node]
        if _free(node):
            return self._box(node)
        with self.hoisted():
            name = self.made[node] = self._box(node)
        return name

    def _box(self, node: t.Box) -> str:
        match node:
            case t.Best(component=c):
                name = f"best_{self.component(c)}"
                self._best(name, c)
                self._load(name)
            case t.Largest(group=group):
                name = self._largest(group)
            case t.AllOf(group=group):
                name = self._hull_of(group)
            case t.Hull(parts=parts, strict=strict):
                if not strict:
                    parts = _merged(parts)
                name = self.fresh("span" if strict else "union")
                prefixes = [self.box(part) for part in parts]
                for edge, side in zip(EDGES, ("lower", "lower", "upper", "upper"), strict=True):
                    text = f"{prefixes[0]}_{edge}"
                    for prefix in prefixes[1:]:
                        text = f"{side}{'' if strict else '_known'}({text}, {prefix}_{edge})"
                    self.body.add(f"{name}_{edge} = {text}")
            case t.Expand(box=box, share=share):
                name, inner = self.fresh("expanded"), self.box(box)
                self.body.add(f"{name}_by = {self.number(share)}")
                for edge in EDGES:
                    sign = "-" if edge[1] == "0" else "+"
                    a = edge[0]
                    reach = f"{name}_by * ({inner}_{a}1 - {inner}_{a}0)"
                    self.body.add(f"{name}_{edge} = {inner}_{edge} {sign} {reach}")
            case _:
                raise TypeError(f"not a box: {node!r}")
        return name

    def _load(self, name: str) -> None:
        """The edges of the box at place `name`, NaN where that is -1."""
        for edge in EDGES:
            self.body.add(f"{name}_{edge} = math.nan")
        with self.body.indented(f"if {name} >= 0:"):
            for k, edge in enumerate(EDGES):
                self.body.add(f"{name}_{edge} = np.float64(placed[{name}, {k}])")

    def _best(self, name: str, c: int) -> None:
        var = self.fresh("k")
        add = self.body.add
        add(f"{name} = -1", f"{name}_score = -1.0")
        with self.body.indented(f"for {var} in range(start[{c}], start[{c + 1}]):"):
            add(f"{var}_score = np.float64(score[order[{var}]])")
            with self.body.indented(f"if {var}_score > {name}_score:"):
                add(f"{name} = {var}", f"{name}_score = {var}_score")

    def _largest(self, group: t.Group) -> str:
        name, var = self.fresh("largest"), self.fresh("k")
        self.body.add(f"{name} = -1", f"{name}_area = -1.0")
        with self.each(group, var):
            self.body.add(f"{var}_area = {_measure('area', var)}")
            with self.body.indented(f"if {var}_area > {name}_area:"):
                self.body.add(f"{name} = {var}", f"{name}_area = {var}_area")
        self._load(name)
        return name

    def _hull_of(self, group: t.Group) -> str:
        """Hull over all boxes of some components; neighbours in the order share one loop."""
        name, var = self.fresh(f"all_{self.stem(group)}"), self.fresh("k")
        add = self.body.add
        for edge in EDGES:
            add(f"{name}_{edge} = {'-' if edge[1] == '1' else ''}math.inf")
        for first, last in _runs(group.members):
            with self.body.indented(f"for {var} in range(start[{first}], start[{last + 1}]):"):
                for k, edge in enumerate(EDGES):
                    pick = "min" if edge[1] == "0" else "max"
                    add(f"{name}_{edge} = {pick}({name}_{edge}, np.float64(placed[{var}, {k}]))")
        with self.body.indented(f"if {name}_x0 > {name}_x1:"):
            add(" = ".join(f"{name}_{edge}" for edge in EDGES) + " = math.nan")
        return name


def _merged(parts: tuple[t.Box, ...]) -> tuple[t.Box, ...]:
    """The parts of a union with its whole components as one."""
    members = {c for part in parts if isinstance(part, t.AllOf) for c in part.group.members}
    single = tuple(part for part in parts if not isinstance(part, t.AllOf))
    whole = t.AllOf(t.Group("", tuple(sorted(members))))
    return (whole, *single) if members else single


def _runs(members: tuple[int, ...]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, last)."""
    runs: list[tuple[int, int]] = []
    for c in members:
        if runs and runs[-1][1] == c - 1:
            runs[-1] = (runs[-1][0], c)
        else:
            runs.append((c, c))
    return runs


def _measure(what: str, p: str) -> str:
    match what:
        case "cx" | "cy":
            return f"(({p}_{what[1]}0 + {p}_{what[1]}1) * 0.5)"
        case "width":
            return f"({p}_x1 - {p}_x0)"
        case "height":
            return f"({p}_y1 - {p}_y0)"
        case "area":
            return f"(({p}_x1 - {p}_x0) * ({p}_y1 - {p}_y0))"
        case "diagonal":
            return f"diagonal({p}_x0, {p}_y0, {p}_x1, {p}_y1)"
    return f"{p}_{what}"


def _free(node: t.Tree) -> bool:
    """Whether the node depends on a variable that it does not bind itself."""
    own = {part.var for part in t.walk(node) if isinstance(part, t.Fold)}
    return any(isinstance(p, t.Bound) and p.var not in own for p in t.walk(node))


def _plain(text: str) -> str:
    """Text fit for a comment."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:200]
