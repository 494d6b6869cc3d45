"""Type specifications: what a DC-10, a coupe or a chicken has, read from one TOML file per domain.

A file names the domain's components with their synonyms, the words for any member, groups ("bird",
"tri-jet"), and types with names, tags, component counts and a source note. Shipped files are in
``ensemble/specifications``; a new domain is a new file (docs/specifications.md).

The file says what a thing *has*; what a view may hide is the rule pack's business.
"""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from physgauge.ensemble.caption_tokens import key
from physgauge.ensemble.specification_file import (
    Amount,
    ComponentTable,
    Pair,
    PlaceTable,
    ReferenceTable,
    RelationTable,
    SpecificationFile,
    TypeTable,
)
from physgauge.errors import ConfigError

MAX_BYTES: Final = 2**20
"""A specification file larger than this is refused before it is parsed."""


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


def shipped_specifications() -> Path:
    """The folder of the shipped specification files."""
    return Path(__file__).parent / "specifications"


def load_specification(name_or_path: str | Path) -> DomainSpec:
    """Read a shipped specification by name ("aircraft") or a file by path (``*.toml``).

    Raises:
        ConfigError: no such file, not UTF-8 TOML, an unknown key, a value out of range, a name that two
            types share, a component, tag or base that is not declared; says file and place.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = shipped_specifications() / f"{name_or_path}.toml"
        if not path.is_file():
            known = ", ".join(sorted(p.stem for p in shipped_specifications().glob("*.toml")))
            raise ConfigError(
                f"specification: expected one of {known}, or the path of a .toml file; "
                f"got {str(name_or_path)!r}"
            )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"specification {path}: cannot be read ({error.strerror})") from None
    return parse_specification(data, path.name)


def parse_specification(data: bytes, where: str) -> DomainSpec:
    """Specification TOML to a :class:`DomainSpec`; `where` names the file in errors."""
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{where}: expected at most {MAX_BYTES} bytes, got {len(data)}")
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{where}: expected UTF-8 text, got byte {data[error.start]:#04x} at {error.start}"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{where}: expected plain tables, got arrays nested too deeply") from None
    try:
        file = msgspec.convert(raw, SpecificationFile)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from None
    return _resolve(file, where, hashlib.sha256(data).hexdigest())


def _resolve(file: SpecificationFile, where: str, sha256: str) -> DomainSpec:
    """Check every reference between the tables and fill in what types inherit."""
    defaults = _counts(file.counts, file, f"{where}: counts")
    missing = [c for c in file.components if c not in defaults]
    if missing:
        raise ConfigError(f"{where}: counts: expected every component, got none for {missing[0]!r}")
    for base_id, base in file.bases.items():
        _counts(base.counts, file, f"{where}: bases.{base_id}.counts")
        _known(base.tags, file.tags, f"{where}: bases.{base_id}.tags", "a tag of `tags`")
    _known([file.default_reference], _places(file), f"{where}: default_reference", "a reference")
    for reference, of in file.references.items():
        _known(of.of, file.components, f"{where}: references.{reference}.of", "a component")
    for index, place in enumerate(file.places):
        here = f"{where}: places[{index}]"
        _known([place.component], file.components, here, "a component")
        _known(place.references, _places(file), here, "a component or reference")
        if place.relation == "between" and len(place.references) != 2:
            raise ConfigError(
                f"{here}: references: expected the two ends, got {len(place.references)}"
            )
    types: dict[str, TypeSpec] = {}
    for index, table in enumerate(file.types):
        here = f"{where}: types[{index}] ({table.id})"
        if table.id in types:
            raise ConfigError(f"{here}: id: expected a new id, got one that an earlier type has")
        types[table.id] = _type(table, file, defaults, here)
    if not any(t.common for t in types.values()):
        raise ConfigError(f"{where}: types: expected at least one with common = true, got none")
    spec = DomainSpec(
        domain=file.domain,
        names=tuple(file.names),
        never=tuple(file.never),
        tags=tuple(file.tags),
        components=file.components,
        references=file.references,
        default_reference=file.default_reference,
        places=tuple(file.places),
        types=types,
        groups=_groups(file, types, where),
        sha256=sha256,
    )
    _check_names(spec, where)
    return spec


def _type(
    table: TypeTable, file: SpecificationFile, defaults: Mapping[str, Range], where: str
) -> TypeSpec:
    counts, tags = dict(defaults), set(table.tags)
    if table.base is not None:
        _known([table.base], file.bases, f"{where}: base", "a table of [bases]")
        counts.update(_counts(file.bases[table.base].counts, file, where))
        tags.update(file.bases[table.base].tags)
    counts.update(_counts(table.counts, file, f"{where}: counts"))
    _known(table.tags, file.tags, f"{where}: tags", "a tag of `tags`")
    for relation in table.relations:
        _known([relation.component], file.components, f"{where}: relations", "a component")
        _known(
            [relation.reference], _places(file), f"{where}: relations", "a component or reference"
        )
    return TypeSpec(
        id=table.id,
        names=tuple(table.names),
        tags=frozenset(tags),
        counts=counts,
        relations=tuple(table.relations),
        source=table.source,
        common=table.common,
    )


def _counts(
    counts: Mapping[str, Amount | Pair], file: SpecificationFile, where: str
) -> dict[str, Range]:
    _known(counts, file.components, where, "a component")
    ranges = {}
    for component, value in counts.items():
        low, high = (value, value) if isinstance(value, int) else value
        if low > high:
            raise ConfigError(f"{where}.{component}: expected [fewest, most], got [{low}, {high}]")
        ranges[component] = Range(low, high)
    return ranges


def _groups(file: SpecificationFile, types: Mapping[str, TypeSpec], where: str) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    for index, table in enumerate(file.groups):
        here = f"{where}: groups[{index}] ({table.id})"
        if table.id in groups or table.id in types:
            raise ConfigError(f"{here}: id: expected a new id, got one in use")
        members = tuple(t.id for t in types.values() if table.tag in t.tags)
        if not members:
            raise ConfigError(f"{here}: tag: expected a tag that a type carries, got {table.tag!r}")
        groups[table.id] = Group(table.id, tuple(table.names), members)
    return groups


def _places(file: SpecificationFile) -> list[str]:
    return [*file.components, *file.references]


def _known(names: Iterable[str], known: Collection[str], where: str, what: str) -> None:
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise ConfigError(f"{where}: expected {what}, got {name!r}{hint}")


def _check_names(spec: DomainSpec, where: str) -> None:
    """No two things in one file share a name, and every name has letters or digits."""
    owners: dict[tuple[str, ...], str] = {}
    named = [("domain", spec.names), ("never", spec.never)]
    named += [(f"group {g.id}", g.names) for g in spec.groups.values()]
    named += [(f"type {t.id}", t.names) for t in spec.types.values()]
    _claim_names(owners, named, where)
    parts = {c: (c.replace("_", " "), *t.names) for c, t in spec.components.items()}
    parts |= {r: (r.replace("_", " "), *t.names) for r, t in spec.references.items()}
    _claim_names({}, list(parts.items()), where)


def _claim_names(
    owners: dict[tuple[str, ...], str], named: Iterable[tuple[str, Iterable[str]]], where: str
) -> None:
    for owner, names in named:
        for name in names:
            tokens = key(name)
            if not tokens:
                raise ConfigError(f"{where}: {owner}: expected a name with letters, got {name!r}")
            if owners.setdefault(tokens, owner) != owner:
                raise ConfigError(
                    f"{where}: {owner}: expected a name of its own, got {name!r}, "
                    f"which {owners[tokens]} has too"
                )
