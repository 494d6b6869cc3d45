"""Expressions and aliases of a pack file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from physgauge.rules_kernel.errors import ExpressionError, quoted
from physgauge.rules_kernel.language import (
    RESERVED,
    Names,
    Node,
    SyntaxProblem,
    check_alias,
    parse,
    range_of,
)
from physgauge.rules_kernel.pack import Alias
from physgauge.rules_kernel.positions import Key
from physgauge.rules_kernel.toml_reader import MAX_NAMES, NAME, Consequence, TomlReader


class AliasReader(TomlReader):
    """Reads expressions and aliases."""

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
            place = ("aliases", 0, list(table)[MAX_NAMES])
            self.fail(
                "too many aliases", place, expected=f"at most {MAX_NAMES}", got=str(len(table))
            )
        parsed: dict[str, tuple[str, Node]] = {}
        for name, source in table.items():
            self.attempt(partial(self._parse_alias, name, source, names, parsed), None)
        self.broken = {*table} - {*parsed}
        done: dict[str, Alias] = {}
        for name in parsed:
            self.attempt(partial(self._alias, name, parsed, done, names, ()), None)
            self.broken |= {name} - {*done}
        return done

    def _parse_alias(
        self, name: str, source: Any, names: Names, parsed: dict[str, tuple[str, Node]]
    ) -> None:
        place = ("aliases", 0, name)
        if not NAME.fullmatch(name) or name in RESERVED or name in names.components:
            self.fail(f"alias {name[:40]!r} already means something else or is no name", place)
        parsed[name] = self.expression(source, place, f"alias {name}")

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
        if self.broken & {*mentioned(node)}:
            raise Consequence(f"alias {name} mentions a broken one")
        for used in mentioned(node):
            if used in parsed:
                self._alias(used, parsed, done, names, (*path, name))
        kind, value = self.guarded(lambda: check_alias(node, source, names), place, f"alias {name}")
        names.aliases[name], names.alias_types[name] = value, kind
        names.ranges[name] = range_of(value, names.ranges)
        done[name] = Alias(kind, source, value)


def mentioned(node: Node) -> list[str]:
    """Names and functions in an expression, in written order."""
    own = [node.text] if node.kind in {"name", "call"} else []
    return own + [name for arg in node.args for name in mentioned(arg)]
