"""What the expressions of one pack may mention."""

from __future__ import annotations

from dataclasses import dataclass, field

from physgauge.rules_kernel.language import tree as t
from physgauge.rules_kernel.language.tokens import KEYWORDS

Scope = tuple[t.Variable, ...]


MAX_QUANTIFIERS = 3


GROUP_FUNCTIONS = (
    "count",
    "boxes",
    "present",
    "expected",
    "expected_min",
    "expected_max",
    "largest",
)


_OTHERS = ("abs", "sqrt", "min", "max", "mean", "all", "any", "union", "span", "expand", "cut")


FUNCTIONS = frozenset(
    {
        *t.MEASURES,
        *t.BETWEEN,
        *t.BESIDE,
        *t.RELATIONS,
        *GROUP_FUNCTIONS,
        *_OTHERS,
        "said",
        "tag",
        "subtype",
        "named",
    }
)


RESERVED = FUNCTIONS | KEYWORDS | {"W", "H", "view", "foreign", "other"}


@dataclass
class Names:
    """What the expressions of one pack may mention. `aliases` fills up as aliases are checked,
    `named` (components that the rules ask `named` of) as rules are."""

    components: tuple[str, ...]
    tags: tuple[str, ...] = ()
    facts: tuple[tuple[str, str, str], ...] = ()
    aliases: dict[str, t.Num | t.Box] = field(default_factory=dict)
    alias_types: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Of each alias, the values that it can take (`intervals.range_of`)."""
    named: list[str] = field(default_factory=list)

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
