"""What a caption says: frozen records, all plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """Something the caption names: a type, one of a group, or any member of a domain."""

    domain: str
    id: str | None
    """Type or group id; None for the domain's own words ("aircraft")."""
    types: tuple[str, ...]
    """Type ids it may be, sorted; empty: any type of the domain."""
    count: int | None
    """How many of it; None: several, unstated."""
    setting: bool
    """Where the main subject is ("a dog in a car": the car), not what the caption is about."""
    alternative: bool
    """Joined to the one before by "or"."""
    shared: bool
    """The same word names something in another domain, too."""
    likeness: bool
    """A thing made to look like it ("a statue of a dog"): it may have whatever it was given."""
    text: str
    start: int
    """First token."""
    end: int
    """Behind the last token."""


@dataclass(frozen=True, slots=True)
class Claim:
    """How many of a component a caption gives its subject."""

    component: str
    low: int
    high: int | None
    """None: no upper bound stated ("with wings")."""
    exact: bool
    """A number was stated, or that there is none."""
    missing: int
    """How many fewer than the type has ("missing a wheel"); `low` and `high` then are 0 and None."""
    visible: bool
    """The number is of those in view, not of those the subject has."""
    attributes: tuple[str, ...]
    """"round", "swept-back"."""
    text: str
    """The caption's words."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a part stands to a reference: (component, count, relation, reference)."""

    component: str
    count: int | None
    relation: str
    """A name of `specifications.file.RelationName`."""
    reference: str
    """A component or a reference of the specification ("vehicle_body")."""
    text: str


@dataclass(frozen=True, slots=True)
class CaptionFacts:
    """A caption, read for one domain."""

    caption: str | None
    domain: str | None
    """The domain it was read for; None: none was given and none is named."""
    hint: str | None
    """The one domain that the caption's main subjects belong to; None: no word of any, or of several."""
    subtype: str | None
    """The one type named; None: no caption, an ambiguous one, or several types."""
    group: str | None
    """The one group named ("bird"), where no single type is."""
    candidates: tuple[str, ...]
    """Type ids the caption allows, sorted; empty: any type of the domain."""
    several: bool
    """More than one subject of the domain is in the picture."""
    subjects: tuple[Subject, ...]
    """All subjects, of all domains, in caption order."""
    claims: tuple[Claim, ...]
    """About the domain's subjects, in caption order."""
    relations: tuple[Relation, ...]

    @property
    def ambiguous(self) -> bool:
        """No single type: the picture is judged against any realistic one."""
        return self.subtype is None

    @property
    def likeness(self) -> bool:
        """The domain's subjects are things made to look like them: no specification binds them."""
        own = [s for s in self.subjects if s.domain == self.domain]
        return bool(own) and all(s.likeness for s in own)

    @property
    def elsewhere(self) -> bool:
        """The caption names subjects, and none of them is of the domain."""
        named = {s.domain for s in self.subjects}
        return self.domain is not None and bool(named) and self.domain not in named

    @property
    def attributes(self) -> tuple[tuple[str, str], ...]:
        """(component, attribute) pairs, in caption order."""
        return tuple((c.component, a) for c in self.claims for a in c.attributes)
