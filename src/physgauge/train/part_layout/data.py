"""Pictures without fault, from rendered scenes' truth or from files of boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from physgauge.clients.boxes import BoxRecord, read_boxes
from physgauge.clients.table import read_records
from physgauge.errors import ConfigError
from physgauge.train.part_layout.fit import Layouts
from physgauge.types import VIEWS

Picture = tuple[str, list[tuple[str, Sequence[float]]]]
"""View, and each part's class and xyxy."""


def read(paths: Sequence[Path], domain: str, components: Sequence[str]) -> Layouts:
    """The pictures of a domain in folders of rendered scenes (those without a planted violation) or in
    files of boxes as `physgauge score-boxes` takes them (all of them: they are taken to be faultless).

    Raises:
        ConfigError: a file that cannot be read or holds none of the domain.
    """
    boxes: list[Sequence[float]] = []
    label: list[int] = []
    offsets, view = [0], []
    index = {f"{domain}.{name}": c for c, name in enumerate(components)}
    for path in paths:
        for seen, parts in _scenes(path, domain) if path.is_dir() else _boxes(path, domain):
            known = [(index[name], xyxy) for name, xyxy in parts if name in index]
            label += [c for c, _ in known]
            boxes += [xyxy for _, xyxy in known]
            offsets.append(len(label))
            view.append(VIEWS.index(seen))
    if not view:
        named = ", ".join(map(str, paths))
        raise ConfigError(f"{named}: expected pictures of the domain {domain!r}, got none")
    return Layouts(
        np.array(boxes, np.float32).reshape(-1, 4), np.array(label, np.int16),
        np.array(offsets, np.int64), np.array(view, np.int8),
    )  # fmt: skip


def _scenes(folder: Path, domain: str) -> Iterator[Picture]:
    for truth in read_records(folder / "truth.parquet"):
        if truth["domain"] == domain and not truth["violated"]:
            yield (
                truth["view"] or "unknown",
                [(p["cls"], [p[k] for k in ("x0", "y0", "x1", "y1")]) for p in truth["parts"]],
            )


def _boxes(file: Path, domain: str) -> Iterator[Picture]:
    for entry in read_boxes(file):
        if isinstance(entry, BoxRecord) and entry.domain in (None, domain):
            yield entry.view or "unknown", [(b.label, b.box) for b in entry.boxes]
