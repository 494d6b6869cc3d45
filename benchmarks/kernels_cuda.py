"""The CUDA rule kernel on a GPU: ``python -m benchmarks.kernels --cuda``. Not run on a GPU yet.

Inputs lie on the GPU before the clock starts and results stay there; the time is that of the launch,
between two events on the stream. Its share of the memory bandwidth counts each input and each result
once, which is what the kernel cannot do without, and no scratch.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from physgauge.rules_kernel import CudaUnavailable, ObservedArrays, Pack, PackedBoxes
from physgauge.rules_kernel.cuda import compile_cuda
from physgauge.rules_kernel.cuda.driver import Gpu
from physgauge.rules_kernel.cuda.inputs import gather

Batch = Callable[[Pack, int], tuple[PackedBoxes, ObservedArrays]]
"""Makes so many random images for a pack."""


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


def report(packs: Sequence[Pack], batch: Batch, images: int = 1_000_000) -> None:
    """Measure packs on a GPU over `images` images of `batch`, print a table and the RESULT line of the
    first pack. Ends the program with a message where there is no GPU."""
    table = Table("pack", "rules", "images/s", "bytes an image", "GB/s", "of peak", "of a copy")
    results = []
    try:
        for pack in packs:
            got = measure_cuda(pack, *batch(pack, images))
            peak, copy = (
                got["gb_per_s"] / got["peak_gb_per_s"],
                got["gb_per_s"] / got["copy_gb_per_s"],
            )
            results.append(got | {"share_of_peak": peak, "share_of_copy": copy})
            table.add_row(
                pack.name, str(len(pack.rules)), f"{got['images_per_s']:,.0f}",
                f"{got['bytes_per_image']:,.0f}", f"{got['gb_per_s']:,.0f}", f"{peak:.0%}", f"{copy:.0%}",
            )  # fmt: skip
    except CudaUnavailable as error:
        sys.exit(f"benchmarks.kernels --cuda: {error}")
    Console().print(table)
    print(
        "RESULT",
        json.dumps({f"cuda_{name}": round(value, 3) for name, value in results[0].items()}),
    )
