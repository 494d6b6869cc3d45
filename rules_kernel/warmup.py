"""Compile ahead of use: ``python -m physgauge.rules_kernel.warmup [PACK ...]`` fills the cache.

The first compilation of a pack takes seconds; what it leaves in the cache serves every later process
on machines of the same kind. Servers and test sessions call `warmup()` before they are timed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

import numpy as np

from physgauge.rules_kernel.arrays import PackedBoxes
from physgauge.rules_kernel.fusion import nms, weighted_box_fusion
from physgauge.rules_kernel.kernels import MIN_CHUNK, compile_pack
from physgauge.rules_kernel.load import load_pack, shipped_packs
from physgauge.rules_kernel.pack import Pack


def warmup(packs: Iterable[Pack | str] = (), *, parallel: bool = True) -> dict[str, float]:
    """Compile packs (default: all shipped ones), serial and, if wanted, parallel, and the fusion
    kernels. Returns the seconds that each took, by pack name."""
    seconds: dict[str, float] = {}
    empty = PackedBoxes(
        np.zeros((0, 4), np.float32),
        np.zeros(0, np.float32),
        np.zeros(0, np.int16),
        np.zeros(2 * MIN_CHUNK + 1, np.int64),
    )
    for given in tuple(packs) or shipped_packs():
        pack = load_pack(given) if isinstance(given, str) else given
        start = time.perf_counter()
        kernel = compile_pack(pack)
        if parallel:
            size = np.ones((2 * MIN_CHUNK, 2), np.float32)
            kernel.evaluate(empty, pack.blank(size), threads=2)
        seconds[pack.name] = time.perf_counter() - start
    box = (np.array([[0, 0, 1, 1]], np.float32), np.ones(1, np.float32), np.zeros(1, np.int16))
    offsets = np.array([0, 1], np.int64)
    nms(*box, offsets, 0.5)
    weighted_box_fusion(*box, np.zeros(1, np.int8), offsets, np.ones((1, 1)))
    return seconds


if __name__ == "__main__":
    for name, took in warmup(sys.argv[1:]).items():
        print(f"{name}: {took:.1f} s")
