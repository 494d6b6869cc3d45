"""Rules on a GPU: one launch evaluates all rules and scores of a batch.

    kernel = compile_cuda(load_pack("car"))              # seconds, or at once from an ahead-of-time file
    results = kernel.evaluate(boxes, observed)           # NumPy in, NumPy out; CUDA arrays in and out

The rules are the text that the CPU kernel compiles too (`codegen`). Tests hold it against the oracle and
the CPU kernel in Numba's CUDA simulator, and compile it for sm_90. It has not been run on a GPU yet.

Importing this package imports neither Numba nor the CUDA driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from physgauge.rules_kernel.pack import Pack

if TYPE_CHECKING:
    from physgauge.rules_kernel.cuda.evaluate import CudaPack

__all__ = ["compile_cuda"]


def compile_cuda(pack: Pack, *, device: int = 0) -> CudaPack:
    """A pack's kernel on GPU number `device` (see `evaluate.CudaPack`).

    Raises CudaUnavailable without such a GPU, or where a package of the extra `gpu` is missing.
    """
    from physgauge.rules_kernel.cuda.evaluate import compile_cuda as compile_

    return compile_(pack, device=device)
