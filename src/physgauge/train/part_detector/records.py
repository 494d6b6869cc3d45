"""Data sets on disk to samples: one per image, boxes in px of the image file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from physgauge.errors import ConfigError
from physgauge.types import DOMAINS, F32, PART_CLASSES, VIEWS

NONE_DOMAIN = len(DOMAINS)
"""Domain index of an image of no known domain."""


@dataclass(frozen=True)
class Sample:
    """One image and what is in it."""

    path: Path
    domain: int
    """Index into DOMAINS; NONE_DOMAIN for none."""
    view: int
    """Index into VIEWS; 0 where unknown."""
    xyxy: F32
    """[n, 4] px of the image, visible pixels only."""
    label: NDArray[np.int64]
    """[n] index into PART_CLASSES."""
    visible_px: NDArray[np.int32]
    """[n] pixels of the part that are seen."""
    violated: bool = False


def read_folder(folder: Path) -> list[Sample]:
    """Read one data set (images/ and truth.parquet, see benchmarks/scenes).

    Raises:
        ConfigError: no truth table, or a class, domain or view that we do not know.
    """
    import pyarrow.parquet as pq

    table = folder / "truth.parquet"
    if not table.is_file():
        raise ConfigError(f"{folder}: expected a data set with truth.parquet, got none")
    columns = ["file", "domain", "view", "violated", "parts"]
    rows = pq.read_table(table, columns=columns).to_pylist()
    return [_sample(folder, row) for row in rows]


def read_folders(folders: Sequence[Path]) -> list[Sample]:
    """All samples of several data sets, in order."""
    return [sample for folder in folders for sample in read_folder(folder)]


def _sample(folder: Path, row: dict[str, object]) -> Sample:
    where = f"{folder}: {row['file']}"
    parts = row["parts"] or []
    assert isinstance(parts, list)
    try:
        label = [PART_CLASSES.index(p["cls"]) for p in parts]
        domain = NONE_DOMAIN if row["domain"] == "none" else DOMAINS.index(str(row["domain"]))
        view = 0 if row["view"] is None else VIEWS.index(str(row["view"]))
    except ValueError as error:
        raise ConfigError(f"{where}: expected known classes, domains and views: {error}") from None
    xyxy = np.array([[p["x0"], p["y0"], p["x1"], p["y1"]] for p in parts], np.float32)
    return Sample(
        path=folder / str(row["file"]),
        domain=domain,
        view=view,
        xyxy=xyxy.reshape(-1, 4),
        label=np.array(label, np.int64),
        visible_px=np.array([p["visible_px"] for p in parts], np.int32),
        violated=bool(row["violated"]),
    )
