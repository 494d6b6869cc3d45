"""The CUDA kernel on a GPU, against the CPU kernel. Left out where there is no GPU (see tests/conftest.py).

Not run on a GPU yet.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from physgauge.rules_kernel import (
    ArrayError,
    ObservedArrays,
    Pack,
    PackedBoxes,
    compile_pack,
    load_pack,
    rule_scores,
    shipped_packs,
)
from physgauge.rules_kernel.cuda import compile_cuda, files
from physgauge.rules_kernel.cuda.device_array import DeviceArray
from tests.kernels.random_packs import random_batch, random_pack
from tests.kernels.scenes import SCENES, arrays
from tests.kernels.test_oracle_agrees import assert_alike

pytestmark = pytest.mark.gpu


def assert_same(
    pack: Pack, boxes: Any, seen: Any, want_boxes: PackedBoxes, want_seen: ObservedArrays
) -> None:
    """The GPU's answers to (boxes, seen) are the CPU's to (want_boxes, want_seen)."""
    results = compile_cuda(pack).evaluate(boxes, seen)
    outcomes = compile_pack(pack).evaluate(want_boxes, want_seen)
    assert_alike(pack, results.outcomes(), outcomes)
    want = rule_scores(
        outcomes.status, pack.category_index, pack.weights, pack.minimum_rules, pack.rule_weights
    )
    got = results.scores()
    for name in ("s_category", "s_rules", "weights", "applicable"):
        np.testing.assert_allclose(
            getattr(got, name), getattr(want, name), rtol=1e-9, atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("seed", range(4))
def test_random_packs(seed: int) -> None:
    rng = random.Random(seed)
    pack = random_pack(rng, rules=16)
    for images in (0, 1, 127, 128, 129, 5000):
        boxes, seen = random_batch(rng, images)
        assert_same(pack, boxes, seen, boxes, seen)


@pytest.mark.parametrize("name", shipped_packs())
def test_shipped_packs(name: str) -> None:
    pack = load_pack(name)
    scene = SCENES[pack.domain]
    component = scene.boxes[0][0]
    scenes = [scene, scene.mirrored(), scene.scaled(3), scene.without(component)] * 300
    boxes, seen = arrays(
        pack, [*scenes, scene.moved(component, 40, -30), scene.grown(component, 3)]
    )
    assert_same(pack, boxes, seen, boxes, seen)


@pytest.mark.parametrize("way", ["interface", "dlpack"])
def test_arrays_of_another_library_stay_where_they_are(way: str) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch is built without CUDA")
    pack = random_pack(random.Random(5), rules=8)
    boxes, seen = random_batch(random.Random(6), 300)

    class DlpackOnly:
        """A tensor that speaks DLPack alone."""

        def __init__(self, tensor: Any) -> None:
            self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

    def moved(array: np.ndarray[Any, Any]) -> Any:
        tensor = torch.from_numpy(array).cuda()
        return DlpackOnly(tensor) if way == "dlpack" else tensor

    there = PackedBoxes(*(moved(value) for value in vars(boxes).values()))
    known = ObservedArrays(*(moved(value) for value in vars(seen).values()))
    assert_same(pack, there, known, boxes, seen)
    results = compile_cuda(pack).evaluate(there, known)
    assert isinstance(results.status, DeviceArray)
    assert isinstance(results.status.host(), np.ndarray)
    status = torch.as_tensor(results.status, device="cuda")
    assert status.data_ptr() == results.status.pointer, "no copy"
    np.testing.assert_array_equal(status.cpu().numpy(), results.status.host())
    assert isinstance(results.measured, DeviceArray)
    measured = torch.from_dlpack(results.measured).cpu().numpy()
    np.testing.assert_array_equal(measured, results.measured.host())
    # Half here, half there.
    assert_same(pack, there, seen, boxes, seen)


def test_what_breaks_the_contract_on_the_gpu_is_named() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch is built without CUDA")
    pack = random_pack(random.Random(5), rules=2)
    boxes, seen = random_batch(random.Random(6), 50)
    label = boxes.label.copy()
    label[7] = 99
    kernel = compile_cuda(pack)
    with pytest.raises(ArrayError, match="label of box 7 is out of range, expected 0 to 3, got 99"):
        kernel.evaluate(replace(boxes, label=torch.from_numpy(label).cuda()), seen)
    offsets = boxes.offsets.copy()
    offsets[3] = offsets[4] + 1
    with pytest.raises(ArrayError, match="offsets fall at image 3"):
        kernel.evaluate(replace(boxes, offsets=torch.from_numpy(offsets).cuda()), seen)
    flipped = torch.from_numpy(boxes.xyxy.T.copy()).cuda().T
    with pytest.raises(ArrayError, match="xyxy is not dense, expected C order"):
        kernel.evaluate(replace(boxes, xyxy=flipped), seen)


def test_the_ahead_of_time_file_is_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from physgauge.rules_kernel.cuda.driver import gpu
    from physgauge.rules_kernel.cuda.loader import load
    from physgauge.rules_kernel.cuda_build import build

    pack = random_pack(random.Random(11), rules=2)
    monkeypatch.setenv("PHYSGAUGE_CACHE_DIR", str(tmp_path / "cache"))
    assert load(pack, gpu(0)).origin == "compiled"
    assert "cache" in load(pack, gpu(0)).origin, "kept by the first"
    build(pack, tmp_path / "ahead")
    monkeypatch.setenv(files.FOLDER_VARIABLE, str(tmp_path / "ahead"))
    assert load(pack, gpu(0)).origin.endswith("cubin" if gpu(0).cc[0] == 9 else "ptx")
    for path in (tmp_path / "ahead").iterdir():
        path.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="is not usable here"):
        assert "cache" in load(pack, gpu(0)).origin
