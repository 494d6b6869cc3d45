"""From a trained run to the file that ships: calibrate, learn what is unknown, write, check."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from physgauge.errors import ConfigError
from physgauge.train.student import calibrate, known
from physgauge.train.student.answering import Logits
from physgauge.train.student.export import About, Exported, quick, write
from physgauge.train.student.loop import Data, Run
from physgauge.train.student.metrics import Reliability, summary
from physgauge.types import F32, U8

MOST_USUAL = 1500
"""Training images that `known` is fitted on."""
MOST_ASIDE = 800
"""Images that its limits come from."""


@dataclass(frozen=True)
class Asked:
    """How to finish."""

    false_rejection: float
    """Share of images kept aside that `known` may reject."""
    version: str
    note: str
    probe_set: Mapping[str, Any]
    """Name and version of the probes."""


def finish(run: Run, training: Data, aside: Data, path: Path, asked: Asked) -> dict[str, Any]:
    """Write the ONNX file of a run's averaged weights; the figures that stand in it come back.

    Raises:
        ConfigError: nothing was kept aside, or the file says something else than the network.
    """
    if not len(aside.records):
        raise ConfigError("export: expected images kept aside for calibration (--aside), got none")
    ask = quick(run.mean.eval(), run.config.threads)
    raw = ask(aside.pixels)
    fitted = calibrate.fit(raw, aside.records.targets)
    stranger = known.fit(
        lambda images: _seen(ask(images), fitted),
        spread(training.pixels, MOST_USUAL),
        spread(aside.pixels, MOST_ASIDE),
        asked.false_rejection,
    )
    figures = {
        "aside": summary(fitted.answers(raw), aside.records),
        "reliability": {
            name: table_of(one) for name, one in halves(raw, aside, run.probes).items()
        },
        "known": {
            "false_rejection_asked": asked.false_rejection,
            "false_rejection": stranger.false_rejection,
            "nothing_rejected": stranger.rejected,
        },
    }
    about = About(
        asked.version, run.probes, asked.probe_set,
        {
            "images": len(training.records), "aside": len(aside.records), "steps": run.step,
            "minutes": round(run.elapsed_s / 60, 1), "note": asked.note,
        },
        figures,
    )  # fmt: skip
    exported = Exported(run.mean, fitted, stranger.module)
    apart = write(path, exported, about, np.array(aside.pixels[:6]))
    return figures | {"onnx_apart": apart, "bytes": path.stat().st_size}


def _seen(raw: Logits, fitted: calibrate.Calibration) -> tuple[F32, F32]:
    """Statistics, and P(eligible)."""
    return raw.statistics, fitted.answers(raw).eligible.astype(np.float32)


def halves(raw: Logits, aside: Data, probes: tuple[str, ...]) -> dict[str, Reliability]:
    """Reliability of maps that were fitted on one half of the images, over the other half, both ways."""
    names = np.where(
        aside.records.pair >= 0, aside.records.pair, -2 - np.arange(len(aside.records))
    )
    chosen = np.random.default_rng(1).permutation(np.unique(names))
    here = np.isin(names, chosen[: len(chosen) // 2])
    merged: dict[str, list[Reliability]] = {}
    for side in (here, ~here):
        rows, others = np.flatnonzero(side), np.flatnonzero(~side)
        part = Logits(**{f.name: getattr(raw, f.name)[rows] for f in fields(raw)})
        rest = Logits(**{f.name: getattr(raw, f.name)[others] for f in fields(raw)})
        fitted = calibrate.fit(part, aside.records.targets.of(rows))
        for name, one in calibrate.tables(
            fitted.answers(rest), aside.records.targets.of(others), probes
        ).items():
            merged.setdefault(name, []).append(one)
    return {name: _joined(*both) for name, both in merged.items()}


def _joined(a: Reliability, b: Reliability) -> Reliability:
    count = a.count + b.count
    with np.errstate(invalid="ignore", divide="ignore"):
        said, happened = (
            (np.nan_to_num(x) * a.count + np.nan_to_num(y) * b.count) / count
            for x, y in ((a.said, b.said), (a.happened, b.happened))
        )
    return Reliability(count, said, happened)


def table_of(one: Reliability) -> dict[str, Any]:
    """For a file."""

    def numbers(values: Any) -> list[float | None]:
        return [None if np.isnan(v) else round(float(v), 4) for v in values]

    return {
        "ece": round(one.ece, 4), "count": one.count.tolist(), "said": numbers(one.said),
        "happened": numbers(one.happened),
    }  # fmt: skip


def spread(pixels: U8, most: int) -> U8:
    """At most so many images, evenly from all."""
    rows = np.unique(np.linspace(0, len(pixels) - 1, min(most, len(pixels))).astype(int))
    return np.array(pixels[rows])
