"""Who a caption is about: mentions and what stands before them to subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.facts import Subject
from physgauge.ensemble.captions.lead import Lead, place_of, read_lead
from physgauge.ensemble.captions.lexicon import SubjectName
from physgauge.ensemble.captions.mentions import Mention
from physgauge.ensemble.text import HYPHEN, SPACE, Token

MAX_SUBJECTS: Final = 64
"""More subjects than this are not told apart: there are several, and comparing them is quadratic."""


class Anchor(NamedTuple):
    """Where a subject is named; the parts behind it are its own."""

    start: int
    domains: frozenset[str]
    """Empty: something of no domain."""
    aside: bool
    """Where or beside what the main subject is: parts behind a comma may be the main subject's again."""


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
        if not mention.meanings:
            anchors.append(Anchor(mention.start, frozenset(), bool(subjects)))
            continue
        if lead.before == "of" and subjects:
            lead = lead._replace(before=place_of(tokens, lead.at))
            if lead.before in words.DRESSED:
                continue  # "a lion with the wings of an eagle"
        if lead.negated or (lead.before in words.COMPARING and (lead.indefinite or _alike(lead))):
            continue
        if index + 1 < len(mentions) and _modifies_next(tokens, mention, mentions[index + 1]):
            continue
        if index and _widens(tokens, mentions[index - 1], mention):
            continue
        # "Two DC-10 airliners" are as many as a plural says.
        following = mentions[index + 1] if index + 1 < len(mentions) else None
        plural = following is not None and _widens(tokens, mention, following)
        plural = plural and following is not None and following.meanings[0].plural
        domains = frozenset(m.domain for m in mention.meanings)
        anchors.append(Anchor(mention.start, domains, lead.before in words.SETTING))
        made = lead.made or _likeness_follows(tokens, mention.end)
        for meaning in mention.meanings:
            named = meaning._replace(plural=True) if plural else meaning
            subject = _subject(tokens, mention, named, lead, shared=len(domains) > 1, made=made)
            _merge(subjects, subject, lead)
    return subjects, anchors


def _likeness_follows(tokens: Sequence[Token], end: int) -> bool:
    """Whether the name is that of a thing made to look like it: "a dog statue"."""
    return end < len(tokens) and tokens[end].gap == SPACE and tokens[end].text in words.LIKENESSES


def _alike(lead: Lead) -> bool:
    return lead.before in ("like", "resembling")


def _modifies_next(tokens: Sequence[Token], mention: Mention, following: Mention) -> bool:
    """Whether two names form a compound whose head is the second: "coupe SUV", "horse trailer car"."""
    if not following.meanings or not _adjoin(tokens, mention, following):
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


def _adjoin(tokens: Sequence[Token], mention: Mention, following: Mention) -> bool:
    return following.start == mention.end and tokens[following.start].gap in (SPACE, HYPHEN)


def _widens(tokens: Sequence[Token], before: Mention, mention: Mention) -> bool:
    """Whether a group's name only classes the type right before it: "C-130 airliner"."""
    if not (before.meanings and mention.meanings and _adjoin(tokens, before, mention)):
        return False
    if before.meanings[0].plural or tokens[before.end - 1].possessive:
        return False
    return all(m.kind == "type" for m in before.meanings) and all(
        m.kind in ("group", "domain") for m in mention.meanings
    )


def _subject(
    tokens: Sequence[Token],
    mention: Mention,
    meaning: SubjectName,
    lead: Lead,
    *,
    shared: bool,
    made: bool,
) -> Subject:
    return Subject(
        domain=meaning.domain,
        id=None if meaning.kind == "domain" else meaning.id,
        types=tuple(sorted(meaning.types)),
        count=_count(meaning, lead),
        setting=lead.before in words.SETTING,
        alternative=lead.before == "or",
        shared=shared,
        likeness=made,
        text=" ".join(t.text for t in tokens[mention.start : mention.end]),
        start=mention.start,
        end=mention.end,
    )


def _count(meaning: SubjectName, lead: Lead) -> int | None:
    if lead.gathering:
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
