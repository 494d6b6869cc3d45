"""What a caption says about parts: "four engines below wings", "without a tail", "three-legged"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble import caption_words as words
from physgauge.ensemble.caption_facts import Claim, Relation
from physgauge.ensemble.caption_relations import Part, Placed, read_relation
from physgauge.ensemble.caption_tokens import COMMA, GLUED, HYPHEN, SPACE, STOP, Token
from physgauge.ensemble.specification import DomainSpec

LOOK_BACK: Final = 5
"""Words before a part that are read for its number."""
MAX_COUNT: Final = 64
"""Larger numbers are no part counts."""
PAIRED: Final = frozenset({"wing", "side", "tail_wing"})
"""There are two of these, so "one engine under each wing" makes two."""
_EACH_SIDE: Final = {("on", "each", "side"), ("on", "either", "side"), ("to", "each", "side")}


@dataclass(slots=True)
class _Quantity:
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


def read_parts(
    tokens: Sequence[Token], parts: Sequence[Part], taken: Sequence[bool], spec: DomainSpec
) -> tuple[list[Claim], list[Relation]]:
    """Claims and relations of one subject's parts, in caption order."""
    claims: list[Claim] = []
    relations: list[Relation] = []
    negated_until = -1
    by_start = {part.start: part for part in parts}
    referenced: set[int] = set()
    for part in parts:
        if part.meaning.kind == "reference":
            continue
        quantity = _quantity(tokens, taken, part, spec)
        if part.start in referenced:
            continue
        if part.meaning.kind == "component":
            if (
                quantity.bare
                and negated_until >= 0
                and _joined(tokens, negated_until, quantity.start)
            ):
                quantity.low, quantity.high, quantity.exact = 0, 0, True
            negated_until = part.end if quantity.high == 0 else -1
        placed = read_relation(tokens, part.end, by_start, spec)
        _spread(tokens, taken, part, quantity, placed)
        if placed is not None:
            referenced.update(placed.parts)
            count = quantity.high if quantity.exact and quantity.high == quantity.low else None
            text = _text(tokens, quantity.start, placed.end)
            relations.append(
                Relation(part.meaning.id, count, placed.relation, placed.reference, text)
            )
        if quantity.own:
            claims.append(_claim(tokens, part, quantity))
    return claims, relations


def _claim(tokens: Sequence[Token], part: Part, quantity: _Quantity) -> Claim:
    missing = quantity.missing
    after = tokens[part.end].text if part.end < len(tokens) and _near(tokens, part.end) else ""
    low, high, exact = quantity.low, quantity.high, quantity.exact
    if after == "missing" and not missing:
        missing, low, high = max(1, low), 0, None
    return Claim(
        component=part.meaning.id,
        low=0 if missing else low,
        high=None if missing else high,
        exact=exact,
        missing=missing,
        visible=quantity.visible or after in words.VISIBLE,
        attributes=quantity.attributes,
        text=_text(tokens, quantity.start, part.end),
    )


def _quantity(
    tokens: Sequence[Token], taken: Sequence[bool], part: Part, spec: DomainSpec
) -> _Quantity:
    """Read number, article, negation and attributes before a part."""
    q = _Quantity(start=part.start)
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
        value = _value(tokens, k)
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
        elif value is None:
            attributes.insert(0, word)
        k -= 1
    q.start = k + 1
    q.attributes = _hyphenated(tokens, q.start, part.start, attributes)
    _before(tokens, taken, k, q, counted=counted)
    if q.exact and part.meaning.kind != "less":
        _reads(part, q, spec)
    if q.low > MAX_COUNT:
        q.own = False
    return q


def _value(tokens: Sequence[Token], k: int) -> int | None:
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
    return k - 2 if k >= 1 and _value(tokens, k - 1) is not None else k - 1


def _number(tokens: Sequence[Token], k: int, value: int, q: _Quantity) -> int:
    """Take a stated number with what bounds it ("at least", "two to"); returns the index before."""
    q.low = q.high = value
    q.exact = True
    before = [tokens[i].text for i in range(max(0, k - 2), k)]
    if tokens[k].gap in (SPACE, HYPHEN) and k >= 1:
        other = _value(tokens, k - 2) if k >= 2 and before[-1] in ("or", "to") else None
        if before[-1] not in ("or", "to") and tokens[k].gap == HYPHEN:
            other = tokens[k - 1].number
            if other is not None:
                q.low, q.high = min(other, value), max(other, value)
                return k - 2
        if other is not None:
            q.low, q.high = min(other, value), max(other, value)
            return k - 3
        if before[-2:] == ["at", "least"]:
            q.high = None
            return k - 3
        if before[-2:] in (["at", "most"], ["up", "to"]):
            q.low = 0
            return k - 3
        if before[-2:] == ["more", "than"] or before[-1] == "over":
            q.low, q.high = value + 1, None
            return k - (3 if before[-1] == "than" else 2)
        if before[-2:] in (["less", "than"], ["fewer", "than"]):
            q.low, q.high = 0, max(0, value - 1)
            return k - 3
    return k - 1


def _set(tokens: Sequence[Token], k: int, q: _Quantity) -> int:
    """ "a pair of", "two pairs of", "half a dozen"; returns the index before."""
    size, many = words.SETS[tokens[k].text], 1
    k -= 1
    if k >= 0 and tokens[k + 1].gap == SPACE:
        value = _value(tokens, k)
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
    tokens: Sequence[Token], taken: Sequence[bool], k: int, q: _Quantity, *, counted: bool
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
        q.start = k
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
    elif counted and word not in words.POSSESSING and word.endswith("ing"):
        q.high = None


def _place(tokens: Sequence[Token], k: int) -> bool:
    """Whether a preposition makes a place; "powered by four engines" does not."""
    return not (tokens[k].text == "by" and k >= 1 and tokens[k - 1].text.endswith("ed"))


def _reads(part: Part, q: _Quantity, spec: DomainSpec) -> None:
    """Counts that mean another one ("5-door" has four side doors)."""
    reads = spec.components[part.meaning.id].reads
    q.low = reads.get(str(q.low), q.low)
    if q.high is not None:
        q.high = reads.get(str(q.high), q.high)


def _spread(
    tokens: Sequence[Token], taken: Sequence[bool], part: Part, q: _Quantity, placed: Placed | None
) -> None:
    """ "one engine under each wing" makes two; "one engine on fire" leaves the others open."""
    if q.high in (None, 0) or not q.exact or part.meaning.kind != "component":
        return
    if placed is not None:
        if placed.each:
            q.low *= 2 if placed.reference in PAIRED else 1
            q.high = q.low if placed.reference in PAIRED else None
    elif _each_side(tokens, part.end):
        q.low, q.high = 2 * q.low, 2 * q.high
    elif not _whole(tokens, taken, part.end):
        q.high = None


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


def _near(tokens: Sequence[Token], k: int) -> bool:
    return tokens[k].gap not in (COMMA, STOP)


def _text(tokens: Sequence[Token], start: int, end: int) -> str:
    text = ""
    for i in range(start, end):
        gap = "" if i == start else " " if tokens[i].gap in (COMMA, STOP) else tokens[i].gap
        text += gap + tokens[i].text
    return text
