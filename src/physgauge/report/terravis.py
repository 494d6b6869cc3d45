"""TerraVis in the summary of a run: mean score, what was found most, and what was not judged."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from physgauge import wire
from physgauge.report.printable import printable

MOST = 8
"""Probes shown."""
WORST = 5
"""Images shown."""
SECOND = "cascade:second"
_STAGES = ("cascade:first", SECOND)


@dataclass(slots=True)
class TerraVisSummary:
    """Counts of a run, row by row; images that nobody was to look at don't count."""

    seen: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    scored: int = 0
    """Images with a score."""
    total: float = 0.0
    """Sum of the scores."""
    total_soft: float = 0.0
    soft: int = 0
    """Images with an expected score."""
    families: Counter[str] = field(default_factory=Counter)
    """What images were that could not be judged."""
    asked: Counter[str] = field(default_factory=Counter)
    """Probe to images on which it was answered."""
    major: Counter[str] = field(default_factory=Counter)
    minor: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Outcome to answers that are none."""
    faults: Counter[str] = field(default_factory=Counter)
    abstained: Counter[str] = field(default_factory=Counter)
    """Why the judge declined."""
    stages: Counter[str] = field(default_factory=Counter)
    """Of a cascade: who answered."""
    worst: list[tuple[float, int, str, str]] = field(default_factory=list)
    """Heap of (-expected score, -image number, image id, what was found)."""
    usd: float = 0.0

    def add(self, row: wire.Row) -> None:
        """Count one row."""
        terravis = row.terravis
        if terravis.status == "skipped" or row.error_code is not None:
            return
        self.seen += 1
        self.statuses[terravis.status] += 1
        self.usd += row.cost.usd or 0.0
        if terravis.fault is not None:
            self.faults[terravis.fault] += 1
        if terravis.mode in _STAGES:
            self.stages[terravis.mode] += 1
        if terravis.abstained is not None:
            self.abstained[terravis.abstained] += 1
            return
        if terravis.status == "not_applicable":
            family = terravis.eligible.family if terravis.eligible else None
            self.families[family or "of no named kind"] += 1
            return
        if terravis.score is not None:
            self.scored += 1
            self.total += terravis.score
        rank = terravis.score if terravis.score_soft is None else terravis.score_soft
        if rank is not None:
            entry = (-rank, -self.seen, row.image_id, _found(terravis))
            (heapq.heappush if len(self.worst) < WORST else heapq.heappushpop)(self.worst, entry)
        if terravis.score_soft is not None:
            self.total_soft += terravis.score_soft
            self.soft += 1
        for probe, answer in terravis.answers.items():
            self.asked[probe] += answer.outcome == "answered"
            self.found[probe] += answer.answer is True
            self.major[probe] += answer.answer is True and answer.severity == "major"
            self.minor[probe] += answer.answer is True and answer.severity == "minor"
            if answer.outcome != "answered":
                self.lost[answer.outcome] += 1

    def render(self) -> list[RenderableType]:
        """The part of the summary; empty where nobody looked."""
        if not self.seen:
            return []
        parts: list[RenderableType] = [Text.assemble(("TerraVis: ", "bold"), self._scores())]
        not_judged = self.statuses["not_applicable"]
        share = f"{not_judged} of {self.seen} not applicable ({not_judged / self.seen:.1%})"
        if self.families:
            share += ": " + _listed(self.families)
        parts.append(Text(printable(share)))
        if self.stages:
            asked = self.stages[SECOND]
            share = f"{asked} of {self.stages.total()} ({asked / self.stages.total():.1%})"
            parts.append(Text(f"The cascade's second judge was asked about {share}"))
        if self.found.total():
            parts += [self._table(), self._worst()]
        for title, counter in (
            ("Judge abstains", self.abstained),
            ("Probes without an answer", self.lost),
            ("Judge", self.faults),
        ):
            if counter:
                parts.append(Text.assemble((f"{title}: ", "bold"), printable(_listed(counter))))
        return parts

    def _scores(self) -> str:
        said = f"{self.scored} of {self.seen} images scored"
        if self.scored:
            said += f", mean {self.total / self.scored:.3f}"
        if self.soft:
            said += f", expected score {self.total_soft / self.soft:.3f}"
        for status in ("partial", "error"):
            if self.statuses[status]:
                said += f", {self.statuses[status]} {status}"
        return said + (f", {self.usd:.2f} USD" if self.usd else "")

    def _table(self) -> Table:
        table = Table("probe", "found", "major", "minor", title="Most found", title_justify="left")
        for probe, hits in self.found.most_common(MOST):
            if hits:
                grades = (str(self.major[probe]), str(self.minor[probe]))
                table.add_row(printable(probe), f"{hits} of {self.asked[probe]}", *grades)
        return table

    def _worst(self) -> Table:
        table = Table("image", "score", "found", title="Worst by TerraVis", title_justify="left")
        for score, _, name, found in sorted(self.worst, reverse=True):
            if found:
                table.add_row(Text(printable(name)), f"{-score:.3f}", Text(printable(found)))
        return table


def _found(terravis: wire.TerraVis) -> str:
    """The finds in words, the grave ones first."""
    finds = [(name, a) for name, a in terravis.answers.items() if a.answer]
    finds.sort(key=lambda one: (one[1].severity != "major", -(one[1].p_yes or 1.0)))
    return ", ".join(
        f"{name.replace('_', ' ')} ({answer.severity or 'not graded'})"
        for name, answer in finds[:3]
    )


def _listed(counter: Counter[str]) -> str:
    return "; ".join(f"{n} x {what}" for what, n in counter.most_common(5))
