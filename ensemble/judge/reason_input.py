"""What the reasoning step sees and says: records only (it never sees the image)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from physgauge.ensemble.captions.facts import CaptionFacts
from physgauge.ensemble.layout import Arrangement
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.wire import Category, Cost, LlmRun, Observation


@dataclass(frozen=True, slots=True)
class PartBox:
    """A part that was detected."""

    component: str
    """A component of the domain, or "other" for a part of another one."""
    xyxy: tuple[float, float, float, float]
    """px of the decoded image."""
    score: float
    """0..1."""
    label: str = ""
    """Full class name ("animal.ear"), for the sentences."""


@dataclass(frozen=True, slots=True)
class PartCount:
    """How many of a component were seen."""

    count: float
    """NaN where nobody looked."""
    sure: float = 1.0
    """0..1 how sure the count is."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What caption, type and view let one expect of a component (`Expectations`)."""

    low: float
    """Fewest that must be seen; NaN: no expectation."""
    high: float
    """Most that there can be; 0: the type does not have it; NaN: no expectation."""


@dataclass(frozen=True, slots=True)
class RuleFact:
    """A rule that is violated."""

    id: str
    category: Category
    measured: float | None
    bound: str
    """The bound as written in the pack."""
    says: str
    components: tuple[str, ...]
    boxes: tuple[int, ...] = ()
    """Witnesses: indices into `ReasonInput.boxes`."""
    weight: float = 1.0
    """Of the rule within its category."""


@dataclass(frozen=True, slots=True)
class ReasonInput:
    """Everything known about one image, apart from its pixels."""

    facts: CaptionFacts
    """The caption and its reading."""
    spec: DomainSpec
    view: str
    """A name of `types.VIEWS`."""
    counts: Mapping[str, PartCount]
    bounds: Mapping[str, Bounds]
    boxes: tuple[PartBox, ...] = ()
    types: tuple[str, ...] = ()
    """Type ids the picture is judged against (`Expectations.types`); empty: any common one."""
    contradictions: tuple[str, ...] = ()
    """Between caption and specification (`Expectations.contradictions`)."""
    observations: tuple[Observation, ...] = ()
    rules: tuple[RuleFact, ...] = ()
    """The violated ones."""
    size: tuple[float, float] | None = None
    """Width and height of the image, px: what touches its border may go on outside."""
    domain_p: float = 1.0
    """0..1 how sure the picture's domain is."""
    arranged: Arrangement | None = None
    """How usual the arrangement of its parts is; None: nothing is known about that."""

    @property
    def domain(self) -> str:
        """The domain of specification and picture."""
        return self.spec.domain


def unanswered(why: str) -> ReasonResult:
    """The result where there is none."""
    return ReasonResult(None, f"no score; {why}", (), False, ())


@dataclass(frozen=True, slots=True)
class ReasonResult:
    """The reasoning step's answer."""

    score: float | None
    """0..100; None: no answer."""
    explanation: str
    runs: tuple[LlmRun, ...]
    unstable: bool
    violations: tuple[str, ...]
    """Specification violations, one sentence each, the worst first."""
    spatial: tuple[str, ...] = field(default=())
    """Spatial ones."""
    cost: Cost = field(default_factory=Cost)
    """What it took, where a model was asked."""
