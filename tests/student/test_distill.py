"""A student learns from stored rows: of the tiny one-pass judge, of a table of answers, and what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from PIL import Image
from transformers import ViTConfig, ViTModel

from physgauge import wire
from physgauge.cli.main import group, main
from physgauge.clients.runs import read_run
from physgauge.config import LoadedProfile, Profile
from physgauge.distill import plots
from physgauge.distill.backbones import BackboneTrunk, as_grid, make_student
from physgauge.distill.report import agreement
from physgauge.distill.rows import read_taught
from physgauge.ensemble.judge.engines.onepass.build import build
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.student.vlm import ABOUT
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.judge_settings import JudgeSettings
from physgauge.train.student.layout import probe_ids
from physgauge.train.student.metrics import Answers, reliability
from physgauge.types import U8
from tests.runs.folders import write_run

FEW = 40


@pytest.fixture(scope="session")
def rows(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the tiny one-pass judge says of some pictures."""
    folder = tmp_path_factory.mktemp("taught")
    (folder / "images").mkdir()
    for k in range(FEW):
        name = f"{k:06d}.jpg"
        (folder / "images" / name).write_bytes((pairs / "images" / name).read_bytes())
    profile = folder / "teacher.toml"
    profile.write_text(
        'name = "teacher"\n[judge]\nengine = "onepass"\ngrade_from = 0.0\n'
        '[judge.onepass]\nmodel = "tiny:smolvlm"\ndtype = "float32"\nthreads = 1\n'
    )
    with pytest.raises(SystemExit) as ended:
        main(
            ["score", str(folder / "images"), "--profile", str(profile), "-o", str(folder / "rows")]
        )
    assert ended.value.code == 0
    return folder / "rows"


def distill(*arguments: str) -> str:
    found = CliRunner().invoke(group, ["distill", *arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output


FAST = ["--steps", "6", "--minutes", "0", "--batch", "8", "--processes", "1", "--aside", "0.2"]


def test_the_tiny_one_pass_judge_teaches_a_student(rows: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "student.onnx", tmp_path / "student.onnx.run"
    said = distill(str(rows), "-o", str(out), *FAST)
    assert "agrees with onepass:tiny-smolvlm" in said
    report = json.loads((run / "report.json").read_text())
    held = report["held_out"]
    assert held["images"] == 8
    assert report["trained_on"] == FEW - 8
    assert set(held["per_category"]) == set(probe_ids())
    assert held["all_categories"]["answers"] == (8 - held["declined"]) * 18 > 0
    # Random weights say much the same of everything; calibration finds at least that.
    assert held["all_categories"]["ece"] < 0.1
    assert held["eligible"]["ece"] < 0.2  # of eight calibration images, drawn towards the untrained
    for name in report["pictures"]:
        with Image.open(run / name) as picture:
            assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 3
    # It is a judge, and goes on where it stopped.
    settings = JudgeSettings(engine="student", student={"model": str(out)})
    looking = Looking.of(LoadedProfile(profile=Profile(name="s", judge=settings), folder=tmp_path))
    assert looking is not None
    with looking:
        look = looking.begin(np.asarray(Image.open(rows.parent / "images/000001.jpg"))).result()
    assert all(a.p_yes is not None for a in look.answers.values())
    distill(str(rows), "-o", str(out), *FAST[2:], "--steps", "8")
    steps = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert [one["resumed"] for one in steps if "resumed" in one] == [False, True]
    assert torch.load(run / "last.pt", weights_only=True)["step"] == 8


def test_a_pretrained_backbone_from_disk(rows: Path, tmp_path: Path) -> None:
    config = ViTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=64,
        patch_size=16,
    )  # fmt: skip
    ViTModel(config).save_pretrained(tmp_path / "vit")
    (tmp_path / "vit/preprocessor_config.json").write_text(
        json.dumps({"image_mean": [0.5] * 3, "image_std": [0.25] * 3})
    )
    out = tmp_path / "vit.onnx"
    distill(str(rows), "-o", str(out), "--backbone", f"hf:{tmp_path / 'vit'}", "--frozen", *FAST)
    assert out.stat().st_size < 2e6
    student = make_student(f"hf:{tmp_path / 'vit'}", probe_ids(), True)
    before = ViTModel.from_pretrained(tmp_path / "vit").state_dict()
    trained = torch.load(tmp_path / "vit.onnx.run/last.pt", weights_only=True)["net"]
    for name, value in before.items():  # frozen is frozen
        assert torch.equal(trained[f"trunk.model.{name}"], value)
    assert isinstance(student.trunk, BackboneTrunk)
    assert student.trunk.side == 64
    assert float(student.trunk.std[0, 0, 0, 0]) == 0.25
    grid = as_grid(torch.arange(10.0).reshape(1, 10, 1))  # one token in front of 3 x 3 patches
    assert grid[0, 0].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_a_head_on_a_language_model_reads_all_probes_in_one_pass(
    rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "head"
    distill(str(rows), "-o", str(out), "--backbone", "vlm:tiny:smolvlm", *FAST)
    held = json.loads((tmp_path / "head.run/report.json").read_text())["held_out"]
    assert held["images"] == 8
    assert held["all_categories"]["ece"] < 0.1
    settings = JudgeSettings(engine="student", student={"model": str(out)})
    looking = Looking.of(LoadedProfile(profile=Profile(name="s", judge=settings), folder=tmp_path))
    assert looking is not None
    with looking:
        look = looking.begin(np.asarray(Image.open(rows.parent / "images/000001.jpg"))).result()
    assert look.abstained is None
    assert all(a.p_yes is not None and a.box is None for a in look.answers.values())
    # Stopped in the middle: what was computed stays.
    told = json.loads((tmp_path / "head.run/states-training.json").read_text())
    told["done"] = 16
    (tmp_path / "head.run/states-training.json").write_text(json.dumps(told))
    again = distill(str(rows), "-o", str(out), "--backbone", "vlm:tiny:smolvlm", *FAST)
    assert '"states-training", "done": 24' in again
    assert '"states-training", "done": 8' not in again
    assert json.loads((tmp_path / "head.run/report.json").read_text())["held_out"] == held
    # Another model than it was trained for.
    about = json.loads((out / ABOUT).read_text())
    (out / ABOUT).write_text(json.dumps(about | {"model_sha256": "0" * 64}))
    loaded = LoadedProfile(profile=Profile(name="s", judge=settings), folder=tmp_path)
    with pytest.raises(ConfigError, match="expected the model that its head was trained for"):
        Looking.of(loaded)
    (out / ABOUT).write_text("{}")
    with pytest.raises(ConfigError, match=r"student head: student.json: "):
        Looking.of(loaded)


def test_states_are_those_that_answers_are_read_from(rows: Path) -> None:
    from physgauge.ensemble.judge.engines.onepass.build import reader

    settings = OnePassSettings(model="tiny:smolvlm", threads=1, dtype="float32", check=False)
    image: U8 = np.asarray(Image.open(rows.parent / "images/000001.jpg"))
    made, engine = reader(settings, Path(), "x"), build(settings, Path())
    try:
        shipped = load_probes("terravis")
        questions = [one.text for one in shipped.probes]
        both = made.read([image, image[::-1]], shipped.preamble, questions)
        alone = made.read([image], shipped.preamble, questions[3:4])
        assert both.shape[:2] == (2, 18)
        assert np.abs(both[0, 3] - alone[0, 0]).max() < 1e-4
        odds = made.runner.readout.log_odds(torch.from_numpy(both[0]))
        stored = next(r for r in read_run(rows) if r.source.endswith("000001.jpg"))
        wanted = np.array([a.p_yes for a in stored.terravis.answers.values()], float)
        said = 1 / (1 + np.exp(-odds))
        assert np.abs(said - wanted).max() < 1e-4
    finally:
        engine.worker.stop()
    with pytest.raises(ConfigError, match="expected one whose questions can be packed"):
        reader(OnePassSettings(model="tiny:gemma3", threads=1, dtype="float32"), Path(), "x")


def test_what_is_missing_is_not_made_up(rows: Path, tmp_path: Path) -> None:
    stored = list(read_run(rows))
    replace = msgspec.structs.replace

    def with_(row: wire.Row, **changes: object) -> wire.Row:
        return replace(row, terravis=replace(row.terravis, **changes))

    first = stored[0]
    lost = dict(first.terravis.answers) | {
        "contact_state": wire.Answer(outcome="refused"),
        "support_stability": wire.Answer(outcome="answered", answer=True, severity="minor"),
    }
    stored[0] = with_(first, answers=lost)
    stored[1] = with_(stored[1], abstained="declined")
    stored[2] = with_(stored[2], eligible=wire.Eligible(outcome="timeout"))
    stored[3] = replace(stored[3], source="elsewhere.jpg")
    stored[4] = replace(stored[4], error_code="internal")
    write_run(tmp_path / "rows", stored)
    taught = read_taught([tmp_path / "rows"], None)
    assert len(taught.records) == FEW - 4
    assert sum(taught.left_out.values()) == 4
    assert set(taught.left_out) == {
        "the judge declined", "eligibility was not answered", "the image is not there", "error internal",
    }  # fmt: skip
    k = probe_ids().index("contact_state")
    yes, major = taught.records.targets.yes[0], taught.records.targets.major[0]
    assert np.isnan(yes[k])
    assert np.isnan(major[k])
    assert (yes[k + 1], major[k + 1]) == (1, 0)  # words where there is no probability
    assert np.isnan(taught.records.targets.yes).sum() == 1


def test_errors_say_what_is_wrong(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"expected a run of physgauge \(run.json\), got none"):
        read_taught([tmp_path], None)
    stored = list(read_run(rows))
    gone = [msgspec.structs.replace(row, source=f"x/{row.source[1:]}") for row in stored]
    write_run(tmp_path / "gone", gone)
    with pytest.raises(ConfigError, match=r"got none .40 rows: the image is not there"):
        read_taught([tmp_path / "gone"], None)
    other = [
        msgspec.structs.replace(r, terravis=msgspec.structs.replace(r.terravis, answers={"x": wire.Answer(outcome="refused")}))
        for r in stored[:1]
    ]  # fmt: skip
    write_run(tmp_path / "other", other)
    with pytest.raises(ConfigError, match="expected answers to one set of probes throughout"):
        read_taught([rows, tmp_path / "other"], None)
    for backbone in ("large", "small:x", "hf", "onnx:x"):
        with pytest.raises(ConfigError, match="--backbone: expected one of small, hf:FOLDER"):
            make_student(backbone, probe_ids(), False)
    with pytest.raises(ConfigError, match=r"expected a folder with a config.json, got"):
        make_student(f"hf:{tmp_path}", probe_ids(), False)
    with pytest.raises(
        ConfigError, match=r"--batch: expected a multiple of twice the processes .2., got 3"
    ):
        distill(str(rows), "-o", str(tmp_path / "x.onnx"), "--processes", "1", "--batch", "3")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(
        EnvironmentProblem,
        match=r"needs torch, which is not installed: pip install 'physgauge\[train\]'",
    ):
        distill(str(rows), "-o", str(tmp_path / "x.onnx"))


def test_agreement_and_pictures(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    from physgauge.train.student.records import Targets

    yes = rng.random((50, 2)).astype(np.float32)
    major = rng.random((50, 2)).astype(np.float32)
    nothing = np.zeros(50, np.bool_)
    teacher = Targets(
        np.ones(50, np.float32), yes, major, np.full(50, -1), np.full(50, -1),
        np.zeros((50, 16, 16), np.uint8), nothing,
    )  # fmt: skip
    same = Answers(np.ones(50), yes.astype(float), major.astype(float))
    found = agreement(same, teacher, ["a", "b"])
    assert found["score"]["spearman"] == pytest.approx(1)
    assert found["per_category"]["a"]["auroc"] == 1
    assert found["all_categories"]["same_decision"] == 1
    noise = Answers(np.ones(50), rng.random((50, 2)), rng.random((50, 2)))
    noise.yes[:5] = np.nan
    worse = agreement(noise, teacher, ["a", "b"])
    assert abs(worse["score"]["spearman"]) < 0.4
    assert worse["score"]["images"] == 45
    plots.bars(tmp_path / "b.png", {"a": 0.5, "b": None, "c": float("nan")}, "t")
    plots.diagram(tmp_path / "d.png", reliability(yes[:, 0], (yes[:, 0] > 0.5).astype(float)), "t")
