"""Run folders with rows of a few kinds, written as bulk runs write them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from physgauge import wire
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from tests.gate.rows import PROVENANCE, answer, judged, row

PROBES = ("structural_distortion", "contact_state", "optical_effect")


def some_row(n: int, image_id: str | None = None) -> wire.Row:
    """The n-th: every third one PASSes, every fifth has a major violation, every seventh is an error."""
    name = image_id or f"images/{n:04d}.png"
    if n % 7 == 6:
        return wire.error_row(
            image_id=name, source=name, code="image_corrupt", message=f"{name}: broken",
            provenance=PROVENANCE, extra={"generator": "alpha"},
        )  # fmt: skip
    kinds: list[str | None] = [
        "major" if n % 5 == 0 else "clean",
        "clean",
        "minor" if n % 4 == 0 else "clean",
    ]
    answers = {probe: answer(kind) for probe, kind in zip(PROBES, kinds, strict=True)}
    passed = n % 3 == 0
    rules = [
        wire.RuleResult(id="P1", category="presence", status="satisfied", measured=1.0),
        wire.RuleResult(id="S1", category="spatial", status="satisfied" if passed else "violated"),
    ]
    return row(
        name, caption=f"a car, number {n}", extra={"generator": "alpha" if n % 2 else "béta \"q\", 'x'"},
        width=64, height=48, terravis=judged(**answers),
        pcmde=wire.Pcmde(status="ok", domain="car", verdict="PASS" if passed else "FAIL",
                         s_rules=100.0 if passed else 50.0, s_llm=80.0, s_final=92.0 if passed else 62.0,
                         rules=rules),
        detections=[wire.Detection(label="car.wheel", box=[1.0, 2.0, 3.0, 4.5], score=0.5)],
    )  # fmt: skip


def make_run(
    folder: str | Path, units: Sequence[Sequence[wire.Row]], parts: dict[str, str] | None = None
) -> Run:
    """A run with these units committed."""
    run = Run.create_or_open(open_store(folder), parts or {"probes": "p1"}, {})
    for number, rows in enumerate(units):
        assert run.commit(number, 0, rows)
    return run


def rows_of(units: Sequence[int], size: int = 10) -> list[list[wire.Row]]:
    return [[some_row(size * unit + k) for k in range(size)] for unit in units]
