"""The only file that talks to the CUDA driver, through cuda.core: memory, modules, launches.

Everything runs on the default stream of one GPU, which is also PyTorch's and CuPy's default: work that
they have queued there is done before ours.

No part of this file has been run on a GPU yet.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from physgauge.rules_kernel.cuda.device_array import DeviceArray, is_dense, strides_of
from physgauge.rules_kernel.cuda.source import ENTRY
from physgauge.rules_kernel.errors import ArrayError, CudaUnavailable


@lru_cache(maxsize=1)
def gpu_count() -> int:
    """How many GPUs the driver sees; 0 without a driver."""
    try:
        # By hand: cuda.core 1.2 does not return where there is no driver.
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


@dataclass(frozen=True)
class Gpu:
    """One GPU and its default stream."""

    number: int
    device: Any
    stream: Any

    @property
    def cc(self) -> tuple[int, int]:
        """Its compute capability."""
        major, minor = self.device.compute_capability
        return int(major), int(minor)

    @property
    def peak_bandwidth(self) -> float:
        """Bytes per second of its memory on paper: two transfers a clock over the whole bus."""
        told = self.device.properties
        return float(2e3 * told.memory_clock_rate * told.global_memory_bus_width / 8)

    def use(self) -> None:
        """Make it the calling thread's current GPU."""
        self.device.set_current()

    def empty(self, shape: tuple[int, ...], dtype: str, order: str = "C") -> DeviceArray:
        """An array of unset memory."""
        kind = np.dtype(dtype)
        StridedMemoryView = _cuda("cuda.core.utils", "StridedMemoryView")

        size = max(1, int(np.prod(shape)) * kind.itemsize)
        buffer = self.device.allocate(size, stream=self.stream)
        steps = tuple(s // kind.itemsize for s in strides_of(shape, kind.itemsize, order))
        view = StridedMemoryView.from_buffer(buffer, shape=shape, strides=steps, dtype=kind)
        return DeviceArray(shape, kind, order, int(buffer.handle), view)

    def zeros(self, shape: tuple[int, ...], dtype: str) -> DeviceArray:
        return self.upload(np.zeros(shape, dtype))

    def upload(self, array: np.ndarray[Any, Any]) -> DeviceArray:
        """A copy of a NumPy array, in C order."""
        array = np.ascontiguousarray(array)
        made = self.empty(array.shape, array.dtype.name)
        if array.nbytes:
            _bytes_of(made).copy_from(_host_bytes(array), self.stream, blocking=True)
        return made

    def borrow(self, name: str, value: Any) -> DeviceArray:
        """Another library's array on this GPU, without a copy. Raises ArrayError for one elsewhere or
        one that is not dense in C order."""
        StridedMemoryView = _cuda("cuda.core.utils", "StridedMemoryView")

        told = getattr(value, "__cuda_array_interface__", None)
        if told is not None and 0 in told["shape"]:
            # Nothing to read, and no address that the driver could place on a GPU.
            return self.empty(tuple(told["shape"]), np.dtype(told["typestr"]).name)
        view = StridedMemoryView.from_any_interface(value, stream_ptr=int(self.stream.handle))
        kind = np.dtype(view.dtype)
        if not view.is_device_accessible or view.device_id != self.number:
            raise ArrayError(f"{name} is elsewhere", expected=f"on GPU {self.number}", got="not")
        steps = None if view.strides is None else tuple(s * kind.itemsize for s in view.strides)
        if not is_dense(tuple(view.shape), steps, kind.itemsize):
            raise ArrayError(f"{name} is not dense", expected="C order", got=f"strides {steps}")
        return DeviceArray(tuple(view.shape), kind, "C", int(view.ptr), view)

    def copy(self, source: DeviceArray, target: DeviceArray) -> None:
        """Start a copy of the bytes of one array into another of the same size."""
        _bytes_of(target).copy_from(_bytes_of(source), self.stream, blocking=False)

    def load(self, code: bytes, kind: str) -> Any:
        """The kernel in a cubin or PTX file. The driver's own error where it refuses it."""
        ObjectCode = _cuda("cuda.core", "ObjectCode")

        module = (ObjectCode.from_cubin if kind == "cubin" else ObjectCode.from_ptx)(code)
        return module.get_kernel(ENTRY)

    def launch(self, kernel: Any, blocks: int, threads: int, arguments: Iterable[int]) -> None:
        """Start a kernel; it runs while this returns."""
        LaunchConfig = _cuda("cuda.core", "LaunchConfig")
        launch = _cuda("cuda.core", "launch")

        launch(self.stream, LaunchConfig(grid=blocks, block=threads), kernel, *arguments)

    def timed(self, work: Callable[[], None]) -> float:
        """Seconds between two events around `work` on the stream."""
        EventOptions = _cuda("cuda.core", "EventOptions")

        options = EventOptions(timing_enabled=True)
        start, end = self.device.create_event(options), self.device.create_event(options)
        self.stream.record(start)
        work()
        self.stream.record(end)
        end.sync()
        return float(end - start) / 1e3


def _cuda(module: str, name: str) -> Any:
    """A name of cuda.core, which picks its build for the installed toolkit as it is imported: no type
    checker can follow."""
    return getattr(import_module(module), name)


@lru_cache(maxsize=16)
def gpu(number: int = 0) -> Gpu:
    """GPU `number`. Raises CudaUnavailable without a driver, such a GPU, or cuda.core."""
    if not 0 <= number < gpu_count():
        raise CudaUnavailable(f"no GPU {number} here: the driver sees {gpu_count()}")
    try:
        Device = _cuda("cuda.core", "Device")
    except ImportError as error:
        raise CudaUnavailable("needs cuda-core: pip install 'physgauge[gpu]'") from error
    device = Device(number)
    device.set_current()
    return Gpu(number, device, device.default_stream)


def download(array: DeviceArray) -> np.ndarray[Any, Any]:
    """A NumPy copy in C order; waits for the GPU."""
    host = np.empty(array.shape, array.dtype, order="F" if array.order == "F" else "C")
    if array.nbytes:
        holder = gpu(array.view.device_id)
        holder.use()
        _bytes_of(array).copy_to(_host_bytes(host), holder.stream, blocking=True)
    return np.ascontiguousarray(host)


def _bytes_of(array: DeviceArray) -> Any:
    """A dense device array as a view of its bytes."""
    Buffer = _cuda("cuda.core", "Buffer")
    StridedMemoryView = _cuda("cuda.core.utils", "StridedMemoryView")

    buffer = Buffer.from_handle(array.pointer, array.nbytes, owner=array.view)
    return StridedMemoryView.from_buffer(buffer, shape=(array.nbytes,), dtype=np.dtype(np.uint8))


def _host_bytes(array: np.ndarray[Any, Any]) -> Any:
    """A dense NumPy array as a view of its bytes, in memory order."""
    StridedMemoryView = _cuda("cuda.core.utils", "StridedMemoryView")

    return StridedMemoryView.from_array_interface(array.ravel(order="K").view(np.uint8))
