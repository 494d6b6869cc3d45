"""Attributes that stand behind their part: "wings spread wide", "the roof is black"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.relations import Part
from physgauge.ensemble.text import COMMA, SPACE, STOP, Token

MOST: Final = 2
"""Most attributes behind a part."""
_PARTICIPLES: Final = ("ing", "ed", "en")


def read_states(
    tokens: Sequence[Token], taken: Sequence[bool], part: Part
) -> tuple[tuple[str, ...], str]:
    """Attributes behind a part, and the word behind it, less "is" and the like ("" at a comma)."""
    k = part.end
    told = False
    if _goes_on(tokens, taken, k) and tokens[k].text in words.COPULAS:
        k, told = k + 1, True
    behind = tokens[k].text if _goes_on(tokens, taken, k) else ""
    if part.meaning.kind != "component":
        return (), behind
    states: list[str] = []
    while len(states) < MOST and _goes_on(tokens, taken, k):
        word = tokens[k].text
        if not (word in words.STATES or _is_state(word, told=told)):
            break
        states.append(word)
        k += 1
    if told and states and not _ends(tokens, k):
        states.clear()  # "the door is car sized and": a longer phrase, which is not read
    return tuple(states), behind


def _goes_on(tokens: Sequence[Token], taken: Sequence[bool], k: int) -> bool:
    return k < len(tokens) and tokens[k].gap == SPACE and not taken[k]


def _is_state(word: str, *, told: bool) -> bool:
    if (
        word in words.STOPWORDS
        or word in words.PLACED
        or word in words.ENDINGS
        or word in words.GONE
    ):
        return False
    if word in words.VISIBLE or word in words.NUMBERS or not word.isalpha():
        return False
    return told or (word.endswith(_PARTICIPLES) and len(word) > 4)


def _ends(tokens: Sequence[Token], k: int) -> bool:
    """Whether a phrase ends here."""
    return k >= len(tokens) or tokens[k].gap in (COMMA, STOP) or tokens[k].text in words.STOPWORDS
