"""Compile packs for GPUs: ``python -m physgauge.rules_kernel.cuda_build OUT_DIR [PACK ...]``.

Writes PTX, an sm_90 cubin and ptxas' report for each pack (default: all shipped ones) into OUT_DIR, which
then serves as $PHYSGAUGE_CUDA_DIR. Needs numba-cuda (extra `gpu`) and ptxas; no GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from physgauge.rules_kernel.cuda.files import HOPPER, file_name
from physgauge.rules_kernel.cuda.numba_target import compile_ptx
from physgauge.rules_kernel.cuda.ptxas import Usage, assemble, usage
from physgauge.rules_kernel.cuda.source import cuda_source, kernel_name
from physgauge.rules_kernel.errors import CudaUnavailable
from physgauge.rules_kernel.load import load_pack, shipped_packs
from physgauge.rules_kernel.pack import Pack


def build(pack: Pack, out: Path) -> Usage:
    """Write the three files of a pack into the folder `out`; what the kernel uses.

    Files that are already there are taken as they are: their names hold a hash of pack and generator.
    """
    source = cuda_source(pack)
    name = kernel_name(pack, source)
    ptx, cubin, report = (out / file_name(name, HOPPER, kind) for kind in ("ptx", "cubin", "txt"))
    if not report.is_file():
        out.mkdir(parents=True, exist_ok=True)
        ptx.write_text(compile_ptx(source, HOPPER), encoding="utf-8")
        report.write_text(assemble(ptx, cubin), encoding="utf-8")
    return usage(report.read_text(encoding="utf-8"))


def build_all(out: Path, packs: Iterable[str] = ()) -> dict[str, Usage]:
    """`build` for packs by name or path (default: all shipped ones)."""
    return {name: build(load_pack(name), out) for name in tuple(packs) or shipped_packs()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Compile rule packs for GPUs ahead of time")
    parser.add_argument("out", type=Path, help="folder for the compiled files")
    parser.add_argument("packs", nargs="*", help="names or paths (default: all shipped packs)")
    args = parser.parse_args()
    spilled = False
    try:
        for name in args.packs or shipped_packs():
            start = time.perf_counter()
            used = build(load_pack(name), args.out)
            spilled |= used.spills
            print(
                f"{name}: {used.registers} registers, {used.stack} bytes stack, "
                f"{used.spill_stores} + {used.spill_loads} bytes spilled, "
                f"{time.perf_counter() - start:.0f} s"
            )
    except CudaUnavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if spilled:
        print("warning: registers spilled: that kernel is slower than it could be", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
