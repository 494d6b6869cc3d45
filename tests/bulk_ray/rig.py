"""A run in a folder, with its coordinator, for any engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from physgauge import wire
from physgauge.bulk.coordinator import Coordinator, Heard
from physgauge.bulk.crashes import Crashes
from physgauge.bulk.work import Engine, Setup
from physgauge.clients.runs import Run, read_run
from physgauge.clients.sources import Sourcing, make_plan
from physgauge.clients.storage import open_store
from physgauge.config import load_profile

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"
PROFILE = "tiny"


def parts(profile: str = PROFILE) -> dict[str, str]:
    """The fingerprint of a profile."""
    from physgauge.bulk.fingerprint import fingerprint

    return fingerprint(load_profile(profile), domain="auto", packs=(), method="both")


def score(
    engine: Engine,
    inputs: Sequence[str],
    output: Path,
    unit_size: int = 4,
    captions: Path | None = None,
    hear: Callable[[Heard], None] = lambda event: None,
    begun: Callable[[Coordinator], None] = lambda coordinator: None,
    **setup: Any,
) -> list[Heard]:
    """One session; what was heard."""
    store = open_store(output)
    sourcing = Sourcing(unit_size=unit_size, captions=None if captions is None else str(captions))
    run = Run.create_or_open(store, engine.fingerprint(), {})
    plan = make_plan(inputs, store, sourcing)
    heard: list[Heard] = []

    def listen(event: Heard) -> None:
        heard.append(event)
        hear(event)

    with run.session() as session:
        given = Setup(
            output=str(output),
            session=session.token,
            sourcing=sourcing,
            profile=PROFILE,
            workers=0,
            threads=1,
            **setup,
        )
        coordinator = Coordinator(run, plan, session, given, Crashes(store, session.token), listen)
        begun(coordinator)
        try:
            engine.run(coordinator)
        finally:
            coordinator.leave()
            session.sweep()
    return heard


def rows(output: Path) -> list[wire.Row]:
    """All rows, without what differs between equal runs."""
    return [msgspec.structs.replace(row, cost=wire.Cost()) for row in read_run(output)]


def ids(found: Sequence[wire.Row]) -> list[str]:
    return [row.image_id for row in found]
