"""Boxes as generated code."""

from __future__ import annotations

from physgauge.rules_kernel.codegen.emit import EDGES, Emitter, is_free
from physgauge.rules_kernel.language import tree as t


class BoxEmitter(Emitter):
    """Adds boxes."""

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
        if is_free(node):
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
            self.body.add(f"{var}_area = {measure('area', var)}")
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


def measure(what: str, p: str) -> str:
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
