"""Arrays on a GPU, as other libraries hand them over and as they get them back."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np


def strides_of(shape: tuple[int, ...], itemsize: int, order: str) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis of a dense array of order C or F."""
    axes = range(len(shape))
    if order == "F":
        return tuple(itemsize * prod(shape[:axis]) for axis in axes)
    return tuple(itemsize * prod(shape[axis + 1 :]) for axis in axes)


def is_dense(
    shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int, order: str = "C"
) -> bool:
    """Whether strides (bytes; None: C order) are those of a dense array. Axes of length 0 or 1 may have
    any."""
    if strides is None:
        return order == "C" or len(shape) < 2
    if 0 in shape:
        return True
    dense = strides_of(shape, itemsize, order)
    return all(n == 1 or s == d for n, s, d in zip(shape, strides, dense, strict=True))


@dataclass(frozen=True)
class DeviceArray:
    """A dense array in GPU memory.

    Other libraries take it as it is, without a copy: `torch.as_tensor(array, device="cuda")`,
    `cupy.asarray(array)` (CUDA array interface), `torch.from_dlpack(array)` (DLPack). `host()` copies it
    to NumPy. It is complete: whatever wrote it has finished.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: str
    """C or F. Results are F: one image's values lie a batch apart."""
    pointer: int
    view: Any = field(repr=False)
    """The driver's own view; keeps the memory."""

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return strides_of(self.shape, self.dtype.itemsize, self.order)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.pointer if self.nbytes else 0, False),
            "strides": None if self.order == "C" else self.strides,
            "version": 3,
        }

    def __dlpack__(self, **options: Any) -> Any:
        return self.view.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.view.__dlpack_device__()
        return device

    def host(self) -> np.ndarray[Any, Any]:
        """A NumPy copy, in C order."""
        from physgauge.rules_kernel.cuda.driver import download

        own: Any = self  # by its other path, for a checker that sees both
        return download(own)


def on_device(value: object) -> bool:
    """Whether a value is an array in GPU memory, by the protocols it speaks."""
    if isinstance(value, np.ndarray):
        return False
    if hasattr(value, "__cuda_array_interface__"):
        return True
    where = getattr(value, "__dlpack_device__", None)
    # 2 CUDA, 13 CUDA managed memory (DLPack's numbers). 1 is the CPU, 3 pinned memory.
    return where is not None and int(where()[0]) in {2, 13}
