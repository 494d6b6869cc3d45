"""A batch as the CUDA kernel's arguments: checked, uploaded or borrowed, and flattened to integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from physgauge.rules_kernel.arrays import (
    BoxesLike,
    ObservedLike,
    PackedBoxes,
    check_box_shapes,
    check_shapes,
    expect_array,
)
from physgauge.rules_kernel.cuda.device_array import DeviceArray, strides_of
from physgauge.rules_kernel.cuda.source import ARGUMENTS
from physgauge.rules_kernel.errors import ArrayError
from physgauge.rules_kernel.pack import Pack

BOXES = ("xyxy", "score", "label", "offsets")
OBSERVED = ("counts", "said", "expected_min", "expected_max", "view", "size", "tags")


def gather(boxes: BoxesLike, observed: ObservedLike) -> dict[str, Any]:
    """The eleven input arrays by argument name."""
    found = {name: getattr(boxes, name) for name in BOXES}
    return found | {name: getattr(observed, name) for name in OBSERVED}


def check_inputs(arrays: Mapping[str, Any], pack: Pack) -> int:
    """Raise ArrayError unless types and shapes keep the contract of `arrays`; the number of images.

    NumPy offsets are read too. Those on a GPU are read by the kernel, before it uses them.
    """
    shown = {name: _stand_in(name, value) for name, value in arrays.items()}
    if isinstance(arrays["offsets"], np.ndarray):
        images, _ = check_box_shapes(PackedBoxes(**{name: shown[name] for name in BOXES}))
    else:
        images = _box_shapes(shown)
    seen: Any = _Fields(shown)
    check_shapes(seen, images, len(pack.components), len(pack.facts), len(pack.tags))
    return images


class _Fields:
    def __init__(self, arrays: Mapping[str, Any]) -> None:
        vars(self).update(arrays)


def _box_shapes(shown: Mapping[str, np.ndarray[Any, Any]]) -> int:
    expect_array("offsets", shown["offsets"], np.int64, (None,))
    if not shown["offsets"].size:
        raise ArrayError("offsets must start at 0", got="[]")
    expect_array("xyxy", shown["xyxy"], np.float32, (None, 4))
    n = len(shown["xyxy"])
    expect_array("score", shown["score"], np.float32, (n,))
    expect_array("label", shown["label"], np.int16, (n,))
    return int(shown["offsets"].size) - 1


def _stand_in(name: str, value: Any) -> np.ndarray[Any, Any]:
    """A NumPy array of the same type and shape, without memory of its own."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, DeviceArray):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    raise ArrayError(
        f"{name} is no array", expected="a NumPy or CUDA array", got=type(value).__name__
    )


def any_on_device(arrays: Mapping[str, Any]) -> bool:
    return any(isinstance(value, DeviceArray) for value in arrays.values())


def flatten(values: Mapping[str, DeviceArray | int]) -> Iterator[int]:
    """The kernel's parameters. An array is what Numba's calling convention makes of it: two unused
    pointers, length, bytes an element, address, lengths and strides along the axes."""
    for argument in ARGUMENTS:
        value = values[argument.name]
        if isinstance(value, int):
            yield value
            continue
        itemsize = value.dtype.itemsize
        yield from (0, 0, int(np.prod(value.shape)), itemsize, value.pointer, *value.shape)
        yield from strides_of(value.shape, itemsize, argument.order)
