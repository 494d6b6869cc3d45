"""Kernels of several packs, compiled side by side the first time.

A pack takes ten to thirty seconds to compile, and Numba compiles in one thread: so the packs that the
cache lacks are shared among processes, and this one reads the others' work from the cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from physgauge.rules_kernel import Pack, compile_pack
from physgauge.rules_kernel.cache import usable
from physgauge.rules_kernel.kernels import CompiledPack, is_cached

_CHILD = (
    "import sys; from physgauge.rules_kernel import compile_pack, load_pack\n"
    "for name in sys.argv[1:]: compile_pack(load_pack(name))"
)


def compile_together(
    packs: Mapping[str, Pack], places: Mapping[str, str], threads: int = 0
) -> dict[str, CompiledPack]:
    """The kernel of each pack, by its key.

    Args:
        packs: checked packs.
        places: the name or path that each was loaded from.
        threads: of the kernels; 0 = one per core.
    """
    new = [key for key, pack in packs.items() if not is_cached(pack)]
    new.sort(key=lambda key: -sum(len(rule.source) for rule in packs[key].rules))
    shares = min(len(new), len(os.sched_getaffinity(0))) if usable() else 1
    # The longest is this process's own; the others go to the children in turn.
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CHILD, *(places[key] for key in share)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for k in range(shares - 1)
        if (share := new[1 + k :: shares - 1])
    ]
    first = new[:1]
    kernels = {key: compile_pack(packs[key], threads=threads or None) for key in first}
    for child in children:
        # A child that fails leaves its packs to this process, which then says what is wrong.
        child.wait()
    for key, pack in packs.items():
        if key not in kernels:
            kernels[key] = compile_pack(pack, threads=threads or None)
    return {key: kernels[key] for key in packs}
