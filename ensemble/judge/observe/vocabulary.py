"""The words that observations are made of: a domain's parts, places and relations, as its specification
names them, and what its pack knows besides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from physgauge.config import LoadedProfile
from physgauge.ensemble.captions.words import plurals
from physgauge.ensemble.observations import MEANS
from physgauge.ensemble.specifications.file import RelationName
from physgauge.ensemble.specifications.load import DomainSpec, load_specification
from physgauge.ensemble.text import key
from physgauge.errors import ConfigError
from physgauge.rules_kernel import OTHER, RuleError, load_pack

RELATIONS: Final[tuple[str, ...]] = get_args(RelationName)
"""Those that every domain knows."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Of one domain."""

    domain: str
    components: tuple[str, ...]
    places: tuple[str, ...]
    """References that are no components: "fuselage"."""
    default_place: str
    """What "at the bottom" is of, where nothing is named."""
    parts: Mapping[str, str]
    """Every name of a component, singular or plural, words parted by one space, to the component."""
    references: Mapping[str, str]
    """The same of components and places."""
    relations: tuple[str, ...] = RELATIONS
    """How a part can stand to a place."""

    @classmethod
    def of(
        cls,
        spec: DomainSpec,
        components: Sequence[str] = (),
        facts: Sequence[tuple[str, str, str]] = (),
    ) -> Vocabulary:
        """Of a type specification.

        Args:
            spec: parts and places with their names.
            components: a pack's; those that the specification lacks are known by their own name.
            facts: a pack's (component, relation, reference); so are their words.
        """
        own = [name for name in components if name not in (*spec.components, OTHER)]
        known = {*spec.components, *own, *spec.references}
        there = list(dict.fromkeys(place for _, _, place in facts if place not in known))
        nouns = [(name, table.names) for name, table in spec.components.items()]
        parts = _names([*nouns, *((name, []) for name in own)])
        named = [(name, table.names) for name, table in spec.references.items()]
        places = _names([*named, *((name, []) for name in there)])
        also = dict.fromkeys(r for _, r, _ in facts if r not in RELATIONS and r not in MEANS)
        return cls(
            domain=spec.domain,
            components=(*spec.components, *own),
            places=(*spec.references, *there),
            default_place=spec.default_reference,
            parts=parts,
            references={**places, **parts},
            relations=(*RELATIONS, *also),
        )


def load_vocabularies(loaded: LoadedProfile) -> tuple[Vocabulary, ...]:
    """Of the domains that a profile has packs for.

    Raises:
        ConfigError: a specification or pack that is missing or wrong.
    """
    found = []
    for domain, name in loaded.profile.packs.items():
        spec = load_specification(_place(loaded, loaded.profile.specifications[domain]))
        try:
            pack = load_pack(_place(loaded, name))
        except RuleError as error:
            raise ConfigError(str(error)) from None
        found.append(Vocabulary.of(spec, pack.components, pack.facts))
    return tuple(found)


def _place(loaded: LoadedProfile, name: str) -> str | Path:
    """A shipped name as it is, a file relative to the profile."""
    return loaded.path(name) if name.endswith(".toml") else name


def _names(entries: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Names and their plurals to ids; the first meaning of a name that two have stays."""
    named: dict[str, str] = {}
    for one, also in entries:
        for name in (one.replace("_", " "), *also):
            words = key(name)
            if not words or words[-1].isdecimal():
                continue
            for last in (words[-1], *plurals(words[-1])):
                named.setdefault(" ".join([*words[:-1], last]), one)
    return named
