"""The CUDA rule kernel on a GPU: ``python -m benchmarks.kernels --cuda``. Not run on a GPU yet.

Inputs lie on the GPU before the clock starts and results stay there; the time is that of the launch,
between two events on the stream. Its share of the memory bandwidth counts each input and each result
once, which is what the kernel cannot do without, and no scratch.
"""

from __future__ import annotations

import numpy as np

from physgauge.rules_kernel import ObservedArrays, Pack, PackedBoxes
from physgauge.rules_kernel.cuda import compile_cuda
from physgauge.rules_kernel.cuda.driver import Gpu
from physgauge.rules_kernel.cuda.inputs import gather


def measure_cuda(
    pack: Pack, boxes: PackedBoxes, observed: ObservedArrays, repeats: int = 20
) -> dict[str, float]:
    """Images per second and gigabytes per second of one launch over the batch (the fastest of
    `repeats`), the GPU's peak and its copy bandwidth. Raises CudaUnavailable without a GPU."""
    kernel = compile_cuda(pack)
    gpu, images = kernel.gpu, len(observed.view)
    inputs = {name: gpu.upload(value) for name, value in gather(boxes, observed).items()}
    found = kernel.allocate(images)
    arguments = kernel.arguments(inputs, found)
    kernel.launch(arguments, images)
    seconds = min(gpu.timed(lambda: kernel.launch(arguments, images)) for _ in range(repeats))
    moved = sum(array.nbytes for array in (*inputs.values(), *found.values()))
    return {
        "images_per_s": images / seconds,
        "bytes_per_image": moved / images,
        "gb_per_s": moved / seconds / 1e9,
        "peak_gb_per_s": gpu.peak_bandwidth / 1e9,
        "copy_gb_per_s": copy_bandwidth(gpu) / 1e9,
    }


def copy_bandwidth(gpu: Gpu, size: int = 1 << 30, repeats: int = 10) -> float:
    """Bytes read and written per second by the driver's own copy within the GPU's memory."""
    source, target = (gpu.empty((size,), "uint8") for _ in range(2))
    gpu.copy(source, target)
    seconds = min(gpu.timed(lambda: gpu.copy(source, target)) for _ in range(repeats))
    return 2 * size / seconds


def replicated(
    boxes: PackedBoxes, observed: ObservedArrays, times: int
) -> tuple[PackedBoxes, ObservedArrays]:
    """A batch `times` over."""
    offsets = boxes.offsets[:-1] + boxes.offsets[-1] * np.arange(times)[:, None]
    return (
        PackedBoxes(
            np.tile(boxes.xyxy, (times, 1)),
            np.tile(boxes.score, times),
            np.tile(boxes.label, times),
            np.append(offsets.ravel(), boxes.offsets[-1] * times),
        ),
        ObservedArrays(
            **{
                name: np.tile(value, (times,) + (1,) * (value.ndim - 1))
                for name, value in vars(observed).items()
            }
        ),
    )
