"""Where each value of a TOML file stands, since tomllib does not say."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"\[(\[)?\s*([^\[\]\n#]+?)\s*\]")
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = re.compile(rf"(?P<key>{_PART})(?:[ \t]*\.[ \t]*{_PART})*[ \t]*=[ \t]*")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_COMMENT = re.compile(r"#[^\n]*")

Key = tuple[str, int, str]
"""Table name ("" at the top), its index among tables of that name, key."""


def line_column(text: str, at: int) -> tuple[int, int]:
    """Line and column, both from 1, of an offset."""
    start = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at) + 1, at - start + 1


@dataclass(frozen=True)
class Positions:
    """Offsets of keys and values of one TOML text."""

    text: str
    values: dict[Key, int]
    headers: dict[tuple[str, int], int]

    def of(self, table: str, index: int, key: str, inside: int = 0) -> tuple[int, int] | None:
        """Line and column of character `inside` of a string value (of the value's start where
        escapes make the two texts differ); of the table's header if the key is not there."""
        at = self.values.get((table, index, key))
        if at is None:
            header = self.headers.get((table, index))
            return None if header is None else line_column(self.text, header)
        match = _STRING.match(self.text, at)
        if match is None:
            return line_column(self.text, at)
        raw = match.group()
        quote = 3 if raw[:3] in {'"""', "'''"} else 1
        if "\\" in raw and raw[0] == '"':
            return line_column(self.text, at)
        skip = 1 if quote == 3 and raw[3:4] == "\n" else 0
        return line_column(self.text, at + quote + skip + inside)


def scan(text: str) -> Positions:
    """Find headers, keys and values. The text is valid TOML (tomllib has read it)."""
    values: dict[Key, int] = {}
    headers: dict[tuple[str, int], int] = {}
    seen: dict[str, int] = {}
    table, index, at = "", 0, 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] == "#":
            at = _end(_COMMENT.match(text, at), at)
        elif match := _HEADER.match(text, at):
            table = match.group(2).strip("\"'")
            index = seen.get(table, -1) + 1
            seen[table] = index
            headers[table, index] = at
            # A key of the top that is only there as the first name of a dotted header.
            headers.setdefault((table.split(".")[0].strip("\"' \t"), 0), at)
            at = match.end()
        elif match := _KEY.match(text, at):
            values[table, index, match.group("key").strip("\"'")] = match.end()
            at = _skip_value(text, match.end())
        else:
            at += 1
    return Positions(text, values, headers)


def _end(match: re.Match[str] | None, at: int) -> int:
    return at + 1 if match is None else max(match.end(), at + 1)


def _skip_value(text: str, at: int) -> int:
    """The offset after one value: the end of its line, outside strings and brackets."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = _end(_STRING.match(text, at), at)
            continue
        if char == "#":
            at = _end(_COMMENT.match(text, at), at)
            continue
        if char == "\n" and depth == 0:
            return at + 1
        depth += (char in "[{") - (char in "]}")
        at += 1
    return at
