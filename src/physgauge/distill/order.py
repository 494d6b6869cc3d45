"""What `physgauge distill` is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from physgauge.train.part_detector.schedule import TrainConfig


@dataclass(frozen=True)
class Order:
    """What is to be distilled, and how."""

    folders: tuple[Path, ...]
    images: Path | None
    output: Path
    run: Path
    """Folder of the run: checkpoints, cached images, report."""
    backbone: str
    frozen: bool
    aside: float
    """Share kept for the limits and temperatures; as much again for the report."""
    false_rejection: float
    config: TrainConfig
    init: Path | None = None
