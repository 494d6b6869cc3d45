"""Two runs, category by category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from physgauge.clients.runs.arrays import Matched, equal_share
from physgauge.clients.runs.files import RowFiles
from physgauge.clients.runs.record import Difference, differences
from physgauge.errors import ConfigError
from physgauge.evaluate.diff import load, shares
from physgauge.evaluate.diff.adjust import Tests, adjust
from physgauge.evaluate.diff.load import Run
from physgauge.evaluate.diff.movers import movers
from physgauge.evaluate.diff.numbers import compare
from physgauge.evaluate.diff.result import Diff, Side
from physgauge.evaluate.diff.selection import Selection
from physgauge.evaluate.multiple import Correction
from physgauge.types import I64

Pairing = Literal["auto", "ids", "none"]
ENOUGH: Final = 0.5
"""Share of the smaller run's rows that have to have a partner for `auto` to compare pairs."""
MOST_GROUPS: Final = 50


@dataclass(frozen=True, slots=True)
class How:
    """How runs are compared."""

    by: str | None = None
    """A carried column, or ``pcmde.domain``."""
    pairing: Pairing = "auto"
    correction: Correction = "holm"
    level: float = 0.05
    """Adjusted p values below it count."""
    margin: float = 0.0
    """Smaller changes do not count: of shares and of scores, as a part of their range."""
    movers: int = 20


def diff(a: RowFiles, b: RowFiles, how: How) -> Diff:
    """Compare B with A.

    Raises:
        ConfigError: pairs are asked for, and no ids match; no row has the column of `by`.
        EnvironmentProblem: a file that cannot be read.
    """
    runs = load.load(a, how.by), load.load(b, how.by)
    if how.by is not None:
        for files, run in zip((a, b), runs, strict=True):
            _check_groups(how.by, files, run)
    matched = Matched(runs[0].ids, runs[1].ids)
    count = len(matched.a)
    paired = _paired(how.pairing, count, min(run.rows for run in runs))
    pairs = (matched.a, matched.b) if paired else None
    groups, left_out = _groups(*runs, pairs)
    whole = Selection(None, None, pairs, aligned=paired and matched.same_order)
    found = [_tests(*runs, rows) for rows in (whole, *groups.values())]
    tables = adjust(found, how.correction, how.level, how.margin)
    return Diff(
        a=_side(a.address, runs[0], matched.repeated[0], count),
        b=_side(b.address, runs[1], matched.repeated[1], count),
        made_otherwise=_made_otherwise(a, b),
        paired=paired,
        matched=count,
        same_pixels=equal_share(runs[0].pixels, runs[1].pixels, matched),
        correction=how.correction,
        level=how.level,
        margin=how.margin,
        tables=tables[0],
        by=how.by,
        groups=dict(zip(groups, tables[1:], strict=True)),
        groups_left_out=left_out,
        status_moves=_status_moves(*runs, matched),
        movers=movers(*runs, matched, how.movers),
    )


def _paired(pairing: Pairing, matched: int, smaller: int) -> bool:
    if pairing == "ids" and not matched:
        raise ConfigError("--pairing ids: expected ids that both runs have, got none")
    enough = matched > 0 and matched >= ENOUGH * smaller
    return pairing == "ids" or (pairing == "auto" and enough)


def _made_otherwise(a: RowFiles, b: RowFiles) -> list[Difference] | None:
    if not a.records or not b.records:
        return None
    return differences(a.records[-1].fingerprint, b.records[-1].fingerprint)


def _check_groups(by: str, files: RowFiles, run: Run) -> None:
    if run.rows and not run.groups and by != load.DOMAIN:
        raise ConfigError(
            f"--by {by}: expected a carried column, got none of that name in {files.address}"
        )


def _side(name: str, run: Run, repeated: int, matched: int) -> Side:
    return Side(
        name=name, rows=run.rows, repeated=repeated, unmatched=run.rows - matched,
        errors=dict(sorted(run.errors.items(), key=lambda item: -item[1])),
    )  # fmt: skip


def _groups(a: Run, b: Run, pairs: tuple[I64, I64] | None) -> tuple[dict[str, Selection], int]:
    """The largest groups that both runs have, and how many are left out."""
    if a.group is None or b.group is None:
        return {}, 0
    numbers_b = {name: k for k, name in enumerate(b.groups)}
    size_a = np.bincount(a.group + 1, minlength=len(a.groups) + 1)[1:]
    size_b = np.bincount(b.group + 1, minlength=len(b.groups) + 1)[1:]
    least = {
        name: min(int(size_a[k]), int(size_b[numbers_b[name]]))
        for k, name in enumerate(a.groups)
        if name in numbers_b
    }
    largest = sorted(least, key=lambda name: (-least[name], name))[:MOST_GROUPS]
    mine: I64 | None = None
    if pairs is not None:
        # Groups of B by A's numbers; a pair whose sides are in different groups is in none.
        to_a = np.array([a.groups.index(n) if n in least else -2 for n in b.groups] + [-2])
        group = a.group[pairs[0]]
        mine = np.where(to_a[b.group[pairs[1]]] == group, group, -1)
    found = {}
    for name in largest:
        k = a.groups.index(name)
        rows = np.flatnonzero(a.group == k), np.flatnonzero(b.group == numbers_b[name])
        inside = None
        if pairs is not None and mine is not None:
            both = mine == k
            inside = pairs[0][both], pairs[1][both]
        found[name] = Selection(*rows, inside)
    return found, len(set(a.groups) | set(b.groups)) - len(largest)


def _tests(a: Run, b: Run, rows: Selection) -> Tests:
    """All comparisons over some rows."""

    def count(name: str) -> shares.Counts:
        sides = [
            run.codes[name] if name in run.codes else np.zeros(run.rows, np.uint8) for run in (a, b)
        ]
        return shares.count(*rows.of(sides[0], sides[1]))

    probes = {name: count(name) for name in dict.fromkeys([*a.probes, *b.probes])}
    found = (load.YES, load.MINOR, load.MAJOR)
    test = shares.compare
    return Tests(
        probes=[test(n, c, [load.NO], found, True) for n, c in probes.items()],
        major=[test(n, c, [load.NO, load.MINOR], [load.MAJOR], True) for n, c in probes.items()],
        rules=[
            test(name, count(name), [load.SATISFIED], [load.VIOLATED], True)
            for name in sorted({*a.rules, *b.rules})
        ],
        outcomes=[
            test("pcmde PASS", count(load.VERDICT), [load.FAIL], [load.PASS], False),
            test("eligible", count(load.ELIGIBLE), [load.NO], [load.YES], None),
            *(one for name in load.STATUS_OF for one in _statuses(name, count(name))),
        ],
        scores=[compare(name, *rows.of(a.scores[name], b.scores[name])) for name in load.SCORES],
    )


def _statuses(name: str, counts: shares.Counts) -> Iterator[shares.Tested]:
    codes = range(1, len(load.STATUSES) + 1)
    for code, status in zip(codes, load.STATUSES, strict=True):
        if status != "ok" and counts.a[code] + counts.b[code]:
            bad = True if status in ("error", "partial") else None
            others = [other for other in codes if other != code]
            method = name.partition(".")[0]
            yield shares.compare(f"{method} {status}", counts, others, [code], bad)


def _status_moves(a: Run, b: Run, matched: Matched) -> dict[str, dict[str, dict[str, int]]]:
    moves: dict[str, dict[str, dict[str, int]]] = {}
    for name in load.STATUS_OF:
        joint = shares.joint(a.codes[name][matched.a], b.codes[name][matched.b])
        moves[name] = {
            one: there
            for i, one in enumerate(load.STATUSES, 1)
            if (
                there := {
                    other: int(joint[i, j])
                    for j, other in enumerate(load.STATUSES, 1)
                    if joint[i, j]
                }
            )
        }
    return moves
