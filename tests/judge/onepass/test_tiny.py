"""Tiny models: the same on every machine, whole or not there, and they pass their check, which can fail."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from physgauge.ensemble.judge.engines.folders import folder_hash
from physgauge.ensemble.judge.engines.onepass import attention, load, tiny
from physgauge.ensemble.judge.engines.onepass.build import build
from physgauge.ensemble.judge.engines.onepass.kernels import Result
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.errors import ConfigError
from tests.judge.onepass.models import ALL, engine, expected, questions

HASHES = {
    "smolvlm": "8357e18bb52c",
    "smolvlm-tiles": "f93208003ed9",
    "qwen3vl": "f3f0faa65ed5",
    "gemma3": "791b498e3811",
}
"""Of tensors by name: weights are drawn by name and seed, not by a library's generator."""


def weights(folder: Path) -> str:
    whole = hashlib.sha256()
    for name, tensor in sorted(load_file(folder / "model.safetensors").items()):
        whole.update(name.encode() + tensor.contiguous().view(torch.uint8).numpy().tobytes())
    return whole.hexdigest()[:12]


@pytest.mark.parametrize("name", ALL)
def test_the_same_everywhere(name: str, tmp_path: Path) -> None:
    tiny.build(name, tmp_path / "one")
    assert weights(tmp_path / "one") == HASHES[name]
    tiny.build(name, tmp_path / "two")
    assert folder_hash(tmp_path / "one") == folder_hash(tmp_path / "two")
    tiny.build(name, tmp_path / "other", seed=1)
    assert weights(tmp_path / "other") != HASHES[name]


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tiny.main(["smolvlm", str(tmp_path / "m")]) == 0
    assert (tmp_path / "m" / "model.safetensors").is_file()
    assert tiny.main(["smolvlm", str(tmp_path / "m")]) == 2
    assert "expected a folder that is not there yet" in capsys.readouterr().err
    assert tiny.main(["huge", str(tmp_path / "h")]) == 2
    assert "expected one of smolvlm," in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_built_at_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHYSGAUGE_CACHE_DIR", str(tmp_path))
    assert tiny.resolve("some/folder") is None
    folder = tiny.resolve("tiny:smolvlm")
    assert folder is not None
    assert folder.parent == tmp_path / "models"
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert tiny.resolve("tiny:smolvlm") == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == before


def test_answers_differ() -> None:
    """A broken mask shows only where questions and pictures move the answers."""
    for name in ALL:
        odds = [[expected(name, image, q) for q in questions(5)] for image in (0, 1)]
        assert np.std(odds, axis=1).min() > 0.02
        assert np.abs(np.subtract(odds[0], odds[1])).max() > 0.01


def test_a_mask_that_is_wrong_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that forgets its picture: refused at load."""

    def blind(over: Result, own: Result) -> object:
        return own[0]

    monkeypatch.setattr(attention, "join", blind)
    with engine("smolvlm", check=False):
        pass
    with (
        pytest.raises(ConfigError, match="expected the answers of separate prompts from one pass"),
        engine("smolvlm"),
    ):
        pass


def test_weights_that_are_no_numbers_are_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the weights themselves, and, where nobody looked at them, by the answers."""
    tiny.build("qwen3vl", tmp_path / "m")
    file = tmp_path / "m" / "model.safetensors"
    tensors = load_file(file)
    bad = next(name for name in tensors if name.endswith("layers.1.self_attn.q_proj.weight"))
    tensors[bad][3, 5] = float("nan")
    save_file(tensors, file, {"format": "pt"})
    settings = OnePassSettings(model="m", dtype="float32", threads=1)
    with pytest.raises(
        ConfigError, match=r"weights that are numbers, got others in .*1.self_attn.q_"
    ):
        build(settings, tmp_path)
    monkeypatch.setattr(load, "_check_numbers", lambda *_: None)
    with pytest.raises(ConfigError, match=r"on this machine, within 0\.001 of log-odds; got nan"):
        build(settings, tmp_path)
