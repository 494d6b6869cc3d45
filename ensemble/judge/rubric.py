"""PCMDE's rubric: findings to a score of 0..100, with evidence graded.

Bands: valid 86-100, minor 70-85, major 40-60, critical 0-30 (PCMDE; the gaps are the paper's).

1. A finding has a severity and a strength 0..1. Evidence below FULL moves it up one band, below HALF two,
   below FAINT three: a critical finding on one faint box ends in the valid band.
2. The band is that of the worst finding after step 1. AGREEING major findings about different things,
   each at least SURE, make it critical: what is wrong in several ways is an impossible configuration.
3. Within the band: ``score = top - (top - bottom) (1 - exp(-E))``. Each thing that findings are about
   brings its greatest ``weight x strength``; ``E`` is the greatest of these and REST of the others.

4. What no finding says, the arrangement of the parts may: it adds ``unusual`` to E, so that of two valid
   pictures the usual one scores more. Alone it never leaves the valid band.

More findings, or surer ones, never raise the score: steps 1 and 2 only move down the bands, which do not
overlap, and E only grows. No finding and nothing unusual is 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Severity(IntEnum):
    """Bands of the rubric, the worse the greater."""

    VALID = 0
    MINOR = 1
    MAJOR = 2
    CRITICAL = 3


BANDS: Final = {
    Severity.VALID: (100.0, 86.0),
    Severity.MINOR: (85.0, 70.0),
    Severity.MAJOR: (60.0, 40.0),
    Severity.CRITICAL: (30.0, 0.0),
}
"""Top and bottom score of each band."""
WEIGHTS: Final = {Severity.MINOR: 0.3, Severity.MAJOR: 0.7, Severity.CRITICAL: 1.0}
"""What a finding adds to E at strength 1."""
FULL: Final = 0.6
HALF: Final = 0.4
FAINT: Final = 0.2
SURE: Final = 0.75
AGREEING: Final = 2
REST: Final = 0.3
"""False findings come in numbers, so the second and further ones count less."""

RAREST: Final = 4
"""Powers of ten of the rarest arrangement that is told from rarer ones."""

QUESTIONS: Final = (
    "Does the count of components match the type?",
    "Are the spatial relations right for the type?",
    "Is anything physically impossible?",
)
"""The evaluation task, in the order of `Finding.question` 1..3."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that speaks against the picture."""

    question: int
    """1..3, index into QUESTIONS plus one."""
    severity: Severity
    """As it would be if the evidence were beyond doubt."""
    strength: float
    """0..1 how much the evidence carries."""
    about: str
    """What it is about, mostly a component; findings about one thing count once."""
    sentence: str

    @property
    def band(self) -> Severity:
        """The severity that its evidence carries."""
        steps = sum(self.strength < bound for bound in (FULL, HALF, FAINT))
        return Severity(max(0, self.severity - steps))


def unusual(log_p: float) -> float:
    """What an arrangement as rare as `exp(log_p)` adds to E: half for each factor of ten, at most 2."""
    return min(-log_p / math.log(10), RAREST) / 2


def score(findings: Iterable[Finding], unusual: float = 0.0) -> tuple[float, Severity]:
    """Points 0..100 and the band they are in; `unusual` as from the function of that name."""
    band, evidence, sure = Severity.VALID, dict[str, float](), set[str]()
    for finding in findings:
        band = max(band, finding.band)
        weight = WEIGHTS.get(finding.severity, 0.0) * finding.strength
        evidence[finding.about] = max(evidence.get(finding.about, 0.0), weight)
        if finding.severity >= Severity.MAJOR and finding.strength >= SURE:
            sure.add(finding.about)
    if len(sure) >= AGREEING:
        band = Severity.CRITICAL
    top, bottom = BANDS[band]
    worst = max(evidence.values(), default=0.0)
    # fsum: the same findings in another order give the same score.
    share = 1 - math.exp(-worst - REST * (math.fsum(evidence.values()) - worst) - unusual)
    return top - (top - bottom) * share, band
