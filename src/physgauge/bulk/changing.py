"""Generations of a run: what `--update` and `retry` begin, and what an unchanged command is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from physgauge.bulk.generations import EVERY, Asked, Generations, asked_of
from physgauge.bulk.work import Retry
from physgauge.clients.runs import Run
from physgauge.clients.sources import Changes, Plan, Sourcing, changes, update_plan, without
from physgauge.errors import ConfigError

Gone = dict[int, list[int]]
OTHERS: Final = "as another session has found at the same time"
_COLUMNS: Final = ("error_code", "terravis.status", "pcmde.status")


def check_unchanged(run: Run, plan: Plan, inputs: Sequence[str], sourcing: Sourcing) -> None:
    """See that the inputs are those that the plan was made from.

    Raises:
        ConfigError: they are not; says in what, and what to do.
    """
    before = Generations(run.records).all_gone()
    known = {unit: [0] if at == [EVERY] else at for unit, at in before.items()}
    found = changes(plan, inputs, sourcing, known)
    gone, back = _gone(plan, found, before)
    if not (found.added or found.replaced or back or gone != before):
        return
    told = "".join(f"\n  {one}" for one in found.examples)
    raise ConfigError(
        f"{run.store.address}: the inputs are not what they were when this run began: "
        f"{in_words(found, without(gone, before), back)}{told}\n"
        "Score what changed with --update, or give another -o"
    )


def in_words(found: Changes, gone: Gone, back: int) -> str:
    """How many of what; `gone`: since the last time."""
    said = {
        "added": found.added,
        "changed": sum(map(len, found.replaced.values())),
        "gone": sum(map(len, gone.values())),
        "there again": back,
    }
    return ", ".join(f"{number:,} {what}" for what, number in said.items() if number)


def begin_update(
    run: Run,
    plan: Plan,
    inputs: Sequence[str],
    sourcing: Sourcing,
    parts: Mapping[str, str],
    options: Mapping[str, Any],
) -> tuple[Run, Plan, str]:
    """Begin the generation that `--update` asks for, if anything has changed.

    Returns:
        The run and its plan as they are now, and what has changed, in words ("": nothing).
    """
    found, different = changes(plan, inputs, sourcing), run.differences(parts)
    before = Generations(run.records).all_gone()
    gone, back = _gone(plan, found, before)
    archives = {unit for unit, count in enumerate(plan.counts()) if count is None}
    again = {unit: [] if unit in archives else at for unit, at in found.replaced.items()}
    touched = {u for u in {*gone, *before} if gone.get(u) != before.get(u)} | set(again)
    if different or touched:
        asked = Asked(
            everything=bool(different),
            again={str(unit): places for unit, places in again.items()},
            gone={str(unit): places for unit, places in gone.items()},
        )
        units = None if different else sorted(touched)
        # The record goes first: a run that stops between the two has too much to do, not too little.
        run = run.revise("update", parts, {**options, "asked": msgspec.to_builtins(asked)}, units)
    if found.added or found.replaced:
        seals = len(plan.seals)
        plan = update_plan(run.store, plan, found)
        if (
            plan.seals[seals].token != found.token
        ):  # somebody else's: it may have seen other changes
            run, plan, more = begin_update(run, plan, inputs, sourcing, parts, options)
            return run, plan, more or OTHERS
    words = [in_words(found, without(gone, before), back)] if found.added or touched else []
    words += [f"{one.part}: {one.was} -> {one.now}" for one in different[:3]]
    words += [f"{len(different) - 3} more settings"] if len(different) > 3 else []
    return run, plan, "; ".join(words)


def _gone(plan: Plan, found: Changes, before: Gone) -> tuple[Gone, int]:
    """All that is gone now, and how many entries are back that were."""
    counts = plan.counts()
    gone = {u: [EVERY] if counts[u] is None else sorted(at) for u, at in found.gone.items()}
    back = sum(len(set(at) - set(gone.get(unit, ()))) for unit, at in before.items())
    return gone, back


def begin_retry(run: Run, retry: Retry, parts: Mapping[str, str]) -> tuple[Run, int]:
    """Begin the generation that makes such rows again, if there are any.

    Returns:
        The run as it is now, and how many rows are meant.

    Raises:
        ConfigError: the models or settings are others now.
    """
    if different := run.differences(parts):
        told = "; ".join(f"{one.part}: {one.was} -> {one.now}" for one in different[:5])
        raise ConfigError(
            f"{run.store.address}: expected what the run was made with, got {told}: "
            "`physgauge score ... --update` scores all of it again"
        )
    number, units = 0, []
    for committed, table in run.parts(_COLUMNS):  # one listing: others may be committing meanwhile
        codes, *statuses = (table.column(name).to_pylist() for name in _COLUMNS)
        hits = sum(
            bool(set(both) & set(retry.statuses)) and (not retry.codes or code in retry.codes)
            for code, *both in zip(codes, *statuses, strict=True)
        )
        if hits:
            number += hits
            units.append(committed.unit)
    latest = run.latest
    already = latest.reason == "retry" and asked_of(latest).retry == retry
    unfinished = already and bool(run.pending(latest.units or ()))
    if units and not unfinished:
        asked = msgspec.to_builtins(Asked(retry=retry))
        run = run.revise("retry", parts, {**latest.options, "asked": asked}, units)
    return run, number
