"""How many of a part a caption states, read backwards from it: "at least two large", "without any"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.numbers import number_at, read_number
from physgauge.ensemble.captions.relations import Part
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import COMMA, GLUED, HYPHEN, SPACE, STOP, Token

LOOK_BACK: Final = 5
"""Words before a part that are read for its number."""
MAX_COUNT: Final = 999
"""Larger numbers are no part counts (years, mostly)."""


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
    every: bool = False
    """ "all four", "both": the number is whole, whatever follows."""


def read_quantity(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    part: Part,
    ends: Collection[int],
    spec: DomainSpec,
) -> Quantity:
    """Read number, article, negation and attributes before a part; `ends`: where parts' names end."""
    q = Quantity(start=part.start)
    if part.meaning.kind == "less":
        q.low, q.high, q.exact = 0, 0, True
        return q
    attributes: list[str] = []
    k = part.start - 1
    counted = False
    for _ in range(LOOK_BACK):
        if k < 0 or taken[k] or _parted(tokens, k, ends, listed=bool(attributes)):
            break
        word = tokens[k].text
        number = read_number(tokens, k, part.start)
        if number is not None:
            q.low, q.high, q.exact, q.every, k = number
            counted = True
            break
        if word in words.STOPWORDS:
            break
        if word in words.UNITS and k >= 1 and number_at(tokens, k - 1) is not None:
            attributes.clear()
            k -= 1  # "17-inch wheels"
        elif word in words.VISIBLE:
            q.visible = True
        elif not word[0].isdecimal():
            attributes.insert(0, word)
        k -= 1
    gone = bool(attributes) and attributes[-1] in words.GONE
    del attributes[len(attributes) - gone :]
    q.start = k + 1
    q.attributes = _hyphenated(tokens, q.start, part.start, attributes)
    _before(tokens, taken, k, q, ends, counted=counted, plural=part.meaning.plural)
    if gone and q.high != 0:
        q.missing = q.low
    elif counted and _of_compound(tokens, taken, part):
        q.low, q.high, q.exact = 1, None, False
    elif q.high == 0 and not counted:
        # "lacking its right engine" is no "without engines".
        q.missing = int(not part.meaning.plural and not words.SIDES.isdisjoint(attributes))
    if q.exact and not q.visible:
        _reads(part, q, spec)
    q.own = q.own and q.low <= MAX_COUNT
    return q


def _parted(tokens: Sequence[Token], k: int, ends: Collection[int], *, listed: bool) -> bool:
    """Whether token k is parted from what follows, other than by the comma of "with a long, bushy tail".

    Such a list (`listed`: an adjective stands behind the comma) has one word before it, behind "with"
    or "its".
    """
    gap = tokens[k + 1].gap
    if gap != COMMA:
        return gap == STOP
    if not listed or k < 1 or k + 1 in ends or tokens[k].text in words.STOPWORDS:
        return True
    before = k - 1
    while before > 0 and tokens[before + 1].gap == HYPHEN:
        before -= 1
    if before > 0 and tokens[before].text in words.INDEFINITE:
        before -= 1
    if tokens[before].text in words.OWNING:
        return False
    number = tokens[before].gap != GLUED and number_at(tokens, before) is not None
    return not number or tokens[k].text.endswith("s")  # "two pontoons, a high wing" is no list


def _of_compound(tokens: Sequence[Token], taken: Sequence[bool], part: Part) -> bool:
    """Whether a number counts what the part's name goes on to: "four door handles"."""
    if part.meaning.plural or part.meaning.kind != "component" or part.end >= len(tokens):
        return False
    following = tokens[part.end]
    return (
        following.gap == SPACE
        and not taken[part.end]
        and following.text.endswith("s")
        and following.text not in words.STOPWORDS
        and following.text not in words.PLACED
        and tokens[part.start].gap == SPACE
    )


def _before(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    k: int,
    q: Quantity,
    ends: Collection[int],
    *,
    counted: bool,
    plural: bool,
) -> None:
    """Articles, negation, loss, and words that make it a place, from token k backwards."""
    article = definite = False
    for _ in range(3):
        if k < 0 or taken[k] or tokens[k + 1].gap in (COMMA, STOP):
            break
        word = tokens[k].text
        if word in ("any", "only", "exactly", "just") or word in words.DETERMINERS:
            article, definite = True, definite or word in words.DEFINITE
            q.every = q.every or word in words.ALL
        elif word in words.VISIBLE:
            q.visible = True
        else:
            break
        k -= 1
    q.bare = not counted
    if k < 0 or taken[k] or tokens[k + 1].gap in (COMMA, STOP):
        return
    word = tokens[k].text
    whose = tokens[k - 1].text if word == "of" and k >= 1 else ""
    lost = word in words.MISSING or whose == "missing"
    if lost and not (plural and definite and not counted):
        q.missing, q.start = (max(1, q.low) if counted or article else 1), k
    elif (lost or word in words.NEGATORS or whose in words.NEGATORS) and not counted:
        q.low, q.high, q.exact, q.start, q.bare = 0, 0, True, k, False
    elif whose == "instead":
        q.own = False
    elif whose and number_at(tokens, k - 1) is not None:
        q.every = True  # "one of its four engines"
    elif word in words.NEGATORS or word in words.PLACING:
        q.own = not _place(tokens, k)
    elif counted and q.high and not q.every and (_does(word) or _number_before(tokens, k, ends)):
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
