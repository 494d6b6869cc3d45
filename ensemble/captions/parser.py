"""Captions to facts: type, counts, attributes and relations. Pure, any Unicode, linear in the length.

``parser = CaptionParser([load_specification("aircraft"), ...])`` once, then
``parser.parse("A DC-10 with three engines", "aircraft")`` per image.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.captions.facts import CaptionFacts, Claim, Relation, Subject
from physgauge.ensemble.captions.lexicon import Lexicon, build_lexicon
from physgauge.ensemble.captions.parts import read_parts
from physgauge.ensemble.captions.relations import Part
from physgauge.ensemble.captions.subjects import Anchor, Found, find_mentions, read_subjects
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import HYPHEN, SPACE, Token, tokenize
from physgauge.errors import CaptionError

__all__ = ["CaptionFacts", "CaptionParser", "Claim", "Relation", "Subject", "check_caption"]

PREMODIFIER_REACH: Final = 4
"""Words between "two-door" and the subject it belongs to."""

_BETWEEN: Final = words.STOPWORDS


def check_caption(caption: object, max_chars: int) -> str | None:
    """The caption, if it can be used; None for none or one of white space only.

    Raises:
        CaptionError: not text, text that UTF-8 cannot carry, or longer than `max_chars` characters.
    """
    if caption is None:
        return None
    if not isinstance(caption, str):
        raise CaptionError(
            "caption_invalid", f"caption: expected text, got {type(caption).__name__}"
        )
    if len(caption) > max_chars:
        raise CaptionError(
            "caption_too_long",
            f"caption: expected at most {max_chars} characters, got {len(caption)}",
        )
    try:
        caption.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CaptionError(
            "caption_invalid",
            f"caption: expected Unicode text, got half a surrogate pair at character {error.start}",
        ) from None
    return caption if caption.strip() else None


class CaptionParser:
    """Reads captions with the names of a fixed set of domains; safe to share between threads."""

    def __init__(self, specs: Iterable[DomainSpec]) -> None:
        self._lexicon: Lexicon = build_lexicon(specs)

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains it knows, in the order given."""
        return tuple(self._lexicon.specs)

    def parse(self, caption: str | None, domain: str | None = None) -> CaptionFacts:
        """Read a caption for one domain; without `domain`, for the one that it names.

        Never raises on any text. Parts are read in the words of the subject they belong to: in "a dog
        in a car with four wheels" the wheels are no part of the dog.

        Args:
            caption: any text, or None.
            domain: a domain of the parser; what the picture shows, where that is known.
        """
        if domain is not None and domain not in self._lexicon.specs:
            raise ValueError(f"domain: expected one of {self.domains}, got {domain!r}")
        if caption is None:
            return _facts(None, domain, None, [], [], [])
        _, tokens = tokenize(caption)
        names = find_mentions(tokens, self._lexicon)
        subjects, anchors = read_subjects(tokens, names.mentions, names.taken)
        hint = _hint(subjects)
        domain = hint if domain is None else domain
        if domain is None:
            return _facts(caption, None, hint, subjects, [], [])
        spec = self._lexicon.specs[domain]
        parts = self._own_parts(tokens, names, anchors, domain)
        claims, relations = read_parts(tokens, parts, names.taken, spec)
        return _facts(caption, domain, hint, subjects, claims, relations)

    def _own_parts(
        self,
        tokens: Sequence[Token],
        found: Found,
        anchors: Sequence[Anchor],
        domain: str,
    ) -> list[Part]:
        """Parts of the domain's own subjects, by longest match, in caption order."""
        names = self._lexicon.parts[domain]
        parts: list[Part] = []
        nth = 0  # anchors before token i; both only advance, so this stays linear
        i = 0
        while i < len(tokens):
            while nth < len(anchors) and anchors[nth].start <= i:
                nth += 1
            part = names.longest(tokens, i)
            if part is None or not _free(found, i, part[0]):
                i += 1
                continue
            end, meanings = part
            before = anchors[nth - 1] if nth else None
            after = anchors[nth] if nth < len(anchors) else None
            owner = after if before is None or _premodifies(tokens, end, after) else before
            if owner is None or domain in owner.domains:
                parts.append(Part(i, end, meanings[0]))
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
        t.gap in (SPACE, HYPHEN) and t.text not in _BETWEEN for t in tokens[end : after.start + 1]
    )


def _hint(subjects: Sequence[Subject]) -> str | None:
    """The one domain of the main subjects (of the settings, where there is nothing else)."""
    sure = [s for s in subjects if not s.shared] or list(subjects)
    main = {s.domain for s in sure if not s.setting} or {s.domain for s in sure}
    return main.pop() if len(main) == 1 else None


def _facts(
    caption: str | None,
    domain: str | None,
    hint: str | None,
    subjects: Sequence[Subject],
    claims: Sequence[Claim],
    relations: Sequence[Relation],
) -> CaptionFacts:
    """Put a reading together: one type, one group, or what several subjects may be."""
    own = [s for s in subjects if s.domain == domain]
    types: set[str] = set()
    for subject in own:
        types.update(subject.types)
    anything = any(not s.types for s in own)
    candidates = () if anything else tuple(sorted(types))
    ids = {s.id for s in own}
    only = ids.pop() if len(ids) == 1 else None
    subtype = candidates[0] if len(candidates) == 1 else None
    return CaptionFacts(
        caption=caption,
        domain=domain,
        hint=hint,
        subtype=subtype,
        group=only if subtype is None else None,
        candidates=candidates,
        several=_several(own),
        subjects=tuple(subjects),
        claims=tuple(claims),
        relations=tuple(relations),
    )


def _several(own: Sequence[Subject]) -> bool:
    """More than one thing; alternatives ("a dog or a cat") are one."""
    total = 0
    for subject in own:
        if subject.count is None or subject.count > 1:
            return True
        total += 0 if subject.alternative else subject.count
    return total > 1
