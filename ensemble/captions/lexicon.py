"""The names that captions are searched for: types, groups, domains and parts, by longest match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

from physgauge.ensemble.captions.words import plurals
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.ensemble.text import COMMA, SPACE, STOP, Token, key

T = TypeVar("T")


class SubjectName(NamedTuple):
    """What a subject's name stands for."""

    domain: str
    kind: Literal["type", "group", "domain", "never"]
    id: str
    """Type or group id; the domain for its own words; empty for `never`."""
    types: frozenset[str]
    """Type ids it may mean; empty for a domain's own words (any) and `never`."""
    plural: bool
    invariant: bool
    """Singular and plural read alike."""


class PartName(NamedTuple):
    """What a part's name stands for."""

    id: str
    """Component or reference."""
    kind: Literal["component", "reference", "adjective", "less"]
    """`adjective`: "winged"; `less`: "wingless"."""
    plural: bool


class Names(Generic[T]):
    """Token sequences to meanings; the longest at a position is found in a bounded number of steps."""

    def __init__(self) -> None:
        self._meanings: dict[tuple[str, ...], list[T]] = {}
        self.starts: dict[str, list[int]] = {}
        """First words, with the lengths of the names that start so, longest first."""

    def add(self, tokens: tuple[str, ...], meaning: T) -> None:
        """Add a meaning; the first one of a name that is given twice comes first."""
        if not tokens:
            return
        meanings = self._meanings.setdefault(tokens, [])
        if meaning not in meanings:  # "coupe", "coupé"
            meanings.append(meaning)
        lengths = self.starts.setdefault(tokens[0], [])
        if len(tokens) not in lengths:
            lengths.append(len(tokens))
            lengths.sort(reverse=True)

    def longest(self, tokens: Sequence[Token], at: int) -> tuple[int, list[T]] | None:
        """End of the longest name that starts at `at`, and its meanings; None if there is none."""
        for length in self.starts.get(tokens[at].text, ()):
            end = at + length
            if end > len(tokens):
                continue
            run = tuple([t.text for t in tokens[at:end]])
            if run in self._meanings and _together(tokens, at, end):
                return end, self._meanings[run]
        return None


def _together(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether tokens form one name: no punctuation inside, and "a 320" is no A320, "an 2" no An-2."""
    if end == start + 1:
        return True
    if any(t.gap in (COMMA, STOP) for t in tokens[start + 1 : end]):
        return False
    first, second = tokens[start].text, tokens[start + 1]
    return not (
        second.gap == SPACE and second.text[0].isdecimal() and (len(first) == 1 or first == "an")
    )


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All names of a set of domains."""

    subjects: Names[SubjectName]
    """Over all domains; one name may mean things of several."""
    parts: dict[str, Names[PartName]]
    """Per domain."""
    specs: dict[str, DomainSpec]


def build_lexicon(specs: Iterable[DomainSpec]) -> Lexicon:
    """Collect the names of some domains, with their plurals."""
    by_domain = {spec.domain: spec for spec in specs}
    subjects: Names[SubjectName] = Names()
    for spec in by_domain.values():
        for name in spec.never:
            _add(subjects, name, SubjectName(spec.domain, "never", "", frozenset(), False, False))
        for one in spec.types.values():
            for name in one.names:
                only = frozenset({one.id})
                _add(subjects, name, SubjectName(spec.domain, "type", one.id, only, False, False))
        for group in spec.groups.values():
            members = frozenset(group.members)
            for name in group.names:
                meaning = SubjectName(spec.domain, "group", group.id, members, False, False)
                _add(subjects, name, meaning)
        for name in spec.names:
            meaning = SubjectName(spec.domain, "domain", spec.domain, frozenset(), False, False)
            _add(subjects, name, meaning)
    parts = {domain: _part_names(spec) for domain, spec in by_domain.items()}
    return Lexicon(subjects=subjects, parts=parts, specs=by_domain)


def _add(names: Names[SubjectName], name: str, meaning: SubjectName) -> None:
    singular, several = _forms(name)
    names.add(singular, meaning._replace(invariant=singular in several))
    for form in several:
        if form != singular:
            names.add(form, meaning._replace(plural=True))


def _part_names(spec: DomainSpec) -> Names[PartName]:
    names: Names[PartName] = Names()
    for component, table in spec.components.items():
        for name in (component.replace("_", " "), *table.names):
            singular = _add_part(names, name, PartName(component, "component", False))
            names.add((*singular[:-1], singular[-1] + "less"), PartName(component, "less", False))
        for adjective in table.adjectives:
            names.add(key(adjective), PartName(component, "adjective", False))
    for reference, place in spec.references.items():
        for name in (reference.replace("_", " "), *place.names):
            _add_part(names, name, PartName(reference, "reference", False))
    return names


def _add_part(names: Names[PartName], name: str, meaning: PartName) -> tuple[str, ...]:
    """Add a part's name and its plurals; returns the name's tokens."""
    singular, several = _forms(name)
    names.add(singular, meaning)
    for form in several:
        if form != singular:
            names.add(form, meaning._replace(plural=True))
    return singular


def _forms(name: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A name's tokens and its plurals': "DC-10s" is three tokens, "boeing 747s" too."""
    tokens = key(name)
    if tokens[-1].isdecimal():
        return tokens, [(*tokens, "s")]
    return tokens, [(*tokens[:-1], form) for form in plurals(tokens[-1])]
