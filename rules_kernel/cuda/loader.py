"""A pack's kernel on a GPU: the ahead-of-time file where there is one, else compiled here and kept."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from physgauge.rules_kernel.cache import cache_dir, keep
from physgauge.rules_kernel.cuda.driver import Gpu
from physgauge.rules_kernel.cuda.files import KernelFile, file_name, find, target
from physgauge.rules_kernel.cuda.numba_target import compile_ptx
from physgauge.rules_kernel.cuda.source import cuda_source, kernel_name
from physgauge.rules_kernel.pack import Pack


@dataclass(frozen=True)
class LoadedKernel:
    """A kernel on a GPU and where it came from: a file's path, or "compiled"."""

    kernel: Any
    origin: str


def load(pack: Pack, gpu: Gpu) -> LoadedKernel:
    """The pack's kernel, ready to launch on `gpu`.

    A file that the driver refuses (damaged, or of a newer CUDA) is passed over with a warning. Raises
    CudaUnavailable where nothing fits and numba-cuda is missing.
    """
    source = cuda_source(pack)
    name = kernel_name(pack, source)
    for file in candidates(name, gpu.cc):
        try:
            return LoadedKernel(gpu.load(file.path.read_bytes(), file.kind), str(file.path))
        except Exception as error:  # the driver's errors share no type across its versions
            warnings.warn(f"{file.path.name} is not usable here: {error}", stacklevel=2)
    ptx = compile_ptx(source, target(gpu.cc))
    keep(name, ptx, suffix=f".sm_{target(gpu.cc)[0]}{target(gpu.cc)[1]}.ptx")
    return LoadedKernel(gpu.load(ptx.encode(), "ptx"), "compiled")


def candidates(name: str, cc: tuple[int, int]) -> Iterator[KernelFile]:
    """Files to try: ahead-of-time ones first, then what an earlier process compiled here."""
    yield from find(name, cc)
    path = cache_dir() / file_name(name, target(cc), "ptx")
    if path.is_file():
        yield KernelFile(path, "ptx", target(cc))
