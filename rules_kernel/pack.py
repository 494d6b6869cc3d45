"""A rule pack: what a pack file holds once it is read and checked (`load.py` reads it)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I8, VIEWS, ObservedArrays
from physgauge.rules_kernel.language import tree as t

Category = Literal["presence", "spatial", "relational", "caption"]
CATEGORIES: tuple[Category, ...] = ("presence", "spatial", "relational", "caption")
"""Rule categories, in the order of every four-column output."""

OTHER = "other"
"""The implicit last component: parts that belong to other domains."""

NAMED = "named "
"""A tag "named wheel" is true where the caption names wheels: `named(wheel)` asks for it. (No tag of a
pack file can be called so.)"""

Absence = Literal["exclude", "satisfied", "violated"]

Expect = Literal["type", "caption"]
"""What `expected` follows where a caption contradicts the type that it names."""


@dataclass(frozen=True)
class Rule:
    """One rule. Its place in `Pack.rules` is its column in every output."""

    id: str
    category: Category
    says: str
    source: str
    """The expression as written."""
    tree: t.Bool
    bound: str
    """The bound of its first comparison as written, "" for none."""
    components: tuple[str, ...]
    """Names of the components it mentions, in pack order ("foreign" last)."""
    subjects: tuple[t.Group, ...]
    """Components whose boxes it needs; where one has none, `missing` decides."""
    missing: Absence
    vacuous: bool
    """A quantifier over nothing and an implication from something false are true (else: not
    applicable)."""
    views: tuple[int, ...] | None
    """Indices into VIEWS where the rule applies; None: everywhere."""
    weight: float = 1.0
    """Within its category: a rule that a part overlooked by the detector breaks weighs less."""
    reference: str = ""
    """Where the rule comes from, for people."""
    line: int | None = None
    """Of the rule in its file."""


@dataclass(frozen=True)
class Evidence:
    """What must be seen before an image counts as one of the domain at all."""

    components: int = 1
    """Fewest different components with a box."""
    boxes: int = 1
    """Fewest boxes."""
    any_of: tuple[str, ...] = ()
    """At least one of these has a box (none named: no such demand)."""


@dataclass(frozen=True)
class Single:
    """What one subject is, so that several can be told from one."""

    most: Mapping[str, int]
    """Components from different regions of a subject, and the most that one subject has of each."""
    least: int
    """So many different ones of these make a subject; fewer are a part that lies about."""


@dataclass(frozen=True)
class Alias:
    kind: Literal["number", "box"]
    source: str
    tree: t.Num | t.Box


@dataclass(frozen=True)
class Pack:
    """A checked rule pack."""

    name: str
    version: int
    domain: str
    components: tuple[str, ...]
    """With "other" as the last; a box's label is an index into it."""
    tags: tuple[str, ...]
    """The file's, then one "named C" for each component C that a rule asks `named(C)` of."""
    facts: tuple[tuple[str, str, str], ...]
    """(component, relation, reference): the columns of `said`."""
    weights: F64
    """f64[4] in the order of CATEGORIES, sum 1."""
    minimum_rules: int
    evidence: Evidence
    hidden: F32
    """f32[C,V] 0..1: the share of a component's instances that a view may hide."""
    aliases: Mapping[str, Alias]
    """In an order in which each uses only earlier ones."""
    rules: tuple[Rule, ...]
    expect: Expect
    min_score: float
    """0..1: boxes of this domain with a lower score are not looked at."""
    content_hash: str
    """SHA-256 of the file's text, hexadecimal."""
    path: str = field(default="", compare=False)
    single: Single | None = None
    """None: all parts of a picture are judged as one subject's."""
    views: tuple[Rule, ...] = ()
    """Conditions under which the parts show a view, by its name in `id`; the first that holds is it."""

    def sight(self) -> Pack | None:
        """The views as a pack of its own, whose rules are the conditions; None without any."""
        if not self.views:
            return None
        digest = hashlib.sha256(f"views of {self.content_hash}".encode()).hexdigest()
        return replace(
            self, name=f"{self.name} views", rules=self.views, views=(), content_hash=digest
        )

    @property
    def category_index(self) -> I8:
        """i8[R] the category of each rule."""
        return np.array([CATEGORIES.index(rule.category) for rule in self.rules], np.int8)

    @property
    def rule_weights(self) -> F64:
        """f64[R] the weight of each rule within its category."""
        return np.array([rule.weight for rule in self.rules], np.float64)

    @property
    def rule_ids(self) -> tuple[str, ...]:
        return tuple(rule.id for rule in self.rules)

    def label(self, component: str) -> int:
        """The label of a component; of "other" for a name that the pack does not know."""
        known = component in self.components
        return self.components.index(component if known else OTHER)

    def blank(self, size: F32) -> ObservedArrays:
        """Observations of `len(size)` images of which only the size (f32[B,2] px) is known."""
        return ObservedArrays.blank(
            len(size), len(self.components), len(self.facts), len(self.tags), size
        )

    def expected_min(self, type_min: F32, view: I8) -> F32:
        """f32[B,C] the fewest instances that must be seen, given the fewest that the type has
        (f32[B,C], NaN = no expectation) and the view (i8[B]): n - ceil(n * hidden share)."""
        share: F32 = self.hidden.T[np.clip(view, 0, len(VIEWS) - 1)]
        hidden = np.ceil(type_min * share - 1e-6)
        least: F32 = np.maximum(type_min - hidden, 0).astype(np.float32)
        return least
