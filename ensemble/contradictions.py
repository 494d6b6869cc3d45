"""Where a caption says one thing and the specification another, in one sentence each."""

from __future__ import annotations

from physgauge.ensemble.captions.facts import CaptionFacts, Claim, Relation
from physgauge.ensemble.captions.words import OPPOSITES
from physgauge.ensemble.specifications.load import DomainSpec, Range
from physgauge.ensemble.wording import article, count_of, who


def contradiction(
    facts: CaptionFacts, spec: DomainSpec, types: tuple[str, ...], claim: Claim, own: Range
) -> str | None:
    """One sentence where a caption's claim can't be true of the types; None where it can."""
    if claim.visible or facts.several:
        return None
    if claim.missing:
        lost = count_of(claim.missing, claim.component)
        has = f"{who(facts, spec, types)} has {count_of(own, claim.component)}"
        return f"contradiction: the caption takes away {lost} ({claim.text!r}); {has}"
    if claim.low <= own.high and (claim.high is None or claim.high >= own.low):
        return None
    if claim.high == 0:
        says = f"no {claim.component.replace('_', ' ')}"
    elif claim.high is None:
        says = f"at least {count_of(claim.low, claim.component)}"
    else:
        says = count_of(Range(claim.low, claim.high), claim.component)
    has = f"{who(facts, spec, types)} has {count_of(own, claim.component)}"
    return f"contradiction: the caption says {says} ({claim.text!r}); {has}"


def misplaced(
    facts: CaptionFacts, spec: DomainSpec, types: tuple[str, ...], relation: Relation
) -> str | None:
    """One sentence where a caption puts a part where it can't be; None where it can."""
    if facts.several or facts.likeness:
        return None
    places: list[tuple[str, str, set[str]]]
    places = [(p.component, p.relation, set(p.references)) for p in spec.places]
    if len(types) == 1:
        own = spec.types[types[0]].relations
        places += [(r.component, r.relation, {r.reference}) for r in own]
    for component, where, references in places:
        around = {
            part for r in references if r in spec.references for part in spec.references[r].of
        }
        if component != relation.component or relation.reference not in references | around:
            continue
        if (relation.relation, where) in OPPOSITES:
            noun, reference = (n.replace("_", " ") for n in (component, relation.reference))
            has = f"{who(facts, spec, types)} has it {position(where).removesuffix(' of')}"
            puts = f"puts {article(noun)} {noun} {position(relation.relation)} the {reference}"
            return f"contradiction: the caption {puts} ({relation.text!r}); {has}"
    return None


def position(relation: str) -> str:
    """A relation's name in words: "at the bottom of"."""
    if relation.startswith("at_"):
        return f"at the {relation[3:]} of"
    return relation.replace("_", " ")
