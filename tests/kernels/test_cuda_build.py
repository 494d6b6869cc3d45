"""Ahead-of-time files: PTX and cubins from the shipped packs, and what ptxas says about them.

Needs numba-cuda and ptxas, which `pip install '.[test]'` brings on Linux; no GPU.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from physgauge.rules_kernel import load_pack, shipped_packs
from physgauge.rules_kernel.cuda import files, inputs
from physgauge.rules_kernel.cuda.ptxas import find_ptxas, usage
from physgauge.rules_kernel.cuda.source import ARGUMENTS, BLOCK, ENTRY, cuda_source, kernel_name
from physgauge.rules_kernel.cuda_build import build
from tests.kernels.small import HEAD, pack_of
from tests.kernels.test_cuda_files import on_gpu

pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install 'physgauge[gpu]'")
if find_ptxas() is None:
    pytest.skip("needs ptxas: pip install nvidia-cuda-nvcc", allow_module_level=True)

ROOT = Path(__file__).parents[2]
SMALL = pack_of("all(nose, any(wing, iou(nose, wing) > 0.1))", "count(leg) in {2, 4}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cuda")


def test_a_small_pack(folder: Path) -> None:
    used = build(SMALL, folder)
    assert not used.spills
    assert used.stack == 0
    name = kernel_name(SMALL, cuda_source(SMALL))
    kinds = [file.kind for file in files.find(name, (9, 0), (folder,))]
    assert kinds == ["cubin", "ptx"]
    ptx = (folder / files.file_name(name, (9, 0), "ptx")).read_text()
    # Version 9.0 is what ptxas 13.0 and the 580 drivers take.
    assert re.search(r"^\.version 9\.0$", ptx, re.M)
    assert re.search(r"^\.target sm_90$", ptx, re.M)
    assert re.search(rf"^\.maxntid {BLOCK}, 1, 1$", ptx, re.M), "launch bounds"
    assert re.findall(r"\.entry (\w+)\(", ptx) == [ENTRY]
    assert "NumbaEnv" not in ptx
    cubin = (folder / files.file_name(name, (9, 0), "cubin")).read_bytes()
    assert cubin[:4] == b"\x7fELF"
    assert ENTRY.encode() in cubin


def test_parameters_are_what_the_launch_hands_over(folder: Path) -> None:
    """Every parameter is 8 bytes, and there are as many as `flatten` gives."""
    build(SMALL, folder)
    name = files.file_name(kernel_name(SMALL, cuda_source(SMALL)), (9, 0), "ptx")
    parameters = re.findall(r"\.param \.(\w+)[^,)]* (\w+_param_\d+)", (folder / name).read_text())
    values: dict[str, Any] = {
        a.name: on_gpu(np.zeros((5, 3, 2)[: a.ndim], a.dtype)) if a.ndim else 7 for a in ARGUMENTS
    }
    assert len(parameters) == len(list(inputs.flatten(values)))
    assert {kind for kind, _ in parameters} <= {"u64", "b64", "s64"}


@pytest.mark.parametrize("name", shipped_packs())
def test_no_shipped_pack_spills(name: str, folder: Path) -> None:
    used = build(load_pack(name), folder)
    assert not used.spills, f"{used}: the rules of {name} need more registers than a thread has"


def test_built_files_are_taken_as_they_are(folder: Path) -> None:
    build(SMALL, folder)
    report = folder / files.file_name(kernel_name(SMALL, cuda_source(SMALL)), (9, 0), "txt")
    text = report.read_text()
    report.write_text(text.replace(f"Used {usage(text).registers} reg", "Used 5 reg"))
    assert build(SMALL, folder).registers == 5
    report.write_text(text)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_cmake_builds_only_when_asked(tmp_path: Path) -> None:
    pack = tmp_path / "small.toml"
    rule = '[[presence]]\nid = "P1"\nsays = "a nose"\nrule = "count(nose) >= 1"\n'
    pack.write_text(HEAD + rule, encoding="utf-8")

    def cmake(*arguments: str) -> None:
        done = subprocess.run(
            ["cmake", *arguments], check=False, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

    plain, cuda = tmp_path / "plain", tmp_path / "build"
    cmake("-S", str(ROOT), "-B", str(plain))
    cmake("--build", str(plain))
    assert not (plain / "cuda").exists()
    cmake(
        "-S", str(ROOT), "-B", str(cuda), "-DPHYSGAUGE_CUDA=ON",
        f"-DPHYSGAUGE_CUDA_PACKS={pack}", f"-DPython_EXECUTABLE={sys.executable}",
    )  # fmt: skip
    cmake("--build", str(cuda))
    cmake("--install", str(cuda), "--prefix", str(tmp_path / "prefix"))
    images = tmp_path / "prefix/physgauge/rules_kernel/cuda/images"
    assert sorted(path.suffix for path in images.iterdir()) == [".cubin", ".ptx", ".txt"]
