"""What every training run does alike: its folder with checkpoint and log, and one optimiser step.

A run lives in one folder: `log.jsonl`, `last.pt` (everything needed to go on). Killing it at any time
costs the steps since the last checkpoint.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from physgauge.errors import ConfigError
from physgauge.train.part_detector.averaging import average, channels_last
from physgauge.train.part_detector.optimizer import Optimizers
from physgauge.train.part_detector.parallel import Group
from physgauge.train.part_detector.schedule import TrainConfig

Net = TypeVar("Net", bound=nn.Module)


class TrainingRun(Generic[Net]):
    """A network on its way: weights, their average, optimiser, step and time.

    Args:
        out: its folder; made if it is not there.
        config: what it is asked to do.
        net: the network.
        group: the processes that share the work.
    """

    def __init__(self, out: Path, config: TrainConfig, net: Net, group: Group | None) -> None:
        self.out, self.config, self.group = out, config, group or Group()
        self.net = channels_last(net)
        self.mean = copy.deepcopy(self.net).eval()
        self.optimizer = Optimizers(self.net, config.rate, config.decay)
        self.step, self.elapsed_s, self._mark = 0, 0.0, 0.0
        out.mkdir(parents=True, exist_ok=True)

    def resume(self) -> bool:
        """Load the folder's checkpoint, if there is one.

        Raises:
            ConfigError: it is of another network, or no checkpoint at all.
        """
        path = self.out / "last.pt"
        if not path.is_file():
            return False
        try:
            state = torch.load(path, weights_only=True)
            self.net.load_state_dict(state["net"])
            self.mean.load_state_dict(state["mean"])
            self.optimizer.load_state_dict(state["optimizer"])
        except Exception as error:  # torch says it in many ways
            kind = type(error).__name__
            raise ConfigError(
                f"{path}: expected a checkpoint of this network, got another ({kind})"
            ) from None
        self.step, self.elapsed_s = int(state["step"]), float(state["elapsed_s"])
        return True

    def save(self) -> None:
        """Write the checkpoint; the old one stays until the new one is complete."""
        if self.group.rank:
            return
        state = {
            "net": self.net.state_dict(), "mean": self.mean.state_dict(),
            "optimizer": self.optimizer.state_dict(), "step": self.step, "elapsed_s": self.elapsed_s,
        }  # fmt: skip
        torch.save(state, self.out / "next.pt")
        (self.out / "next.pt").replace(self.out / "last.pt")

    def save_weights(self, path: Path) -> None:
        """Write the averaged weights for another run to begin with: kernels as float16, no optimiser
        state."""
        mean = {k: v.half() if v.ndim == 4 else v for k, v in self.mean.state_dict().items()}
        torch.save({"mean": mean}, path)

    def log(self, **entry: Any) -> None:
        """One line to log.jsonl and to the terminal."""
        if self.group.rank:
            return
        line = json.dumps({"step": self.step, "elapsed_s": round(self.elapsed_s, 1), **entry})
        with (self.out / "log.jsonl").open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)

    def _apply(self, terms: Mapping[str, torch.Tensor]) -> dict[str, float]:
        """The optimiser step of the terms' sum, over all processes; the terms as numbers.

        Raises:
            FloatingPointError: the sum is not finite.
        """
        loss = torch.stack(list(terms.values())).sum()
        if not bool(torch.isfinite(loss)):
            raise FloatingPointError(f"loss is not finite at step {self.step}")
        self.optimizer.zero_grad()
        torch.autograd.backward([loss])
        now = time.monotonic()
        self.elapsed_s += self.group.average(self.net, now - self._mark)
        self._mark = now
        nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.optimizer.step()
        if self.group.rank == 0:
            keep = min(self.config.average, (1 + self.step) / (10 + self.step))
            average(self.mean, self.net, keep)
        self.step += 1
        return {name: float(value.detach()) for name, value in terms.items()}
