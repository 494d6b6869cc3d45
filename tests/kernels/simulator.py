"""Runs a pack's CUDA kernel in Numba's CUDA simulator: plain Python, one thread a CUDA thread.

Numba decides when it is imported whether it simulates, so tests that use this run in a process of their own
(`test_cuda_simulator.py` starts it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from physgauge.rules_kernel import ObservedArrays, Pack, PackedBoxes, RuleArrays, RuleScores
from physgauge.rules_kernel.cuda.inputs import check_inputs, gather
from physgauge.rules_kernel.cuda.numba_target import simulated
from physgauge.rules_kernel.cuda.source import ARGUMENTS, cuda_source, pack_arrays, results

THREADS = 4
UNWRITTEN = 77
"""What results hold before the launch; no status is this."""


@dataclass(frozen=True)
class Simulated:
    outcomes: RuleArrays
    scores: RuleScores
    bad: int


class Simulator:
    """One pack's kernel."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.kernel = simulated(cuda_source(pack))

    def run(self, boxes: PackedBoxes, observed: ObservedArrays) -> Simulated:
        """Check types, shapes and offsets, and launch over a batch."""
        check_inputs(gather(boxes, observed), self.pack)
        return self.launch(boxes, observed)

    def launch(self, boxes: PackedBoxes, observed: ObservedArrays) -> Simulated:
        """Launch over a batch that nobody has checked, as one that lies on a GPU is."""
        pack, images, n = self.pack, len(boxes.offsets) - 1, len(boxes.xyxy)
        values: dict[str, Any] = {
            **gather(boxes, observed),
            **pack_arrays(pack),
            "minimum": pack.minimum_rules,
            "bad": np.zeros(1, np.int32),
            "order": np.full(n, -9, np.int32),
            "placed": np.full((n, 4), -9, np.float32),
        }
        for argument in ARGUMENTS:
            shape = results(images, len(pack.rules)).get(argument.name)
            if shape is not None:
                values[argument.name] = np.full(
                    shape, UNWRITTEN, argument.dtype, order=argument.order
                )  # type: ignore[call-overload]
        if images:
            blocks = -(-images // THREADS)
            self.kernel[blocks, THREADS](*(values[argument.name] for argument in ARGUMENTS))  # type: ignore[index]
        return Simulated(
            RuleArrays(values["status"], values["measured"], values["witness"]),
            RuleScores(*(values[k] for k in ("s_category", "s_rules", "used", "applicable"))),
            int(values["bad"][0]),
        )
