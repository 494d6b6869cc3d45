"""The bytes of a pack file to a TOML table: every problem says its line and column."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from physgauge.rules_kernel.errors import PackError
from physgauge.rules_kernel.positions import line_column

MAX_BYTES = 256 * 1024
"""A larger file is refused before it is parsed."""

MAX_DEPTH = 100
"""Brackets within brackets and names in a dotted key; a pack needs three."""

_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)|\s*\(at end of document\)")
_QUIET = re.compile(
    # A string that is not closed goes on to the end: else each quote in it would be tried anew.
    r'"""(?:[^\\]|\\.|\\\Z)*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?'
    r"|#[^\n]*|[\[\]{}.,=\n]",
    re.DOTALL,
)
_DIGITS = re.compile(r"[0-9][0-9_]{4000,}")
_KEY = re.compile(r"""[ \t]*([A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*=""")


def decode(data: bytes, file: str, *, rules: bytes, most_rules: int) -> str:
    """The text; `rules` is what stands before each rule, for the message about a file too big."""
    if len(data) > MAX_BYTES:
        data = data[:MAX_BYTES]
        line, column = line_column(data.decode("latin-1"), MAX_BYTES)
        raise PackError(
            "the pack is too big", file=file, line=line, column=column,
            expected=f"at most {MAX_BYTES} bytes and {most_rules} rules",
            got=f"more than {MAX_BYTES} bytes, {len(re.findall(rules, data))} rules up to there",
        )  # fmt: skip
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        # Every byte a character: the column counts bytes.
        line, column = line_column(data.decode("latin-1"), error.start)
        got = f"byte 0x{data[error.start]:02x}"
        raise PackError("not UTF-8", file=file, line=line, column=column, got=got) from None
    if "\0" in text:
        line, column = line_column(text, text.index("\0"))
        raise PackError("a NUL character", file=file, line=line, column=column)
    return text


def read_table(text: str, file: str) -> dict[str, Any]:
    """The table of a TOML text."""
    deep = _too_deep(text)
    if deep is not None:
        line, column = line_column(text, deep)
        raise PackError(
            "not TOML for a pack: nested too deeply", file=file, line=line, column=column,
            expected=f"at most {MAX_DEPTH} brackets within brackets or names in a dotted key",
        )  # fmt: skip
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        problem = _PLACE.sub("", str(error))
        at = (int(place[1]), int(place[2])) if place and place[1] else line_column(text, len(text))
        if problem == "Cannot overwrite a value":
            raise _twice(text, file, at[0]) from None
        raise PackError(f"not TOML: {problem}", file=file, line=at[0], column=at[1]) from None
    except ValueError:
        # Python reads no whole number of more than 4,300 digits.
        long = _DIGITS.search(text)
        line, column = line_column(text, long.start() if long else len(text))
        raise PackError("a number too long", file=file, line=line, column=column) from None


def _too_deep(text: str) -> int | None:
    """Offset of the bracket or dot that is nested too deeply, outside strings and comments."""
    depth = dots = 0
    for match in _QUIET.finditer(text):
        found = match.group()
        depth += (found in "[{") - (found in "]}")
        dots = dots + 1 if found == "." else 0 if found in "[]{},=\n" else dots
        if depth > MAX_DEPTH or dots >= MAX_DEPTH:
            return match.start()
    return None


def _twice(text: str, file: str, line: int) -> PackError:
    """The error for a value given again; tomllib stops at the end of the second one."""
    lines = text.split("\n")
    if lines[min(line, len(lines)) - 1].lstrip().startswith("["):
        at = line_column(lines[line - 1], lines[line - 1].index("["))[1]
        return PackError(
            f"the table {lines[line - 1].strip()[:40]!r} is something else already",
            file=file, line=line, column=at,
        )  # fmt: skip
    for number in range(min(line, len(lines)), 0, -1):
        match = _KEY.match(lines[number - 1])
        if match:
            break
    else:
        return PackError("a key appears twice", file=file, line=line, column=1)
    key = match.group(1)
    first = None
    for before in range(number - 1, 0, -1):
        again = _KEY.match(lines[before - 1])
        if again and again.group(1) == key:
            first = before
            break
        if lines[before - 1].lstrip().startswith("["):
            break
    hint = None if first is None else f"first on line {first}"
    return PackError(
        f"the key {key[:40]!r} appears twice",
        file=file, line=number, column=match.start(1) + 1, hint=hint,
    )  # fmt: skip
