"""A type specification, checked and resolved: frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from physgauge.ensemble.specifications.file import (
    ComponentTable,
    PlaceTable,
    ReferenceTable,
    RelationTable,
)


@dataclass(frozen=True, slots=True)
class Range:
    """How many instances: ``low..high``, both included."""

    low: int
    high: int

    def union(self, other: Range) -> Range:
        """The smallest range over both."""
        return Range(min(self.low, other.low), max(self.high, other.high))

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """One type with everything it inherits; `counts` covers every component of the domain."""

    id: str
    names: tuple[str, ...]
    tags: frozenset[str]
    counts: Mapping[str, Range]
    relations: tuple[RelationTable, ...]
    source: str
    common: bool

    @property
    def title(self) -> str:
        """The first name, for people."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Group:
    """A named set of types."""

    id: str
    names: tuple[str, ...]
    members: tuple[str, ...]
    """Type ids, in file order."""


@dataclass(frozen=True, slots=True)
class DomainSpec:
    """One domain's specification, checked and resolved."""

    domain: str
    names: tuple[str, ...]
    never: tuple[str, ...]
    tags: tuple[str, ...]
    components: Mapping[str, ComponentTable]
    references: Mapping[str, ReferenceTable]
    default_reference: str
    places: tuple[PlaceTable, ...]
    types: Mapping[str, TypeSpec]
    groups: Mapping[str, Group]
    sha256: str
    """Of the file's bytes, for the row's provenance."""

    @property
    def common(self) -> tuple[str, ...]:
        """Ids of the types that a caption without a type is judged against."""
        return tuple(t.id for t in self.types.values() if t.common)

    def range(self, component: str, types: tuple[str, ...] = ()) -> Range | None:
        """Smallest range over `types` (all common ones if empty); None: not a component here."""
        if component not in self.components:
            return None
        chosen = [self.types[t].counts[component] for t in types or self.common]
        union = chosen[0]
        for one in chosen[1:]:
            union = union.union(one)
        return union

    def tags_of(self, types: tuple[str, ...] = ()) -> frozenset[str]:
        """Tags that all of `types` (all common ones if empty) carry."""
        return frozenset.intersection(*(self.types[t].tags for t in types or self.common))
