"""The CUDA side where there is neither a GPU nor a compiler: names, files, reports, arguments, refusals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from physgauge.rules_kernel import CATEGORIES, ArrayError, CudaUnavailable, arrays
from physgauge.rules_kernel.codegen import ARRAYS
from physgauge.rules_kernel.cuda import (
    compile_cuda,
    device_array,
    files,
    inputs,
    ptxas,
    scoring,
    source,
)
from tests.kernels.small import Box, images, observed, pack_of

NOSE: Box = ("nose", 0, 0, 10, 10)
REPORT = """ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function 'physgauge_rules' for 'sm_90'
ptxas info    : Function properties for physgauge_rules
    {stack} bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads
ptxas info    : Used 217 registers, used 0 barriers
"""


def on_gpu(array: np.ndarray[Any, Any]) -> device_array.DeviceArray:
    """Describes an array as if it lay on a GPU; nothing reads its memory."""
    return device_array.DeviceArray(array.shape, array.dtype, "C", 4096, None)


def test_constants_that_compile() -> None:
    assert len(CATEGORIES) == scoring.CATEGORY_COUNT
    assert scoring.MOST_BOXES == arrays.MAX_BOXES_PER_IMAGE
    assert tuple(a.name for a in source.ARGUMENTS[: len(ARRAYS)]) == ARRAYS


def test_the_name_follows_pack_and_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = pack_of("count(nose) == 1")
    name = source.kernel_name(pack, source.cuda_source(pack))
    assert name == source.kernel_name(pack, source.cuda_source(pack))
    other = pack_of("count(nose) == 2")
    assert name != source.kernel_name(other, source.cuda_source(other))
    twin = replace(pack, name="small@paper")
    assert source.kernel_name(twin, source.cuda_source(twin)).startswith("rules_small_at_paper_")
    monkeypatch.setattr(source, "generator_hash", lambda: "another")
    assert name != source.kernel_name(pack, source.cuda_source(pack))


def test_files_that_a_gpu_can_run_best_first(tmp_path: Path) -> None:
    early, late = tmp_path / "early", tmp_path / "late"
    for folder, names in (
        (
            early,
            ["k.sm_90.ptx", "k.sm_80.ptx", "k.sm_90.txt", "k2.sm_90.cubin", "k.sm_90.cubin.tmp"],
        ),
        (late, ["k.sm_90.cubin", "k.sm_120.ptx", "k.sm_90.ptx"]),
    ):
        folder.mkdir()
        for name in names:
            (folder / name).touch()

    def found(cc: tuple[int, int]) -> list[str]:
        places = (tmp_path / "nowhere", early, late)
        return [f"{f.path.parent.name}/{f.path.name}" for f in files.find("k", cc, places)]

    hopper = ["late/k.sm_90.cubin", "early/k.sm_90.ptx", "late/k.sm_90.ptx", "early/k.sm_80.ptx"]
    assert found((9, 0)) == hopper
    assert found((8, 6)) == ["early/k.sm_80.ptx"]
    assert found((10, 0)) == hopper[1:]
    assert found((12, 0)) == ["late/k.sm_120.ptx", *hopper[1:]]
    assert found((7, 5)) == []


def test_the_folder_of_the_environment_comes_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(files.FOLDER_VARIABLE, raising=False)
    assert files.folders() == (files.SHIPPED,)
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path))
    assert files.folders() == (tmp_path, files.SHIPPED)


def test_ptx_targets() -> None:
    assert [files.target(cc) for cc in ((8, 0), (9, 0), (10, 3))] == [(8, 0), (9, 0), (9, 0)]
    assert files.file_name("k", (9, 0), "ptx") == "k.sm_90.ptx"


def test_register_and_spill_report() -> None:
    used = ptxas.usage(REPORT.format(stack=0, stores=0, loads=0))
    assert (used.registers, used.stack, used.spills) == (217, 0, False)
    assert ptxas.usage(REPORT.format(stack=16, stores=8, loads=0)).spills
    assert ptxas.usage(REPORT.format(stack=16, stores=0, loads=8)).spills
    with pytest.raises(ValueError, match="no register and spill figures"):
        ptxas.usage("ptxas fatal")


def test_device_arrays_describe_themselves() -> None:
    array = device_array.DeviceArray((3, 2, 2), np.dtype("int32"), "F", 4096, None)
    twin = np.empty((3, 2, 2), np.int32, order="F")
    assert array.strides == twin.strides
    assert array.nbytes == twin.nbytes
    shown = array.__cuda_array_interface__
    assert (shown["shape"], shown["typestr"], shown["strides"]) == (twin.shape, "<i4", twin.strides)
    assert shown["data"] == (4096, False)
    rows = replace(array, shape=(0, 2), order="C").__cuda_array_interface__
    assert (rows["data"], rows["strides"]) == ((0, False), None)


@pytest.mark.parametrize(
    ("make", "dense"),
    [
        (lambda a: a, True),
        (lambda a: a.T, False),
        (lambda a: a[:, :2], False),
        (lambda a: a[::2], False),
        (lambda a: a[:1, :2], True),
        (lambda a: a[:0].T, True),
    ],
)
def test_dense_is_what_numpy_calls_c_contiguous(make: Callable[[Any], Any], dense: bool) -> None:
    array = make(np.zeros((4, 3), np.float32))
    assert array.flags.c_contiguous == dense
    assert device_array.is_dense(array.shape, array.strides, 4) == dense


def test_who_is_on_a_gpu() -> None:
    torch = pytest.importorskip("torch")
    assert device_array.on_device(on_gpu(np.zeros(3)))
    for value in (np.zeros(3), torch.zeros(3), [1, 2], None):
        assert not device_array.on_device(value)


def test_shapes_of_gpu_arrays_are_checked() -> None:
    pack = pack_of("count(nose) == 1")
    given = inputs.gather(images([[NOSE], [NOSE, NOSE]]), observed(pack, 2))
    assert inputs.check_inputs(given, pack) == 2
    there = {name: on_gpu(value) for name, value in given.items()}
    assert inputs.check_inputs(there, pack) == 2
    assert inputs.check_inputs({**given, "xyxy": there["xyxy"]}, pack) == 2
    for name, wrong, message in (
        ("xyxy", np.zeros((3, 4)), r"xyxy has the wrong type or shape, expected float32 \[N, 4\]"),
        (
            "label",
            np.zeros(2, np.int16),
            r"label has the wrong type or shape, expected int16 \[3\]",
        ),
        ("offsets", np.zeros(0, np.int64), "offsets must start at 0"),
        (
            "offsets",
            np.zeros(3, np.int32),
            r"offsets has the wrong type or shape, expected int64 \[N\]",
        ),
        (
            "offsets",
            np.zeros(6, np.int64),
            r"counts has the wrong type or shape, expected float32 \[5, 4\]",
        ),
        (
            "view",
            np.zeros((2, 1), np.int8),
            r"view has the wrong type or shape, expected int8 \[2\]",
        ),
    ):
        with pytest.raises(ArrayError, match=message):
            inputs.check_inputs({**there, name: on_gpu(wrong)}, pack)
    with pytest.raises(
        ArrayError, match="size is no array, expected a NumPy or CUDA array, got list"
    ):
        inputs.check_inputs({**there, "size": [[1, 2]]}, pack)
    with pytest.raises(ArrayError, match="offsets fall at image 0"):
        inputs.check_inputs({**there, "offsets": np.array([0, -1, 3])}, pack)


def test_arguments_are_laid_out_as_numba_reads_them() -> None:
    values: dict[str, Any] = {
        a.name: on_gpu(np.zeros((5, 3, 2)[: a.ndim], a.dtype)) if a.ndim else 7
        for a in source.ARGUMENTS
    }
    flat = list(inputs.flatten(values))
    assert flat[:9] == [0, 0, 15, 4, 4096, 5, 3, 12, 4], "xyxy, C order"
    ndims = [a.ndim for a in source.ARGUMENTS]
    assert len(flat) == sum(5 + 2 * n if n else 1 for n in ndims)
    at = sum(
        5 + 2 * n if n else 1 for n in ndims[: [a.name for a in source.ARGUMENTS].index("witness")]
    )
    assert flat[at : at + 11] == [0, 0, 30, 4, 4096, 5, 3, 2, 4, 20, 60], "witness, F order"
    assert all(isinstance(value, int) for value in flat)


def test_a_gpu_that_is_not_there() -> None:
    with pytest.raises(CudaUnavailable, match="no GPU 99 here"):
        compile_cuda(pack_of("count(nose) == 1"), device=99)
