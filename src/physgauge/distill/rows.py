"""Stored rows as what a student is to learn: the teacher's probabilities, and the images they are about.

A row counts where its image is there and at least eligibility was answered. Answers that are missing
(unparseable, refused, skipped, declined) are unknown: nothing is learned from them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from physgauge import wire
from physgauge.clients.runs import read_run
from physgauge.errors import ConfigError
from physgauge.train.student.layout import CELLS, FAMILIES
from physgauge.train.student.records import Records, Targets


@dataclass(frozen=True)
class Taught:
    """What was found in folders of rows."""

    records: Records
    probes: tuple[str, ...]
    """In the order of the answers."""
    teachers: tuple[str, ...]
    """Engines, as rows name them."""
    probe_versions: tuple[str, ...]
    left_out: dict[str, int]
    """Rows that teach nothing, by why."""


def read_taught(folders: Sequence[str | Path], images: Path | None) -> Taught:
    """The rows of `physgauge score` runs.

    Args:
        folders: of runs.
        images: where sources that are relative paths begin; None: the working directory.

    Raises:
        ConfigError: no rows, rows of different probes, or no row that teaches anything.
    """
    kept: list[tuple[Path, wire.Row]] = []
    left_out: Counter[str] = Counter()
    for folder in folders:
        for row in read_run(folder):
            file = (images or Path()) / row.source
            reason = _useless(row, file)
            if reason:
                left_out[reason] += 1
            else:
                kept.append((file, row))
    if not kept:
        why = "; ".join(f"{n} rows: {reason}" for reason, n in left_out.most_common()) or "no rows"
        raise ConfigError(f"distill: expected rows with answers and their images, got none ({why})")
    probes = _probes(row for _, row in kept)
    return Taught(
        records=_records(kept, probes),
        probes=probes,
        teachers=tuple(sorted({row.provenance.engine or "unknown" for _, row in kept})),
        probe_versions=tuple(
            sorted({row.provenance.probe_version or "unknown" for _, row in kept})
        ),
        left_out=dict(left_out),
    )


def _useless(row: wire.Row, file: Path) -> str | None:
    eligible = row.terravis.eligible
    if row.error_code is not None:
        return f"error {row.error_code}"
    if row.terravis.abstained:
        return "the judge declined"
    if eligible is None or eligible.outcome != "answered":
        return "eligibility was not answered"
    return None if file.is_file() else "the image is not there"


def _probes(rows: Iterable[wire.Row]) -> tuple[str, ...]:
    """Rows of images that are not eligible may hold no answers."""
    sets = {tuple(row.terravis.answers) for row in rows} - {()}
    if len(sets) != 1:
        got = (
            "none"
            if not sets
            else " and ".join(", ".join(one[:3]) + " ..." for one in sorted(sets)[:2])
        )
        raise ConfigError(f"distill: expected answers to one set of probes throughout, got {got}")
    (probes,) = sets
    return probes


def _records(kept: Sequence[tuple[Path, wire.Row]], probes: Sequence[str]) -> Records:
    count, q = len(kept), len(probes)
    eligible = np.full(count, np.nan, np.float32)
    yes, major = np.full((2, count, q), np.nan, np.float32)
    family = np.full(count, -1, np.int64)
    for i, (_, row) in enumerate(kept):
        told = row.terravis.eligible
        assert told is not None
        eligible[i] = _p(told.p, told.answer)
        if told.family in FAMILIES:
            family[i] = FAMILIES.index(told.family)
        for k, probe in enumerate(probes):
            answer = row.terravis.answers.get(probe)
            if answer is not None and answer.outcome == "answered":
                yes[i, k] = _p(answer.p_yes, answer.answer)
                grave = None if answer.severity is None else answer.severity == "major"
                major[i, k] = _p(answer.p_major, grave)
    nothing = np.zeros(count, np.bool_)
    targets = Targets(
        eligible, yes, major, family, np.full(count, -1, np.int64),
        np.zeros((count, CELLS, CELLS), np.uint8), nothing,
    )  # fmt: skip
    files = tuple(file for file, _ in kept)
    return Records(files, targets, np.full(count, -1, np.int64), nothing, nothing, nothing)


def _p(p: float | None, answer: bool | None) -> float:
    """The probability; of a judge that gives none, his word."""
    if p is not None:
        return p
    return math.nan if answer is None else float(answer)
