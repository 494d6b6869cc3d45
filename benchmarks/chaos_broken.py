"""A committer that does it wrong: writes a unit's rows, and marks it done afterwards. Loaded at the start
of the processes of a round, it shows that the check of the rounds can fail."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from typing import Any

from physgauge import wire
from physgauge.clients.runs import commit, listing, run, session
from physgauge.clients.runs.listing import Committed
from physgauge.clients.runs.names import COUNTS, count_key, count_of, rows_key
from physgauge.clients.storage import Store

BETWEEN_S = 0.25
"""From the rows to the mark."""


def install() -> None:
    """From now on this process commits so."""
    setattr(commit, "commit", _commit)  # noqa: B010
    # A session takes a unit whose rows are there for a committed one; here its mark is asked.
    setattr(session, "rows_key", lambda unit, generation: f"{COUNTS}none-{unit}-{generation}")  # noqa: B010
    for module in (listing, run):
        setattr(module, "list_committed", _marked)  # noqa: B010


def _commit(to: Any, place: commit.Place, rows: Iterable[wire.Row] | Any, owner: str) -> bool:
    store: Store = to.store
    if place.unit in _marked(store):
        return False
    data, entries = commit._write(to, place, rows, owner)
    key = place.key
    if store.stat(key) is not None:
        key = key.replace(".parquet", f".{secrets.token_hex(4)}.parquet")
    store.create(key, data)
    time.sleep(BETWEEN_S)
    return store.create(count_key(place.unit, place.generation, entries), b"")


def _marked(store: Store) -> dict[int, Committed]:
    found = [count_of(one.key) for one in store.list(COUNTS)]
    return {
        one[0]: Committed(one[0], one[1], rows_key(one[0], one[1]), one[2], 0)
        for one in found
        if one is not None
    }
