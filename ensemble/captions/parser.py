"""Captions to facts: type, counts, attributes and relations. Pure, any Unicode, linear in the length.

``parser = CaptionParser([load_specification("aircraft"), ...])`` once, then
``parser.parse("A DC-10 with three engines", "aircraft")`` per image.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from physgauge.ensemble.captions.facts import CaptionFacts, Claim, Relation, Subject
from physgauge.ensemble.captions.lexicon import Lexicon, build_lexicon
from physgauge.ensemble.captions.mentions import Found, find_mentions
from physgauge.ensemble.captions.owners import own_parts
from physgauge.ensemble.captions.parts import read_parts
from physgauge.ensemble.captions.subjects import Anchor, read_subjects
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import Token, tokenize
from physgauge.errors import CaptionError

__all__ = ["CaptionFacts", "CaptionParser", "Claim", "Relation", "Subject", "check_caption"]


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
        hint = _hint(subjects) or self._by_parts(tokens, names, subjects, anchors)
        domain = hint if domain is None else domain
        if domain is None:
            return _facts(caption, None, hint, subjects, [], [])
        claims, relations = self._read_for(tokens, names, anchors, domain)
        return _facts(caption, domain, hint, subjects, claims, relations)

    def _read_for(
        self, tokens: Sequence[Token], found: Found, anchors: Sequence[Anchor], domain: str
    ) -> tuple[list[Claim], list[Relation]]:
        parts = own_parts(tokens, found, anchors, domain, self._lexicon)
        return read_parts(tokens, parts, found.taken, self._lexicon.specs[domain])

    def _by_parts(
        self,
        tokens: Sequence[Token],
        found: Found,
        subjects: Sequence[Subject],
        anchors: Sequence[Anchor],
    ) -> str | None:
        """The one domain whose parts a word of several domains is given: "a jaguar with a long tail"."""
        if not subjects or not all(s.shared for s in subjects):
            return None
        domains = dict.fromkeys(s.domain for s in subjects)
        having = [d for d in domains if self._read_for(tokens, found, anchors, d)[0]]
        return having[0] if len(having) == 1 else None


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
