"""Numbers in front of a part: digits, words, ranges, bounds, "a pair of"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from physgauge.ensemble.captions import words
from physgauge.ensemble.text import GLUED, HYPHEN, SPACE, Token

_BOUNDING: Final[dict[tuple[str, ...], Callable[[int], tuple[int, int | None]]]] = {
    ("at", "least"): lambda n: (n, None),
    ("at", "most"): lambda n: (0, n),
    ("up", "to"): lambda n: (0, n),
    ("more", "than"): lambda n: (n + 1, None),
    ("less", "than"): lambda n: (0, max(0, n - 1)),
    ("fewer", "than"): lambda n: (0, max(0, n - 1)),
}


class Number(NamedTuple):
    """A number that is read backwards."""

    low: int
    high: int | None
    """None: no upper bound."""
    exact: bool
    every: bool
    """ "both": there are no others."""
    before: int
    """The token before it."""


def read_number(tokens: Sequence[Token], k: int, part: int) -> Number | None:
    """The number of the part that starts at token `part`, where its last word is token k."""
    word = tokens[k].text
    value = number_at(tokens, k)
    if value is not None and _counts(tokens, k, part):
        return _number(tokens, k, value)
    if word in words.SEVERAL and tokens[k + 1].gap in (SPACE, HYPHEN):
        return Number(2, None, False, False, k - 1)
    if word == "of" and k >= 1 and tokens[k - 1].text in words.SETS:
        return _set(tokens, k - 1)
    return None


def number_at(tokens: Sequence[Token], k: int) -> int | None:
    """The number a token states, in digits or words; None for none."""
    word = tokens[k].text
    if word in words.PREFIXES and k + 1 < len(tokens) and tokens[k + 1].gap in (HYPHEN, GLUED):
        return words.PREFIXES[word]
    return words.NUMBERS.get(word, tokens[k].number)


def _counts(tokens: Sequence[Token], k: int, part: int) -> bool:
    """Whether a number counts the part, not a unit or a compound ("five-spoke wheels", "V8 engine")."""
    if tokens[k].gap == GLUED:
        return False
    if k + 1 == part:
        return True
    following = tokens[k + 1]
    if following.gap in (HYPHEN, GLUED):
        return False
    return following.text not in words.UNITS


def _number(tokens: Sequence[Token], k: int, value: int) -> Number:
    """A stated number with what bounds it ("at least", "two to")."""
    low, high, at = value, value, k - 1
    before = tuple(t.text for t in tokens[max(0, k - 2) : k])
    if before and tokens[k].gap in (SPACE, HYPHEN):
        if value == 12 and before == ("half", "a"):
            low, high, at = 6, 6, k - 3
        elif before in _BOUNDING:
            low, bound = _BOUNDING[before](value)
            return Number(low, bound, True, False, k - 3)
        elif len(before) == 2 and before[1] in ("or", "to"):
            other = number_at(tokens, k - 2)
            if other is not None:
                low, high, at = min(other, value), max(other, value), k - 3
        elif tokens[k].gap == HYPHEN and tokens[k - 1].number is not None:
            other = tokens[k - 1].number or 0
            low, high, at = min(other, value), max(other, value), k - 2
    return Number(low, high, True, tokens[k].text in words.ALL, at)


def _set(tokens: Sequence[Token], k: int) -> Number:
    """ "a pair of", "two pairs of", "half a dozen"."""
    size, many = words.SETS[tokens[k].text], 1
    k -= 1
    if k >= 0 and tokens[k + 1].gap == SPACE:
        value = number_at(tokens, k)
        if tokens[k].text in words.DETERMINERS:
            k -= 1
        elif value is not None:
            many, k = value, k - 1
    if k >= 0 and tokens[k].text == "half" and size == 12:
        size, k = 6, k - 1
    return Number(size * many, size * many, True, False, k)
