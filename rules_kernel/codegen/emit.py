"""Blocks of generated code, and what every rule shares: counts and groups in the prologue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.walk import walk
from physgauge.rules_kernel.pack import Pack


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


class Emitter(ABC):
    """Writes groups and counts. `body` receives the statements of the rule at hand; what depends on
    no quantifier is written once, into the prologue, and used by name."""

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
        """The place of each variable's current box; its box is the same name with _box."""

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

    @abstractmethod
    def number(self, node: t.Num) -> str:
        """Text of a number, after the statements it needs."""

    @abstractmethod
    def box(self, node: t.Box) -> str:
        """Text of a box, after the statements it needs."""

    def alias(self, name: str) -> str:
        """The prologue name of an alias."""
        if name not in self.made:
            alias, made = self.pack.aliases[name], f"alias_{name}"
            tree: Any = alias.tree  # of the kind that the alias says
            with self.hoisted():
                text = self.number(tree) if alias.kind == "number" else self.box(tree)
                self.body.add(f"{made} = {text}  # {plain(alias.source)}")
            self.made[name] = made
        return self.made[name]

    # ---- groups

    @property
    def components(self) -> int:
        return len(self.pack.components)

    def stem(self, group: t.Group) -> str:
        """A name for the group, the same for the same components."""
        members = "_or_".join(self.pack.components[c] for c in group.members)
        return "foreign" if group.foreign else members

    def range_of(self, group: t.Group) -> tuple[str, str]:
        """First place and end of a group of one component; of all boxes for any other group."""
        single = len(group.members) == 1 and not group.foreign
        first = group.members[0] if single else 0
        last = first + 1 if single else self.components
        return f"start[{first}]", f"start[{last}]"

    @contextmanager
    def each(self, group: t.Group, var: str) -> Iterator[None]:
        """A loop over the group's boxes, with `var` as the place and var_box as the box."""
        low, high = self.range_of(group)
        with self.body.indented(f"for {var} in range({low}, {high}):  # {self.stem(group)}"):
            if group.foreign:
                test = f"is_foreign(label[order[{var}]], i, {self.components}, expected_max)"
                with self.body.indented(f"if not {test}:"):
                    self.body.add("continue")
            elif len(group.members) > 1:
                tests = [f"label[order[{var}]] != {c}" for c in group.members]
                with self.body.indented(f"if {' and '.join(tests)}:"):
                    self.body.add("continue")
            self.body.add(f"{var}_box = box_at(placed, {var})")
            yield

    def count(self, what: str, group: t.Group) -> str:
        """The number of a Count node; fused counts fall back to the box count."""
        key = (what, group.members, group.foreign)
        if key not in self.made:
            self.made[key] = f"{what}_{self.stem(group)}"
            self.prologue.add(f"{self.made[key]} = {self._count(what, group)}")
        return self.made[key]

    def _count(self, what: str, group: t.Group) -> str:
        n = self.components
        if what in {"expected_min", "expected_max"}:
            return f"np.float64({what}[i, {group.members[0]}])"
        if group.foreign and what == "count":
            return f"foreign_count(i, {n}, counts, start, expected_max)"
        if group.foreign:
            return f"foreign_boxes(i, {n}, start, expected_max)"
        boxes = [f"start[{c + 1}] - start[{c}]" for c in group.members]
        if what == "boxes":
            return f"np.float64({' + '.join(boxes)})"
        # A union is seen as often as the member that is seen most.
        pairs = zip(group.members, boxes, strict=True)
        parts = [f"counted(counts[i, {c}], {number})" for c, number in pairs]
        return parts[0] if len(parts) == 1 else f"max({', '.join(parts)})"

    def first_two(self, group: t.Group) -> tuple[str, str]:
        """Places of the group's first two boxes, -1 where there are fewer."""
        key = ("first", group.members, group.foreign)
        if key not in self.made:
            name = self.made[key] = f"first_{self.stem(group)}"
            low, high = self.range_of(group)
            if len(group.members) == 1 and not group.foreign:
                self.prologue.add(f"{name} = first_place({low}, {high})")
                self.prologue.add(f"{name}_next = first_place({low} + 1, {high})")
            else:
                boxes, var = self.count("boxes", group), self.fresh("k")
                with self.hoisted():
                    self.body.add(f"{name} = none", f"{name}_next = none")
                    with self.body.indented(f"if {boxes} > 0.0:"), self.each(group, var):
                        with self.body.indented(f"if {name} >= 0:"):
                            self.body.add(f"{name}_next = {var}", "break")
                        self.body.add(f"{name} = {var}")
        return self.made[key], f"{self.made[key]}_next"


def is_free(node: t.Tree) -> bool:
    """Whether the node depends on a variable that it does not bind itself."""
    own = {part.var for part in walk(node) if isinstance(part, t.Fold)}
    return any(isinstance(p, t.Bound) and p.var not in own for p in walk(node))


def plain(text: str) -> str:
    """Text fit for a comment."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:200]
