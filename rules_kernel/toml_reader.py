"""A parsed TOML table with the positions of its values: typed access, every error with its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TypeVar

from physgauge.rules_kernel.errors import PackError, RuleError, did_you_mean, quoted
from physgauge.rules_kernel.positions import Key, Positions

MAX_PROBLEMS = 100
"""Found in one file; then it is left."""

MAX_INTEGER = 2**31 - 1

MAX_NAMES = 64
"""Components, tags, aliases, facts: at most this many of each."""


NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)


_KINDS: dict[Any, str] = {
    str: "text", int: "a whole number", list: "a list", dict: "a table", bool: "true or false",
    float | int: "a number",
}  # fmt: skip


Thing = TypeVar("Thing")
Other = TypeVar("Other")


class Consequence(RuleError):
    """A problem that is only there because of an earlier one; never shown."""


class Enough(RuleError):
    """So many problems that further ones are not looked for."""


class TomlReader:
    """Methods raise PackError at the first problem. With `found`, the parts of a file that `attempt`
    tries put theirs there and the next part goes on."""

    def __init__(
        self,
        table: dict[str, Any],
        at: Positions,
        file: str,
        text: str,
        found: list[RuleError] | None = None,
    ) -> None:
        self.table, self.at, self.file, self.text, self.found = table, at, file, text, found
        self.broken: set[str] = set()
        """Aliases with problems of their own: what mentions them is not looked at."""

    def attempt(self, work: Callable[[], Thing], otherwise: Other) -> Thing | Other:
        """`work()`; `otherwise` where it fails and problems are collected."""
        if self.found is None:
            return work()
        try:
            return work()
        except Consequence:
            return otherwise
        except Enough:
            raise
        except RuleError as error:
            if str(error) not in map(str, self.found):
                self.found.append(error)
            if len(self.found) >= MAX_PROBLEMS:
                raise Enough("too many problems") from None
            return otherwise

    def fail(
        self,
        problem: str,
        place: Key = ("", 0, ""),
        *,
        rule: str | None = None,
        expected: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> NoReturn:
        # A key of the top may be written as a table of its own.
        where = self.at.of(*place) or (None if place[0] else self.at.of(place[2], 0, ""))
        line, column = where or (None, None)
        raise PackError(
            problem, file=self.file, rule=rule, line=line, column=column,
            expected=expected, got=got, hint=hint,
        )  # fmt: skip

    def keys(self, table: dict[str, Any], known: set[str], name: str, index: int = 0) -> None:
        for key in table:
            if key not in known:
                self.attempt(partial(self._unknown_key, key, known, name, index), None)

    def _unknown_key(self, key: str, known: set[str], name: str, index: int) -> None:
        self.fail(
            f"unknown key {key[:40]!r}" + (f" in [{name}]" if name else ""), (name, index, key),
            expected=f"one of {', '.join(sorted(known))}", hint=did_you_mean(key, known),
        )  # fmt: skip

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        if key not in self.table:
            if default is None:
                self.fail(f"the key {key!r} is missing", expected=f"{key} = ...")
            return default
        return self.typed(self.table[key], kind, ("", 0, key), key)

    def typed(self, value: Any, kind: type, place: Key, what: str) -> Any:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"wrong type of {what!r}", place, expected=_KINDS[kind], got=quoted(value))
        if isinstance(value, int) and abs(value) > MAX_INTEGER:
            self.fail(
                f"{what!r} is too large a number", place,
                expected=f"at most {MAX_INTEGER}", got=quoted(value),
            )  # fmt: skip
        if isinstance(value, str) and not value.replace("\n", "").replace("\t", "").isprintable():
            self.fail(f"{what!r} holds a control character", place, got=quoted(value))
        return value

    def words(self, key: str, *, least: int = 0) -> tuple[str, ...]:
        """A list of distinct names."""
        values = self.get(key, list, None if least else [])
        place = ("", 0, key)
        if not least <= len(values) <= MAX_NAMES:
            self.fail(
                f"wrong number of {key}", place,
                expected=f"{least} to {MAX_NAMES}", got=str(len(values)),
            )  # fmt: skip
        for value in values:
            if not isinstance(value, str) or not NAME.fullmatch(value):
                self.fail(
                    f"{key}: not a name", place,
                    expected="letters, digits and _, not starting with a digit", got=quoted(value),
                )  # fmt: skip
            if values.count(value) > 1:
                self.fail(f"{key}: {value!r} appears twice", place)
        return tuple(values)
