"""A student's ONNX file, loaded and checked: images in, probabilities out."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physgauge.ensemble.detect import open_session, read_model
from physgauge.ensemble.judge.student.contract import Contract, read_contract
from physgauge.ensemble.judge.student.settings import StudentSettings
from physgauge.ensemble.letterbox import Placement, letterbox
from physgauge.errors import ConfigError
from physgauge.types import F32, U8

DIGITS = 6
"""Decimal places of what it says; whatever is decided is decided on these."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a student says of one image."""

    eligible: float
    yes: F32
    """[Q]."""
    major: F32
    """[Q]."""
    where: F32 | None
    """[Q, 16, 16] over the square that it sees; None: it does not say where."""
    family: F32
    """[families]."""
    known: float
    placement: Placement | None = None
    """Where the image lies in that square."""


class StudentNetwork:
    """Loaded and checked.

    Args:
        path: the ``.onnx`` file.
        settings: the profile's.

    Raises:
        EnvironmentProblem: the file or onnxruntime is missing, or a provider is not in this build.
        ConfigError: not an ONNX model, or not a student; says what was expected.
    """

    def __init__(self, path: Path, settings: StudentSettings) -> None:
        self._where = f"student {path.name}"
        data = read_model(path, self._where)
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._session = open_session(data, settings.providers, settings.threads, self._where)
        self.contract: Contract = read_contract(self._session, self._where)

    def answer(self, images: Sequence[U8]) -> list[Said]:
        """What it says of B images [H, W, 3], each as if it were alone.

        Raises:
            ConfigError: the file gave shapes or numbers that are none of a student's.
        """
        size = self.contract.size
        squares = np.empty((len(images), size, size, 3), np.uint8)
        placed = [
            letterbox(image, size, square)[1] for image, square in zip(images, squares, strict=True)
        ]
        shapes = self.contract.shapes(len(images))
        channels = np.ascontiguousarray(squares.transpose(0, 3, 1, 2))
        values = self._session.run(list(shapes), {"image": channels.astype(np.float32) / 255})
        out = {
            name: self._checked(name, value, shapes[name])
            for name, value in zip(shapes, values, strict=True)
        }
        return [
            Said(
                eligible=number(out["eligible"][i]), yes=out["p_yes"][i], major=out["p_major"][i],
                where=out["where"][i], family=out["family"][i], known=number(out["known"][i]),
                placement=placed[i],
            )
            for i in range(len(images))
        ]  # fmt: skip

    def _checked(self, name: str, value: NDArray[Any], shape: tuple[int, ...]) -> F32:
        # A NaN is in no range.
        good = value.shape == shape and bool(np.all((value >= 0) & (value <= 1 + 1e-6)))
        if not good:
            low, high = (float(f(value)) if value.size else 0.0 for f in (np.min, np.max))
            raise ConfigError(
                f"{self._where}: {name}: expected {list(shape)} numbers in 0..1, got "
                f"{list(value.shape)} in {low:.4g}..{high:.4g}"
            )
        rounded: F32 = np.round(np.minimum(value, 1).astype(np.float32), DIGITS)
        return rounded


def number(p: np.float32) -> float:
    """As a row holds it."""
    return round(float(p), DIGITS)
