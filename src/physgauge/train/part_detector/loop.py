"""Training: draws -> batches -> loss -> step, with averaged weights, checkpoints and a log.

A run lives in one folder: `log.jsonl`, `last.pt` (everything needed to go on), `model.onnx` (the averaged
weights so far, uncalibrated). Killing it at any time costs the steps since the last checkpoint; the
same command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from physgauge.config import DetectorSettings
from physgauge.ensemble.detect import OnnxDetector
from physgauge.train.part_detector import dataset, evaluate, negatives
from physgauge.train.part_detector.averaging import mean_terms
from physgauge.train.part_detector.export import Calibration, export_onnx
from physgauge.train.part_detector.loss import LossConfig, losses
from physgauge.train.part_detector.model import ModelConfig, PartNet, Residual, cell_centres
from physgauge.train.part_detector.parallel import Group
from physgauge.train.part_detector.records import Sample, read_folder, read_folders
from physgauge.train.part_detector.schedule import TrainConfig, default_model
from physgauge.train.run import TrainingRun
from physgauge.types import U8


class Run(TrainingRun[PartNet]):
    """A training run that can stop and go on."""

    def __init__(
        self,
        out: Path,
        config: TrainConfig,
        model: ModelConfig | None = None,
        group: Group | None = None,
    ) -> None:
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        super().__init__(out, config, PartNet(model or default_model()), group)

    def warm_start(self, checkpoint: Path) -> None:
        """Begin with another run's averaged weights.

        Residual blocks that the other network did not have begin as identities, so a deeper network
        begins as good as the one it grew from. Anything else that does not fit is a RuntimeError.
        """
        state = torch.load(checkpoint, weights_only=True)["mean"]
        own = self.net.state_dict()
        blocks = tuple(f"{n}." for n, m in self.net.named_modules() if isinstance(m, Residual))
        wrong = [k for k, v in state.items() if k not in own or own[k].shape != v.shape]
        wrong += [k for k in own if k not in state and not k.startswith(blocks)]
        if wrong:
            raise RuntimeError(
                f"{checkpoint}: expected weights of this network or of a shallower one, got others: "
                f"{', '.join(wrong[:3])} and {max(0, len(wrong) - 3)} more differ"
            )
        for net in (self.net, self.mean):
            net.load_state_dict(state, strict=False)

    def train(self, samples: list[Sample], validation: list[Sample]) -> None:
        """Train to the end of the schedule, from wherever the run stands."""
        c = self.config
        if self.group.rank == 0:
            _bank(self.out / "negatives.npy", c)
        self.group.meet()
        bank = _bank(self.out / "negatives.npy", c)
        draws = dataset.TrainSet(samples, c.size, bank, c.seed, plain_share=c.plain_share)
        share = dataset.Share(c.batch_size // self.group.size, self.group.rank, self.group.size)
        loader = dataset.batches(draws, share, self.step, c.steps, c.workers)
        centres, strides = cell_centres(c.size, c.size)
        totals: dict[str, float] = {}
        self._mark, mark = time.monotonic(), self.elapsed_s
        for batch in loader:
            progress = c.progress(self.step, self.elapsed_s)
            if progress >= 1:
                break
            terms = self._update(batch, centres, strides, progress)
            for name, value in terms.items():
                totals[name] = totals.get(name, 0.0) + value
            if self.step % 50 == 0:
                rate = 50 * c.batch_size / max(self.elapsed_s - mark, 1e-9)
                self.log(
                    progress=round(progress, 4),
                    images_per_s=round(rate, 1),
                    **mean_terms(totals, 50),
                )
                totals, mark = {}, self.elapsed_s
            if self.step % c.save_every == 0:
                self.save()
            if self.step % c.check_every == 0:
                self.log(**self.check(validation))
                self.group.meet()
                self._mark = time.monotonic()  # checks are not part of the schedule's time
        self.save()
        self.log(done=True, **self.check(validation))
        self.group.meet()

    def _update(
        self, batch: dataset.Batch, centres: torch.Tensor, strides: torch.Tensor, progress: float
    ) -> dict[str, float]:  # fmt: skip
        """One optimiser step; the loss terms of this process's part of the batch."""
        c = self.config
        self.optimizer.set_rate(c.rate_at(self.step, progress))
        with torch.autocast("cpu", torch.bfloat16):
            output = self.net(batch.images)
        terms = losses(output, batch, centres, strides, LossConfig())
        return self._apply(terms)

    def export(
        self, path: Path, calibration: Calibration, version: str, training: Mapping[str, Any]
    ) -> None:
        """The averaged weights as ONNX."""
        export_onnx(self.mean, path, self.config.size, calibration, version, dict(training))

    def check(self, validation: list[Sample]) -> dict[str, Any]:
        """Export the averaged weights, uncalibrated, and judge them."""
        if self.group.rank:
            return {}
        path = self.out / "model.onnx"
        self.export(path, Calibration.identity(), "unfinished", asdict(self.config))
        detector = OnnxDetector(
            path, DetectorSettings(name="unfinished", model=str(path)), self.config.threads
        )
        judged = evaluate.judge(detector, validation, nms_iou=0.6)
        figures = evaluate.summary(judged, 0.5, threshold=0.3)
        return {name: round(value, 4) for name, value in figures.items()}


@dataclass(frozen=True)
class Work:
    """What each training process does; picklable, so that processes can be spawned with it."""

    data: tuple[Path, ...]
    validation: Path
    out: Path
    check_images: int
    warm_start: Path | None
    config: TrainConfig

    def __call__(self, group: Group) -> None:
        run = Run(self.out, self.config, group=group)
        if not run.resume() and self.warm_start is not None:
            run.warm_start(self.warm_start)
        samples = read_folders(self.data)
        held = read_folder(self.validation)[: self.check_images]
        run.log(
            config=asdict(self.config), images=len(samples), warm_start=str(self.warm_start or "")
        )
        run.train(samples, held)


def _bank(path: Path, config: TrainConfig) -> U8:
    """The negatives, drawn once a run and mapped from disk so that workers share them."""
    if not path.is_file():
        np.save(path, negatives.bank(config.seed, config.negatives, config.size))
    bank: U8 = np.load(path, mmap_mode="r")
    return bank
