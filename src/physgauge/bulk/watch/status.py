"""What `physgauge status` does: looks at a run folder from outside, twice, and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from physgauge.bulk.watch.folder import Folder
from physgauge.bulk.watch.making import make_report
from physgauge.bulk.watch.money import NO_PRICES
from physgauge.bulk.watch.pulse import Pulse
from physgauge.bulk.watch.report import LOW, Report
from physgauge.bulk.watch.session import SessionState, decode_state, state_key
from physgauge.clients.runs import Run
from physgauge.clients.storage import Missing, Store
from physgauge.cost_settings import CostSettings

RECOUNT_S: Final = 2.0
"""Time for units that no record tells of; with `verify` there is no limit."""


class Onlooker:
    """Looks at a run from another shell or host, as often as asked.

    Args:
        store: the run folder's.
        threshold: of TerraVis, below which images are counted.
        prices: for sessions that have none.

    Raises:
        ConfigError: no run there, or one of a later version.
    """

    def __init__(
        self, store: Store, threshold: float = LOW, prices: CostSettings = NO_PRICES
    ) -> None:
        self._folder = Folder(Run.open(store))
        self._threshold, self._prices = threshold, prices
        self._pulse = Pulse()

    def look(self, verify: bool = False, each: Callable[[int, int], None] | None = None) -> Report:
        """Where the run stands now. Takes some seconds where a session has gone without a word.

        Args:
            verify: count all rows from their files, every checksum and field verified.
            each: told after each unit that is verified: how many are, of how many.

        Raises:
            EnvironmentProblem: the folder cannot be reached.
        """
        folder = self._folder
        folder.run.refresh()  # a retry may have begun
        folder.refresh()
        self._pulse.look(folder.states)
        if verify:
            folder.verify(each)
        else:
            folder.recount(folder.uncounted(), RECOUNT_S)
        report = self._report({})
        if report.status == "done":  # sessions that once died don't matter any more
            return report
        return self._report(self._pulse.settle(self._states))

    def _report(self, living: Mapping[str, SessionState]) -> Report:
        folder = self._folder
        return make_report(
            folder,
            living=living,
            threshold=self._threshold,
            prices=self._prices,
            plan=_plan(folder),
        )

    def _states(self) -> Mapping[str, SessionState]:
        """The states of those that may live, read anew."""
        folder = self._folder
        for token, state in list(folder.states.items()):
            if state.status in ("running", "draining"):
                try:
                    folder.states[token] = decode_state(folder.run.store.get(state_key(token)))
                except (Missing, msgspec.DecodeError):
                    continue
        return folder.states


def _plan(folder: Folder) -> tuple[int | None, int | None]:
    """Entries and units of the run's input; asked only where no session has said so. What was written
    at once (`rescore`, `score-boxes`) has no plan: all of it is there."""
    if folder.states:
        return None, None
    from physgauge.clients.sources import open_plan

    plan = open_plan(folder.run.store)
    if plan is not None:
        return plan.entries, plan.units
    return (folder.rows, len(folder.committed)) if folder.committed else (None, None)
