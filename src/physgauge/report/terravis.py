"""TerraVis in the summary of a run: mean score, what was found most, and what was not judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from physgauge import wire
from physgauge.report.printable import printable

MOST = 8
"""Probes shown."""


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
    found: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Outcome to answers that are none."""
    faults: Counter[str] = field(default_factory=Counter)
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
        if terravis.status == "not_applicable":
            family = terravis.eligible.family if terravis.eligible else None
            self.families[family or "of no named kind"] += 1
            return
        if terravis.score is not None:
            self.scored += 1
            self.total += terravis.score
        if terravis.score_soft is not None:
            self.total_soft += terravis.score_soft
            self.soft += 1
        for probe, answer in terravis.answers.items():
            self.asked[probe] += answer.outcome == "answered"
            self.found[probe] += answer.answer is True
            self.major[probe] += answer.answer is True and answer.severity == "major"
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
        if self.found.total():
            parts.append(self._table())
        for title, counter in (("Probes without an answer", self.lost), ("Judge", self.faults)):
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
        table = Table("probe", "found", "major", title="Most found", title_justify="left")
        for probe, hits in self.found.most_common(MOST):
            if hits:
                row = (printable(probe), f"{hits} of {self.asked[probe]}", str(self.major[probe]))
                table.add_row(*row)
        return table


def _listed(counter: Counter[str]) -> str:
    return "; ".join(f"{n} x {what}" for what, n in counter.most_common(5))
