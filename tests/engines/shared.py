"""What the checks of real engines share: pictures, questions, and how close answers must be."""

from __future__ import annotations

import math
import os

import numpy as np

from physgauge.ensemble.judge.engine import Question
from physgauge.types import U8

VLLM_PYTHON = os.environ.get("PHYSGAUGE_VLLM_PYTHON", "")
"""The interpreter of an environment with vLLM (.ci/vllm_env)."""
MODEL = "tiny:smolvlm"
PREAMBLE = "You look at a picture and say what is physically wrong with it. " * 4
CLOSE = 2e-4
"""Log-odds, float32: what another batch may change."""


def questions(count: int) -> list[Question]:
    """Different ones, of different lengths."""
    things = ("a wheel", "the wing of the plane", "a dog", "two headlights", "an eye")
    return [
        Question(f"q{i}", f"Does {things[i % 5]} float in the air{' or sink' * (i % 3)}, case {i}?")
        for i in range(count)
    ]


def picture(seed: int = 0, side: int = 256) -> U8:
    """Soft noise: what the model's rescaling keeps."""
    coarse = np.random.default_rng(seed).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    return np.ascontiguousarray(np.kron(coarse, np.ones((side // 8, side // 8, 1), np.uint8)))


def similar(image: U8) -> U8:
    """The same picture, apart from one quarter."""
    other = image.copy()
    other[:128, :128] = 255 - other[:128, :128]
    return other


def log_odds(p: float | None) -> float:
    """Of a probability that must be there."""
    assert p is not None
    assert 0 < p < 1
    return math.log(p / (1 - p))


def apart(a: list[float], b: list[float]) -> float:
    """The largest difference between two lists of numbers."""
    assert len(a) == len(b)
    return max(abs(x - y) for x, y in zip(a, b, strict=True))
