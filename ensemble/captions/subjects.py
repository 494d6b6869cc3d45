"""Who a caption is about: subject names, their number, and the traps around them ("dog-eared")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.facts import Subject
from physgauge.ensemble.captions.lexicon import Lexicon, SubjectName
from physgauge.ensemble.text import COMMA, GLUED, HYPHEN, SPACE, STOP, Token

MAX_SUBJECTS: Final = 64
"""More subjects than this are not told apart: there are several, and comparing them is quadratic."""
LOOK_BACK: Final = 5
"""Words before a name that are read for its number."""
_PAST: Final = ("ed", "wn")
_PLACES: Final = {("in", "front"), ("on", "top")}


class Mention(NamedTuple):
    """A subject's name in the caption."""

    start: int
    end: int
    """Behind the name and its variant ("-400", "neo")."""
    meanings: list[SubjectName]


class Lead(NamedTuple):
    """What stands before a name."""

    number: int | None
    """Stated number; None where none is."""
    indefinite: bool
    gathering: bool
    """"a herd of"."""
    other: bool
    negated: bool
    before: str
    """The word before all that; empty at the start of a sentence or behind a comma."""


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
    i = 0
    while i < len(tokens):
        found = lexicon.subjects.longest(tokens, i)
        if found is None or _longer_part(tokens, i, found[0], lexicon):
            i += 1
            continue
        end, meanings = found
        if any(m.kind == "never" for m in meanings):
            never[i] = end
        else:
            end = _variant(tokens, end)
            if not _only_modifies(tokens, i, end, lexicon):
                mentions.append(Mention(i, end, meanings))
        taken[i:end] = [True] * (end - i)
        i = end
    return Found(mentions, taken, never)


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


def _only_modifies(tokens: Sequence[Token], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether the name is part of another word: "dog-eared", "horse drawn", "SUV-style"."""
    if end == len(tokens) or tokens[end - 1].possessive:
        return False
    following = tokens[end]
    if following.gap == SPACE:
        verb = end + 1 < len(tokens) and tokens[end + 1].text in words.VERBAL
        return following.text in words.MODIFIED and not (verb and following.text.endswith(_PAST))
    if following.gap != HYPHEN or following.text[0].isdecimal():
        return False
    if lexicon.subjects.longest(tokens, end) is not None:
        return False
    parts = (p.longest(tokens, end) for p in lexicon.parts.values())
    return not any(p is not None and p[1][0].kind == "component" for p in parts)


def read_lead(tokens: Sequence[Token], taken: Sequence[bool], start: int) -> Lead:
    """Number, article and preposition before a name, over at most LOOK_BACK adjectives."""
    number: int | None = None
    indefinite = gathering = other = False
    k = start - 1
    for _ in range(LOOK_BACK):
        if k < 0 or tokens[k + 1].gap in (COMMA, STOP) or taken[k]:
            break
        word = tokens[k].text
        other = other or word in words.OTHERS
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
    negated = before in words.NEGATORS or instead
    return Lead(number, indefinite, gathering, other, negated, before)


class Anchor(NamedTuple):
    """Where a subject is named; the parts behind it are its own."""

    start: int
    domains: frozenset[str]


def read_subjects(
    tokens: Sequence[Token], mentions: Sequence[Mention], taken: Sequence[bool]
) -> tuple[list[Subject], list[Anchor]]:
    """Mentions to subjects: negated and compared ones dropped, repeated ones merged.

    Returns the subjects and every place where one is named, both in caption order.
    """
    subjects: list[Subject] = []
    anchors: list[Anchor] = []
    for index, mention in enumerate(mentions):
        lead = read_lead(tokens, taken, mention.start)
        if lead.negated or (lead.before in words.COMPARING and (lead.indefinite or _alike(lead))):
            continue
        if index + 1 < len(mentions) and _modifies_next(tokens, mention, mentions[index + 1]):
            continue
        if index and _widens(tokens, mentions[index - 1], mention):
            continue
        domains = frozenset(m.domain for m in mention.meanings)
        anchors.append(Anchor(mention.start, domains))
        for meaning in mention.meanings:
            subject = _subject(tokens, mention, meaning, lead, shared=len(domains) > 1)
            _merge(subjects, subject, lead)
    return subjects, anchors


def _alike(lead: Lead) -> bool:
    return lead.before in ("like", "resembling")


def _modifies_next(tokens: Sequence[Token], mention: Mention, following: Mention) -> bool:
    """Whether two names form a compound whose head is the second: "coupe SUV", "horse trailer car"."""
    if following.start != mention.end or tokens[following.start].gap not in (SPACE, HYPHEN):
        return False
    if tokens[mention.end - 1].possessive or mention.meanings[0].plural:
        return False
    same = {m.domain for m in mention.meanings} & {m.domain for m in following.meanings}
    if not same:
        return True
    # "DC-10 airliner": the second name is the wider one, so both stay and are merged.
    return all(
        m.kind == "type" and not m.types & mention.meanings[0].types for m in following.meanings
    )


def _widens(tokens: Sequence[Token], before: Mention, mention: Mention) -> bool:
    """Whether a group's name only classes the type right before it: "C-130 airliner"."""
    if mention.start != before.end or tokens[mention.start].gap not in (SPACE, HYPHEN):
        return False
    if before.meanings[0].plural or tokens[before.end - 1].possessive:
        return False
    return all(m.kind == "type" for m in before.meanings) and all(
        m.kind in ("group", "domain") for m in mention.meanings
    )


def _subject(
    tokens: Sequence[Token], mention: Mention, meaning: SubjectName, lead: Lead, *, shared: bool
) -> Subject:
    return Subject(
        domain=meaning.domain,
        id=None if meaning.kind == "domain" else meaning.id,
        types=tuple(sorted(meaning.types)),
        count=_count(meaning, lead),
        setting=lead.before in words.SETTING,
        alternative=lead.before == "or",
        shared=shared,
        text=" ".join(t.text for t in tokens[mention.start : mention.end]),
        start=mention.start,
        end=mention.end,
    )


def _count(meaning: SubjectName, lead: Lead) -> int | None:
    if lead.gathering and (meaning.plural or meaning.invariant):
        return None
    if meaning.plural:
        return lead.number if lead.number is not None and lead.number > 0 else None
    if meaning.invariant and lead.number is not None and 0 < lead.number <= 100:
        return lead.number
    return 1


def _merge(subjects: list[Subject], new: Subject, lead: Lead) -> None:
    """Add a subject, or narrow an earlier one that it names again ("a bird, an eagle")."""
    if len(subjects) == MAX_SUBJECTS:
        return
    fresh = lead.other or (
        lead.before in words.JOINING
        and (lead.indefinite or lead.number is not None or new.count != 1)
    )
    if not fresh:
        for index, old in enumerate(subjects):
            if old.domain != new.domain or (new.count != 1 and old.count == 1):
                continue
            common = _common(old, new)
            if common is not None:
                subjects[index] = replace(old, types=common, id=_id(old, new, common))
                return
    subjects.append(new)


def _id(old: Subject, new: Subject, common: tuple[str, ...]) -> str | None:
    """The narrowest name of what two names have in common."""
    if len(common) == 1:
        return common[0]
    return new.id if common == new.types and new.types else old.id


def _common(old: Subject, new: Subject) -> tuple[str, ...] | None:
    """Type ids that both names allow (empty: any); None where they exclude each other."""
    if not old.types or not new.types:
        return old.types or new.types
    both = tuple(sorted(set(old.types) & set(new.types)))
    return both or None
