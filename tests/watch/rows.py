"""Rows, units and runs to watch."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from pathlib import Path

from physgauge import wire
from physgauge.bulk.watch.events import UnitDone
from physgauge.bulk.watch.tally import Tally
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store

MADE_BY = wire.Provenance(physgauge="0", profile="tiny")
GENERATORS = ("alpha", "beta", "gamma")


def row(
    number: int,
    *,
    score: float | None = 1.0,
    verdict: wire.Verdict | None = "PASS",
    code: str | None = None,
    extra: dict[str, str] | None = None,
    cost: wire.Cost | None = None,
    domain: str = "car",
) -> wire.Row:
    """One row; an error row where there is a code."""
    name, extra = f"image-{number:06d}", extra or {}
    if code is not None:
        return wire.error_row(
            image_id=name,
            source=name,
            code=code,
            message="expected, got",
            provenance=MADE_BY,
            extra=extra,
        )
    finding = wire.Answer(answer=score != 1.0, outcome="answered", severity="major")
    return wire.Row(
        image_id=name,
        source=name,
        extra=extra,
        terravis=wire.TerraVis(
            status="ok" if score is not None else "partial",
            score=score,
            answers={"texture": finding},
        ),
        pcmde=wire.Pcmde(
            status="ok",
            verdict=verdict,
            domain=domain,
            s_final=80.0 if verdict == "PASS" else 30.0,
            rules=[
                wire.RuleResult(
                    id="P1",
                    category="presence",
                    status="satisfied" if verdict == "PASS" else "violated",
                )
            ],
        ),
        provenance=MADE_BY,
        cost=cost or wire.Cost(),
    )


def mixed(number: int) -> wire.Row:
    """A row of a mixed run: two in a hundred are errors, the generators differ."""
    draw = random.Random(number)
    generator = GENERATORS[number % 3]
    extra = {"generator": generator, "prompt": f"a car, number {number}"}
    if draw.random() < 0.02:
        return row(number, code=draw.choice(["image_truncated", "decode_timeout"]), extra=extra)
    good = draw.random() < {"alpha": 0.9, "beta": 0.6, "gamma": 0.3}[generator]
    cost = wire.Cost(calls=1, tokens=200, cached_tokens=50, ms={"decode": 3.0, "detect": 40.0})
    return row(
        number,
        score=draw.choice([0.6, 1.0]) if good else 0.36787944117144233,
        verdict="PASS" if good else "FAIL",
        extra=extra,
        cost=cost,
    )


def tally_of(rows: Iterable[wire.Row]) -> Tally:
    """Counts over rows."""
    tally = Tally()
    for one in rows:
        tally.add(one)
    return tally


def new_run(folder: Path) -> Run:
    """A run without rows."""
    return Run.create_or_open(open_store(folder), {"model parts": "00ff"}, {"paths": ["images"]})


def commit(
    run: Run, unit: int, rows: list[wire.Row], generation: int = 0, kept: int = 0
) -> UnitDone:
    """Commit a unit, and say so as a worker does; the first `kept` rows are kept ones."""
    start = time.monotonic()
    assert run.commit(unit, generation, rows)
    return UnitDone(
        unit=unit,
        generation=generation,
        worker="0",
        entries=len(rows),
        scored=len(rows) - kept,
        kept=kept,
        seconds=time.monotonic() - start,
        tally=tally_of(rows),
        fresh=tally_of(rows[kept:]) if kept else None,
    )
