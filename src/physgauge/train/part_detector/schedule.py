"""What a training run is asked to do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from physgauge.train.part_detector.model import ModelConfig
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS


@dataclass(frozen=True)
class TrainConfig:
    """One run."""

    steps: int
    """Optimiser steps."""
    batch_size: int = 24
    """Inputs per step, over all processes."""
    size: int = 320
    """Side of the network's input, px; a multiple of 32."""
    rate: float = 2e-3
    """Peak learning rate."""
    final_rate: float = 2e-5
    warmup: int = 200
    """Steps of linear warm-up."""
    decay: float = 0.03
    """AdamW's weight decay, on convolution and linear weights only."""
    average: float = 0.9985
    """Decay of the weight average."""
    seed: int = 1
    plain_share: float = 0.3
    """Share of inputs framed as at inference."""
    close: float = 0.0
    """Share of the other inputs that are a close look at a part (the student's training only)."""
    processes: int = 1
    """Training processes (parallel.py)."""
    workers: int = 1
    """Data workers of each process."""
    threads: int = 1
    """Threads of each process."""
    negatives: int = 600
    """Procedural negatives in the bank."""
    check_every: int = 500
    """Steps between checks on the validation set."""
    save_every: int = 100
    minutes: float = 0.0
    """Wall-clock budget; > 0 shortens the schedule so that it ends in time, whatever the machine does."""

    def progress(self, step: int, elapsed_s: float) -> float:
        """How far the schedule is, 0..1, by steps or by the clock, whichever is further."""
        by_step = step / self.steps
        return max(by_step, elapsed_s / 60 / self.minutes) if self.minutes > 0 else by_step

    def rate_at(self, step: int, progress: float) -> float:
        """Learning rate: linear warm-up, then half a cosine from `rate` to `final_rate`."""
        swing = (1 + math.cos(math.pi * min(1.0, progress))) / 2
        cosine = self.final_rate + (self.rate - self.final_rate) * swing
        return cosine * min(1.0, (step + 1) / max(1, self.warmup))


def default_model() -> ModelConfig:
    """The shipped model."""
    return ModelConfig(classes=len(PART_CLASSES), domains=len(DOMAINS), views=len(VIEWS))
