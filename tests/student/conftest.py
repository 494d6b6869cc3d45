"""One small set of pairs, and one student trained on it for a few steps, for all these tests."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from physgauge.train.part_detector.schedule import TrainConfig
from physgauge.train.student.finish import Asked, finish
from physgauge.train.student.layout import probe_set
from physgauge.train.student.loading import Pairs
from physgauge.train.student.loop import Run
from tests.student.make_set import make

torch.set_num_threads(1)
STEPS = 24
CONFIG = TrainConfig(
    steps=STEPS, batch_size=8, workers=0, warmup=4, average=0.8, save_every=1000, check_every=1000,
    plain_share=1.0, seed=3,
)  # fmt: skip


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """36 pairs, and 12 pictures that are not eligible."""
    folder = tmp_path_factory.mktemp("student") / "pairs"
    make(folder, 36, seed=1)
    return folder


@pytest.fixture(scope="session")
def loaded(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Pairs:
    """With a third kept aside."""
    return Pairs((pairs,), (), 0.34, 0, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def trained(loaded: Pairs, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A few steps from the part detector's weights."""
    run = Run(tmp_path_factory.mktemp("run"), CONFIG)
    run.begin_with(Path(__file__).parents[2] / "docs/models/part_detector.pt")
    run.train(loaded()[0], None)
    return run


@pytest.fixture(scope="session")
def model(trained: Run, loaded: Pairs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its ONNX file."""
    path = tmp_path_factory.mktemp("model") / "student.onnx"
    training, aside = (loaded.data(part) for part in loaded.parts())
    finish(trained, training, aside, path, Asked(0.05, "test", "a test", probe_set()))
    return path
