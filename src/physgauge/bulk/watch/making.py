"""From a folder that was looked at to its report."""

from __future__ import annotations

from collections.abc import Mapping

from physgauge.bulk.watch.folder import Folder
from physgauge.bulk.watch.group import Group, StageTimes
from physgauge.bulk.watch.hints import HINTS
from physgauge.bulk.watch.money import NO_PRICES, costs
from physgauge.bulk.watch.report import LOW, ErrorCount, Found, Report, Scores, Stage, Status
from physgauge.bulk.watch.session import SessionState
from physgauge.bulk.watch.standing import bills, overall_rate, rate_now, run_s
from physgauge.cost_settings import CostSettings
from physgauge.errors import ERROR_CODES


def make_report(
    folder: Folder,
    *,
    living: Mapping[str, SessionState],
    threshold: float = LOW,
    prices: CostSettings = NO_PRICES,
    plan: tuple[int | None, int | None] = (None, None),
) -> Report:
    """The record of a folder that was looked at.

    Args:
        folder: refreshed, and recounted where that was needed.
        living: token to state, of the sessions that work on it.
        threshold: of TerraVis, a multiple of 0.01.
        prices: for sessions that have none.
        plan: entries and units of the run, where no session has said so.
    """
    with folder.lock:
        ledger, states = folder.ledger, dict(folder.states)
        tally, rows, committed = ledger.copy(), folder.rows, len(folder.committed)
        fresh, damaged = ledger.fresh, list(folder.damaged)
        made, bill = dict(ledger.made), costs(bills(states, ledger, prices), rows)
    states |= living
    order = sorted(states.values(), key=lambda one: (one.started_unix_s, one.token))
    newest = order[-1] if order else None
    entries, units = plan if newest is None else (newest.total_entries, newest.total_units)
    in_flight = sum(one.in_flight for one in living.values())
    now = rate_now(living.values())
    record = folder.run.latest
    pending = None if units is None else folder.pending(units)
    if pending == 0:  # every archive has been read; an update may have dropped rows of what is gone
        entries = rows
    missing = None if entries is None else max(0, entries - rows)
    return Report(
        output=folder.run.store.address,
        status=_status(pending == 0, living),
        why=None if newest is None or living else newest.why,
        generation=record.generation,
        reason=record.reason,
        fingerprint=dict(record.fingerprint),
        started=order[0].started if order else None,
        entries=entries,
        missing=missing,
        units=units,
        units_committed=committed,
        units_pending=pending,
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
