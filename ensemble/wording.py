"""English for reports: "a DC-10", "2 to 4 engines"."""

from __future__ import annotations

from physgauge.ensemble.captions.facts import CaptionFacts
from physgauge.ensemble.captions.words import plural
from physgauge.ensemble.specifications.load import DomainSpec, Range


def who(facts: CaptionFacts, spec: DomainSpec, types: tuple[str, ...]) -> str:
    """What a picture is judged against, in words: "a DC-10", "any bird", "any aircraft"."""
    if len(types) == 1 and facts.subtype is not None:
        title = spec.types[types[0]].title
        return f"{article(title)} {title}"
    if facts.group is not None and facts.group in spec.groups:
        return f"any {spec.groups[facts.group].names[0]}"
    if facts.candidates:
        return "any of " + ", ".join(spec.types[t].title for t in types[:4])
    return f"any {spec.names[0]}"


def article(noun: str) -> str:
    """ "a" or "an", by the first letter (spelled letters count by their names: "an F-16", "an MD-80")."""
    first = noun[:1].lower()
    if (len(noun) > 1 and noun[:2].isupper()) or noun[1:2] == "-":
        return "an" if first in "aefhilmnorsx" else "a"
    return "an" if first in "aeiou" else "a"


def count_of(count: int | Range, component: str) -> str:
    """ "no wing", "1 engine", "2 to 4 engines"."""
    noun = component.replace("_", " ")
    one = count if isinstance(count, Range) else Range(count, count)
    if one.high == 0:
        return f"no {noun}"
    if one.high == 1:
        return f"{one} {noun}"
    head, _, last = noun.rpartition(" ")
    return f"{one} {(head + ' ' + plural(last)).strip()}"
