"""Pretrained vision backbones from disk in front of the student's heads.

``hf:FOLDER`` and ``timm:FOLDER`` are read by transformers' `AutoModel`, from a folder and never from a
hub (timm's models need the package timm, too). Any model will do that takes `pixel_values` and gives a
grid of features, or a row of patches whose count is a square, with or without tokens in front of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.train.student.model import Features, SmallTrunk, Student, StudentConfig

KINDS: Final = ("small", "hf:FOLDER", "timm:FOLDER", "vlm:FOLDER")
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Where a folder does not say how pixels are normalised."""


class BackboneTrunk(nn.Module):
    """Any backbone as a trunk; images are shrunk or enlarged to the side that it was trained with.

    Args:
        model: gives `last_hidden_state` [B, T, D] or [B, D, h, w] for `pixel_values`.
        side: of its input, px.
        mean, std: of its normalisation, for pixels in 0..1.
        frozen: whether its weights stay as they are.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self, model: nn.Module, side: int, mean: tuple[float, ...], std: tuple[float, ...],
        frozen: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.model, self.side, self.frozen = model, side, frozen
        self.register_buffer("mean", torch.tensor(mean).reshape(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor(std).reshape(1, 3, 1, 1))
        if frozen:
            model.requires_grad_(False)
        with torch.no_grad():
            grid = self._grid(torch.zeros(1, side, side, 3))
        self.channels = grid.shape[1]
        self.summary = 2 * self.channels
        self.statistics = 2 * self.channels

    def train(self, mode: bool = True) -> BackboneTrunk:
        """A frozen backbone stays in evaluation: its running statistics stay as they are, too."""
        super().train(mode)
        if self.frozen:
            self.model.eval()
        return self

    def forward(self, images: Tensor) -> Features:
        grid = self._grid(images)
        flat = grid.float().flatten(2)
        mean = flat.mean(2)
        spread = ((flat * flat).mean(2) - mean * mean).clamp(min=0).add(1e-6).sqrt()
        statistics = torch.cat([mean, spread], 1).detach()
        return Features(grid, torch.cat([mean, flat.amax(2)], 1), statistics)

    def _grid(self, images: Tensor) -> Tensor:
        x = images.permute(0, 3, 1, 2).float() / 255
        if x.shape[2] != self.side:
            x = F.interpolate(x, size=(self.side, self.side), mode="bilinear", align_corners=False)
        out = self.model(pixel_values=(x - self.mean) / self.std).last_hidden_state
        return out if out.ndim == 4 else as_grid(out)


def as_grid(tokens: Tensor) -> Tensor:
    """[B, D, n, n] of the last n * n of [B, T, D] tokens; those in front are no patches."""
    n = math.isqrt(int(tokens.shape[1]))
    patches = tokens[:, int(tokens.shape[1]) - n * n :]
    return patches.transpose(1, 2).reshape(tokens.shape[0], -1, n, n)


def load_backbone(folder: Path, frozen: bool) -> BackboneTrunk:
    """A pretrained backbone.

    Raises:
        ConfigError: no model there, or one that is no vision backbone.
        EnvironmentProblem: transformers, or timm for a model of timm's, is missing.
    """
    if not (folder / "config.json").is_file():
        raise ConfigError(f"--backbone: expected a folder with a config.json, got {folder}")
    try:
        from transformers import AutoModel
    except ImportError:
        raise EnvironmentProblem(
            "--backbone: a pretrained backbone needs transformers: pip install 'physgauge[judge]'"
        ) from None
    try:
        model: Any = AutoModel.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32, **_eager(folder)
        )
    except ImportError as error:
        first = str(error).strip().splitlines()[0]
        raise EnvironmentProblem(
            f"--backbone: {folder} needs a package that is missing: {first}"
        ) from None
    except (OSError, ValueError, KeyError) as error:
        kind = type(error).__name__
        raise ConfigError(
            f"--backbone: {folder} is no model that transformers reads ({kind})"
        ) from None
    side, mean, std = _seen_as(folder, model)
    try:
        return BackboneTrunk(model, side, mean, std, frozen)
    except (TypeError, AttributeError, RuntimeError) as error:
        kind = type(error).__name__
        raise ConfigError(
            f"--backbone: expected a model that gives features for pixel_values, got "
            f"{type(model).__name__} "
            f"({kind})"
        ) from None


def _eager(folder: Path) -> dict[str, Any]:
    """Plain attention, which exports everywhere; timm's have none to choose."""
    told = json.loads((folder / "config.json").read_text("utf-8"))
    return {} if told.get("model_type") == "timm_wrapper" else {"attn_implementation": "eager"}


def _seen_as(folder: Path, model: Any) -> tuple[int, tuple[float, ...], tuple[float, ...]]:
    """Side, mean and deviation of what it was trained with."""
    path = folder / "preprocessor_config.json"
    told = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    side = getattr(model.config, "image_size", None) or 224
    side = int(side[0] if isinstance(side, (list, tuple)) else side)
    mean, std = (
        tuple(float(x) for x in told.get(k, d))
        for k, d in (("image_mean", MEAN), ("image_std", STD))
    )
    return side, mean, std


def make_student(backbone: str, probes: tuple[str, ...], frozen: bool) -> Student:
    """A student of a backbone, by its name on the command line.

    Raises:
        ConfigError, EnvironmentProblem: as `load_backbone`, or there is no such kind.
    """
    config = StudentConfig(probes=len(probes))
    kind, _, name = backbone.partition(":")
    makers: dict[str, Callable[[], nn.Module]] = {
        "small": lambda: SmallTrunk(config),
        "hf": lambda: load_backbone(Path(name), frozen),
        "timm": lambda: load_backbone(Path(name), frozen),
    }
    if kind not in makers or (kind == "small") != (not name):
        raise ConfigError(f"--backbone: expected one of {', '.join(KINDS)}; got {backbone!r}")
    return Student(config, makers[kind]())
