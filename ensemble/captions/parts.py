"""What a caption says about parts: "four engines below wings", "without a tail", "three-legged"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.facts import Claim, Relation
from physgauge.ensemble.captions.numbers import number_at
from physgauge.ensemble.captions.quantity import Quantity, read_quantity
from physgauge.ensemble.captions.relations import Part, Placed, read_relation
from physgauge.ensemble.captions.states import read_states
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import COMMA, SPACE, STOP, Token

REACH: Final = 6
"""Words back over which "wearing" and the like take a part away from the subject."""
MAX_CLAIMS: Final = 64
"""More claims than this are not read: no honest caption has them, and their comparison is quadratic."""
_EACH_SIDE: Final = {("on", "each", "side"), ("on", "either", "side"), ("to", "each", "side")}


def read_parts(
    tokens: Sequence[Token], parts: Sequence[Part], taken: Sequence[bool], spec: DomainSpec
) -> tuple[list[Claim], list[Relation]]:
    """Claims and relations of one subject's parts, in caption order."""
    claims: list[Claim] = []
    relations: list[Relation] = []
    negated_until = -1
    by_start = {part.start: part for part in parts}
    ends = {part.end for part in parts}
    referenced: set[int] = set()
    for part in parts:
        if part.meaning.kind == "reference":
            continue
        if len(claims) == MAX_CLAIMS:
            break
        quantity = read_quantity(tokens, taken, part, ends, spec)
        if part.start in referenced:
            if quantity.attributes and quantity.high != 0:
                claims.append(_mention(tokens, part, quantity))
            continue
        if part.meaning.kind == "component":
            if (
                quantity.bare
                and negated_until >= 0
                and _joined(tokens, negated_until, quantity.start)
            ):
                quantity.low, quantity.high, quantity.exact = 0, 0, True
            negated_until = part.end if quantity.high == 0 else -1
        states, behind = read_states(tokens, taken, part)
        quantity.attributes += () if quantity.high == 0 else states
        placed = None
        if quantity.high != 0:
            placed = read_relation(tokens, taken, part.end, by_start, spec)
        _spread(tokens, taken, part, quantity, placed, spec)
        if placed is not None:
            referenced.update(placed.parts)
            count = quantity.high if quantity.exact and quantity.high == quantity.low else None
            text = _text(tokens, quantity.start, placed.end)
            relations.append(
                Relation(part.meaning.id, count, placed.relation, placed.reference, text)
            )
        if quantity.high and _more(
            tokens, part.end if placed is None else placed.end, taken, quantity
        ):
            quantity.high = None
        if quantity.own and not _of_another(tokens, quantity.start):
            claims.append(_claim(tokens, part, quantity, behind))
    return _reconciled(claims), relations


def _more(tokens: Sequence[Token], k: int, taken: Sequence[bool], q: Quantity) -> bool:
    """Whether further ones follow without the noun: "two engines under the wings and one in the tail".

    Behind a comma they may be the same ones again: "six engines, three under each wing".
    """
    comma = k < len(tokens) and tokens[k].gap == COMMA
    joined = k < len(tokens) and tokens[k].text in ("and", "plus")
    if not comma and not joined:
        return False
    at = k + 1 if joined else k
    if at + 1 >= len(tokens) or taken[at]:
        return False
    number = number_at(tokens, at)
    if number is None and tokens[at].text not in words.INDEFINITE:
        return False
    following = tokens[at + 1].text
    if following not in words.OTHERS and following not in words.PLACING:
        return False
    if joined:
        return True
    each = any(t.text in words.EACH for t in tokens[at + 2 : at + 4])
    return number is not None and (2 * number if each else number) > q.low


def _of_another(tokens: Sequence[Token], start: int) -> bool:
    """Whether the part belongs to a thing the subject carries: "wearing a hat with horns"."""
    if start and tokens[start - 1].text in words.OWN:
        return False
    for k in range(start - 1, max(start - 1 - REACH, -1), -1):
        if tokens[k + 1].gap in (COMMA, STOP) or tokens[k].text == "and":
            return False
        if tokens[k].text in words.CARRYING:
            return True
    return False


def _reconciled(claims: Sequence[Claim]) -> list[Claim]:
    """Several numbers for one component may add up or repeat; together they bound it from below only.

    "four engines, two under each wing" and a repeated number stay exact.
    """
    exact = [c for c in claims if c.exact and c.high]
    result = []
    for claim in claims:
        rest = [c for c in exact if c.component == claim.component and c is not claim]
        if claim.exact and claim.high and rest:
            same = all(
                (c.low, c.high, c.attributes) == (claim.low, claim.high, claim.attributes)
                for c in rest
            )
            total = len(rest) > 1 and sum(c.low for c in rest) == claim.low
            if not (same or total):
                claim = replace(claim, high=None)  # noqa: PLW2901
        result.append(claim)
    return result


def _claim(tokens: Sequence[Token], part: Part, quantity: Quantity, behind: str) -> Claim:
    """The claim of a part; `behind` is the word behind it, less "is" and the like."""
    missing = quantity.missing
    low, high, exact = quantity.low, quantity.high, quantity.exact
    if behind in words.GONE and not missing and high != 0:
        if part.meaning.plural and not exact and behind != "missing":
            low, high, exact = 0, 0, True
        else:
            missing = max(1, low)
    return Claim(
        component=part.meaning.id,
        low=0 if missing else low,
        high=None if missing else high,
        exact=exact,
        missing=missing,
        visible=quantity.visible or behind in words.VISIBLE,
        attributes=quantity.attributes,
        text=_text(tokens, quantity.start, part.end),
    )


def _mention(tokens: Sequence[Token], part: Part, quantity: Quantity) -> Claim:
    """The claim of a part that only says where another is, for its attributes: "under swept wings"."""
    return Claim(
        component=part.meaning.id,
        low=1,
        high=None,
        exact=False,
        missing=0,
        visible=False,
        attributes=quantity.attributes,
        text=_text(tokens, quantity.start, part.end),
    )


def _spread(
    tokens: Sequence[Token],
    taken: Sequence[bool],
    part: Part,
    q: Quantity,
    placed: Placed | None,
    spec: DomainSpec,
) -> None:
    """ "one engine under each wing" makes two; "one engine on fire" leaves the others open."""
    if q.high in (None, 0) or not q.exact or part.meaning.kind != "component":
        return
    if _each_side(tokens, part.end):
        q.low, q.high = 2 * q.low, 2 * q.high
    elif placed is not None:
        if placed.each:
            paired = _paired(placed.reference, spec)
            q.low *= 2 if paired else 1
            q.high = q.low if paired else None
    elif not q.every and not _whole(tokens, taken, part.end):
        q.high = None


def _paired(reference: str, spec: DomainSpec) -> bool:
    """Whether there are two of a reference, so that one part for each makes two."""
    own = spec.range(reference)
    return reference == "side" or (own is not None and own.high == 2)


def _whole(tokens: Sequence[Token], taken: Sequence[bool], k: int) -> bool:
    """Whether what follows a counted part leaves the count whole ("two wings" but "one ear folded")."""
    if k == len(tokens) or taken[k] or tokens[k].gap != SPACE:
        return True
    word = tokens[k].text
    if word in words.OPENING:
        return k + 1 < len(tokens) and tokens[k + 1].text in ("a", "an")
    return word in words.ENDINGS


def _each_side(tokens: Sequence[Token], k: int) -> bool:
    run = tuple(t.text for t in tokens[k : k + 3])
    return run in _EACH_SIDE or run[:2] == ("per", "side")


def _joined(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether only "or", "nor", "and" or commas stand between: "without wings or a tail"."""
    between = tokens[start:end]
    return len(between) <= 2 and all(
        t.text in ("or", "nor", "and") or t.text in words.DETERMINERS for t in between
    )


def _near(tokens: Sequence[Token], k: int) -> bool:
    return tokens[k].gap not in (COMMA, STOP)


def _text(tokens: Sequence[Token], start: int, end: int) -> str:
    text = ""
    for i in range(start, end):
        gap = "" if i == start else " " if tokens[i].gap in (COMMA, STOP) else tokens[i].gap
        text += gap + tokens[i].text
    return text
