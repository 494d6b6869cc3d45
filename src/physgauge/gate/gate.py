"""A run through a gate: what passes is delivered, what does not is counted and listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import msgspec

from physgauge.clients.runs import Run
from physgauge.gate.folder import copy_unit, link_unit, new_folder, tidy
from physgauge.gate.judged import Judged, JudgedRun, JudgedUnit
from physgauge.gate.lists import ListFile
from physgauge.gate.rule import Reason, Rule


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where to; None: not."""

    copy: str | None = None
    """New folder for copies."""
    link: str | None = None
    """New folder for hard links."""
    passed: str | None = None
    """List of what passes."""
    rejects: str | None = None
    """List of what does not."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    images: int
    """Rows, and images that have none yet."""
    passed: int
    """And delivered, if that was asked for."""
    rejected: int
    missing: int | None
    """Images without a row yet, rejected; None: nobody knows how many (archives not read yet)."""
    share: float | None
    """Passed of all images; None: there are none."""
    reasons: dict[str, int]
    """Why not, to images; one may have several."""
    let_through: dict[str, int]
    """What the rule let through, to images that passed all the same."""


def gate(run: Run, rule: Rule, to: Delivery, each: Callable[[int], object]) -> Outcome:
    """Put a run through a gate.

    Args:
        run: scored.
        rule: what passes.
        to: what becomes of it.
        each: told the number of rows that are done, unit by unit.

    Raises:
        ConfigError: a folder that is not empty, or a list that cannot be; before anything is written.
        EnvironmentProblem: rows that cannot be read, or a folder that cannot be written.
    """
    judged = JudgedRun(run, rule)
    reasons: Counter[str] = Counter()
    let_through: Counter[str] = Counter()
    passed = rejected = 0
    with ExitStack() as stack:
        lists = [None if path is None else ListFile(path) for path in (to.passed, to.rejects)]
        folder = to.copy or to.link
        store = None if folder is None else new_folder(folder)
        if store is not None:
            stack.callback(tidy, store)
        accepted, rejects = (None if one is None else stack.enter_context(one) for one in lists)

        def delivered(unit: JudgedUnit) -> Iterator[tuple[Judged, Reason | None]]:
            if store is None:
                yield from ((one, None) for one in unit.images if one.decision.passed)
            elif to.copy is not None:
                yield from copy_unit(store, unit, judged.sourcing)
            else:
                yield from link_unit(store, unit)

        for unit in judged.units():
            failed = {id(one): reason for one, reason in delivered(unit) if reason is not None}
            for one in unit.images:
                lost = failed.get(id(one))
                good = one.decision.passed and lost is None
                said = one.decision.reasons if lost is None else (lost,)
                (let_through if good else reasons).update(reason.code for reason in said)
                passed, rejected = passed + good, rejected + (not good)
                target = accepted if good else rejects
                if target is not None:
                    target.add(one, said)
            each(len(unit.images))
    missing = judged.missing
    images = passed + rejected + (missing or 0)
    if missing != 0:
        reasons["no_row"] = missing or 0
    return Outcome(
        images=images, passed=passed, rejected=images - passed, missing=missing,
        share=passed / images if images else None, reasons=dict(reasons.most_common()),
        let_through=dict(let_through.most_common()),
    )  # fmt: skip
