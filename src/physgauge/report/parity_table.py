"""A comparison of two judges, for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from physgauge.evaluate.agreement import Agreement
from physgauge.evaluate.bootstrap import Interval
from physgauge.evaluate.result import Parity, Side
from physgauge.report.printable import printable

FLIPS = 20
"""Flips printed; the JSON has all."""


def print_parity(console: Console, parity: Parity) -> None:
    """Who is compared, agreement by category, scores, flips."""
    for letter, side in (("A", parity.a), ("B", parity.b)):
        console.print(Text(printable(f"{letter}: {_who(side)}")))
    console.print(
        f"{parity.images} images on both sides"
        + (f", {len(parity.other_pixels)} left out: other pixels" if parity.other_pixels else "")
        + f"; intervals: 95 %, {parity.resamples} resamples of the images"
    )
    console.print(_agreements(parity))
    if parity.scores:
        console.print(_scores(parity))
    if parity.flips:
        console.print(_flips(parity))
    missing = parity.a.unanswered + parity.b.unanswered
    if missing:
        console.print(
            f"not answered: {parity.a.unanswered} by A, {parity.b.unanswered} by B; such pairs are "
            "left out"
        )


def _who(side: Side) -> str:
    about = ", ".join(x for x in (side.engine, side.mode, side.probes) if x)
    alone = f", {len(side.only_here)} of them only here" if side.only_here else ""
    return f"{side.name} ({about or 'no judge'}), {side.rows} rows{alone}"


def _agreements(parity: Parity) -> Table:
    table = Table(title="Answers")
    for name in ("category", "pairs", "yes A", "yes B", "both", "agree", "kappa"):
        table.add_column(name, justify="left" if name == "category" else "right")
    rows = {**parity.categories, "all probes": parity.all, "severity (major)": parity.severity}
    for name, one in rows.items():
        if name in parity.categories or one.pairs:
            table.add_row(printable(name), *_cells(one))
    return table


def _cells(one: Agreement) -> tuple[str, ...]:
    return (
        str(one.pairs), str(one.yes_a), str(one.yes_b), str(one.both_yes),
        _number(one.agree, one.agree_ci), _number(one.kappa, one.kappa_ci),
    )  # fmt: skip


def _scores(parity: Parity) -> Table:
    table = Table(title="Scores")
    for name in ("score", "pairs", "Spearman", "Kendall tau-b", "B less A"):
        table.add_column(name, justify="left" if name == "score" else "right")
    for name, one in parity.scores.items():
        table.add_row(
            name,
            str(one.pairs),
            _number(one.spearman, one.spearman_ci),
            _number(one.kendall, one.kendall_ci),
            _number(one.mean_difference, one.mean_difference_ci),
        )
    return table


def _flips(parity: Parity) -> Table:
    shown = f", the surest {FLIPS}" if len(parity.flips) > FLIPS else ""
    table = Table(title=f"{len(parity.flips)} answers differ{shown}")
    for name in ("image", "category", "A", "B"):
        table.add_column(name, overflow="fold")
    for flip in parity.flips[:FLIPS]:
        table.add_row(
            Text(printable(flip.image_id)), printable(flip.category),
            _said(flip.a, flip.p_a), _said(flip.b, flip.p_b),
        )  # fmt: skip
    return table


def _said(answer: bool, p: float | None) -> str:
    return ("yes" if answer else "no") + ("" if p is None else f" (p {p:.3f})")


def _number(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.3f}" + (
        "" if interval is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    )
