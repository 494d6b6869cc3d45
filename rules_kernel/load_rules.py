"""Rules of a pack file."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, get_args

from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.errors import did_you_mean, quoted
from physgauge.rules_kernel.language import (
    Names,
    Node,
    check_rule,
    check_views,
    walk,
)
from physgauge.rules_kernel.language.tree import AliasUse, ViewIn
from physgauge.rules_kernel.load_aliases import AliasReader, mentioned
from physgauge.rules_kernel.pack import CATEGORIES, Absence, Category, Rule
from physgauge.rules_kernel.positions import Key
from physgauge.rules_kernel.toml_reader import MAX_NAMES, Consequence

MAX_RULES = 256
MAX_WEIGHT = 10
MAX_WORDS = 500
"""Characters of a rule's `says` and `reference`: they go into every report."""


_ID = re.compile(r"[A-Za-z0-9_.-]{1,32}", re.ASCII)


_RULE = {"id", "says", "rule", "missing", "vacuous", "views", "weight", "reference"}


class RuleReader(AliasReader):
    """Reads rules."""

    def rules(self, names: Names) -> tuple[Rule, ...]:
        tables: list[tuple[Category, list[Any]]] = [(c, self.get(c, list, [])) for c in CATEGORIES]
        total = sum(len(rules) for _, rules in tables)
        if not 1 <= total <= MAX_RULES:
            self.fail(
                "wrong number of rules", self._surplus(tables),
                expected=f"1 to {MAX_RULES}", got=str(total),
            )  # fmt: skip
        policy = self.absence(self.table.get("missing", "exclude"), ("", 0, "missing"), None)
        vacuous = self.vacuous(self.table.get("vacuous", policy != "exclude"), ("", 0, "vacuous"))
        rules: list[Rule] = []
        lines: dict[str, int | None] = {}
        for category, entries in tables:
            for index, entry in enumerate(entries):
                read = partial(self.new_rule, entry, category, index, names, policy, vacuous, lines)
                rule = self.attempt(read, None)
                rules += [] if rule is None else [rule]
        return tuple(rules)

    def _surplus(self, tables: list[tuple[Category, list[Any]]]) -> Key:
        """The place of the first rule too many (of the first rule, where there are none)."""
        left = MAX_RULES
        for category, entries in tables:
            if left < len(entries):
                return (category, left, "id")
            left -= len(entries)
        return ("", 0, "")

    def new_rule(
        self,
        entry: Any,
        category: Category,
        index: int,
        names: Names,
        missing: Absence,
        vacuous: bool,
        lines: dict[str, int | None],
    ) -> Rule:
        """One rule whose id is not in `lines` (id to line), where it is put."""
        place = (category, index, "id")
        self.typed(entry, dict, place, category)
        name = entry.get("id")
        if isinstance(name, str) and name in lines:
            self.fail(
                f"the id {name[:32]!r} appears twice", place, hint=f"first on line {lines[name]}"
            )
        if isinstance(name, str):
            where = self.at.of(*place)
            lines[name] = where[0] if where else None
        return self.rule(entry, category, index, names, missing, vacuous)

    def view_rules(self, names: Names) -> tuple[Rule, ...]:
        """The [[view]] tables: under what condition the parts show which view."""
        entries = self.get("view", list, [])
        if len(entries) > MAX_NAMES:
            self.fail("too many views", expected=f"at most {MAX_NAMES}", got=str(len(entries)))
        rules: list[Rule] = []
        for index, entry in enumerate(entries):
            self.typed(entry, dict, ("view", index, "is"), "view")
            self.keys(entry, {"is", "when"}, "view", index)
            shown, place = entry.get("is"), ("view", index, "when")
            if shown not in VIEWS[1:]:
                self.fail(
                    f"unknown view {quoted(shown)}", ("view", index, "is"),
                    expected=", ".join(VIEWS[1:]),
                    hint=did_you_mean(shown, VIEWS[1:]) if isinstance(shown, str) else None,
                )  # fmt: skip
            source, node = self.expression(entry.get("when"), place, f"view {shown}")
            tree = self.guarded(partial(check_rule, node, source, names), place, f"view {shown}")
            if any(isinstance(part, ViewIn) for part in walk.walk(tree)):
                self.fail("a view that depends on the view", place, rule=f"view {shown}")
            rules.append(
                Rule(
                    id=f"{shown} {index + 1}",
                    category="presence",
                    says=f"seen: {shown}",
                    source=source,
                    tree=tree,
                    bound="",
                    components=_components(node, names),
                    subjects=(),
                    missing="exclude",
                    vacuous=False,
                    views=None,
                )
            )
        return tuple(rules)

    def rule(
        self,
        entry: dict[str, Any],
        category: Category,
        index: int,
        names: Names,
        missing: Absence,
        vacuous: bool,
    ) -> Rule:
        self.keys(entry, _RULE, category, index)
        for key in ("id", "says", "rule"):
            if not isinstance(entry.get(key), str):
                self.fail(
                    f"a {category} rule without {key!r}", (category, index, key),
                    rule=entry["id"] if isinstance(entry.get("id"), str) else None,
                    expected="text", got=quoted(entry.get(key)),
                )  # fmt: skip
        name = entry["id"]
        if not _ID.fullmatch(name):
            self.fail(
                "a rule id is malformed", (category, index, "id"),
                expected="1 to 32 letters, digits, or _ . -", got=quoted(name),
            )  # fmt: skip
        place = (category, index, "rule")
        source, node = self.expression(entry["rule"], place, name)
        if self.broken & {*mentioned(node)}:
            raise Consequence(f"rule {name} mentions a broken alias")
        checked = self.guarded(lambda: check_rule(node, source, names), place, name)
        views = self.views(entry.get("views"), (category, index, "views"), name)
        if views is not None:
            self.guarded(lambda: check_views(node, views), place, name)
        where = self.at.of(category, index, "id")
        return Rule(
            id=name,
            category=category,
            says=self.words_of(entry["says"], (category, index, "says"), "says"),
            source=source,
            tree=checked,
            bound=walk.bound_text(checked),
            components=_components(node, names),
            subjects=walk.subjects(checked, names.aliases),
            missing=self.absence(entry.get("missing", missing), (category, index, "missing"), name),
            vacuous=self.vacuous(entry.get("vacuous", vacuous), (category, index, "vacuous")),
            views=views,
            weight=self.weight(entry.get("weight", 1), (category, index, "weight"), name),
            reference=self.words_of(
                entry.get("reference", ""), (category, index, "reference"), "reference"
            ),
            line=where[0] if where else None,
        )

    def words_of(self, value: Any, place: Key, what: str) -> str:
        text: str = self.typed(value, str, place, what)
        if len(text) > MAX_WORDS:
            self.fail(
                f"{what!r} is too long", place,
                expected=f"at most {MAX_WORDS} characters", got=str(len(text)),
            )  # fmt: skip
        return text

    def absence(self, value: Any, place: Key, rule: str | None) -> Absence:
        if value not in get_args(Absence):
            self.fail(
                "missing", place, rule=rule,
                expected="exclude, satisfied or violated", got=quoted(value),
            )  # fmt: skip
        return value  # type: ignore[no-any-return]

    def vacuous(self, value: Any, place: Key) -> bool:
        return bool(self.typed(value, bool, place, "vacuous"))

    def weight(self, value: Any, place: Key, rule: str) -> float:
        self.typed(value, float | int, place, "weight")  # type: ignore[arg-type]
        if not 0 < value <= MAX_WEIGHT:
            self.fail(
                "weight", place, rule=rule,
                expected=f"above 0, at most {MAX_WEIGHT}", got=str(value),
            )  # fmt: skip
        return float(value)

    def views(self, value: Any, place: Key, rule: str) -> tuple[int, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list) or not value:
            self.fail("views", place, rule=rule, expected="a list of views", got=quoted(value))
        for view in value:
            if view not in VIEWS:
                self.fail(
                    f"unknown view {quoted(view)}", place, rule=rule, expected=", ".join(VIEWS),
                    hint=did_you_mean(view, VIEWS) if isinstance(view, str) else None,
                )  # fmt: skip
        return tuple(sorted({VIEWS.index(view) for view in value}))


def _components(node: Node, names: Names) -> tuple[str, ...]:
    """Components mentioned in an expression, through aliases too."""
    found: set[str] = set()
    todo = list(dict.fromkeys(mentioned(node)))
    for name in todo:
        if name in names.aliases:
            for part in walk.walk(names.aliases[name]):
                for group in walk.groups(part):
                    found.update(names.components[c] for c in group.members)
                if isinstance(part, AliasUse) and part.name not in todo:
                    todo.append(part.name)
        found.update({name} & {*names.components, "foreign"})
    order = [*names.components, "foreign"]
    return tuple(sorted(found, key=order.index))
