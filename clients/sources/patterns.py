"""Brace ranges (``shard-{000..099}.tar``), and glob patterns over the keys of a store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from physgauge.errors import ConfigError

MOST: Final = 1_000_000
"""Names that one pattern may stand for."""
_RANGE: Final = re.compile(r"\{(\d{1,12})\.\.(\d{1,12})\}")
_MAGIC: Final = re.compile(r"[*?[]")


def has_range(text: str) -> bool:
    """Whether it holds a range of numbers in braces."""
    return _RANGE.search(text) is not None


def expand_ranges(text: str) -> Iterator[str]:
    """The names that a pattern with ranges stands for, in order, the last range running fastest. Numbers
    are padded to the width of the start if it begins with 0.

    Raises:
        ConfigError: a range that runs backwards, or more than MOST names.
    """
    many = 1
    for first, last in _RANGE.findall(text):
        if int(last) < int(first):
            raise ConfigError(f"{text}: expected a range from low to high, got {{{first}..{last}}}")
        many *= int(last) - int(first) + 1
    if many > MOST:
        raise ConfigError(f"{text}: expected at most {MOST} names, got {many}")
    yield from _expand(text)


def _expand(text: str) -> Iterator[str]:
    found = _RANGE.search(text)
    if found is None:
        yield text
        return
    first, last = found.groups()
    width = len(first) if first.startswith("0") else 0
    for number in range(int(first), int(last) + 1):
        head = f"{text[: found.start()]}{number:0{width}d}"
        for rest in _expand(text[found.end() :]):
            yield head + rest


def has_magic(key: str) -> bool:
    """Whether a key is a glob pattern."""
    return _MAGIC.search(key) is not None


def literal_head(pattern: str) -> str:
    """The folder that all keys of a pattern lie in: what is listed."""
    found = _MAGIC.search(pattern)
    head = pattern if found is None else pattern[: found.start()]
    return head[: head.rfind("/") + 1]


def matcher(pattern: str) -> re.Pattern[str]:
    """A glob pattern as a regular expression of the whole key: ``*`` and ``?`` stay within a folder,
    ``**/`` is any number of folders, ``[...]`` one of a set."""
    out, at = "", 0
    while at < len(pattern):
        sign = pattern[at]
        if pattern.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
            continue
        if pattern.startswith("**", at):
            out, at = out + ".*", at + 2
            continue
        end = pattern.find("]", at + 2) if sign == "[" else -1
        if end > 0:
            inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            inner = f"^{inner[1:]}" if inner.startswith("!") else inner.replace("^", "\\^", 1)
            out += f"[{inner}]"
            at = end + 1
            continue
        out += {"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign))
        at += 1
    try:
        return re.compile(out + r"\Z", re.DOTALL)
    except re.error:
        raise ConfigError(f"{pattern}: expected a glob pattern") from None
