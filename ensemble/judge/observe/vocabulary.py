"""The words that observations are made of: a domain's parts, places and relations, by every name that its
specification gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from physgauge.config import LoadedProfile
from physgauge.ensemble.captions.words import plurals
from physgauge.ensemble.specifications.file import RelationName
from physgauge.ensemble.specifications.load import DomainSpec, load_specification
from physgauge.ensemble.text import key

RELATIONS: Final[tuple[str, ...]] = get_args(RelationName)
"""How a part can stand to a place."""


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

    @classmethod
    def of(cls, spec: DomainSpec) -> Vocabulary:
        """Of a type specification."""
        parts = _names((name, table.names) for name, table in spec.components.items())
        places = _names((name, table.names) for name, table in spec.references.items())
        return cls(
            domain=spec.domain,
            components=tuple(spec.components),
            places=tuple(spec.references),
            default_place=spec.default_reference,
            parts=parts,
            references={**places, **parts},
        )


def load_vocabularies(loaded: LoadedProfile) -> tuple[Vocabulary, ...]:
    """Of the domains that a profile has packs for.

    Raises:
        ConfigError: as `load_specification`.
    """
    found = []
    for domain, name in loaded.profile.specifications.items():
        if domain in loaded.profile.packs:
            place: str | Path = loaded.path(name) if name.endswith(".toml") else name
            found.append(Vocabulary.of(load_specification(place)))
    return tuple(found)


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
