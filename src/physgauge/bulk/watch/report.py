"""The record of where a run stands: `report.json` at its end, `physgauge status --json` at any time.

Numbers are numbers or null, never NaN. The published JSON schema is ``docs/report.schema.json``
(`physgauge schema report` prints it). Fields are only ever added, with defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from physgauge import __version__
from physgauge.bulk.watch.folder import Folder
from physgauge.bulk.watch.group import STEPS, Group, StageTimes
from physgauge.bulk.watch.hints import HINTS
from physgauge.bulk.watch.money import NO_PRICES, Costs, costs
from physgauge.bulk.watch.session import SessionState
from physgauge.bulk.watch.standing import bills, overall_rate, rate_now, run_s
from physgauge.cost_settings import CostSettings
from physgauge.errors import ERROR_CODES

FORMAT = 1
LOW = 0.6
"""The threshold of TerraVis that is counted unless another one is asked for."""
Status = Literal["done", "running", "draining", "unfinished"]


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """Verdicts and scores of a group of rows."""

    rows: int
    errors: int
    """Rows with an error code."""
    error_share: float | None
    """Of the rows; None: no row."""
    verdicts: dict[str, int]
    """PCMDE's PASS and FAIL, or the status of rows without one."""
    pass_share: float | None
    """PASS of PASS and FAIL; None: neither."""
    s_final_mean: float | None
    """Points 0..100, over the rows that have one."""
    terravis_scored: int
    """Rows with a TerraVis score."""
    terravis_mean: float | None
    """0..1, over those."""
    terravis_below: int
    """Those below the threshold (`threshold` of the report)."""
    terravis_below_share: float | None
    """Of `terravis_scored`."""


class ErrorCount(msgspec.Struct, frozen=True, kw_only=True):
    """Rows with one error code."""

    rows: int
    means: str
    hint: str | None
    """What to do about it."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe or a rule has found."""

    asked: int
    """Rows on which the probe was answered, or to which the rule applied."""
    found: int
    """Rows with a finding, or that violate the rule."""
    major: int | None = None
    """Of a probe: findings that are major."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage took."""

    images: int
    seconds: float
    """Over all of them."""
    mean_s: float | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stands."""

    format: int = FORMAT
    physgauge: str = __version__
    """Version that wrote this."""
    output: str
    """Address of the run folder."""
    status: Status
    """`done`: every row is there. `unfinished`: rows are missing and nobody works on them."""
    why: str | None = None
    """What the last session said about its end."""
    generation: int
    """Of the run's newest record: 0, plus one for each `--update` and `retry`."""
    reason: str
    """Of that record: `score`, `update` or `retry`."""
    fingerprint: dict[str, str]
    """What rows depend on, part by part."""
    started: str | None = None
    """When the first session began, UTC by its host's clock."""
    entries: int | None = None
    """Of the run's input; None: archives are in it that nobody has read yet."""
    missing: int | None = None
    """Entries without a row; None where `entries` is."""
    units: int | None = None
    units_committed: int
    rows: int
    """That are there, as the folder's listing says."""
    rows_counted: int
    """Of these in all the counts below; fewer where time was too short to count anew from rows."""
    session_rows: int = 0
    """Rows that sessions have made or copied, replaced ones too."""
    session_scored: int = 0
    """... of which a pipeline made."""
    worked_s: float
    """Seconds in which at least one session worked."""
    images_per_s: float | None = None
    """Over that time."""
    images_per_s_now: float | None = None
    """Of the sessions that live; None: none does, or too early to say."""
    left_s: float | None = None
    """At that rate; None: can't say."""
    threshold: float = LOW
    total: Scores
    errors: dict[str, ErrorCount] = {}
    quarantined: int = 0
    """Rows of images that killed their worker twice."""
    copied: int = 0
    """Rows copied from an equal image of the run."""
    warned: int = 0
    """Rows with a warning."""
    terravis: dict[str, int] = {}
    """Status of TerraVis to rows."""
    probes: dict[str, Found] = {}
    rules: dict[str, Found] = {}
    """By "domain rule"."""
    stages: dict[str, Stage] = {}
    """Of rows that were made in this run, replaced ones too."""
    by: dict[str, dict[str, Scores] | None] = {}
    """Carried column to value to the rows with it, and `pcmde.domain`; None: too many values."""
    costs: Costs = Costs()
    sessions: list[SessionState] = []
    """In the order in which they began."""
    living: list[str] = []
    """Tokens of those that work on it now."""
    damaged: list[str] = []
    """What cannot be read."""


def make_report(
    folder: Folder,
    *,
    living: Mapping[str, SessionState],
    threshold: float = LOW,
    prices: CostSettings = NO_PRICES,
) -> Report:
    """The record of a folder that was looked at.

    Args:
        folder: refreshed, and recounted where that was needed.
        living: token to state, of the sessions that work on it.
        threshold: of TerraVis, a multiple of 0.01.
        prices: for sessions that have none.
    """
    with folder.lock:
        ledger, states = folder.ledger, dict(folder.states)
        tally, rows, committed = ledger.copy(), folder.rows, len(folder.committed)
        fresh, damaged = ledger.fresh, list(folder.damaged)
        made, bill = dict(ledger.made), costs(bills(states, ledger, prices), rows)
    states |= living
    order = sorted(states.values(), key=lambda one: (one.started_unix_s, one.token))
    newest = order[-1] if order else None
    entries = None if newest is None else newest.total_entries
    units = None if newest is None else newest.total_units
    in_flight = sum(one.in_flight for one in living.values())
    now = rate_now(living.values())
    missing = None if entries is None else max(0, entries - rows)
    record = folder.run.latest
    return Report(
        output=folder.run.store.address,
        status=_status(units is not None and not folder.run.pending(range(units)), living),
        why=None if newest is None or living else newest.why,
        generation=record.generation,
        reason=record.reason,
        fingerprint=dict(record.fingerprint),
        started=order[0].started if order else None,
        entries=entries,
        missing=missing,
        units=units,
        units_committed=committed,
        rows=rows,
        rows_counted=tally.rows,
        session_rows=sum(made.values()),
        session_scored=sum(one.scored for one in order),
        worked_s=run_s(order),
        images_per_s=overall_rate(order, made, in_flight),
        images_per_s_now=now,
        left_s=None if missing is None or not now else max(0, missing - in_flight) / now,
        threshold=threshold,
        total=scores(tally.total, threshold),
        errors={code: _error(code, n) for code, n in _most(tally.errors)},
        quarantined=tally.quarantined,
        copied=tally.copied,
        warned=tally.warned,
        terravis=tally.terravis,
        probes={name: Found(asked=n[0], found=n[1], major=n[2]) for name, n in tally.probes.items()},
        rules={name: Found(asked=n[0], found=n[1]) for name, n in tally.rules.items()},
        stages={name: _stage(times) for name, times in fresh.stages.items()},
        by={
            column: None if groups is None else {v: scores(g, threshold) for v, g in groups.items()}
            for column, groups in tally.by.items()
        },
        costs=bill,
        sessions=order,
        living=sorted(living),
        damaged=damaged,
    )  # fmt: skip


def scores(group: Group, threshold: float) -> Scores:
    """The shares and means of a group."""
    passed, failed = group.verdicts.get("PASS", 0), group.verdicts.get("FAIL", 0)
    below = group.below(threshold)
    return Scores(
        rows=group.rows,
        errors=group.errors,
        error_share=share(group.errors, group.rows),
        verdicts=dict(group.verdicts),
        pass_share=share(passed, passed + failed),
        s_final_mean=share(group.final_sum, group.finals),
        terravis_scored=group.scored,
        terravis_mean=share(group.score_sum, group.scored),
        terravis_below=below,
        terravis_below_share=share(below, group.scored),
    )


def share(part: float, of: int) -> float | None:
    """None where there is nothing to be a share of."""
    return part / of if of > 0 else None


def report_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the report."""
    schema = msgspec.json.schema(Report)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "physgauge report of a bulk run",
        **schema,
    }


def check_threshold(threshold: float) -> bool:
    """Whether rows below it are counted."""
    return 0 <= threshold <= 1 and abs(threshold * STEPS - round(threshold * STEPS)) < 1e-9


def _status(done: bool, living: Mapping[str, SessionState]) -> Status:
    if living:
        draining = all(one.status == "draining" for one in living.values())
        return "draining" if draining else "running"
    return "done" if done else "unfinished"


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _error(code: str, rows: int) -> ErrorCount:
    means = ERROR_CODES.get(code, "not a code of this version")
    return ErrorCount(rows=rows, means=means, hint=HINTS.get(code))


def _stage(times: StageTimes) -> Stage:
    mean = share(times.seconds, times.images)
    return Stage(images=times.images, seconds=times.seconds, mean_s=mean)
