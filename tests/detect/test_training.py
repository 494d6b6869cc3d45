"""The training code, end to end on a handful of drawn images. Needs torch (extra: train)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch (pip install 'physgauge[train]')")

import torch

from physgauge.config import DetectorSettings
from physgauge.ensemble.detect import OnnxDetector
from physgauge.train.part_detector import (
    augment,
    calibrate,
    dataset,
    evaluate,
    loss,
    metrics,
    negatives,
)
from physgauge.train.part_detector.export import Calibration, Exported
from physgauge.train.part_detector.loop import Run
from physgauge.train.part_detector.model import ModelConfig, PartNet, RawOutput, cell_centres
from physgauge.train.part_detector.optimizer import Optimizers, half_orthogonal
from physgauge.train.part_detector.records import read_folder
from physgauge.train.part_detector.schedule import TrainConfig, default_model
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS

from .synthetic import make

torch.set_num_threads(1)  # threads that spin for each other are slow where cores are shared

SMALL = ModelConfig(
    len(PART_CLASSES), len(DOMAINS), len(VIEWS), widths=(16, 24, 32, 32), hidden=(8, 16, 16, 16), depths=(1, 1, 1, 1), neck=24
)  # fmt: skip
CONFIG = TrainConfig(
    steps=6,
    batch_size=4,
    size=96,
    workers=0,
    threads=1,
    negatives=3,
    check_every=6,
    save_every=2,
    warmup=2,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("data") / "set", 12, 1, (96, 80))


def test_train_stop_go_on_export_detect(folder: Path, tmp_path: Path) -> None:
    samples = read_folder(folder)
    first = Run(tmp_path / "run", CONFIG, SMALL)
    first.config = replace(CONFIG, steps=4)
    first.train(samples, samples)
    second = Run(tmp_path / "run", CONFIG, SMALL)
    assert second.resume()
    assert second.step == 4
    second.train(samples, samples)
    assert second.step == 6
    log = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["done"]
    path = tmp_path / "model.onnx"
    second.export(path, Calibration.identity(), "7", {"note": "test"})
    detector = OnnxDetector(path, DetectorSettings(name="t", model="t"), 1)
    assert detector.contract.version == "7"
    assert detector.contract.size == 96
    judged = evaluate.judge(detector, samples, 0.6)
    assert len(judged.domain) == 12


def test_the_same_seed_gives_the_same_draws_whatever_was_drawn_before(folder: Path) -> None:
    samples = read_folder(folder)
    bank = negatives.bank(1, 2, 64)
    one, two = (dataset.TrainSet(samples, 96, bank, 3) for _ in range(2))
    for draw in (30, 2, 11):
        one[draw]
    a, b = one[17], two[17]
    assert (a.image == b.image).all()
    assert (a.boxes == b.boxes).all()


def test_an_epoch_shows_every_sample_once(folder: Path) -> None:
    samples = read_folder(folder)
    draws = dataset.TrainSet(samples, 96, negatives.bank(1, 1, 64), 3)
    assert {draws.sample_of(i).path for i in range(12, 24)} == {s.path for s in samples}


def test_boxes_follow_the_picture_through_geometry() -> None:
    """A white rectangle on black stays inside its box, and fills it, after any move."""
    from PIL import Image

    pixels = np.zeros((90, 120, 3), np.uint8)
    pixels[30:60, 40:90] = 255
    box = np.array([[40, 30, 90, 60]], np.float32)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        view = augment._moved(Image.fromarray(pixels), box, 96, rng)
        if seed % 2:
            view = augment.flipped(view)
        x0, y0, x1, y1 = view.xyxy[0]
        if x1 - x0 < 6 or y1 - y0 < 6:
            continue
        white = np.asarray((view.image > 250).all(-1))
        inner = white[int(y0 + 2) : int(y1 - 2), int(x0 + 2) : int(x1 - 2)]
        assert inner.all(), seed


def _case() -> tuple[dataset.Batch, torch.Tensor]:
    centres, _ = cell_centres(64, 64)
    boxes = torch.tensor([[[4.0, 4, 30, 30], [40, 40, 43, 42], [34, 4, 60, 30]]])
    batch = dataset.Batch(
        images=torch.zeros(1, 64, 64, 3, dtype=torch.uint8),
        boxes=boxes,
        labels=torch.tensor([[2, 5, 2]]),
        ignore=torch.tensor([[False, False, True]]),
        domain=torch.tensor([1]),
        view=torch.tensor([dataset.UNKNOWN]),
        parts_known=torch.tensor([True]),
    )
    return batch, centres


def test_assignment_gives_each_box_cells_and_skips_ignored_ones() -> None:
    batch, centres = _case()
    cells = len(centres)
    p = torch.full((1, cells, 8), 0.1)
    predicted = torch.cat([centres - 8, centres + 8], -1)[None]
    plan = loss.assign(p, predicted, batch, centres, loss.LossConfig())
    assert set(plan.box[0].tolist()) == {-1, 0, 1}
    assert (plan.box[0] == 1).sum() == 1, "a box smaller than a cell still gets its nearest cell"
    inside_ignored = (
        (centres > torch.tensor([34.0, 4])) & (centres < torch.tensor([60.0, 30]))
    ).all(-1)
    assert plan.silent[0, inside_ignored, 2].all()
    assert not plan.silent[0, :, 5].any()


def test_a_perfect_output_has_almost_no_loss() -> None:
    batch, centres = _case()
    target = batch.boxes[0, 0]
    inside = ((centres > target[:2]) & (centres < target[2:])).all(-1)
    tiny = (centres - torch.tensor([41.5, 41.0])).pow(2).sum(-1).argmin()
    logits = torch.full((1, len(centres), 8), -12.0)
    logits[0, inside, 2] = 12.0
    logits[0, tiny] = -12.0
    logits[0, tiny, 5] = 12.0
    distances = torch.ones(1, len(centres), 4)
    distances[0, inside] = torch.cat([centres - target[:2], target[2:] - centres], -1)[inside]
    small = batch.boxes[0, 1]
    distances[0, tiny] = torch.cat([centres[tiny] - small[:2], small[2:] - centres[tiny]])
    output = RawOutput(logits, distances, torch.tensor([[0.0, 9, 0, 0]]), torch.zeros(1, 6))
    perfect = loss.losses(output, batch, centres, torch.ones(len(centres)), loss.LossConfig(top=80))
    assert float(perfect["box"]) < 0.02
    wrong = loss.losses(
        RawOutput(-logits, distances, output.domain, output.view), batch, centres, torch.ones(len(centres)), loss.LossConfig()
    )  # fmt: skip
    assert float(perfect["score"]) < 0.05 * float(wrong["score"])
    assert float(perfect["view"]) == 0


def test_export_agrees_with_torch(tmp_path: Path) -> None:
    import onnxruntime

    torch.manual_seed(0)
    net = PartNet(SMALL).eval()
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            assert module.running_mean is not None
            torch.nn.init.normal_(module.running_mean, 0, 0.1)
    for name, parameter in net.named_parameters():
        if name.endswith("score.1.weight"):  # a new head says 0.01 everywhere
            torch.nn.init.normal_(parameter, 0, 5.0)
    calibration = Calibration(
        np.linspace(0.8, 1.2, 30, dtype=np.float32), np.linspace(-1, 1, 30, dtype=np.float32)
    )
    from physgauge.train.part_detector.export import export_onnx

    export_onnx(net, tmp_path / "m.onnx", 96, calibration, "1", {}, halves=False)
    images = torch.randint(0, 256, (3, 96, 96, 3), dtype=torch.uint8)
    with torch.no_grad():
        expected = Exported(net, 96, calibration)(images)
    session = onnxruntime.InferenceSession(
        str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"]
    )
    got = session.run(["boxes", "scores", "labels", "domain", "view"], {"images": images.numpy()})
    assert np.abs(got[1] - expected[1].numpy()).max() < 1e-5
    assert np.abs(got[3] - expected[3].numpy()).max() < 1e-5
    assert np.abs(got[4] - expected[4].numpy()).max() < 1e-5
    # Equal scores may come in another order: compare the boxes whose score is apart from its neighbours'.
    gap = np.abs(np.diff(expected[1].numpy(), axis=1, prepend=2, append=-1))
    apart = (gap[:, 1:] > 2e-5) & (gap[:, :-1] > 2e-5)
    assert apart.sum() > 20
    assert np.abs(got[0] - expected[0].numpy())[apart].max() < 1e-2
    assert (got[2] == expected[2].numpy())[apart].all()


def test_halves_change_the_file_and_nothing_but_the_rounding(tmp_path: Path) -> None:
    import onnx
    import onnxruntime
    from onnx import numpy_helper

    from physgauge.train.part_detector.export import export_onnx

    torch.manual_seed(3)
    net = PartNet(SMALL).eval()
    identity = Calibration.identity()
    export_onnx(net, tmp_path / "whole.onnx", 64, identity, "1", {}, halves=False)
    export_onnx(net, tmp_path / "halves.onnx", 64, identity, "1", {})
    sizes = [(tmp_path / f"{n}.onnx").stat().st_size for n in ("whole", "halves")]
    assert sizes[1] < 0.65 * sizes[0]
    rounded = onnx.load(str(tmp_path / "whole.onnx"))
    for tensor in rounded.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.ndim > 1 and values.size >= 1024:
            values = values.astype(np.float16).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.save(rounded, str(tmp_path / "rounded.onnx"))
    images = np.random.default_rng(0).integers(0, 256, (2, 64, 64, 3), np.uint8)
    got, expected = (
        onnxruntime.InferenceSession(
            str(tmp_path / f"{n}.onnx"), providers=["CPUExecutionProvider"]
        ).run(["boxes", "scores", "domain", "view"], {"images": images})
        for n in ("halves", "rounded")
    )
    for a, b in zip(got, expected, strict=True):
        assert np.array_equal(a, b)


def test_a_weight_beyond_float16_is_refused() -> None:
    import onnx
    from onnx import numpy_helper

    from physgauge.train.part_detector.halves import store_halves

    tensor = numpy_helper.from_array(np.full((32, 64), 1e5, np.float32), "w")
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [tensor]))
    with pytest.raises(
        ValueError, match=r"w: expected weights within .65504 .float16., got 100000"
    ):
        store_halves(model)


def test_a_deeper_network_begins_as_the_shallower_one_it_grew_from(tmp_path: Path) -> None:
    small = Run(tmp_path / "small", CONFIG, SMALL)
    small.mean = small.net.eval()
    small.save()
    deeper = Run(tmp_path / "deeper", CONFIG, replace(SMALL, depths=(1, 2, 2, 1)))
    deeper.warm_start(tmp_path / "small" / "last.pt")
    images = torch.randint(0, 256, (1, 64, 64, 3), dtype=torch.uint8)
    with torch.no_grad():
        a, b = small.net.eval()(images), deeper.net.eval()(images)
    assert torch.allclose(a.logits, b.logits, atol=1e-5)
    other = Run(tmp_path / "other", CONFIG, replace(SMALL, neck=16))
    with pytest.raises(
        RuntimeError, match=r"shallower one, got others: \S+, \S+, \S+ and \d+ more"
    ):
        other.warm_start(tmp_path / "small" / "last.pt")


def test_muon_steps_have_one_size_in_every_direction() -> None:
    matrix = torch.randn(8, 24, generator=torch.Generator().manual_seed(0))
    matrix[0] *= 100
    values = torch.linalg.svdvals(half_orthogonal(matrix))
    assert 0.6 < float(values.min()) <= float(values.max()) < 1.3
    assert torch.allclose(half_orthogonal(matrix.T), half_orthogonal(matrix).T, atol=1e-5)


def test_every_parameter_has_one_optimiser() -> None:
    net = PartNet(SMALL)
    parts = Optimizers(net, 1e-3, 0.01).parts
    owned = [id(p) for part in parts for group in part.param_groups for p in group["params"]]
    assert sorted(owned) == sorted(id(p) for p in net.parameters())
    inner = {id(p) for group in parts[0].param_groups for p in group["params"]}
    assert id(net.heads[0].score[1].weight) not in inner  # type: ignore[union-attr, index]
    assert id(net.backbone.stages[0][0][0].weight) not in inner  # type: ignore[index]


def test_the_exported_graph_is_mirror_symmetric_before_and_after_picking() -> None:
    torch.manual_seed(1)
    module = Exported(PartNet(default_model()).eval(), 64, Calibration.identity(), top=20).eval()
    images = torch.randint(0, 256, (1, 64, 64, 3), dtype=torch.uint8)
    with torch.no_grad():
        a, b = module(images), module(images.flip(2))
        (logits, sides, _, _), (logits_m, sides_m, _, _) = (
            module.symmetric(i) for i in (images, images.flip(2))
        )
    assert torch.equal(a[1], b[1])
    assert torch.equal(a[3], b[3])
    start = 0
    for side in (8, 4, 2):  # cells of a level, row after row
        level = slice(start, start + side * side)
        start += side * side
        grid, grid_m = (x[:, level].view(side, side, -1) for x in (sides, sides_m))
        assert torch.equal(grid, grid_m.flip(1)[..., [2, 1, 0, 3]])
        scores, scores_m = (x[:, level].view(side, side, -1) for x in (logits, logits_m))
        assert torch.equal(scores, scores_m.flip(1))


def test_negatives_are_reproducible_and_varied() -> None:
    a, b = negatives.bank(3, 6, 64), negatives.bank(3, 6, 64)
    assert (a == b).all()
    assert len({image.tobytes() for image in a}) == 6


def test_shuffled_tiles_keep_every_pixel() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (64, 64, 3), np.uint8)
    mixed = negatives.shuffled(rng, image, 8)
    assert (np.sort(mixed, axis=None) == np.sort(image, axis=None)).all()
    assert (mixed != image).any()


def test_a_domain_without_its_parts_is_none() -> None:
    torch.manual_seed(0)
    calibration = replace(Calibration.identity(), evidence=1.0)
    module = Exported(PartNet(SMALL), 64, calibration, top=20)
    domain = torch.tensor([[0.02, 0.95, 0.02, 0.01]])
    logits = torch.full((1, 10, 30), -9.0)
    bare = module.gated(domain, logits)
    assert bare[0].tolist() == pytest.approx([0, 0, 0, 1], abs=0.002)
    cars = [i for i, name in enumerate(PART_CLASSES) if name.startswith("car.")]
    logits[0, 3, cars[:3]] = 4.0
    seen = module.gated(domain, logits)
    assert float(seen[0, 1]) == pytest.approx(0.95, abs=0.01)
    assert float(seen.sum()) == pytest.approx(1)


def test_calibrated_scores_are_the_share_of_right_boxes() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(-1, 2, (3, 4000))
    truth = np.array([[0.5, 1.0], [2.0, -1.0], [1.0, 0.0]])  # scale and shift of three classes
    p = 1 / (1 + np.exp(-(truth[:, :1] * z + truth[:, 1:])))
    right = rng.random(p.shape) < p
    score = 1 / (1 + np.exp(-z))
    curves = [
        metrics.ClassCurve(s.tolist(), r.tolist(), int(r.sum()) + 9)
        for s, r in zip(score, right, strict=True)
    ]
    fitted = calibrate.fit([*curves, metrics.ClassCurve([0.3], [True], 1)])
    assert np.abs(fitted.scale[:3] - truth[:, 0]).max() < 0.15
    assert np.abs(fitted.shift[:3] - truth[:, 1]).max() < 0.15
    # A class that was hardly seen is mapped as all the others together.
    common = calibrate.fit([*curves[:1], metrics.ClassCurve([], [], 0)])
    assert fitted.scale[3] == pytest.approx(0.9, abs=0.3)
    assert common.scale[1] == pytest.approx(common.scale[0], abs=0.02)


def test_the_schedule_follows_steps_or_the_clock_whichever_is_further() -> None:
    config = TrainConfig(steps=100, minutes=2.0, rate=1.0, final_rate=0.0, warmup=10)
    assert config.progress(50, 30.0) == pytest.approx(0.5)
    assert config.progress(50, 90.0) == pytest.approx(0.75)
    assert replace(config, minutes=0.0).progress(50, 90.0) == pytest.approx(0.5)
    assert config.rate_at(0, 0.0) == pytest.approx(0.1)
    assert config.rate_at(50, 0.5) == pytest.approx(0.5)
    assert config.rate_at(99, 1.0) == pytest.approx(0.0)
