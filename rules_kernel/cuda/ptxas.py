"""ptxas: PTX to a cubin, and what it reports about registers and spills."""

from __future__ import annotations

import re
import shutil
import site
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from physgauge.rules_kernel.errors import CudaUnavailable


@dataclass(frozen=True)
class Usage:
    """What one kernel uses, per thread: registers, and bytes of stack and of spilled registers."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int

    @property
    def spills(self) -> bool:
        return self.spill_stores > 0 or self.spill_loads > 0


def find_ptxas() -> str | None:
    """ptxas on the PATH, or of the nvidia-cuda-nvcc package (CUDA 13); None for neither."""
    found = shutil.which("ptxas")
    if found:
        return found
    for folder in (sysconfig.get_paths()["purelib"], *site.getsitepackages()):
        path = Path(folder) / "nvidia" / "cu13" / "bin" / "ptxas"
        if path.is_file():
            return str(path)
    return None


def assemble(ptx: Path, cubin: Path, arch: str = "sm_90") -> str:
    """Write the cubin of a PTX file; ptxas' report. Raises CudaUnavailable without ptxas, RuntimeError
    where it refuses the file."""
    ptxas = find_ptxas()
    if ptxas is None:
        raise CudaUnavailable("a cubin needs ptxas (CUDA toolkit, or pip install nvidia-cuda-nvcc)")
    done = subprocess.run(
        [ptxas, "--verbose", "--warn-on-spills", f"--gpu-name={arch}", str(ptx), "-o", str(cubin)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    report = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"ptxas refused {ptx.name}: {report.strip()[:500]}")
    return report


def usage(report: str) -> Usage:
    """The figures of a report about one kernel. Raises ValueError for a text that has none."""
    registers = re.search(r"Used (\d+) registers", report)
    memory = re.search(
        r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", report
    )
    if registers is None or memory is None:
        raise ValueError(f"no register and spill figures in the report: {report[:200]!r}")
    stack, stores, loads = (int(figure) for figure in memory.groups())
    return Usage(int(registers.group(1)), stack, stores, loads)
