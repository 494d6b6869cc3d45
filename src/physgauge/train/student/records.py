"""Pair sets (docs/pairs.md) as arrays: what each image's answers are, and which images are twins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from physgauge.errors import ConfigError
from physgauge.train.student.layout import CELLS, FAMILIES
from physgauge.types import F32, U8, Bools

COLUMNS = (
    "file", "pair", "twin", "category", "pair_category", "severity", "eligible", "family", "mask",
    "novel_base", "novel_recipe", "split",
)  # fmt: skip


@dataclass(frozen=True)
class Targets:
    """What N images are; Q probes. NaN or -1: nobody knows, nothing is learned."""

    eligible: F32
    """[N] 0..1."""
    yes: F32
    """[N, Q] 0..1."""
    major: F32
    """[N, Q] 0..1; known only where there is something to grade."""
    family: NDArray[np.int64]
    """[N] index into FAMILIES."""
    about: NDArray[np.int64]
    """[N] the category that the image or its twin violates; -1: none."""
    where: U8
    """[N, 16, 16] share of each cell that the violation covers, times 255: zeros where there is none."""
    placed: Bools
    """[N] whether `where` is known."""

    def __len__(self) -> int:
        return len(self.eligible)

    def of(self, rows: NDArray[np.int64]) -> Self:
        """Of some images, in that order."""
        return type(self)(*(getattr(self, f.name)[rows] for f in fields(self)))


@dataclass(frozen=True)
class Records:
    """N images and what they are."""

    files: tuple[Path, ...]
    targets: Targets
    pair: NDArray[np.int64]
    """[N] the same number for twins, unique over all folders; -1: no twin."""
    novel_base: Bools
    novel_recipe: Bools
    held_out: Bools

    def __len__(self) -> int:
        return len(self.files)

    def of(self, rows: NDArray[np.int64]) -> Records:
        """Some images, in that order."""
        return Records(
            tuple(self.files[i] for i in rows), self.targets.of(rows), self.pair[rows],
            self.novel_base[rows], self.novel_recipe[rows], self.held_out[rows],
        )  # fmt: skip

    def first(self, count: int) -> Records:
        """The first images, whole pairs only; all for 0."""
        if not count or count >= len(self):
            return self
        rows = np.arange(count)
        whole = {int(p) for p in self.pair[count:]} - {-1}
        return self.of(rows[~np.isin(self.pair[:count], list(whole))])

    def parted(self, share: float, seed: int) -> tuple[Records, Records]:
        """Two parts, the second with about `share` of the images; twins stay together."""
        names = np.where(self.pair >= 0, self.pair, -2 - np.arange(len(self)))
        units = np.unique(names)
        chosen = np.random.default_rng(seed).permutation(units)[: round(share * len(units))]
        aside = np.isin(names, chosen)
        return self.of(np.flatnonzero(~aside)), self.of(np.flatnonzero(aside))


def read_pairs(folders: Sequence[Path], probes: Sequence[str]) -> Records:
    """All images of several pair sets, in order.

    Args:
        folders: each with ``images/`` and ``truth.parquet``.
        probes: ids of the categories, in the order of Q.

    Raises:
        ConfigError: no truth table, a column is missing, or a category or family that we do not know.
    """
    rows: list[tuple[Path, int, dict[str, Any]]] = []
    for number, folder in enumerate(folders):
        rows += [(folder, number, row) for row in _table(folder)]
    if not rows:
        raise ConfigError(f"expected images in {', '.join(map(str, folders))}, got none")
    return Records(
        files=tuple(folder / row["file"] for folder, _, row in rows),
        targets=_targets([(f"{folder}: {row['file']}", row) for folder, _, row in rows], probes),
        pair=np.array(
            [-1 if r["pair"] is None else (n << 40) + int(r["pair"]) for _, n, r in rows], np.int64
        ),
        novel_base=np.array([bool(r["novel_base"]) for _, _, r in rows]),
        novel_recipe=np.array([bool(r["novel_recipe"]) for _, _, r in rows]),
        held_out=np.array([r["split"] == "held_out" for _, _, r in rows]),
    )


def _table(folder: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    path = folder / "truth.parquet"
    if not path.is_file():
        raise ConfigError(f"{folder}: expected a pair set with truth.parquet, got none")
    table = pq.read_table(path)
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing:
        raise ConfigError(
            f"{path}: expected the columns of a pair set, got none of the name {missing[0]!r}"
        )
    found: list[dict[str, Any]] = table.select(list(COLUMNS)).to_pylist()
    return found


def _targets(rows: Sequence[tuple[str, dict[str, Any]]], probes: Sequence[str]) -> Targets:
    count, place = len(rows), {name: k for k, name in enumerate(probes)}
    yes = np.zeros((count, len(probes)), np.float32)
    major = np.full((count, len(probes)), np.nan, np.float32)
    family, about = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    where = np.zeros((count, CELLS, CELLS), np.uint8)
    for i, (at, row) in enumerate(rows):
        if not row["eligible"]:
            yes[i] = np.nan  # nobody asks what physics a chart violates
            if row["family"] is not None:
                family[i] = _index(FAMILIES.index, row["family"], "family", at)
        if row["pair_category"] is not None:
            about[i] = _index(place.__getitem__, row["pair_category"], "pair_category", at)
        if row["category"] is not None:
            found = _index(place.__getitem__, row["category"], "category", at)
            yes[i, found] = 1
            if row["severity"] is not None:
                major[i, found] = row["severity"] == "major"
            if row["mask"] is not None:
                where[i] = np.frombuffer(row["mask"], np.uint8).reshape(CELLS, CELLS)
    eligible = np.array([float(row["eligible"]) for _, row in rows], np.float32)
    placed = (eligible == 1) & ~((yes == 1).any(1) & ~where.any((1, 2)))
    return Targets(eligible, yes, major, family, about, where, placed)


def _index(find: Any, name: str, what: str, where: str) -> int:
    try:
        return int(find(name))
    except (KeyError, ValueError):
        raise ConfigError(f"{where}: {what}: expected a known one, got {name!r}") from None
