"""1/f noise fields: a small bank, made once per process from a constant seed, cut per image."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

SIZE = 256

_EXPONENTS = (0.6, 1.0, 1.5, 2.0, 2.6)

_PER_EXPONENT = 6


@cache
def _bank() -> dict[float, list[NDArray[np.float64]]]:
    rng = np.random.default_rng(20261130)
    fy = np.fft.fftfreq(SIZE)[:, None]
    fx = np.fft.rfftfreq(SIZE)[None]
    f = np.hypot(fy, fx)
    f[0, 0] = 1.0
    bank = {}
    for e in _EXPONENTS:
        fields = []
        for _ in range(_PER_EXPONENT):
            spectrum = (rng.normal(size=f.shape) + 1j * rng.normal(size=f.shape)) / f**e
            spectrum[0, 0] = 0
            v = np.fft.irfft2(spectrum, s=(SIZE, SIZE))
            lo, hi = np.quantile(v, [0.01, 0.99])
            fields.append(np.clip((v - lo) / (hi - lo), 0, 1))
        bank[e] = fields
    return bank


def field01(rng: Generator, exponent: float) -> NDArray[np.float64]:
    """A [256, 256] tileable field in 0..1 with a 1/f^exponent amplitude spectrum, randomly rolled."""
    nearest = min(_EXPONENTS, key=lambda e: abs(e - exponent))
    v = _bank()[nearest][rng.integers(_PER_EXPONENT)]
    v = np.roll(v, tuple(int(s) for s in rng.integers(0, SIZE, 2)), (0, 1))
    if rng.random() < 0.5:
        v = v.T
    return v[::-1] if rng.random() < 0.5 else v
