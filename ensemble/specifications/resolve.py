"""Specification tables to records: every reference between them checked, inheritance filled in."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

from physgauge.ensemble.specifications.file import Amount, Pair, SpecificationFile, TypeTable
from physgauge.ensemble.specifications.records import DomainSpec, Group, Range, TypeSpec
from physgauge.ensemble.text import key
from physgauge.errors import ConfigError


def resolve(file: SpecificationFile, where: str, sha256: str) -> DomainSpec:
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
