"""The summary of a run: verdicts, most violated rules, worst images, errors. Memory does not grow with
the number of rows."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from physgauge import wire
from physgauge.report.printable import printable
from physgauge.report.terravis import TerraVisSummary

WORST = 8
"""Worst images kept."""


@dataclass(slots=True)
class Summary:
    """Counts of a run, row by row."""

    rows: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    """PASS, FAIL, or the status of a row without verdict."""
    by_domain: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(domain, verdict or status) to images."""
    errors: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    """Why rows are not applicable or partial."""
    applicable: Counter[tuple[str, str]] = field(default_factory=Counter)
    violated: Counter[tuple[str, str]] = field(default_factory=Counter)
    says: dict[tuple[str, str], str] = field(default_factory=dict)
    worst: list[tuple[float, int, str, str]] = field(default_factory=list)
    """Heap of (-S_final, -row number, image id, first diagnostic)."""
    terravis: TerraVisSummary = field(default_factory=TerraVisSummary)

    def add(self, row: wire.Row) -> None:
        """Count one row."""
        self.rows += 1
        self.terravis.add(row)
        pcmde = row.pcmde
        label = pcmde.verdict or pcmde.status
        if pcmde.status != "skipped" or row.terravis.status == "skipped":
            self.verdicts[label] += 1
        if row.error_code is not None:
            self.errors[row.error_code] += 1
            return
        if pcmde.verdict is None and pcmde.reason and pcmde.status != "skipped":
            self.reasons[pcmde.reason] += 1
        if pcmde.domain is not None:
            self.by_domain[pcmde.domain, label] += 1
        for rule in pcmde.rules:
            key = (pcmde.domain or "", rule.id)
            self.says[key] = rule.says
            self.applicable[key] += rule.status != "not_applicable"
            self.violated[key] += rule.status == "violated"
        if pcmde.s_final is not None:
            entry = (-pcmde.s_final, -self.rows, row.image_id, first_diagnostic(pcmde))
            if len(self.worst) < WORST:
                heapq.heappush(self.worst, entry)
            else:
                heapq.heappushpop(self.worst, entry)

    def most_violated(self, most: int = 8) -> list[tuple[str, str, int, int]]:
        """(domain and rule id, what it says, violations, images it applied to), most violations first."""
        hits = [(key, n) for key, n in self.violated.most_common() if n]
        return [
            (" ".join(filter(None, key)), self.says[key], n, self.applicable[key])
            for key, n in hits[:most]
        ]

    def worst_images(self) -> list[tuple[str, float, str]]:
        """(image id, S_final, first diagnostic), lowest score first."""
        return [(name, -score, why) for score, _, name, why in sorted(self.worst, reverse=True)]


def first_diagnostic(pcmde: wire.Pcmde) -> str:
    """The first sentence that says what is wrong, or an empty string."""
    groups = (pcmde.diagnostics.specification, pcmde.diagnostics.spatial, pcmde.diagnostics.rules)
    return next((sentences[0] for sentences in groups if sentences), "")


def render(summary: Summary, seconds: float) -> RenderableType:
    """The summary as rich tables.

    Args:
        summary: the counted run.
        seconds: wall-clock time of the run.
    """
    rate = summary.rows / seconds if seconds > 0 else float("nan")
    head = Text.assemble(
        (f"{summary.rows} images", "bold"), f" in {seconds:.1f} s ({rate:.1f} images/s)   ",
        *([("PCMDE: ", "bold")] if summary.terravis.seen and summary.verdicts else []),
        *_counts(summary.verdicts),
    )  # fmt: skip
    parts: list[RenderableType] = [head]
    if summary.by_domain:
        parts.append(_domain_table(summary))
    if violated := summary.most_violated():
        table = Table("rule", "says", "violated", title="Most violated rules", title_justify="left")
        for rule, says, hits, of in violated:
            table.add_row(Text(printable(rule)), Text(printable(says)), f"{hits} of {of}")
        parts.append(table)
    if worst := summary.worst_images():
        table = Table("image", "S_final", "why", title="Worst images", title_justify="left")
        for name, score, why in worst:
            table.add_row(Text(printable(name)), f"{score:.1f}", Text(printable(why)))
        parts.append(table)
    parts += summary.terravis.render()
    for title, counter in (("Not scored", summary.reasons), ("Errors", summary.errors)):
        if counter:
            listed = "; ".join(f"{n} x {printable(what)}" for what, n in counter.most_common(5))
            parts.append(Text.assemble((f"{title}: ", "bold"), listed))
    return Group(*parts)


_STYLES = {"PASS": "green", "FAIL": "red", "error": "red", "partial": "yellow"}


def _counts(counter: Counter[str]) -> list[tuple[str, str]]:
    order = ("PASS", "FAIL", "partial", "not_applicable", "skipped", "error")
    return [(f"{name} {counter[name]}  ", _STYLES.get(name, "")) for name in order if counter[name]]


def _domain_table(summary: Summary) -> Table:
    table = Table("domain", "PASS", "FAIL", "other", title="By domain", title_justify="left")
    for domain in sorted({domain for domain, _ in summary.by_domain}):
        of = {label: n for (d, label), n in summary.by_domain.items() if d == domain}
        other = sum(n for label, n in of.items() if label not in ("PASS", "FAIL"))
        table.add_row(printable(domain), str(of.get("PASS", 0)), str(of.get("FAIL", 0)), str(other))
    return table


def print_summary(console: Console, summary: Summary, seconds: float) -> None:
    """Print it."""
    console.print(render(summary, seconds))
