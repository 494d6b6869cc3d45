"""Compiled packs: generated code through Numba, cached on disk, run over packed batches."""

from __future__ import annotations

import hashlib
import sys
import threading
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from physgauge.rules_kernel.arrays import (
    BoxesLike,
    ObservedLike,
    RuleArrays,
    check_box_shapes,
    check_boxes,
    check_observed,
    check_shapes,
)
from physgauge.rules_kernel.cache import cache_dir, keep
from physgauge.rules_kernel.codegen import device_namespace, generate, generator_hash
from physgauge.rules_kernel.errors import ArrayError
from physgauge.rules_kernel.pack import Pack
from physgauge.rules_kernel.threads import parallel_turn, thread_count

MIN_CHUNK = 4096
"""Fewest images for another thread: some milliseconds of work. On a machine whose cores are busy with
other processes, waiting for a thread to be scheduled costs more than a shorter share saves."""


RULES_PER_FUNCTION = 24
"""Compile time grows faster than a function (47 rules: 41 s in one, 27 s in three), while each further
function looks up its boxes anew (1.65 against 2.2 µs an image)."""


@dataclass(frozen=True)
class CompiledPack:
    """A pack as machine code. `threads`: at most this many per call (None: all cores)."""

    pack: Pack
    source: str
    """The generated module."""
    threads: int | None
    _run: Callable[..., int]
    _run_parallel: Callable[[], Callable[..., int]]

    def evaluate(
        self, boxes: BoxesLike, observed: ObservedLike, *, threads: int | None = None
    ) -> RuleArrays:
        """Evaluate every rule on every image.

        Takes the arrays of `PackedBoxes` and `ObservedArrays`; returns `RuleArrays`. Raises
        ArrayError for arrays that break the contract. Safe to call from several threads.
        """
        pack = self.pack
        images, longest = check_box_shapes(boxes)
        check_shapes(observed, images, len(pack.components), len(pack.facts), len(pack.tags))
        rules = len(pack.rules)
        out = RuleArrays(
            np.empty((images, rules), np.int8),
            np.empty((images, rules), np.float32),
            np.empty((images, rules, 2), np.int32),
        )
        arrays = [
            np.ascontiguousarray(a)
            for a in (
                boxes.xyxy, boxes.score, boxes.label, boxes.offsets, observed.counts,
                observed.said, observed.expected_min, observed.expected_max, observed.view,
                observed.size, observed.tags, out.status, out.measured, out.witness,
            )
        ]  # fmt: skip
        wanted = thread_count(self.threads if threads is None else threads)
        with parallel_turn(min(wanted, images // MIN_CHUNK)) as chunks:
            scratch = _scratch(chunks, len(pack.components), longest)
            if chunks > 1:
                bad = self._run_parallel()(*scratch, *arrays)
            else:
                bad = self._run(0, images, *(array[0] for array in scratch), *arrays)
        if bad:
            # The kernel counts values out of range as it passes them; this says which.
            check_boxes(boxes, len(pack.components))
            check_observed(observed, images, len(pack.components), len(pack.facts), len(pack.tags))
            raise ArrayError("the arrays changed while they were read")
        return out


def _scratch(chunks: int, components: int, longest: int) -> tuple[Any, ...]:
    """Room for one image's grouped boxes per chunk: start, order, placed. Rows end in 256 unused
    bytes: threads that write to one cache line halve each other's speed."""
    return (
        np.zeros((chunks, components + 1 + 32), np.int64),
        np.zeros((chunks, longest + 64), np.int32),
        np.zeros((chunks, longest + 16, 4), np.float32),
    )


def compile_pack(pack: Pack, *, threads: int | None = None) -> CompiledPack:
    """Compile a pack for the CPU: seconds the first time, then read from the cache on disk.

    The cache lives in $PHYSGAUGE_CACHE_DIR (default: the user's cache folder); where that cannot
    be written the pack is compiled anew in each process.
    """
    source, run, run_parallel = _compiled(pack)
    return CompiledPack(pack, source, threads, run, run_parallel)


_INNER = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Functions that only compiled code calls need no wrappers, which halves their compile time, and no
reference counting: they allocate nothing. (Options that Numba's type stubs leave out.)"""

_COMPILED: dict[str, tuple[str, Callable[..., int], Callable[[], Callable[..., int]]]] = {}
_COMPILING = threading.RLock()


def is_cached(pack: Pack) -> bool:
    """Whether this process or the cache on disk has the pack's serial kernel: `compile_pack` is then a
    matter of milliseconds."""
    name, digest, _ = _named(pack)
    if digest in _COMPILED:
        return True
    return any((cache_dir() / "__pycache__").glob(f"{name}.run-*.nbi"))


def _named(pack: Pack) -> tuple[str, str, str]:
    """Module name, hash and text of a pack's generated code."""
    source = generate(pack, most=RULES_PER_FUNCTION)
    digest = hashlib.sha256((generator_hash() + source).encode()).hexdigest()[:24]
    return f"rules_{pack.name.replace('@', '_at_')}_{digest}", digest, source


def _compiled(pack: Pack) -> tuple[str, Callable[..., int], Callable[[], Callable[..., int]]]:
    name, digest, source = _named(pack)
    with _COMPILING:
        if digest not in _COMPILED:
            _COMPILED[digest] = (source, *_build(name, source))
        return _COMPILED[digest]


def _build(name: str, source: str) -> tuple[Callable[..., int], Callable[[], Callable[..., int]]]:
    """Compile the module's `run` now and its `run_parallel` on first use."""
    path = keep(name, source)
    if path is not None:
        try:
            return _compile(name, source, str(path), cache=True)
        except Exception:
            # A damaged cache fails in as many ways as pickle does; a real compile error recurs below.
            pass
    return _compile(name, source, str(path or f"<{name}>"), cache=False)


def _compile(
    name: str, source: str, path: str, *, cache: bool
) -> tuple[Callable[..., int], Callable[[], Callable[..., int]]]:
    import numba
    from numba import types as nb

    module = _module(f"physgauge_{name}")
    names = module.__dict__
    names.update(_device(), prange=numba.prange, __file__=path)
    exec(compile(source, path, "exec"), names)
    jit: Any = numba.njit
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": cache}
    arrays = (
        nb.float32[:, ::1], nb.float32[::1], nb.int16[::1], nb.int64[::1], nb.float32[:, ::1],
        nb.boolean[:, ::1], nb.float32[:, ::1], nb.float32[:, ::1], nb.int8[::1],
        nb.float32[:, ::1], nb.boolean[:, ::1], nb.int8[:, ::1], nb.float32[:, ::1],
        nb.int32[:, :, ::1],
    )  # fmt: skip
    scratch = (nb.int64[::1], nb.int32[::1], nb.float32[:, ::1])
    rows = (nb.int64[:, ::1], nb.int32[:, ::1], nb.float32[:, :, ::1])
    for part in [n for n in names if n.startswith("rules_")] + ["rules"]:
        names[part] = jit(**_INNER, **options)(names[part])
    signature = nb.int64(nb.int64, nb.int64, *scratch, *arrays)
    run: Callable[..., int] = jit(signature, _nrt=False, **options)(names["run"])
    names["run"] = run

    @lru_cache(maxsize=1)
    def parallel() -> Callable[..., int]:
        with _COMPILING:
            whole = jit(nb.int64(*rows, *arrays), parallel=True, **options)
            built: Callable[..., int] = whole(names["run_parallel"])
            return built

    return run, parallel


def _module(name: str) -> types.ModuleType:
    """A registered module: Numba's cache finds a function's module again by its name."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    return module


@lru_cache(maxsize=1)
def _device() -> dict[str, Any]:
    """The device functions for Numba's CPU target, shared by all packs."""
    import numba

    jit: Any = numba.njit
    module = _module("physgauge_rules_device")
    device_namespace(jit(nogil=True, error_model="numpy", **_INNER), module.__dict__)
    return {k: v for k, v in module.__dict__.items() if not k.startswith("__")}
