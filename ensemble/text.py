"""Caption text to tokens: accents, case, emoji and any Unicode made harmless, in linear time."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

GLUED: Final = ""
"""The gap before a token: nothing ("DC|10")."""
HYPHEN: Final = "-"
"""A hyphen or slash inside a word ("two-door", "F/A-18")."""
SPACE: Final = " "
"""White space, quotes or symbols."""
COMMA: Final = ","
"""Punctuation inside a sentence."""
STOP: Final = "."
"""The end of a sentence, and the gap before the first token."""

MAX_DIGITS: Final = 4
"""Longer numbers are no counts (int() of a very long number is quadratic, too)."""

_RANK: Final = {GLUED: 0, HYPHEN: 1, SPACE: 2, COMMA: 3, STOP: 4}
# Each alternative starts with a character that no other can start with, so the scan never backtracks.
_WORD: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_PIECE: Final = re.compile(r"\s+|[\W_]")
_WITH: Final = re.compile(r"\bw/(o\b)?")
_COMMON: Final = {"": GLUED, " ": SPACE, ", ": COMMA, ". ": STOP, "-": HYPHEN}
"""What most often stands between words."""
_HYPHENS: Final = frozenset("-\u2010\u2012\u2013/")
_COMMAS: Final = frozenset(",;:()[]{}\u2014|")
_STOPS: Final = frozenset(".!?\u2026")
_APOSTROPHES: Final = frozenset("'\u2019\u02bc`")


class Token(NamedTuple):
    """One run of letters or digits."""

    text: str
    """Lower case, without accents."""
    gap: str
    """What stands before it: GLUED, HYPHEN, SPACE, COMMA or STOP."""
    possessive: bool
    """Followed by 's."""
    start: int
    """Offset in the folded text."""
    end: int

    @property
    def number(self) -> int | None:
        """Its value, if it is a whole number of at most MAX_DIGITS digits."""
        if len(self.text) <= MAX_DIGITS and self.text.isdecimal():
            return int(self.text)
        return None


def fold(text: str) -> str:
    """Compatibility-decomposed, without combining marks, case-folded; "w/" and "w/o" in words."""
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", text)
        folded = "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
    return _WITH.sub(_written_out, folded) if "w/" in folded else folded


def _written_out(short: re.Match[str]) -> str:
    """ "w/o" and "w/" in words."""
    return "without" if short.group(1) else "with "


def tokenize(text: str) -> tuple[str, list[Token]]:
    """The folded text and its tokens; letters and digits part ("dc10" is two tokens, glued).

    Time and memory are linear in the length.
    """
    folded = fold(text)
    tokens: list[Token] = []
    behind = 0  # the last word
    for match in _WORD.finditer(folded):
        word = match.group()
        start, end = match.span()
        between = folded[behind:start]
        behind = end
        if between in _APOSTROPHES and tokens:
            if word == "s":
                tokens[-1] = tokens[-1]._replace(possessive=True, end=end)
                continue
            if word == "t" and tokens[-1].text.endswith("n"):
                tokens.append(Token("not", SPACE, False, start, end))
                continue
        gap = _COMMON.get(between) if tokens else STOP
        tokens.append(Token(word, _gap(between) if gap is None else gap, False, start, end))
    return folded, tokens


def key(name: str) -> tuple[str, ...]:
    """What identifies a name, whatever its hyphens, spaces and case: "DC-10" is ("dc", "10")."""
    return tuple(t.text for t in tokenize(name)[1])


def _gap(between: str) -> str:
    """The widest of what stands between two words."""
    gap = GLUED
    for piece in _PIECE.findall(between):
        gap = _wider(gap, piece)
    return gap


def _wider(gap: str, piece: str) -> str:
    """The wider of a gap and what follows it; " - " between words parts like a comma."""
    first = piece[0]
    if first in _HYPHENS:
        found = HYPHEN if gap == GLUED else COMMA if gap == SPACE else gap
    elif first in _COMMAS:
        found = COMMA
    elif first in _STOPS:
        found = STOP
    else:
        found = COMMA if gap == HYPHEN and first.isspace() else SPACE
    return found if _RANK[found] > _RANK[gap] else gap
