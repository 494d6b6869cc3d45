"""The packs' kernels on a GPU, where the CPU's stand. Not run yet: see docs/cuda.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from physgauge.ensemble.domains import Domains
from physgauge.rules_kernel import ObservedArrays, Pack, RuleArrays
from physgauge.rules_kernel.cuda import compile_cuda


class GpuKernel:
    """As `CompiledPack`, for evaluation."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._kernel = compile_cuda(pack)

    def evaluate(self, boxes: Any, observed: ObservedArrays) -> RuleArrays:
        """What the rules say, as NumPy arrays."""
        return self._kernel.evaluate(boxes, observed).outcomes()


def on_gpu(domains: Domains) -> Domains:
    """The same domains, with kernels on the GPU."""
    moved: dict[str, Any] = {
        name: replace(domain, kernel=GpuKernel(domain.pack))  # type: ignore[arg-type]
        for name, domain in domains.by_name.items()
    }
    return Domains(moved)
