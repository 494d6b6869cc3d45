"""The CUDA kernel in Numba's CUDA simulator, against oracle and CPU kernel (`simulated.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_cuda_kernel_in_the_simulator() -> None:
    """In a process of its own: Numba simulates if told so before it is imported."""
    file = Path(__file__).with_name("simulated.py")
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
        capture_output=True, text=True, check=False, timeout=900, cwd=Path(__file__).parents[2],
        env={**kept, "NUMBA_ENABLE_CUDASIM": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
