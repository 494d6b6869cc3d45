"""When a first judge's word stands."""

from __future__ import annotations

from dataclasses import dataclass

from physgauge import wire
from physgauge.cascade_settings import CascadeSettings
from physgauge.gate.bounds import Decision, decision


@dataclass(frozen=True, slots=True)
class Glance:
    """What a judge says, as far as bands look at it."""

    found: Decision | None
    """At the gate; None: no word of his can stand."""
    eligible: float = 1.0
    """P(eligible)."""
    score: float | None = None
    """The expected one; without probabilities the score, which is then all there is. None: he lacks an
    answer."""
    p_yes: tuple[float, ...] = ()

    @classmethod
    def of(cls, said: wire.TerraVis, gate: float) -> Glance:
        """At a gate."""
        found = decision(said, gate)
        if found is None or said.eligible is None:
            return cls(None)
        p = said.eligible.p
        eligible = float(found != "not_applicable") if p is None else p
        if found == "not_applicable":
            return cls(found, eligible)
        score = said.score if said.score_soft is None else said.score_soft
        some = (answer.p_yes for answer in said.answers.values())
        return cls(
            found,
            eligible,
            score if said.status == "ok" else None,
            tuple(one for one in some if one is not None),
        )


@dataclass(frozen=True, slots=True)
class Bands:
    """Where a judge is sure; fields as in :class:`physgauge.cascade_settings.CascadeSettings`."""

    gate: float
    low: float
    high: float
    eligible_low: float = 0.0
    eligible_high: float = 1.0
    unsure_low: float = 0.5
    unsure_high: float = 0.5

    @classmethod
    def of(cls, settings: CascadeSettings) -> Bands:
        """Of a profile."""
        return cls(*(getattr(settings, name) for name in cls.__slots__))

    def thresholds(self) -> dict[str, float]:
        """For the row's provenance."""
        return {f"cascade.{name}": float(getattr(self, name)) for name in self.__slots__}

    def word(self, said: wire.TerraVis) -> Decision | None:
        """The decision that stands; None: the judge is unsure, has abstained, or lacks an answer.

        Args:
            said: by the first judge.
        """
        return self.stands(Glance.of(said, self.gate))

    def stands(self, said: Glance) -> Decision | None:
        """As `word`, of what was said at this gate."""
        found, score = said.found, said.score
        if found == "not_applicable":
            return found if said.eligible <= self.eligible_low else None
        if found is None or score is None or said.eligible < self.eligible_high:
            return None
        if any(self.unsure_low < p < self.unsure_high for p in said.p_yes):
            return None
        sure = score >= self.high if found == "pass" else score <= self.low
        return found if sure else None
