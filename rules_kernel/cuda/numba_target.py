"""The only file that imports numba.cuda: CUDA text to PTX, and to the simulator.

PTX needs numba-cuda with libNVVM (extra `gpu`), no GPU and no driver. The simulator needs Numba only and
NUMBA_ENABLE_CUDASIM=1 in the environment before Numba is imported; it is for tests.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from physgauge.rules_kernel.cuda.source import ARGUMENTS, BLOCK, BLOCKS, ENTRY, Argument, namespace
from physgauge.rules_kernel.errors import CudaUnavailable

_COMPILING = threading.Lock()


def compile_ptx(source: str, cc: tuple[int, int]) -> str:
    """PTX of the kernel in a CUDA module text, for GPUs of compute capability `cc` and newer.

    The kernel is called ENTRY. Raises CudaUnavailable where numba-cuda or libNVVM is missing.
    """
    cuda, types, dispatcher = _numba_cuda()
    names = namespace(source, cuda, cuda.jit(device=True))
    signature = types.void(*(_type(types, argument) for argument in ARGUMENTS))
    with _COMPILING, _without_a_device(dispatcher, cc):
        text, _ = cuda.compile(
            names["entry"], signature, cc=cc, device=False, abi="numba", output="ptx",
            launch_bounds=(BLOCK, BLOCKS),
        )  # fmt: skip
    return _tidy(text)


def simulated(source: str) -> Callable[..., Any]:
    """The kernel for Numba's CUDA simulator: `simulated(source)[blocks, threads](*arrays)`."""
    from numba import config, cuda

    if not getattr(config, "ENABLE_CUDASIM"):  # noqa: B009 - not in its type stubs
        raise CudaUnavailable("the CUDA simulator is off: set NUMBA_ENABLE_CUDASIM=1 first")
    jit: Any = cuda.jit
    kernel: Callable[..., Any] = jit(namespace(source, cuda, jit(device=True))["entry"])
    return kernel


def _numba_cuda() -> tuple[Any, Any, Any]:
    try:
        import numba_cuda  # noqa: F401 - without it numba.cuda is another, older compiler
        from numba import cuda
        from numba.cuda import dispatcher, types
        from numba.cuda.cudadrv import nvvm

        load: Any = nvvm.NVVM
        load()
    except Exception as error:  # a missing library fails in as many ways as there are platforms
        raise CudaUnavailable(
            f"compiling rules for a GPU needs numba-cuda and libNVVM ({type(error).__name__}): "
            "pip install 'physgauge[gpu]'"
        ) from error
    return cuda, types, dispatcher


@contextmanager
def _without_a_device(dispatcher: Any, cc: tuple[int, int]) -> Iterator[None]:
    """numba-cuda 0.30 asks the current GPU for its compute capability when a kernel calls device
    functions, even where `compile` was told one. Here it is told that one again."""
    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=cc)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


def _type(types: Any, argument: Argument) -> Any:
    kind = types.boolean if argument.dtype == "bool" else getattr(types, argument.dtype)
    return types.Array(kind, argument.ndim, argument.order) if argument.ndim else kind


def _tidy(ptx: str) -> str:
    """The kernel under its plain name, without the empty globals that Numba leaves for exceptions."""
    (mangled,) = re.findall(r"\.entry\s+([\w$]+)", ptx)
    kept = [line for line in ptx.splitlines() if not re.match(r"\.common .*NumbaEnv", line)]
    return "\n".join(kept).replace(mangled, ENTRY) + "\n"
