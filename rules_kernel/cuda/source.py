"""A pack's CUDA kernel as text: the rules exactly as `codegen` writes them for the CPU, and an entry that
runs them and their scores, one thread an image. Nothing here needs Numba or a GPU."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from physgauge.rules_kernel.codegen import ARRAYS, device_namespace, generate, generator_hash
from physgauge.rules_kernel.cuda import scoring
from physgauge.rules_kernel.pack import Pack

BLOCK, BLOCKS = 128, 2
"""Threads of a block, and how many blocks a multiprocessor must hold: two, each thread with up to 255
registers. (Told nothing, ptxas spilled at 168 registers to fit three.)"""

REGISTERS = 110
"""Of the 255 registers of a thread, what the rules of one function may share. Tried: with 110 none of the
shipped packs spills; as one function, the larger ones do."""

ENTRY = "physgauge_rules"
"""Name of the kernel in compiled files."""


@dataclass(frozen=True)
class Argument:
    """One argument of the kernel: an array (`order` C or F), or an int64 (`ndim` 0)."""

    name: str
    dtype: str
    ndim: int
    order: str = "C"


ARGUMENTS = (
    Argument("xyxy", "float32", 2),
    Argument("score", "float32", 1),
    Argument("label", "int16", 1),
    Argument("offsets", "int64", 1),
    Argument("counts", "float32", 2),
    Argument("said", "bool", 2),
    Argument("expected_min", "float32", 2),
    Argument("expected_max", "float32", 2),
    Argument("view", "int8", 1),
    Argument("size", "float32", 2),
    Argument("tags", "bool", 2),
    # One image's results lie a batch apart, so that neighbouring threads write neighbouring addresses.
    Argument("status", "int8", 2, "F"),
    Argument("measured", "float32", 2, "F"),
    Argument("witness", "int32", 3, "F"),
    Argument("by_category", "int32", 1),
    Argument("bounds", "int32", 1),
    Argument("rule_weights", "float64", 1),
    Argument("weights", "float64", 1),
    Argument("minimum", "int64", 0),
    Argument("s_category", "float64", 2, "F"),
    Argument("s_rules", "float64", 1),
    Argument("used", "float64", 2, "F"),
    Argument("applicable", "int64", 1),
    Argument("bad", "int32", 1),
    Argument("order", "int32", 1),
    Argument("placed", "float32", 2),
)
"""What the kernel takes. order[N] and placed[N,4] are scratch; bad[1] counts what breaks the contract of
the arrays: if it is not 0, the results mean nothing."""

_ENTRY = '''

def entry({arguments}):
    """All rules and scores of the image that is this thread's."""
    i = cuda.grid(1)
    if i < offsets.shape[0] - 1:
        # One row a component, one column a thread: no two threads share a bank. A pack's 65 components
        # at most take 34 of the 48 KiB.
        starts = cuda.shared.array(({starts}, {block}), np.int32)
        if boxes_of(i, offsets, xyxy.shape[0]) < 0:
            cuda.atomic.add(bad, 0, 1)
        else:
            low, high = offsets[i], offsets[i + 1]
            wrong = run(
                i, i + 1, starts[:, cuda.threadIdx.x], order[low:high], placed[low:high],
                {arrays},
            )
            if wrong:
                cuda.atomic.add(bad, 0, wrong)
            score_image(
                i, status, by_category, bounds, rule_weights, weights, minimum, s_category, s_rules,
                used, applicable,
            )
'''


def cuda_source(pack: Pack) -> str:
    """The module text with `rules`, `run` and `entry`."""
    return generate(pack, registers=REGISTERS) + _ENTRY.format(
        arguments=", ".join(argument.name for argument in ARGUMENTS),
        arrays=", ".join(ARRAYS),
        starts=len(pack.components) + 1,
        block=BLOCK,
    )


def namespace(source: str, cuda: Any, jit: Callable[[Any], Any]) -> dict[str, Any]:
    """Names of the module `source` as a backend runs it: its `cuda`, device functions through `jit`."""
    names: dict[str, Any] = {"cuda": cuda, "prange": range, "__name__": "physgauge_rules_cuda"}
    device_namespace(jit, names)
    names.update({k: v for k, v in vars(scoring).items() if k.isupper() and k != "DEVICE"})
    for function in scoring.DEVICE:
        names[function.__name__] = jit(FunctionType(function.__code__, names, function.__name__))
    exec(compile(source, "<physgauge_rules_cuda>", "exec"), names)
    for name in [n for n in names if n.startswith("rules")] + ["run"]:
        names[name] = jit(names[name])
    return names


def kernel_name(pack: Pack, source: str) -> str:
    """Name of the pack's compiled files: changes with the pack's content and with the generator."""
    digest = hashlib.sha256(generator_hash().encode())
    here = Path(__file__).parent
    for file in ("source.py", "scoring.py", "numba_target.py"):
        digest.update((here / file).read_bytes())
    digest.update(source.encode())
    return f"rules_{pack.name.replace('@', '_at_')}_{digest.hexdigest()[:24]}"


def pack_arrays(pack: Pack) -> dict[str, np.ndarray[Any, Any]]:
    """What the scores need of the pack: rules sorted by category, where each category starts, weights."""
    category = pack.category_index
    by_category = np.argsort(category, kind="stable").astype(np.int32)
    bounds = np.searchsorted(category[by_category], np.arange(len(pack.weights) + 1))
    return {
        "by_category": by_category,
        "bounds": bounds.astype(np.int32),
        "rule_weights": pack.rule_weights[by_category],
        "weights": np.ascontiguousarray(pack.weights, np.float64),
    }


def results(images: int, rules: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the kernel's results by argument name."""
    return {
        "status": (images, rules),
        "measured": (images, rules),
        "witness": (images, rules, 2),
        "s_category": (images, 4),
        "s_rules": (images,),
        "used": (images, 4),
        "applicable": (images,),
    }
