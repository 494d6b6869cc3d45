"""What a caption says of several subjects, and what of it holds for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from physgauge.ensemble.captions.facts import CaptionFacts, Claim
from physgauge.ensemble.specifications.records import DomainSpec


@dataclass(frozen=True, slots=True)
class Told:
    """What the caption says about the number of a domain's subjects."""

    named: bool = False
    """Whether it names any, by a word of no other domain."""
    several: bool = False
    """Whether it speaks of more than one."""
    number: int | None = None
    """How many; None where it does not say."""

    @classmethod
    def of(cls, facts: CaptionFacts) -> Told:
        """What a caption read for a domain says about it."""
        own = [s for s in facts.subjects if s.domain == facts.domain and not s.likeness]
        counts = [s.count for s in own if not s.alternative or s.count is None]
        known = [n for n in counts if n is not None]
        number = sum(known) if len(known) == len(counts) else None
        return cls(any(not s.shared for s in own), facts.several, number)


SILENT: Final = Told()


def of_each(facts: CaptionFacts, spec: DomainSpec, number: int | None) -> CaptionFacts:
    """The caption as it holds for each of several subjects.

    "Two dogs with four legs" are two with four each; "two dogs with eight legs" too, as no dog has eight.
    Where the caption names several kinds ("a dog and a cat with a collar"), nothing says whose the parts
    are: each subject is judged against all kinds named, and no number of parts is taken at its word.

    Args:
        facts: the caption, read for the domain.
        spec: the domain's type specification.
        number: how many subjects it names; None where it does not say.
    """
    if not facts.several:
        return facts
    kinds = [s for s in facts.subjects if s.domain == facts.domain]
    types = facts.candidates or spec.common
    claims = () if len(kinds) > 1 else facts.claims
    return replace(
        facts,
        several=False,
        claims=tuple(_share(claim, spec, types, number) for claim in claims),
        relations=() if len(kinds) > 1 else facts.relations,
    )


def _share(claim: Claim, spec: DomainSpec, types: tuple[str, ...], number: int | None) -> Claim:
    """The claim about one subject, where what it says of all is more than one can have."""
    own = spec.range(claim.component, types)
    if own is None or number is None or not claim.exact or claim.low <= own.high:
        return claim
    each, rest = divmod(claim.low, number)
    if rest or not own.low <= each <= own.high or claim.high != claim.low:
        return claim
    return replace(claim, low=each, high=each)
