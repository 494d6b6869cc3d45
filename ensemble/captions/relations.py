"""Where a caption puts a part: "four engines below wings", "wheels at the bottom of the vehicle"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.lexicon import PartName
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import COMMA, STOP, Token

FILLERS: Final = 4
"""Most words between a part and its preposition ("are firmly mounted")."""
LOOK_AHEAD: Final = 4
"""Most words between a preposition and its reference ("the left and right")."""
_LONGEST: Final = max(len(p) for p in words.RELATIONS)


@dataclass(frozen=True, slots=True)
class Part:
    """A part's name in the caption, not yet counted."""

    start: int
    end: int
    meaning: PartName


@dataclass(frozen=True, slots=True)
class Placed:
    """A relation phrase behind a part."""

    relation: str
    reference: str
    each: bool
    """The part's number is for each of the references."""
    end: int
    """Behind the phrase."""
    parts: tuple[int, ...]
    """Start of the part that is the reference: it is a place here, not a claim."""


def read_relation(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    start: int,
    parts: Mapping[int, Part],
    spec: DomainSpec,
) -> Placed | None:
    """The relation phrase that starts at a token, if one does."""
    k = _behind_owner(tokens, taken, start)
    for _ in range(FILLERS):
        if _stops(tokens, k):
            return None
        found = _preposition(tokens, k)
        ended = None
        if found is None or found[1] == k + 1:
            ended = _end_relation(tokens, k, parts, spec)
        if ended is not None:
            return ended
        if found is not None:
            return _reference(tokens, found[1], found[0], parts)
        if tokens[k].text not in words.PLACED:
            return None
        k += 1
    return None


def _behind_owner(tokens: Sequence[Token], taken: Sequence[bool], start: int) -> int:
    """Behind "of an airliner", where a part's owner follows it; else `start`."""
    if _stops(tokens, start) or tokens[start].text != "of":
        return start
    k = start + 1
    while not _stops(tokens, k) and tokens[k].text in words.DETERMINERS:
        k += 1
    owner = k
    while not _stops(tokens, k) and taken[k]:
        k += 1
    return k if k > owner else start


def _stops(tokens: Sequence[Token], k: int) -> bool:
    return k >= len(tokens) or tokens[k].gap in (COMMA, STOP)


def _preposition(tokens: Sequence[Token], k: int) -> tuple[str, int] | None:
    """Relation name and the token behind the longest preposition that starts here."""
    for length in range(_LONGEST, 0, -1):
        run = tuple(t.text for t in tokens[k : k + length])
        if len(run) == length and run in words.RELATIONS:
            return words.RELATIONS[run], k + length
    return None


def _end_relation(
    tokens: Sequence[Token], k: int, parts: Mapping[int, Part], spec: DomainSpec
) -> Placed | None:
    """ "at (the) bottom (of the body)"; without a reference it is the domain's default one."""
    if tokens[k].text not in ("at", "on", "in", "to", "near", "towards"):
        return None
    k += 1
    if k < len(tokens) and tokens[k].text in ("the", "its", "very"):
        k += 1
    if _stops(tokens, k) or tokens[k].text not in words.ENDS or k in parts:
        return None
    relation = words.ENDS[tokens[k].text]
    k += 1
    if k < len(tokens) and not _stops(tokens, k) and tokens[k].text == "of":
        placed = _reference(tokens, k + 1, relation, parts)
        if placed is not None:
            return placed
        return Placed(relation, spec.default_reference, False, k, ())
    return Placed(relation, spec.default_reference, False, k, ())


def _reference(
    tokens: Sequence[Token], k: int, relation: str, parts: Mapping[int, Part]
) -> Placed | None:
    """The component or reference within the next words."""
    each = False
    for _ in range(LOOK_AHEAD):
        if _stops(tokens, k):
            return None
        part = parts.get(k)
        if part is not None:
            if part.meaning.kind not in ("component", "reference"):
                return None
            return Placed(relation, part.meaning.id, each, part.end, (part.start,))
        each = each or tokens[k].text in words.EACH
        if tokens[k].text in words.PLACING:
            return None
        k += 1
    return None
