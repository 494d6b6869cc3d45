"""Where a caption names subjects, and the traps around them ("dog-eared", "the 747 people")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.lexicon import Lexicon, SubjectName
from physgauge.ensemble.text import GLUED, HYPHEN, SPACE, Token

_PAST: Final = ("ed", "wn")


class Mention(NamedTuple):
    """A subject's name in the caption, or a word for something of no domain that has parts ("man")."""

    start: int
    end: int
    """Behind the name and its variant ("-400", "neo")."""
    meanings: list[SubjectName]
    """None for what is of no domain."""


class Found(NamedTuple):
    """Where subjects are named."""

    mentions: list[Mention]
    taken: list[bool]
    """Per token: part of a name or a `never` phrase."""
    never: dict[int, int]
    """`never` phrases: first token to the one behind the last."""


def find_mentions(tokens: Sequence[Token], lexicon: Lexicon) -> Found:
    """All subject names and `never` phrases, by longest match from the left."""
    mentions: list[Mention] = []
    taken = [False] * len(tokens)
    never: dict[int, int] = {}
    starts = lexicon.subjects.starts
    i = 0
    while i < len(tokens):
        word = tokens[i].text
        found = lexicon.subjects.longest(tokens, i) if word in starts else None
        if found is None or _longer_part(tokens, i, found[0], lexicon):
            if _bears(word):
                mentions.append(Mention(i, i + 1, []))
            i += 1
            continue
        end, meanings = found
        if any(m.kind == "never" for m in meanings):
            never[i] = end
        elif _number_only(tokens, i, end):
            i = end
            continue
        else:
            end = _variant(tokens, end)
            if not (_only_modifies(tokens, i, end, lexicon) or _dresses(tokens, i, end, lexicon)):
                mentions.append(Mention(i, end, meanings))
        taken[i:end] = [True] * (end - i)
        i = end
    return Found(mentions, taken, never)


def _bears(word: str) -> bool:
    """Whether a word is for something of no domain that has parts: "robot", "fisherman"."""
    return word in words.BEARERS or (
        word.endswith(words.PERSONS) and len(word) > 5 and word not in words.NO_PERSONS
    )


def _longer_part(tokens: Sequence[Token], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a part's name starts here, too, and is longer ("jet engine")."""
    found = (parts.longest(tokens, start) for parts in lexicon.parts.values())
    return any(f is not None and f[0] > end for f in found)


def _variant(tokens: Sequence[Token], end: int) -> int:
    """Skip a variant's suffix: "747-400ER", "A320neo"; a number behind a space is none."""
    while end < len(tokens):
        token = tokens[end]
        numeric = token.text[0].isdecimal()
        after_digit = tokens[end - 1].text[-1].isdecimal()
        if not (token.gap == HYPHEN and numeric) and not (
            token.gap == GLUED and (numeric or after_digit)
        ):
            break
        end += 1
    return end


def _number_only(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a bare number is no type's name: "N737NG", "the 747 people"."""
    if end != start + 1 or not tokens[start].text.isdecimal():
        return False
    if start and tokens[start].gap == GLUED and tokens[start - 1].text.isascii():
        return True
    following = tokens[end] if end < len(tokens) else None
    return (
        following is not None
        and following.gap == SPACE
        and (following.text in words.COUNTABLE or following.text in words.UNITS)
    )


def _dresses(tokens: Sequence[Token], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a bare name only says what a part looks like: "a girl with (fluffy) cat ears"."""
    if end == len(tokens) or tokens[end].gap != SPACE or tokens[end - 1].possessive:
        return False
    k = start - 1
    for _ in range(2):
        if k < 0 or tokens[k + 1].gap != SPACE:
            return False
        if tokens[k].text in words.DRESSED:
            parts = (p.longest(tokens, end) for p in lexicon.parts.values())
            return any(p is not None and p[1][0].kind == "component" for p in parts)
        if tokens[k].text in words.STOPWORDS:
            return False
        k -= 1
    return False


def _behind_part(tokens: Sequence[Token], k: int, lexicon: Lexicon) -> str:
    """The word behind a part's name at token k: "mask" in "a horse head mask"; "" for none."""
    for parts in lexicon.parts.values():
        part = parts.longest(tokens, k)
        if part is not None:
            end = part[0]
            return tokens[end].text if end < len(tokens) and tokens[end].gap == SPACE else ""
    return ""


def _only_modifies(tokens: Sequence[Token], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether the name is part of another word: "dog-eared", "horse drawn", "SUV-style"."""
    if end == len(tokens) or tokens[end - 1].possessive:
        return False
    following = tokens[end]
    if following.gap == SPACE:
        verb = end + 1 < len(tokens) and tokens[end + 1].text in words.VERBAL
        behind = _behind_part(tokens, end, lexicon)
        only = following.text in words.MODIFIED or behind in words.MODIFIED
        return only and not (verb and following.text.endswith(_PAST))
    if following.gap != HYPHEN or following.text[0].isdecimal():
        return False
    if lexicon.subjects.longest(tokens, end) is not None:
        return False
    parts = (p.longest(tokens, end) for p in lexicon.parts.values())
    return not any(p is not None and p[1][0].kind == "component" for p in parts)
