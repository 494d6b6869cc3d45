"""When a first judge's word stands."""

from __future__ import annotations

from dataclasses import dataclass

from physgauge import wire
from physgauge.cascade_settings import CascadeSettings
from physgauge.ensemble.judge.terravis.gate import Decision, decision


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
        found = decision(said, self.gate)
        if found is None or said.eligible is None:
            return None
        eligible = (
            said.eligible.p if said.eligible.p is not None else float(found != "not_applicable")
        )
        if found == "not_applicable":
            return found if eligible <= self.eligible_low else None
        if eligible < self.eligible_high or said.status != "ok" or self._unsure(said):
            return None
        # Without probabilities the score is all there is.
        score = said.score if said.score_soft is None else said.score_soft
        if score is None:
            return None
        stands = score >= self.high if found == "pass" else score <= self.low
        return found if stands else None

    def _unsure(self, said: wire.TerraVis) -> bool:
        return any(
            answer.p_yes is not None and self.unsure_low < answer.p_yes < self.unsure_high
            for answer in said.answers.values()
        )
