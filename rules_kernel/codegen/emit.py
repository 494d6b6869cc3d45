"""Blocks of generated code, and what every rule shares: counts and groups in the prologue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.walk import walk
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
        """A prefix p such that p_x0, p_y0, p_x1, p_y1 are the box; NaN where it is absent."""

    def alias(self, name: str) -> str:
        """The prologue name of an alias: a number's variable or a box's prefix."""
        if name not in self.made:
            alias = self.pack.aliases[name]
            with self.hoisted():
                if alias.kind == "number":
                    value = self.number(alias.tree)  # type: ignore[arg-type]
                    self.made[name] = f"alias_{name}"
                    self.body.add(f"alias_{name} = {value}  # {plain(alias.source)}")
                else:
                    self.made[name] = self.box(alias.tree)  # type: ignore[arg-type]
        return self.made[name]

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


def is_free(node: t.Tree) -> bool:
    """Whether the node depends on a variable that it does not bind itself."""
    own = {part.var for part in walk(node) if isinstance(part, t.Fold)}
    return any(isinstance(p, t.Bound) and p.var not in own for p in walk(node))


def plain(text: str) -> str:
    """Text fit for a comment."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))[:200]
