"""The gate: an image passes from a score, and once no answer that is missing can change that, nothing
more is asked (early exit). The decision is then the one that all answers would have led to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from physgauge import wire
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.gate.bounds import decision
from physgauge.judge_settings import JudgeSettings


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate and how answers count."""

    score: float
    """An image passes from this score."""
    counting: Counting

    @classmethod
    def of(cls, settings: JudgeSettings) -> Gate | None:
        """Of a judge; None: he has none."""
        return None if settings.gate is None else cls(settings.gate, Counting.of(settings))

    def decided(self, answers: Mapping[str, wire.Answer]) -> bool:
        """Whether the rest can't change on which side of the gate the score is.

        Args:
            answers: to all probes; one that is not answered yet may find something or nothing, and a find
                without severity may be either.
        """
        eligible = wire.Eligible(answer=True, outcome="answered")
        (said,) = terravis_of([Look("", eligible, answers)], self.counting)
        return decision(said, self.score) is not None

    @property
    def reason(self) -> str:
        """Why the rest is not asked."""
        return f"whatever else is answered, the score stays on its side of the gate {self.score:g}"
