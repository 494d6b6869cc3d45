"""Aliases and rules of a pack file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, get_args

from physgauge.rules_kernel.arrays import VIEWS
from physgauge.rules_kernel.errors import ExpressionError, did_you_mean, quoted
from physgauge.rules_kernel.language import (
    RESERVED,
    Names,
    Node,
    SyntaxProblem,
    check_alias,
    check_rule,
    parse,
    walk,
)
from physgauge.rules_kernel.language.tree import AliasUse
from physgauge.rules_kernel.pack import CATEGORIES, Absence, Alias, Category, Rule
from physgauge.rules_kernel.positions import Key
from physgauge.rules_kernel.toml_reader import MAX_NAMES, NAME, TomlReader

MAX_RULES = 256
MAX_WEIGHT = 10


_ID = re.compile(r"[A-Za-z0-9_.-]{1,32}", re.ASCII)


_RULE = {"id", "says", "rule", "missing", "vacuous", "views", "weight", "reference"}


class RuleReader(TomlReader):
    """Reads expressions."""

    def expression(self, source: Any, place: Key, rule: str | None) -> tuple[str, Node]:
        if not isinstance(source, str):
            self.fail("no expression", place, rule=rule, expected="text", got=quoted(source))
        return source, self.guarded(lambda: parse(source), place, rule)

    def guarded(self, work: Callable[[], Any], place: Key, rule: str | None) -> Any:
        """Run a parser or checker; give its problem the file's position."""
        try:
            return work()
        except SyntaxProblem as problem:
            line, column = self.at.of(*place, problem.at) or (1, problem.at + 1)
            raise ExpressionError(
                problem.problem, file=self.file, rule=rule, line=line, column=column,
                expected=problem.expected, got=problem.got, hint=problem.hint,
            ) from None  # fmt: skip

    def aliases(self, names: Names) -> dict[str, Alias]:
        table = self.get("aliases", dict, {})
        if len(table) > MAX_NAMES:
            self.fail("too many aliases", expected=f"at most {MAX_NAMES}", got=str(len(table)))
        parsed: dict[str, tuple[str, Node]] = {}
        for name, source in table.items():
            place = ("aliases", 0, name)
            if not NAME.fullmatch(name) or name in RESERVED or name in names.components:
                self.fail(f"alias {name[:40]!r} already means something else or is no name", place)
            parsed[name] = self.expression(source, place, f"alias {name}")
        done: dict[str, Alias] = {}
        for name in parsed:
            self._alias(name, parsed, done, names, ())
        return done

    def _alias(
        self,
        name: str,
        parsed: dict[str, tuple[str, Node]],
        done: dict[str, Alias],
        names: Names,
        path: tuple[str, ...],
    ) -> None:
        place = ("aliases", 0, name)
        if name in path:
            cycle = " -> ".join([*path[path.index(name) :], name])
            self.fail("aliases go in a circle", place, got=cycle)
        if name in done:
            return
        source, node = parsed[name]
        for used in _mentioned(node):
            if used in parsed:
                self._alias(used, parsed, done, names, (*path, name))
        kind, value = self.guarded(lambda: check_alias(node, source, names), place, f"alias {name}")
        names.aliases[name], names.alias_types[name] = value, kind
        done[name] = Alias(kind, source, value)

    def rules(self, names: Names) -> tuple[Rule, ...]:
        tables: list[tuple[Category, list[Any]]] = [(c, self.get(c, list, [])) for c in CATEGORIES]
        total = sum(len(rules) for _, rules in tables)
        if not 1 <= total <= MAX_RULES:
            self.fail("wrong number of rules", expected=f"1 to {MAX_RULES}", got=str(total))
        policy = self.absence(self.table.get("missing", "exclude"), ("", 0, "missing"), None)
        vacuous = self.vacuous(self.table.get("vacuous", policy != "exclude"), ("", 0, "vacuous"))
        rules: list[Rule] = []
        lines: dict[str, int | None] = {}
        for category, entries in tables:
            for index, entry in enumerate(entries):
                place = (category, index, "id")
                self.typed(entry, dict, place, category)
                rule = self.rule(entry, category, index, names, policy, vacuous)
                if rule.id in lines:
                    self.fail(
                        f"the id {rule.id!r} appears twice", place,
                        hint=f"first on line {lines[rule.id]}",
                    )  # fmt: skip
                lines[rule.id] = rule.line
                rules.append(rule)
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
        checked = self.guarded(lambda: check_rule(node, source, names), place, name)
        where = self.at.of(category, index, "id")
        return Rule(
            id=name,
            category=category,
            says=self.typed(entry["says"], str, (category, index, "says"), "says"),
            source=source,
            tree=checked,
            bound=walk.bound_text(checked),
            components=_components(node, names),
            subjects=walk.subjects(checked, names.aliases),
            missing=self.absence(entry.get("missing", missing), (category, index, "missing"), name),
            vacuous=self.vacuous(entry.get("vacuous", vacuous), (category, index, "vacuous")),
            views=self.views(entry.get("views"), (category, index, "views"), name),
            weight=self.weight(entry.get("weight", 1), (category, index, "weight"), name),
            reference=self.typed(
                entry.get("reference", ""), str, (category, index, "reference"), "reference"
            ),
            line=where[0] if where else None,
        )

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


def _mentioned(node: Node) -> list[str]:
    own = [node.text] if node.kind in {"name", "call"} else []
    return own + [name for arg in node.args for name in _mentioned(arg)]


def _components(node: Node, names: Names) -> tuple[str, ...]:
    """Components mentioned in an expression, through aliases too."""
    found: set[str] = set()
    todo = [node.text] if node.kind == "name" else []
    todo = _mentioned(node)
    for name in todo:
        if name in names.aliases:
            for part in walk.walk(names.aliases[name]):
                for group in walk.groups(part):
                    found.update(names.components[c] for c in group.members)
                if isinstance(part, AliasUse):
                    todo.append(part.name)
        found.update({name} & {*names.components, "foreign"})
    order = [*names.components, "foreign"]
    return tuple(sorted(found, key=order.index))
