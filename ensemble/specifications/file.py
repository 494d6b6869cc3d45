"""The tables of a type specification file, as written; unknown keys and values out of range are errors.

:mod:`physgauge.ensemble.specifications.load` reads and resolves them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Slug = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]*$", max_length=64)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Amount = Annotated[int, msgspec.Meta(ge=0, le=64)]
Pair = Annotated[list[Amount], msgspec.Meta(min_length=2, max_length=2)]

RelationName = Literal[
    "at", "below", "above", "inside", "beside", "between", "behind", "in_front_of",
    "at_bottom", "at_top", "at_front", "at_rear", "left_of", "right_of",
]  # fmt: skip
"""How a part stands to a reference; `said(component, relation, reference)` uses the same words."""


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the file's tables: unknown keys are errors."""


class ComponentTable(Strict, frozen=True, kw_only=True):
    """One component: how people call it and how hard it is to overlook."""

    names: list[Name]
    """Singular synonyms; plurals are formed. The component's own name needs no entry."""
    adjectives: list[Name] = []
    """Words that imply it: "winged", "legged"; "four-legged" then counts."""
    salience: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    """0..1 how surely it is seen where nothing hides it: the weight of the evidence "not seen"."""
    caption_slack: Amount = 0
    """How many fewer than a caption states may be seen, whatever the view ("at least three wheels")."""
    reads: dict[str, Amount] = {}
    """Counts that mean another one: a "5-door" car has 4 side doors and a tailgate."""


class BaseTable(Strict, frozen=True, kw_only=True):
    """Counts and tags that several types share."""

    counts: dict[Slug, Amount | Pair] = {}
    tags: list[Slug] = []


class ReferenceTable(Strict, frozen=True, kw_only=True):
    """A place that is no component: "fuselage", "torso"."""

    names: list[Name]
    of: list[Slug] = []
    """Components whose boxes together are the place; none: it has no box."""


class PlaceTable(Strict, frozen=True, kw_only=True):
    """Where every member's component is: so to one of the references at least."""

    component: Slug
    relation: Literal["at", "inside", "below", "above", "at_bottom", "at_top", "between"]
    references: Annotated[list[Slug], msgspec.Meta(min_length=1)]
    """`between`: exactly the two ends."""
    within: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.02
    """`at`: widest gap, as a share of the subject's diagonal; `inside`: share that may stick out;
    `below`, `above`: how far the centre, `at_bottom`: the lower, `at_top`: the upper edge may be beyond
    the reference's middle."""
    views: list[Literal["unknown", "side", "front_quarter", "rear_quarter", "front", "rear"]] = []
    """Where it can be judged; empty: in every view."""


class GroupTable(Strict, frozen=True, kw_only=True):
    """A name for all types with a tag."""

    id: Slug
    names: list[Name]
    tag: Slug


class RelationTable(Strict, frozen=True, kw_only=True):
    """`at_least` of the component's instances stand so to the reference."""

    component: Slug
    relation: RelationName
    reference: Slug
    at_least: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1


class TypeTable(Strict, frozen=True, kw_only=True):
    """One type: a subtype in the result row."""

    id: Slug
    names: Annotated[list[Name], msgspec.Meta(min_length=1)]
    source: Annotated[str, msgspec.Meta(min_length=3, max_length=400)]
    base: Slug | None = None
    tags: list[Slug] = []
    counts: dict[Slug, Amount | Pair] = {}
    relations: list[RelationTable] = []
    common: bool = True
    """Part of what a caption without a type ("an animal") is judged against."""


class SpecificationFile(Strict, frozen=True, kw_only=True):
    """The file as written."""

    domain: Slug
    names: Annotated[list[Name], msgspec.Meta(min_length=1)]
    """Words for any member: "aircraft", "plane"."""
    never: list[Name] = []
    """Phrases that contain a name and mean something else: "hot dog", "tree trunk"."""
    tags: list[Slug] = []
    """Every tag a type may carry."""
    components: dict[Slug, ComponentTable]
    references: dict[Slug, ReferenceTable] = {}
    default_reference: Slug
    """What "at the bottom" refers to where nothing is named."""
    counts: dict[Slug, Amount | Pair]
    """What every member has unless base or type say otherwise; covers every component."""
    bases: dict[Slug, BaseTable] = {}
    places: list[PlaceTable] = []
    groups: list[GroupTable] = []
    types: Annotated[list[TypeTable], msgspec.Meta(min_length=1)]


def specification_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a specification file, read as TOML.

    It holds keys, types and ranges; that names, tags and references fit together only the loader knows.
    """
    schema = msgspec.json.schema(SpecificationFile)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "physgauge type specification",
        **schema,
    }
