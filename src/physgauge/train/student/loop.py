"""Training: draws -> batches -> loss -> step, with averaged weights, checkpoints and a log.

A run lives in one folder: `log.jsonl`, `last.pt` (everything needed to go on). Killing it at any time
costs the steps since the last checkpoint; the same command goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from physgauge.errors import ConfigError
from physgauge.train.part_detector.averaging import mean_terms
from physgauge.train.part_detector.dataset import Share
from physgauge.train.part_detector.parallel import Group
from physgauge.train.part_detector.schedule import TrainConfig
from physgauge.train.run import TrainingRun
from physgauge.train.student import draws
from physgauge.train.student.answering import answers_of
from physgauge.train.student.layout import probe_ids
from physgauge.train.student.loss import LossConfig, losses
from physgauge.train.student.metrics import summary
from physgauge.train.student.model import Student, StudentConfig
from physgauge.train.student.records import Records
from physgauge.types import U8

EVERY = 25
"""Steps between progress lines."""
LETTERING = "symbolic_content"


@dataclass(frozen=True)
class Data:
    """Images that are trained on, or checked with."""

    records: Records
    pixels: U8
    """[N, S, S, 3]."""


class Run(TrainingRun[Student]):
    """A training run that can stop and go on.

    Args:
        out: its folder.
        config: what it is asked to do.
        net: the network.
        group: the processes that share the work.
        loss: weights of the loss's terms.
        probes: ids of the categories, in the order of the answers; the shipped ones by default.
    """

    def __init__(
        self, out: Path, config: TrainConfig, net: Student | None = None, group: Group | None = None,
        loss: LossConfig | None = None, probes: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        super().__init__(out, config, net or Student(StudentConfig()), group)
        self.loss, self.probes = loss or LossConfig(), probes or probe_ids()

    def begin_with(self, checkpoint: Path) -> int:
        """Take over whatever fits by name and shape from averaged weights of a student or of the part
        detector; says how many tensors did.

        Raises:
            ConfigError: nothing fits.
        """
        state: dict[str, torch.Tensor] = torch.load(checkpoint, weights_only=True)["mean"]
        own = self.net.state_dict()
        named = {key: value for name, value in state.items() for key in (name, f"trunk.{name}")}
        fitting = {k: v.float() for k, v in named.items() if k in own and own[k].shape == v.shape}
        if not fitting:
            raise ConfigError(f"{checkpoint}: expected weights that fit this network, got none")
        for net in (self.net, self.mean):
            net.load_state_dict(fitting, strict=False)
        return len(fitting)

    def train(self, data: Data, validation: Data | None) -> None:
        """Train to the end of the schedule, from wherever the run stands."""
        c = self.config
        lettering = self.probes.index(LETTERING) if LETTERING in self.probes else None
        drawn = draws.Draws(
            data.pixels, data.records, c.seed, c.plain_share, lettering, c.size, c.close
        )
        share = Share(c.batch_size // self.group.size, self.group.rank, self.group.size)
        totals: dict[str, float] = {}
        self._mark, mark, since = time.monotonic(), self.elapsed_s, self.step
        for batch in draws.batches(drawn, share, self.step, c.steps, c.workers):
            progress = c.progress(self.step, self.elapsed_s)
            if progress >= 1:
                break
            for name, value in self._update(batch, progress).items():
                totals[name] = totals.get(name, 0.0) + value
            if self.step % EVERY == 0:
                self._say(progress, totals, self.step - since, self.elapsed_s - mark)
                totals, mark, since = {}, self.elapsed_s, self.step
            if self.step % c.save_every == 0:
                self.save()
            if validation is not None and self.step % c.check_every == 0:
                self._check(validation)
        self.save()
        if validation is not None:
            self._check(validation, done=True)

    def _say(
        self, progress: float, totals: Mapping[str, float], steps: int, seconds: float
    ) -> None:
        left = self.elapsed_s * (1 - progress) / progress if progress > 0 else float("nan")
        rate = steps * self.config.batch_size / max(seconds, 1e-9)
        self.log(
            progress=round(progress, 4), eta_min=round(left / 60, 1), images_per_s=round(rate, 1),
            **mean_terms(totals, max(1, steps)),
        )  # fmt: skip

    def _update(self, batch: draws.Batch, progress: float) -> dict[str, float]:
        """One optimiser step; the loss terms of this process's part of the batch."""
        c = self.config
        self.optimizer.set_rate(c.rate_at(self.step, progress))
        with torch.autocast("cpu", torch.bfloat16):
            raw = self.net(batch.images)
        terms = losses(raw, batch, self.loss)
        return self._apply(terms)

    def _check(self, validation: Data, **more: Any) -> None:
        """Figures of the averaged weights; the other processes wait."""
        if self.group.rank == 0:
            self.mean.eval()
            # Parts are as large as at inference: whole images are then looked at in full.
            size = 0 if self.config.close else self.config.size
            answers = answers_of(self.mean, validation.pixels, size)
            figures = summary(answers, validation.records)
            rounded = {k: None if v is None else round(v, 4) for k, v in figures.items()}
            self.log(**more, check=rounded)
        self.group.meet()
        self._mark = time.monotonic()  # checks are not part of the schedule's time


@dataclass(frozen=True)
class Work:
    """What each training process does; picklable, so that processes can be spawned with it."""

    out: Path
    config: TrainConfig
    load: Callable[[], tuple[Data, Data | None]]
    make: Callable[[], Student]
    init: Path | None = None
    probes: tuple[str, ...] = ()

    def __call__(self, group: Group) -> None:
        run = Run(self.out, self.config, self.make(), group, probes=self.probes)
        begun = run.resume()
        if not begun and self.init is not None:
            taken = run.begin_with(self.init)
            run.log(init=str(self.init), tensors=taken)
        data, validation = self.load()
        run.log(
            resumed=begun, config=asdict(self.config), images=len(data.records),
            validation=len(validation.records) if validation else 0,
            pairs=len(np.unique(data.records.pair[data.records.pair >= 0])),
        )  # fmt: skip
        run.train(data, validation)
