"""How many of a part a caption states, read backwards from it: "at least two large", "without any"."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.relations import Part
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import COMMA, GLUED, HYPHEN, SPACE, STOP, Token

LOOK_BACK: Final = 5
"""Words before a part that are read for its number."""
MAX_COUNT: Final = 999
"""Larger numbers are no part counts (years, mostly)."""
_BOUNDING: Final[dict[tuple[str, ...], Callable[[int], tuple[int, int | None]]]] = {
    ("at", "least"): lambda n: (n, None),
    ("at", "most"): lambda n: (0, n),
    ("up", "to"): lambda n: (0, n),
    ("more", "than"): lambda n: (n + 1, None),
    ("less", "than"): lambda n: (0, max(0, n - 1)),
    ("fewer", "than"): lambda n: (0, max(0, n - 1)),
}


@dataclass(slots=True)
class Quantity:
    """Number words before a part, read backwards."""

    low: int = 1
    high: int | None = None
    exact: bool = False
    missing: int = 0
    visible: bool = False
    own: bool = True
    """False: the words say where something is ("on two legs"), not what the subject has."""
    attributes: tuple[str, ...] = ()
    start: int = 0
    bare: bool = False
    """No number, article or negation at all: takes over a negation before "or"."""


def read_quantity(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    part: Part,
    ends: Collection[int],
    spec: DomainSpec,
) -> Quantity:
    """Read number, article, negation and attributes before a part."""
    q = Quantity(start=part.start)
    if part.meaning.kind == "less":
        q.low, q.high, q.exact = 0, 0, True
        return q
    attributes: list[str] = []
    k = part.start - 1
    counted = False
    for _ in range(LOOK_BACK):
        if k < 0 or taken[k] or tokens[k + 1].gap in (COMMA, STOP):
            break
        word = tokens[k].text
        value = number_at(tokens, k)
        if value is not None and _counts(tokens, k, part.start):
            k = _number(tokens, k, value, q)
            counted = True
            break
        if word in words.SEVERAL and tokens[k + 1].gap in (SPACE, HYPHEN):
            q.low, counted, k = 2, True, k - 1
            break
        if word == "of" and k >= 1 and tokens[k - 1].text in words.SETS:
            k = _set(tokens, k - 1, q)
            counted = True
            break
        if word in words.STOPWORDS:
            break
        if word in words.UNITS:
            attributes.clear()
            k = _skip_unit(tokens, k)
            continue
        if word in words.VISIBLE:
            q.visible = True
        elif not word[0].isdecimal():
            attributes.insert(0, word)
        k -= 1
    q.start = k + 1
    q.attributes = _hyphenated(tokens, q.start, part.start, attributes)
    _before(tokens, taken, k, q, ends, counted=counted)
    if q.exact and not q.visible:
        _reads(part, q, spec)
    if q.low > MAX_COUNT:
        q.own = False
    return q


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


def _skip_unit(tokens: Sequence[Token], k: int) -> int:
    """Step over a unit and its number: "17-inch wheels"."""
    return k - 2 if k >= 1 and number_at(tokens, k - 1) is not None else k - 1


def _number(tokens: Sequence[Token], k: int, value: int, q: Quantity) -> int:
    """Take a stated number with what bounds it ("at least", "two to"); returns the index before."""
    q.low, q.high, q.exact = value, value, True
    before = tuple(t.text for t in tokens[max(0, k - 2) : k])
    if not before or tokens[k].gap not in (SPACE, HYPHEN):
        return k - 1
    if value == 12 and before == ("half", "a"):
        q.low = q.high = 6
    elif before in _BOUNDING:
        q.low, q.high = _BOUNDING[before](value)
    elif len(before) == 2 and before[1] in ("or", "to") and number_at(tokens, k - 2) is not None:
        other = number_at(tokens, k - 2) or 0
        q.low, q.high = min(other, value), max(other, value)
    elif tokens[k].gap == HYPHEN and tokens[k - 1].number is not None:
        other = tokens[k - 1].number or 0
        q.low, q.high = min(other, value), max(other, value)
        return k - 2
    else:
        return k - 1
    return k - 3


def _set(tokens: Sequence[Token], k: int, q: Quantity) -> int:
    """ "a pair of", "two pairs of", "half a dozen"; returns the index before."""
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
    q.low = q.high = size * many
    q.exact = True
    return k


def _before(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    k: int,
    q: Quantity,
    ends: Collection[int],
    *,
    counted: bool,
) -> None:
    """Articles, negation, loss, and words that make it a place, from token k backwards."""
    article = False
    for _ in range(3):
        if k < 0 or taken[k] or tokens[k + 1].gap in (COMMA, STOP):
            break
        word = tokens[k].text
        if word in ("any", "only", "exactly", "just") or word in words.DETERMINERS:
            article = True
        elif word in words.VISIBLE:
            q.visible = True
        else:
            break
        k -= 1
    q.bare = not counted
    if k < 0 or taken[k] or tokens[k + 1].gap in (COMMA, STOP):
        return
    word = tokens[k].text
    if word in words.MISSING or (word == "of" and k >= 1 and tokens[k - 1].text == "missing"):
        q.missing, q.start = (max(1, q.low) if counted or article else 1), k
    elif word in words.NEGATORS and not counted:
        q.low, q.high, q.exact, q.start, q.bare = 0, 0, True, k, False
    elif word in words.NEGATORS or word in words.PLACING:
        q.own = not _place(tokens, k)
    elif counted and q.high and (_does(word) or _number_before(tokens, k, ends)):
        q.high = None


def _does(word: str) -> bool:
    """Whether a word says what the subject does with some of its parts: "raising two legs"."""
    return word.endswith("ing") and word not in words.POSSESSING


def _number_before(tokens: Sequence[Token], k: int, ends: Collection[int]) -> bool:
    """Whether a number without a part stands before "and": "one blue and one green eye"."""
    joined = k >= 2 and tokens[k].text == "and" and tokens[k].gap == SPACE
    return joined and k not in ends and number_at(tokens, k - 2) is not None


def _place(tokens: Sequence[Token], k: int) -> bool:
    """Whether a preposition makes a place; "powered by four engines" does not."""
    return not (tokens[k].text == "by" and k >= 1 and tokens[k - 1].text.endswith("ed"))


def _reads(part: Part, q: Quantity, spec: DomainSpec) -> None:
    """Counts that mean another one ("5-door" has four side doors)."""
    reads = spec.components[part.meaning.id].reads
    q.low = reads.get(str(q.low), q.low)
    if q.high is not None:
        q.high = reads.get(str(q.high), q.high)


def _hyphenated(
    tokens: Sequence[Token], start: int, end: int, attributes: Sequence[str]
) -> tuple[str, ...]:
    """Attributes with their hyphens put back: "swept-back"."""
    joined: list[str] = []
    left = list(attributes)
    for k in range(start, end):
        if left and tokens[k].text == left[0]:
            left.pop(0)
            if joined and tokens[k].gap in (HYPHEN, GLUED):
                joined[-1] += tokens[k].gap + tokens[k].text
            else:
                joined.append(tokens[k].text)
    return tuple(joined)
