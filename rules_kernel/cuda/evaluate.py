"""A pack's kernel on a GPU, run over batches."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physgauge.rules_kernel.aggregate import RuleScores
from physgauge.rules_kernel.arrays import (
    BoxesLike,
    ObservedArrays,
    ObservedLike,
    PackedBoxes,
    RuleArrays,
    check_boxes,
    check_observed,
)
from physgauge.rules_kernel.cuda.device_array import DeviceArray, on_device
from physgauge.rules_kernel.cuda.driver import Gpu, gpu
from physgauge.rules_kernel.cuda.inputs import (
    BOXES,
    OBSERVED,
    any_on_device,
    check_inputs,
    flatten,
    gather,
)
from physgauge.rules_kernel.cuda.loader import LoadedKernel, load
from physgauge.rules_kernel.cuda.source import ARGUMENTS, BLOCK, pack_arrays, results
from physgauge.rules_kernel.errors import ArrayError
from physgauge.rules_kernel.pack import Pack

Array = np.ndarray[Any, Any] | DeviceArray
_DTYPE = {argument.name: argument.dtype for argument in ARGUMENTS}
_ORDER = {argument.name: argument.order for argument in ARGUMENTS}


@dataclass(frozen=True)
class CudaResults:
    """Outcomes and scores of B images: NumPy arrays for NumPy inputs, `DeviceArray`s where any input was
    on the GPU. Types and shapes are those of `RuleArrays` and `RuleScores`."""

    status: Array
    measured: Array
    witness: Array
    s_category: Array
    s_rules: Array
    used: Array
    """f64[B,4] the category weights as used."""
    applicable: Array

    def outcomes(self) -> RuleArrays:
        """Status, measured values and witnesses as NumPy arrays."""
        return RuleArrays(_host(self.status), _host(self.measured), _host(self.witness))

    def scores(self) -> RuleScores:
        """The scores as NumPy arrays."""
        return RuleScores(
            _host(self.s_category), _host(self.s_rules), _host(self.used), _host(self.applicable)
        )


@dataclass(frozen=True)
class CudaPack:
    """A pack on a GPU."""

    pack: Pack
    gpu: Gpu
    loaded: LoadedKernel
    _constants: Mapping[str, DeviceArray] = field(repr=False)
    """What the scores need of the pack."""

    def evaluate(self, boxes: BoxesLike, observed: ObservedLike) -> CudaResults:
        """Evaluate every rule and the scores of every image, in one launch.

        The arrays are those of `PackedBoxes` and `ObservedArrays`, each a NumPy array or an array on this
        GPU that speaks DLPack or the CUDA array interface (dense, C order; used without a copy). Returns
        when the GPU has finished. Raises ArrayError for arrays that break the contract.
        """
        self.gpu.use()
        given = {
            name: self.gpu.borrow(name, value) if on_device(value) else value
            for name, value in gather(boxes, observed).items()
        }
        images = check_inputs(given, self.pack)
        inputs = {
            name: value if isinstance(value, DeviceArray) else self.gpu.upload(value)
            for name, value in given.items()
        }
        found = self.allocate(images)
        if images:
            self._run(inputs, found)
        made: dict[str, Any] = dict(found)
        if not any_on_device(given):
            made = {name: value.host() for name, value in found.items()}
        return CudaResults(**made)

    def allocate(self, images: int) -> dict[str, DeviceArray]:
        """Unset arrays for the results of `images` images, by argument name."""
        shapes = results(images, len(self.pack.rules))
        return {
            name: self.gpu.empty(shape, _DTYPE[name], _ORDER[name])
            for name, shape in shapes.items()
        }

    def arguments(
        self, inputs: Mapping[str, DeviceArray], found: Mapping[str, DeviceArray]
    ) -> dict[str, DeviceArray | int]:
        """All arguments of a launch by name, with scratch for its boxes and a fresh counter."""
        n = inputs["xyxy"].shape[0]
        return {
            **inputs,
            **found,
            **self._constants,
            "minimum": self.pack.minimum_rules,
            "bad": self.gpu.zeros((1,), "int32"),
            "order": self.gpu.empty((n,), "int32"),
            "placed": self.gpu.empty((n, 4), "float32"),
        }

    def launch(self, arguments: Mapping[str, DeviceArray | int], images: int) -> None:
        """Start the kernel; it runs while this returns."""
        blocks = -(-images // BLOCK)
        self.gpu.launch(self.loaded.kernel, blocks, BLOCK, flatten(arguments))

    def _run(self, inputs: Mapping[str, DeviceArray], found: Mapping[str, DeviceArray]) -> None:
        arguments = self.arguments(inputs, found)
        self.launch(arguments, inputs["offsets"].shape[0] - 1)
        bad = arguments["bad"]
        assert isinstance(bad, DeviceArray)
        if bad.host()[0]:
            self._complain(inputs)

    def _complain(self, inputs: Mapping[str, DeviceArray]) -> None:
        """The kernel counted values that break the contract; this says which."""
        pack, host = self.pack, {name: value.host() for name, value in inputs.items()}
        boxes = PackedBoxes(**{name: host[name] for name in BOXES})
        observed = ObservedArrays(**{name: host[name] for name in OBSERVED})
        images, _ = check_boxes(boxes, len(pack.components))
        check_observed(observed, images, len(pack.components), len(pack.facts), len(pack.tags))
        raise ArrayError("the arrays changed while they were read")


_COMPILED: dict[tuple[str, int], CudaPack] = {}
_COMPILING = threading.Lock()


def compile_cuda(pack: Pack, *, device: int = 0) -> CudaPack:
    """A pack's kernel on a GPU, once a process (see `cuda.compile_cuda`)."""
    holder = gpu(device)
    with _COMPILING:
        key = (pack.content_hash, device)
        if key not in _COMPILED:
            holder.use()
            constants = {name: holder.upload(value) for name, value in pack_arrays(pack).items()}
            _COMPILED[key] = CudaPack(pack, holder, load(pack, holder), constants)
        return _COMPILED[key]


def _host(array: Array) -> np.ndarray[Any, Any]:
    return array.host() if isinstance(array, DeviceArray) else array
