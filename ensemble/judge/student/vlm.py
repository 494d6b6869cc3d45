"""A multimodal language model with a trained head: all probes in one forward pass, nothing decoded.

A folder with `student.json` and `head.pt`, written by `physgauge distill --backbone vlm:FOLDER`. The
model itself stays where it was; its hash is checked. It runs in torch, and does not say where.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from physgauge.ensemble.judge.engines.onepass.build import reader
from physgauge.ensemble.judge.engines.onepass.reader import Reader
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.student.contract import Contract
from physgauge.ensemble.judge.student.network import DIGITS, Said, number
from physgauge.errors import ConfigError
from physgauge.types import F32, U8

ABOUT, HEAD = "student.json", "head.pt"
Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]


class About(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`student.json`."""

    version: str
    model: str
    """Folder of the language model, or a `tiny:` name."""
    model_sha256: str
    preamble: str
    questions: list[str]
    """Eligibility, then the probes."""
    probes: list[str]
    families: list[str]
    known_threshold: Fraction
    hidden: int
    trained_on: dict[str, Any] = {}


class Head(nn.Module):
    """States at the ends of 1 + Q questions to answers, calibrated, and to a distance from what is known.

    Args:
        hidden: width of the states.
        probes: Q.
        families: kinds of image that are not eligible.
    """

    centre: Tensor
    spread: Tensor
    maps: Tensor
    axes: Tensor
    size: Tensor
    limit: Tensor

    def __init__(self, hidden: int, probes: int, families: int, axes: int = 32) -> None:
        super().__init__()
        k = min(axes, hidden)
        self.yes = nn.Parameter(torch.zeros(probes, hidden + 1))
        self.major = nn.Parameter(torch.zeros(probes, hidden + 1))
        self.eligible = nn.Parameter(torch.zeros(1, hidden + 1))
        self.family = nn.Linear(hidden, families)
        for name, value in (
            ("centre", torch.zeros(1 + probes, hidden)), ("spread", torch.ones(1 + probes, hidden)),
            ("maps", torch.tensor([1.0, 0.0]).repeat(1 + 2 * probes, 1)),
            ("axes", torch.zeros(hidden, k)), ("size", torch.ones(k)), ("limit", torch.tensor(1e9)),
        ):  # fmt: skip
            self.register_buffer(name, value)

    def scaled(self, states: Tensor) -> Tensor:
        """[B, 1 + Q, hidden] as standard scores."""
        return ((states - self.centre) / self.spread).clamp(-20, 20)

    def logits(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Eligible [B], yes [B, Q], major [B, Q], family [B, F]; not calibrated."""
        x = self.scaled(states)
        first, probes = x[:, :1], x[:, 1:]
        return (
            _read(first, self.eligible)[:, 0], _read(probes, self.yes), _read(probes, self.major),
            self.family(first[:, 0]),
        )  # fmt: skip

    def strangeness(self, states: Tensor) -> Tensor:
        """[B] log of the mean squared distance along and beside the axes, in the eligibility's state."""
        x = self.scaled(states)[:, 0]
        along = x @ self.axes
        white = along / self.size
        rest = ((x * x).sum(1) - (along * along).sum(1)).clamp(min=0)
        return ((white * white).mean(1) + rest / x.shape[1] + 1e-6).log()

    def forward(self, states: Tensor) -> tuple[Tensor, ...]:
        """Eligible, yes, major, family and known as probabilities."""
        eligible, yes, major, family = self.logits(states)
        q = yes.shape[1]
        scale, shift = self.maps[:, 0], self.maps[:, 1]
        return (
            torch.sigmoid(scale[0] * eligible + shift[0]),
            torch.sigmoid(scale[1 : 1 + q] * yes + shift[1 : 1 + q]),
            torch.sigmoid(scale[1 + q :] * major + shift[1 + q :]),
            family.softmax(1),
            torch.sigmoid(4.0 * (self.limit - self.strangeness(states))),
        )


def _read(x: Tensor, weight: Tensor) -> Tensor:
    """[B, Q, H] by a row of weights and a bias for each of Q."""
    return (x * weight[:, :-1]).sum(-1) + weight[:, -1]


class VlmNetwork:
    """Loaded and checked.

    Args:
        folder: with `student.json` and `head.pt`.
        threads: of torch, on a CPU.

    Raises:
        ConfigError: not such a folder, or the language model is another than the head was trained for.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        where = f"student {folder.name}"
        self.about = read_about(folder, where)
        settings = OnePassSettings(
            model=self.about.model, threads=threads, dtype="float32", check=False
        )
        self._reader: Reader = reader(settings, folder, where)
        (found,) = self._reader.models.values()
        if found != self.about.model_sha256:
            raise ConfigError(
                f"{where}: expected the model that its head was trained for "
                f"({self.about.model_sha256[:12]}), got {found[:12]} in {self.about.model}"
            )
        self._head = _head(folder / HEAD, self.about, where)
        digest = hashlib.sha256((folder / HEAD).read_bytes() + found.encode())
        self.sha256 = digest.hexdigest()
        self.contract = Contract(
            self.about.version, tuple(self.about.probes), tuple(self.about.families), 0,
            self.about.known_threshold,
        )  # fmt: skip

    @torch.inference_mode()
    def answer(self, images: Sequence[U8]) -> list[Said]:
        """What it says of B images [H, W, 3]; one at a time, so that none changes another's answer."""
        return [self._one(image) for image in images]

    def _one(self, image: U8) -> Said:
        states = self._reader.read([image], self.about.preamble, self.about.questions)
        said: list[Any] = [
            np.round(one[0].numpy().astype(np.float32), DIGITS)
            for one in self._head(torch.from_numpy(states))
        ]
        if not all(np.isfinite(one).all() for one in said):
            raise ConfigError(f"student {self.about.model}: expected numbers, got NaN or infinity")
        eligible, yes, major, family, known = said
        return Said(number(eligible), yes, major, None, cast(F32, family), number(known))


def read_about(folder: Path, where: str) -> About:
    """`student.json` of a folder.

    Raises:
        ConfigError: there is none, or it is no such file.
    """
    path = folder / ABOUT
    if not path.is_file():
        raise ConfigError(
            f"{where}: expected an .onnx file, or a folder with {ABOUT}, got {folder}"
        )
    try:
        return msgspec.json.decode(path.read_bytes(), type=About)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{where}: {ABOUT}: {error}") from None


def _head(path: Path, about: About, where: str) -> Head:
    head = Head(about.hidden, len(about.probes), len(about.families))
    try:
        head.load_state_dict(torch.load(path, weights_only=True))
    except Exception as error:  # torch says it in many ways
        kind = type(error).__name__
        raise ConfigError(
            f"{where}: expected a head's weights in {path.name}, got others ({kind})"
        ) from None
    return head.eval()


def write(folder: Path, head: Head, about: About) -> None:
    """Write such a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(head.state_dict(), folder / HEAD)
    told = json.loads(msgspec.json.encode(about))
    (folder / ABOUT).write_text(json.dumps(told, indent=2) + "\n", "utf-8")
