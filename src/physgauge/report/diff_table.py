"""A comparison of two runs, for people: what differs first, then how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from physgauge.evaluate.bootstrap import Interval
from physgauge.evaluate.diff.result import Compared, Diff, Mover, ScoreCompared, Share, Side, Tables
from physgauge.report.printable import printable

RULES_SHOWN: Final = 20
"""Rules printed without a finding; the JSON has all."""
_TITLES: Final = {
    "probes": "Violations found",
    "major": "Major violations",
    "rules": "Rules violated",
    "outcomes": "Verdicts and statuses",
}
_STYLES: Final = {"worse": "red", "better": "green", "other": "yellow", "none": ""}
_CORRECTIONS: Final = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}


def print_diff(console: Console, found: Diff) -> None:
    """Everything but the quantiles' intervals, which the JSON has."""
    if found.made_otherwise is None:
        console.print(
            "Whether both were made with the same models is not known: a file does not say."
        )
    for part in found.made_otherwise or ():
        said = f"made otherwise: {part.part}: {part.was or 'nothing'} in A, {part.now or 'nothing'} in B"
        console.print(Text(printable(said), style="bold"))
    for letter, side in (("A", found.a), ("B", found.b)):
        console.print(Text(printable(f"{letter}: {_who(side)}")))
    console.print(Text(_how(found)))
    _print_tables(console, found.tables, "")
    for name, tables in found.groups.items():
        _print_tables(console, tables, f"{found.by} = {name}: ")
    if found.groups_left_out:
        console.print(
            f"{found.groups_left_out} groups are left out: smaller ones, or in one run only"
        )
    _print_moves(console, found)
    if found.movers:
        console.print(_movers(found.movers))


def _who(side: Side) -> str:
    said = f"{side.name}, {side.rows:,} rows"
    if side.unmatched:
        said += f", {side.unmatched:,} of them only here"
    if side.repeated:
        said += f", {side.repeated:,} with an id that came before (matched in order)"
    if side.errors:
        some = ", ".join(f"{code} {n:,}" for code, n in list(side.errors.items())[:5])
        said += f"; errors: {some}"
    return said


def _how(found: Diff) -> str:
    said = f"{found.matched:,} rows of each match by id"
    if found.same_pixels is not None:
        said += f", {found.same_pixels:.1%} of them with the same pixels"
    said += "; compared in pairs" if found.paired else "; compared as independent samples"
    said += f". A change counts from p < {found.level:g}, after {_CORRECTIONS[found.correction]}"
    said += " over its table"
    if found.margin:
        said += f", and from {found.margin:g} of the range"
    return said + ". Intervals: 95 %, each by itself."


def _print_tables(console: Console, tables: Tables, where: str) -> None:
    for name, title in _TITLES.items():
        lines: Sequence[Compared] = getattr(tables, name)
        lines = [one for one in lines if one.a.n or one.b.n]
        if name == "rules":
            lines = sorted(
                lines, key=lambda one: (one.change == "none", -abs(one.difference or 0.0))
            )
            changed = sum(one.change != "none" for one in lines)
            lines = lines[: max(RULES_SHOWN, changed)]
        if lines:
            console.print(_shares(f"{where}{title}", lines))
    if any(one.a.n or one.b.n for one in tables.scores):
        console.print(_scores(f"{where}Scores", tables.scores))


def _shares(title: str, lines: Sequence[Compared]) -> Table:
    table = _table(title, "A", "B", "of", "B less A", "p adj.", "change")
    for one in lines:
        table.add_row(
            Text(printable(one.name)), _share(one.a), _share(one.b), _of(one),
            _difference(one.difference, one.ci, 100.0, " pp"), _p(one.p_adjusted), _change(one),
        )  # fmt: skip
    return table


def _scores(title: str, lines: Sequence[ScoreCompared]) -> Table:
    table = _table(
        title, "mean A", "mean B", "median A", "median B", "of", "B less A", "p adj.", "change"
    )
    for one in lines:
        if one.a.n or one.b.n:
            sides = [_number(value) for value in (one.a.mean, one.b.mean)]
            medians = [_number(side.quantiles.get("0.5")) for side in (one.a, one.b)]
            table.add_row(
                one.name, *sides, *medians, _of(one),
                _difference(one.difference, one.ci, 1.0, ""), _p(one.p_adjusted), _change(one),
            )  # fmt: skip
    return table


def _table(title: str, *heads: str) -> Table:
    table = Table(title=Text(printable(title)))
    table.add_column("", no_wrap=True)
    for head in heads:
        table.add_column(head, justify="left" if head == "change" else "right")
    return table


def _of(one: Compared | ScoreCompared) -> str:
    """How many rows the difference is over."""
    return f"{one.a.n:,} / {one.b.n:,}" if one.pairs is None else f"{one.pairs:,} pairs"


def _print_moves(console: Console, found: Diff) -> None:
    for name, moves in found.status_moves.items():
        said = [
            f"{count:,} from {was} to {now}"
            for was, after in moves.items()
            for now, count in after.items()
            if was != now
        ]
        if said:
            console.print(f"{name}: {', '.join(said)}")


def _movers(movers: Sequence[Mover]) -> Table:
    table = Table(title="Largest changes")
    for head in ("image", "score", "A", "B", "verdict", "found in B only", "found in A only"):
        table.add_column(head, overflow="fold")
    for one in movers:
        verdict = one.verdict_b or "none"
        if one.verdict_a != one.verdict_b:
            verdict = f"{one.verdict_a or 'none'} > {verdict}"
        names = [Text(printable(", ".join(some))) for some in (one.appeared, one.gone)]
        table.add_row(
            Text(printable(one.image_id)),
            one.score,
            _number(one.a),
            _number(one.b),
            verdict,
            *names,
        )
    return table


def _share(one: Share) -> str:
    return "none" if one.share is None else f"{one.share:.2%}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _difference(value: float | None, ci: Interval | None, scale: float, unit: str) -> str:
    if value is None:
        return "none"
    said = f"{value * scale:+.3g}{unit}"
    return said if ci is None else f"{said} [{ci.low * scale:+.3g}, {ci.high * scale:+.3g}]"


def _p(value: float | None) -> str:
    return "" if value is None else "<1e-9" if value < 1e-9 else f"{value:.2g}"


def _change(one: Compared | ScoreCompared) -> Text:
    return Text("" if one.change == "none" else one.change, style=_STYLES[one.change])
