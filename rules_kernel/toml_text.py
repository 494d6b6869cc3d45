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
"""Brackets within brackets; a pack needs three."""

_PLACE = re.compile(r"\s*\(at line (\d+), column (\d+)\)|\s*\(at end of document\)")
_QUIET = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?|#[^\n]*|[\[\]{}]',
    re.DOTALL,
)
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
        text = data.decode("utf-8").replace("\r\n", "\n")
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
            expected=f"at most {MAX_DEPTH} brackets within brackets",
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


def _too_deep(text: str) -> int | None:
    """Offset of the bracket that is nested too deeply, outside strings and comments."""
    depth = 0
    for match in _QUIET.finditer(text):
        depth += (match.group() in "[{") - (match.group() in "]}")
        if depth > MAX_DEPTH:
            return match.start()
    return None


def _twice(text: str, file: str, line: int) -> PackError:
    """The error for a value given again; tomllib stops at the end of the second one."""
    lines = text.split("\n")
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
