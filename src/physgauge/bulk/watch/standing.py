"""What several sessions of a run add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from physgauge.bulk.watch.ledger import Ledger
from physgauge.bulk.watch.money import NO_PRICES, Bill
from physgauge.bulk.watch.progress import worked_s
from physgauge.bulk.watch.session import SessionState
from physgauge.bulk.watch.tally import Spent
from physgauge.cost_settings import CostSettings

TOO_SHORT_S: Final = 0.1
"""No session that made a row was at work for less: its time is what is missing."""


def bills(
    states: Mapping[str, SessionState], ledger: Ledger, prices: CostSettings = NO_PRICES
) -> list[Bill]:
    """What each session took; units of no known session (their record is lost) make one of their own.

    Args:
        states: token to session.
        ledger: what their rows took.
        prices: for what has none.
    """
    found = [
        Bill(
            _filled(state.prices, prices),
            ledger.spent.get(token, Spent()),
            state.elapsed_s,
            state.cpu_s,
            state.gpus,
        )
        for token, state in states.items()
    ]
    lost = Spent()
    for token, spent in ledger.spent.items():
        if token not in states:
            lost = lost + spent
    if lost != Spent():
        found.append(Bill(prices, lost, 0.0, None if found else 0.0, None if found else 0.0))
    return found


def _filled(own: CostSettings, given: CostSettings) -> CostSettings:
    return CostSettings(
        per_hour=_either(own.per_hour, given.per_hour),
        per_million_tokens=_either(own.per_million_tokens, given.per_million_tokens),
        per_million_cached_tokens=_either(
            own.per_million_cached_tokens, given.per_million_cached_tokens
        ),
    )


def _either(own: float | None, given: float | None) -> float | None:
    return given if own is None else own


def run_s(states: Iterable[SessionState]) -> float:
    """Seconds in which the run was worked on."""
    return worked_s((one.started_unix_s, one.elapsed_s) for one in states)


def overall_rate(
    states: Iterable[SessionState], made: Mapping[str, int], in_flight: int
) -> float | None:
    """Images a second over the time in which the run was worked on; None: no time yet, or a session that
    died before it said how long it was at work.

    Args:
        states: all sessions.
        made: session to rows that it made and committed.
        in_flight: rows made, not committed yet, by who lives.
    """
    seconds = run_s(states)
    return (sum(made.values()) + in_flight) / seconds if seconds > TOO_SHORT_S else None


def rate_now(states: Iterable[SessionState]) -> float | None:
    """Images a second of several sessions together; None: nobody can say yet."""
    known = [one.images_per_s for one in states if one.images_per_s is not None]
    return sum(known) if known else None
