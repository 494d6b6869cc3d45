"""What stands before a subject's name: number, article, preposition, "a herd of", "no"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from physgauge.ensemble.captions import words
from physgauge.ensemble.text import COMMA, HYPHEN, SPACE, STOP, Token

LOOK_BACK: Final = 5
"""Words before a name that are read for its number."""
_PLACES: Final = {("in", "front"), ("on", "top")}


class Lead(NamedTuple):
    """What stands before a name."""

    number: int | None
    """Stated number; None where none is."""
    indefinite: bool
    gathering: bool
    """"a herd of"."""
    other: bool
    negated: bool
    made: bool
    """A thing made to look like it: "a toy"."""
    before: str
    """The word before all that; empty at the start of a sentence or behind a comma."""
    at: int
    """Where that word stands."""


def read_lead(tokens: Sequence[Token], taken: Sequence[bool], start: int) -> Lead:
    """Number, article and preposition before a name, over at most LOOK_BACK adjectives."""
    number: int | None = None
    indefinite = gathering = other = made = False
    k = start - 1
    for _ in range(LOOK_BACK):
        if k < 0 or tokens[k + 1].gap in (COMMA, STOP) or taken[k]:
            break
        word = tokens[k].text
        other = other or word in words.OTHERS
        made = made or word in words.LIKE_MADE
        if word in words.NEGATORS and tokens[k + 1].gap == HYPHEN:
            k -= 1  # "a no-door car" is a car
            continue
        if word in words.DETERMINERS:
            indefinite = word in words.INDEFINITE
            k -= 1
            break
        value = words.NUMBERS.get(word, tokens[k].number)
        if value is not None and tokens[k + 1].gap == SPACE:
            number = value
        elif (
            word == "of"
            and k >= 1
            and (tokens[k - 1].text in words.SETS or tokens[k - 1].text in words.GATHERINGS)
        ):
            number = words.SETS.get(tokens[k - 1].text)
            gathering = number is None
            k -= 2
            continue
        elif word in words.STOPWORDS:
            break
        k -= 1
    before = "" if k < 0 or tokens[k + 1].gap in (COMMA, STOP) else tokens[k].text
    if before == "of" and k >= 2 and (tokens[k - 2].text, tokens[k - 1].text) in _PLACES:
        before = "beside"
    instead = before == "of" and k >= 1 and tokens[k - 1].text in ("instead", "none")
    whose = tokens[k - 1].text if before == "of" and k >= 1 else ""
    made = made or whose in words.LIKENESSES
    negated = before in words.NEGATORS or instead or whose in words.SHAPES | words.NEGATORS
    return Lead(number, indefinite, gathering, other, negated, made, before, k)


def place_of(tokens: Sequence[Token], at: int) -> str:
    """The word that "of" goes back to: "on" in "a cat on the hood of a car"; else "of"."""
    for k in range(at - 1, max(at - 1 - LOOK_BACK, -1), -1):
        if tokens[k].text in words.SETTING or tokens[k].text in words.DRESSED:
            return tokens[k].text
        if tokens[k].gap in (COMMA, STOP):
            break
    return "of"
