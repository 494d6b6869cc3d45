"""Boxes as generated code."""

from __future__ import annotations

from physgauge.rules_kernel.codegen.emit import Emitter, is_free
from physgauge.rules_kernel.language import tree as t


class BoxEmitter(Emitter):
    """Adds boxes."""

    def box(self, node: t.Box) -> str:
        """Text of a box: of a name, where it depends on no quantifier."""
        if isinstance(node, t.Bound):
            return f"{self.places[node.var]}_box"
        if isinstance(node, t.AliasUse):
            return self.alias(node.name)
        if is_free(node):
            return self._box(node)
        if node not in self.made:
            with self.hoisted():
                value = self._box(node)
                name = value if value.isidentifier() else self.fresh("box")
                if name != value:
                    self.body.add(f"{name} = {value}")
            self.made[node] = name
        return self.made[node]

    def _box(self, node: t.Box) -> str:
        match node:
            case t.Best() | t.Largest():
                return f"{self.place(node)}_box"
            case t.AllOf(group=group):
                return self._hull_over(group)
            case t.Hull(parts=parts, strict=strict):
                boxes = [self.box(part) for part in (parts if strict else _merged(parts))]
                text = boxes[0]
                for box in boxes[1:]:
                    text = f"{'spanned' if strict else 'joined'}({text}, {box})"
                return text
            case t.Expand(box=box_, share=share):
                return f"expanded({self.box(box_)}, {self.number(share)})"
            case _:
                raise TypeError(f"not a box: {node!r}")

    def place(self, node: t.Best | t.Largest) -> str:
        """The prologue name of a component's best or largest place; its box is NAME_box."""
        key = ("place", node)
        if key not in self.made:
            if isinstance(node, t.Best):
                name = f"best_{self.pack.components[node.component]}"
                low, high = f"start[{node.component}]", f"start[{node.component + 1}]"
                self.prologue.add(f"{name} = best_place({low}, {high}, score, order)")
            else:
                name, var = f"largest_{self.stem(node.group)}", self.fresh("k")
                with self.hoisted():
                    self.body.add(f"{name} = none")
                    with self.each(node.group, var):
                        self.body.add(f"{name} = larger_place({name}, {var}, placed)")
            self.prologue.add(f"{name}_box = box_at(placed, {name})")
            self.made[key] = name
        return self.made[key]

    def _hull_over(self, group: t.Group) -> str:
        """Hull over all boxes of some components; neighbours in the order share one loop."""
        runs = [
            f"hull_over(start[{first}], start[{last + 1}], placed)"
            for first, last in _runs(group.members)
        ]
        text = runs[0]
        for run in runs[1:]:
            text = f"joined({text}, {run})"
        return text


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
