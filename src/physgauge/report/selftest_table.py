"""A judge's self-test, for people."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from physgauge.report.printable import printable
from physgauge.selftest.result import Category, Measure, Report

_WHOLE = (
    ("auroc", "score, violated against clean: AUROC"),
    ("pair_accuracy", "pairs whose violated picture has the lower score"),
    ("recall", "violations found"),
    ("precision", "finds that are violations"),
    ("severity_accuracy", "severities told rightly"),
    ("eligibility", "eligibility told rightly"),
    ("abstained", "eligible pictures without a score"),
    ("ece", "calibration error of P(yes)"),
)


def print_report(console: Console, report: Report) -> None:
    """All of it."""
    pictures = 2 * report.pairs + report.others
    rate = pictures / report.seconds if report.seconds > 0 else float("nan")
    head = f"{report.judge} ({report.probes}): {report.pairs} pairs, {report.others} other pictures"
    console.print(Text(printable(f"{head}, {report.seconds:.1f} s ({rate:.1f} images/s)")))
    table = Table(title="Over all; in brackets 95 % over draws of pairs", title_justify="left")
    for name, side in (("what", "left"), ("value", "right"), ("of", "right")):
        table.add_column(name, justify="left" if side == "left" else "right")
    for field, words in _WHOLE:
        measure: Measure = getattr(report, field)
        table.add_row(words, _cell(measure, ci=True), str(measure.of))
    console.print(table)
    console.print(_categories(report))
    if report.reliability:
        console.print(_reliability(report))
    if report.missing:
        console.print(Text(printable(f"Not answered at all: {', '.join(report.missing)}")))
    if report.injection:
        console.print(Text(_injection(report.injection)))


def _categories(report: Report) -> Table:
    names = ("recall", "precision", "auroc", "pair_accuracy", "severity_accuracy", "elsewhere")
    table = Table(title="By category", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("category", min_width=max(map(len, report.categories), default=0))
    for name in ("pairs", "recall", "prec.", "AUROC", "pair", "sev.", "else"):
        table.add_column(name, justify="right")
    for name, one in report.categories.items():
        cells = (_cell(getattr(one, field)) for field in names)
        table.add_row(printable(name), str(one.pairs), *cells, style=_style(one))
    return table


def _style(one: Category) -> str:
    """Those that stand out: no better than a coin."""
    area = one.auroc
    doubtful = area.value is not None and (area.ci.low if area.ci else area.value) <= 0.5
    return "yellow" if doubtful or area.value is None else ""


def _reliability(report: Report) -> Table:
    table = Table(title="Calibration of P(yes)", title_justify="left")
    for name in ("P(yes)", "answers", "said", "true"):
        table.add_column(name, justify="right")
    for one in report.reliability:
        table.add_row(
            f"{one.low:.1f} to {one.high:.1f}",
            str(one.answers),
            _number(one.said),
            _number(one.true),
        )
    return table


def _injection(said: dict[str, float | int | None]) -> str:
    moved = said["log_odds_abs_mean"]
    held = said["withstood"]
    odds = (
        "no probabilities to compare"
        if moved is None
        else f"log-odds move by {moved:.3f} on average"
    )
    share = "-" if held is None else f"{held:.1%}"
    return (
        f"Words painted in: {said['attempts']} attempts, {said['images']} tries, {said['answered']} at "
        f"pictures that the judge answers; withstood {share}; {said['cleared']} finds cleared, "
        f"{said['lost']} answers lost, {said['escaped']} escaped; {odds}"
    )


def _cell(measure: Measure, ci: bool = False) -> str:
    if measure.value is None:
        return "-"
    if not ci or measure.ci is None:
        return f"{measure.value:.3f}"
    return f"{measure.value:.3f} [{measure.ci.low:.3f}, {measure.ci.high:.3f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
