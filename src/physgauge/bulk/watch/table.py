"""The report of a run as tables: at its end, and as `physgauge status` shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from physgauge.bulk.watch import words
from physgauge.bulk.watch.report import Found, Report, Scores
from physgauge.bulk.watch.session import SessionState
from physgauge.report.printable import printable

MOST = 8
"""Errors, probes, rules and sessions that are shown."""
MOST_GROUPS = 30


def render(report: Report, by: Sequence[str] = ()) -> RenderableType:
    """The report.

    Args:
        report: to show.
        by: columns to show groups of.
    """
    parts: list[RenderableType] = [Text(_head(report), style="bold")]
    parts += [Text(one) for one in _lines(report)]
    if report.errors:
        parts.append(_errors(report))
    for title, found in (
        ("Most found by TerraVis", report.probes),
        ("Most violated", report.rules),
    ):
        parts += _found(title, found)
    for column in by:
        parts.append(_groups(report, column))
    parts += _sessions(report.sessions, report.living)
    parts += [Text(f"Damaged: {printable(one)}", style="red") for one in report.damaged[:MOST]]
    if len(report.damaged) > MOST:
        parts.append(Text(f"... and {len(report.damaged) - MOST} more", style="red"))
    return Group(*parts)


def print_report(console: Console, report: Report, by: Sequence[str] = ()) -> None:
    """Print it."""
    console.print(render(report, by))


def _head(report: Report) -> str:
    of = "" if report.entries is None else f" of {report.entries:,}"
    said = f"{report.rows:,}{of} images, {report.status}"
    if report.status != "unfinished":
        return said
    if report.missing:
        said += (
            f": {report.missing:,} are missing and nobody works on them; the same command goes on"
        )
    elif report.units_pending:
        said += f": {report.units_pending:,} units are to be made again, and nobody works on them"
    return said


def _lines(report: Report) -> list[str]:
    found = words.verdicts(report.total, report.threshold)
    pace = [f"{words.duration(report.worked_s)} of work", words.speed(report.images_per_s)]
    if report.living:
        pace.append(f"now {words.speed(report.images_per_s_now)}")
    if report.left_s is not None:
        pace.append(f"{words.duration(report.left_s)} left")
    lines = [", ".join(found), ", ".join(pace), _costs(report)]
    extra = (
        (report.quarantined, "quarantined (each killed its worker twice)"),
        (report.copied, "copied from equal images"),
        (report.warned, "with warnings"),
    )
    lines.append(", ".join(f"{number:,} {what}" for number, what in extra if number))
    if report.rows_counted < report.rows:
        lines.append(
            f"Verdicts and errors are of {report.rows_counted:,} of {report.rows:,} rows: the record of "
            "the others is lost; `physgauge status DIR --verify` counts them"
        )
    return [line for line in lines if line]


def _costs(report: Report) -> str:
    costs = report.costs
    said = words.price(costs)
    if costs.usd is not None:
        said[0] += f" ({' and '.join(costs.covers)})"
    if costs.tokens:
        said.append(f"{costs.tokens:,} tokens")
    return "Cost: " + ", ".join(said) if said else ""


def _errors(report: Report) -> Table:
    table = Table("error", "rows", "means", "what to do", title="Errors", title_justify="left")
    for code, error in list(report.errors.items())[:MOST]:
        table.add_row(code, f"{error.rows:,}", error.means, error.hint or "")
    return table


def _found(title: str, found: Mapping[str, Found]) -> list[RenderableType]:
    most = sorted(found.items(), key=lambda one: (-one[1].found, one[0]))[:MOST]
    if not most or not most[0][1].found:
        return []
    table = Table("what", "images", "of", "share", title=title, title_justify="left")
    for name, one in most:
        if one.found:
            share = words.percent(one.found / one.asked)
            table.add_row(printable(name), f"{one.found:,}", f"{one.asked:,}", share)
    return [table]


def _groups(report: Report, column: str) -> RenderableType:
    groups = report.by.get(column)
    if groups is None:
        why = "has too many or too long values" if column in report.by else "is in no row"
        return Text(f"By {printable(column)}: the column {why}")
    table = Table(
        column, "images", "errors", "PASS", "FAIL", "S_final", "TerraVis",
        f"below {report.threshold:g}", title=f"By {printable(column)}", title_justify="left",
    )  # fmt: skip
    most = sorted(groups.items(), key=lambda one: (-one[1].rows, one[0]))
    for value, group in most[:MOST_GROUPS]:
        table.add_row(printable(value) or "(empty)", *_group(group))
    if len(most) > MOST_GROUPS:
        table.caption = f"and {len(most) - MOST_GROUPS} more (--json has them)"
    rest = report.rows_counted - sum(one.rows for one in groups.values())
    if rest:
        table.add_row("(without)", f"{rest:,}")
    return table


def _group(group: Scores) -> list[str]:
    return [
        f"{group.rows:,}",
        words.percent(group.error_share),
        f"{group.verdicts.get('PASS', 0):,}",
        f"{group.verdicts.get('FAIL', 0):,}",
        "-" if group.s_final_mean is None else f"{group.s_final_mean:.1f}",
        "-" if group.terravis_mean is None else f"{group.terravis_mean:.3f}",
        words.percent(group.terravis_below_share),
    ]


def _sessions(sessions: Sequence[SessionState], living: Sequence[str]) -> list[RenderableType]:
    if len(sessions) < 2 and not living:
        return []
    table = Table(
        "session", "began", "took", "images", "now", "workers", "memory", "state",
        title="Sessions", title_justify="left",
    )  # fmt: skip
    for one in sessions[-MOST:]:
        table.add_row(printable(f"{one.host} {one.pid}"), *_session(one, one.token in living))
    return [table]


def _session(one: SessionState, lives: bool) -> list[str]:
    lost = "gone without a word" if one.status in ("running", "draining") else one.status
    return [
        one.started,
        words.duration(one.elapsed_s),
        f"{one.rows:,}",
        words.speed(one.images_per_s) if lives else "",
        str(one.workers) if lives else "",
        words.size(one.resident_bytes) if lives and one.resident_bytes else "",
        one.status if lives else lost,
    ]
