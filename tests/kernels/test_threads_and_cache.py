"""Kernels called from many threads and processes, and the cache that they share."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from physgauge.rules_kernel import compile_pack
from tests.kernels.small import Box, images, observed, pack_of

NOSE: Box = ("nose", 0, 0, 10, 10)
RULES = ("cx(nose) > 5", "count(nose) <= 1", "all(nose, cut(nose))")

SCRIPT = """
import sys
import numpy as np
from tests.kernels.small import images, observed, pack_of
from physgauge.rules_kernel import compile_pack
pack = pack_of("cx(nose) > 5", "W > 2 * H")
kernel = compile_pack(pack)
got = kernel.evaluate(images([[("nose", 0, 0, 30, 10)]]), observed(pack))
assert got.status.tolist() == [[1, 0]]
stats = kernel._run.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def python(script: str, cache: Path, **environment: str) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
        env={**os.environ, "PHYSGAUGE_CACHE_DIR": str(cache), "PYTHONPATH": f"{root}/src:{root}", **environment},
    )  # fmt: skip


def output(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.strip()


def test_threads_do_not_disturb_each_other() -> None:
    """Numba's default pool aborts the process when two threads enter it."""
    pack = pack_of(*RULES)
    kernel = compile_pack(pack)
    boxes = images([[NOSE] * (k % 5) for k in range(9000)])
    seen = observed(pack, 9000)
    want = kernel.evaluate(boxes, seen, threads=1)
    with ThreadPoolExecutor(4) as pool:
        results = list(
            pool.map(lambda k: kernel.evaluate(boxes, seen, threads=1 + k % 2), range(24))
        )
    for got in results:
        np.testing.assert_array_equal(got.status, want.status)
        np.testing.assert_array_equal(got.witness, want.witness)
        np.testing.assert_array_equal(got.measured, want.measured)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_evaluates(tmp_path: Path) -> None:
    """GNU OpenMP aborts a child of a process that has used it: the child takes the serial way."""
    script = """
import os
from tests.kernels.small import images, observed, pack_of
from physgauge.rules_kernel import compile_pack
pack = pack_of("cx(nose) > 5")
kernel = compile_pack(pack)
boxes, seen = images([[("nose", 0, 0, 30, 10)]] * 9000), observed(pack, 9000)
kernel.evaluate(boxes, seen, threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if kernel.evaluate(boxes, seen, threads=2).status.all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert output(python(script, tmp_path)) == "0"


def test_a_second_process_reads_the_cache_and_racing_ones_agree(tmp_path: Path) -> None:
    racing = [python(SCRIPT, tmp_path) for _ in range(2)]
    for process in racing:
        output(process)
    assert output(python(SCRIPT, tmp_path)) == "1 0"
    kept = sorted(path.name for path in (tmp_path / "rules").glob("*.py"))
    assert len(kept) == 1, "one module, no temporary files"
    assert not list((tmp_path / "rules").glob(".*"))


def test_a_damaged_or_unusable_cache_costs_time_only(tmp_path: Path) -> None:
    output(python(SCRIPT, tmp_path))
    for file in (tmp_path / "rules").rglob("*.nb[ci]"):
        file.write_bytes(b"damaged")
    output(python(SCRIPT, tmp_path))
    assert output(python(SCRIPT, Path("/proc/no/such/folder"))) == "0 1"


def test_the_language_needs_no_numba() -> None:
    script = """
import sys
from physgauge.rules_kernel import load_pack, reference, shipped_packs
from physgauge.rules_kernel.fusion import nms_plain
for name in shipped_packs():
    load_pack(name)
print(sorted({"numba", "torch", "onnxruntime"} & set(sys.modules)))
"""
    assert output(python(script.replace(", reference", ""), Path("unused"))) == "[]"
