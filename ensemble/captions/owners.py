"""Whose parts a caption names: in "a man with blue eyes beside a dog" the eyes are not the dog's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.lexicon import Lexicon
from physgauge.ensemble.captions.mentions import Found
from physgauge.ensemble.captions.relations import Part
from physgauge.ensemble.captions.subjects import Anchor
from physgauge.ensemble.text import COMMA, HYPHEN, SPACE, STOP, Token

PREMODIFIER_REACH: Final = 4
"""Words between "two-door" and the subject it belongs to, or "of" and the owner behind it."""
POSSESSIVE_REACH: Final = 3
"""Words between "the man's" and the part it takes away."""

_NOBODY: Final[frozenset[str]] = frozenset()


def own_parts(
    tokens: Sequence[Token],
    found: Found,
    anchors: Sequence[Anchor],
    domain: str,
    lexicon: Lexicon,
) -> list[Part]:
    """Parts of the domain's own subjects, by longest match, in caption order.

    A part belongs to the subject named before it; to the one behind it where it stands right before
    that ("a two-door coupe", "the roof of a house") or where there is none before. What is beside the
    main subject ("a dog in a car, floppy ears") shares with it what comes behind a comma.
    """
    names = lexicon.parts[domain]
    others = [parts for other, parts in lexicon.parts.items() if other != domain]
    parts: list[Part] = []
    nth = broken = (
        0  # anchors before token i, last token behind a comma: all only advance, so it is linear
    )
    main = _NOBODY
    i = 0
    while i < len(tokens):
        part = names.longest(tokens, i) if tokens[i].text in names.starts else None
        end = i + 1 if part is None else part[0]
        while nth < len(anchors) and anchors[nth].start <= i:
            main = main if anchors[nth].aside and main else anchors[nth].domains
            nth += 1
        broken = i if tokens[i].gap in (COMMA, STOP) else broken
        if part is None or not _free(found, i, end):
            i += 1
            continue
        before = anchors[nth - 1] if nth else None
        after = anchors[nth] if nth < len(anchors) else None
        if before is None or _premodifies(tokens, end, after) or _of(tokens, end, after):
            mine = after is None or domain in after.domains
        elif before.aside and broken > before.start:
            mine = domain in before.domains or domain in main
        else:
            mine = domain in before.domains
        if mine and not _of_owner(tokens, found, i):
            longest = (p.longest(tokens, i) for p in others)
            if not any(other is not None and other[0] > end for other in longest):
                parts.append(Part(i, end, part[1][0]))
        i = end
    return parts


def _free(found: Found, start: int, end: int) -> bool:
    """Whether no name or `never` phrase holds the tokens, other than one the part covers whole.

    "headlights" is nothing to do with an animal, and the very part of a car.
    """
    if start in found.never and found.never[start] <= end:
        start = found.never[start]
    return not any(found.taken[start:end])


def _premodifies(tokens: Sequence[Token], end: int, after: Anchor | None) -> bool:
    """Whether a part stands right before a subject: "a dog and a four-legged brown horse"."""
    if after is None or after.start - end > PREMODIFIER_REACH:
        return False
    return all(
        t.gap in (SPACE, HYPHEN) and t.text not in words.STOPWORDS
        for t in tokens[end : after.start + 1]
    )


def _of(tokens: Sequence[Token], end: int, after: Anchor | None) -> bool:
    """Whether a part is said to be that of the subject behind it: "the roof of an old house"."""
    if after is None or end == after.start or tokens[end].text != "of":
        return False
    if after.start - end > PREMODIFIER_REACH:
        return False
    between = tokens[end + 1 : after.start]
    return all(t.gap in (SPACE, HYPHEN) for t in tokens[end : after.start + 1]) and all(
        t.text in words.DETERMINERS or t.text not in words.STOPWORDS for t in between
    )


def _of_owner(tokens: Sequence[Token], found: Found, start: int) -> bool:
    """Whether a part is that of somebody who is no subject: "a pirate's wooden leg"."""
    for k in range(start - 1, max(start - 1 - POSSESSIVE_REACH, -1), -1):
        if tokens[k + 1].gap not in (SPACE, HYPHEN) or tokens[k].text in words.STOPWORDS:
            return False
        if found.taken[k]:
            return False
        if tokens[k].possessive:
            return True
    return False
