"""The student as a judge: all answers of a look, none outside its knowledge, the same in every batch."""

from __future__ import annotations

import asyncio
import io
import json
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import pytest
from PIL import Image

from benchmarks import photographs
from physgauge import wire
from physgauge.config import LoadedProfile, check, parse, shipped_profiles
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.student.batching import Batcher
from physgauge.ensemble.judge.student.judge import UNKNOWN, StudentJudge, box_of
from physgauge.ensemble.judge.student.network import StudentNetwork
from physgauge.ensemble.judge.student.settings import StudentSettings
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.ensemble.judge.terravis.result import Counting, terravis_of
from physgauge.ensemble.letterbox import place
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.ensemble.reaggregate import Changes, reaggregate
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.judge_settings import JudgeSettings
from physgauge.train.student.export import OUTPUTS
from physgauge.train.student.layout import FAMILIES, probe_ids
from physgauge.types import U8, Item
from tests.serving.test_steps import Chain

SETTINGS = JudgeSettings(engine="student", yes_from=0.2)


def profile(model: Path, more: str = "", judge: str = "") -> LoadedProfile:
    text = (
        f'name = "s"\n{more}\n[judge]\nengine = "student"\nyes_from = 0.2\n{judge}\n'
        f'[judge.student]\nmodel = "{model}"\n'
    )
    return LoadedProfile(
        profile=check(parse(text.encode(), "s.toml"), "s.toml"), folder=model.parent
    )


@pytest.fixture(scope="module")
def looking(model: Path) -> Iterator[Looking]:
    made = Looking.of(profile(model))
    assert made is not None
    with made:
        yield made


@pytest.fixture(scope="module")
def images(pairs: Path) -> list[U8]:
    return [np.asarray(Image.open(pairs / f"images/{k:06d}.jpg")) for k in range(10)]


def strange() -> list[U8]:
    rng = np.random.default_rng(1)
    noise = [rng.integers(0, 256, (300, 200 + 40 * k, 3), np.uint8) for k in range(5)]
    # A student of a hundred pictures of discs may take a plain photograph for one; these are rich ones.
    rich = ("astronaut.png", "grass.png", "gravel.png", "ihc.png", "china.jpg")
    return [*noise, *(image for name, image in photographs.load() if name in rich)]


def test_the_file_keeps_its_contract(model: Path, images: list[U8]) -> None:
    assert model.stat().st_size <= 12e6
    network = StudentNetwork(model, StudentSettings(model=str(model)))
    assert network.contract.probes == probe_ids()
    assert network.contract.families == FAMILIES
    assert network.contract.size == 320
    graph = onnx.load(str(model), load_external_data=False)
    assert [one.name for one in graph.graph.output] == list(OUTPUTS)
    told = json.loads({p.key: p.value for p in graph.metadata_props}["physgauge_student"])
    assert set(told) >= {"version", "probe_set", "trained_on", "known_threshold", "temperatures"}
    assert len(told["temperatures"]["yes"]) == 18
    (one,) = network.answer(images[:1])
    assert one.where is not None
    assert one.where.shape == (18, 16, 16)
    assert abs(float(one.family.sum()) - 1) < 1e-4


def test_one_look_answers_everything(looking: Looking, images: list[U8]) -> None:
    looks = [future.result() for future in [looking.begin(image) for image in images]]
    for look, image in zip(looks, images, strict=True):
        assert look.mode == "student"
        assert tuple(look.answers) == probe_ids()
        assert look.abstained is None
        assert look.eligible is not None
        assert look.eligible.p is not None
        for answer in look.answers.values():
            assert answer.outcome == "answered"
            assert answer.p_yes is not None
            assert answer.p_major is not None
            assert answer.answer == (answer.p_yes >= 0.2)
            assert (answer.box is not None) <= bool(answer.answer)
            if answer.box:
                x0, y0, x1, y1 = answer.box
                assert 0 <= x0 < x1 <= image.shape[1]
                assert 0 <= y0 < y1 <= image.shape[0]
    (part, *_) = terravis_of(looks, looking.card.counting)
    assert part.status == "ok"
    assert part.score_soft is not None
    assert looking.card.name.startswith("student:")
    assert looking.card.name[8:] == looking.card.models["student"][:8]


def test_an_image_alone_and_among_others_gets_the_same_answers(
    model: Path, images: list[U8]
) -> None:
    network = StudentNetwork(model, StudentSettings(model=str(model)))
    alone = [network.answer([image])[0] for image in images]
    for together in (network.answer(images), network.answer(images[::-1])[::-1]):
        for a, b in zip(alone, together, strict=True):
            assert (a.eligible, a.known) == (b.eligible, b.known)
            for name in ("yes", "major", "where", "family"):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_what_it_does_not_know_gets_no_number(looking: Looking) -> None:
    for image in strange():
        look = looking.begin(image).result()
        assert look.abstained == UNKNOWN
        assert {a.outcome for a in look.answers.values()} == {"skipped"}
        (part,) = terravis_of([look], looking.card.counting)
        assert (part.status, part.reason) == ("partial", UNKNOWN)
        assert (part.score, part.score_soft, part.n_major) == (None, None, None)
        assert part.eligible == wire.Eligible(outcome="skipped")
        assert all(a.p_yes is None and a.answer is None for a in part.answers.values())


def encoded(image: U8) -> bytes:
    out = io.BytesIO()
    Image.fromarray(image).save(out, "PNG")
    return out.getvalue()


def test_rows_of_the_pipeline_and_of_the_served_steps(
    model: Path, images: list[U8], tmp_path: Path
) -> None:
    inputs = {"a": images[0], "b": images[2], "noise": strange()[0]}
    loaded = profile(model)
    items = [Item(name, encoded(image), name, None) for name, image in inputs.items()]
    with Pipeline(loaded, Options(workers=1, threads=1)) as pipeline:
        rows = {scored.row.image_id: scored.row for scored in pipeline.score(items)}
    assert rows["noise"].warnings == [UNKNOWN]
    assert rows["noise"].terravis.abstained == UNKNOWN
    assert rows["a"].warnings == []
    assert rows["a"].terravis.score_soft is not None
    assert rows["a"].provenance.engine == rows["noise"].provenance.engine
    for row in rows.values():
        assert wire.from_json(wire.to_json(row)) == row
        again = reaggregate(row, Changes(alpha=0.25, yes_from=0.9))
        assert again.terravis.abstained == row.terravis.abstained
        assert again.warnings == row.warnings
        same = reaggregate(again, Changes(alpha=0.5, yes_from=0.2))
        assert same.terravis == row.terravis
    text = f'name = "s"\n[judge]\nengine = "student"\nyes_from = 0.2\n[judge.student]\nmodel = "{model}"\n'
    (tmp_path / "s.toml").write_text(text)
    chain = Chain(tmp_path, profile=str(tmp_path / "s.toml"))
    try:
        for name, row in rows.items():
            options = msgspec.json.encode({"image_id": name, "source": name})
            served = chain.row(encoded(inputs[name]), b"", options)
            assert served.terravis == row.terravis
            assert served.warnings == row.warnings
    finally:
        chain.close()


def test_probes_that_it_does_not_know_are_skipped(
    model: Path, images: list[U8], tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\nbase = "terravis"\n'
        '[[probe]]\nid = "contact_state"\nenabled = false\n'
        '[[probe]]\nid = "weather"\nlevel = "scene"\nthing = "the rain"\n'
        'question = "Does rain fall out of a sky without a cloud, leaving out hoses and fountains?"\n'
    )
    judge = f'probes = "{tmp_path / "mine.toml"}"'
    made = Looking.of(profile(model, judge=judge))
    plain = Looking.of(profile(model))
    assert made is not None
    assert plain is not None
    with made, plain:
        look, usual = made.begin(images[0]).result(), plain.begin(images[0]).result()
        (part,) = terravis_of([look], made.card.counting)
        assert made.card.probe_version != plain.card.probe_version
    assert "contact_state" not in look.answers
    assert look.answers["weather"] == wire.Answer(outcome="skipped")
    assert look.answers["texture_surface"] == usual.answers["texture_surface"]
    assert part.status == "partial"
    assert part.score is None
    assert "1 of 18 probes without an answer (1 skipped)" in str(part.reason)


def other_probes(model: Path, folder: Path, **changes: Any) -> Path:
    """The file with other metadata."""
    graph = onnx.load(str(model))
    told = json.loads({p.key: p.value for p in graph.metadata_props}["physgauge_student"])
    onnx.helper.set_model_props(graph, {"physgauge_student": json.dumps(told | changes)})
    onnx.save(graph, str(folder / "other.onnx"))
    return folder / "other.onnx"


def test_a_wrong_file_says_what_is_wrong(model: Path, tmp_path: Path) -> None:
    def refused(path: Path, message: str, kind: type[Exception] = ConfigError) -> None:
        with pytest.raises(kind, match=message):
            Looking.of(profile(path))

    (tmp_path / "text.onnx").write_text("not a model")
    refused(tmp_path / "text.onnx", "expected an ONNX model, got a file onnxruntime refuses")
    refused(tmp_path / "none.onnx", "the model file cannot be read", EnvironmentProblem)
    detector = shipped_profiles() / "models/part_detector.onnx"
    refused(detector, r"metadata: expected a student's .'physgauge_student'")
    refused(other_probes(model, tmp_path, size=256), r"expected image .* 3, 256, 256\], got")
    refused(
        other_probes(model, tmp_path, families=["a", "a"]),
        "'families': expected a list of different names",
    )
    refused(
        other_probes(model, tmp_path, known_threshold=7),
        "'known_threshold': expected 0 to 1, got 7",
    )
    names = [f"p{k}" for k in range(18)]
    refused(
        other_probes(model, tmp_path, probes=names),
        "expected a student that knows some of the probes",
    )


@pytest.mark.parametrize(
    ("more", "judge", "message"),
    [
        ("", "mode = 'paper'", "judge.mode: expected 'onepass' with a student"),
        ("", "evidence = true", "judge.evidence: expected False with a student"),
        ("", "[judge.views]\nkind = 'tiles'", "judge.views.kind: expected 'whole' with a student"),
        ("[reason]\nengine = 'judge'", "", "reason.engine: expected another than \"judge\""),
        ("[[observers]]\nname = 'o'", "", "observers.o.engine: expected another than \"judge\""),
    ],
)  # fmt: skip
def test_what_a_student_cannot_do_is_refused(more: str, judge: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        profile(Path("x.onnx"), more, judge)


def test_an_unknown_setting_is_refused(model: Path) -> None:
    loaded = profile(model)
    assert loaded.profile.judge is not None
    wrong = msgspec.structs.replace(loaded.profile.judge, student={"model": "x", "speed": 3})
    changed = msgspec.structs.replace(loaded.profile, judge=wrong)
    with pytest.raises(ConfigError, match=r"judge.student"):
        Looking.of(msgspec.structs.replace(loaded, profile=changed))


def test_late_and_broken(model: Path, images: list[U8]) -> None:
    network = StudentNetwork(model, StudentSettings(model=str(model)))
    probes = load_probes("terravis")

    async def late() -> None:
        judge = StudentJudge(network, probes, SETTINGS)
        look = await judge.look(images[0], deadline_s=time.monotonic() - 1)
        assert {a.outcome for a in look.answers.values()} == {"timeout"}
        assert look.eligible == wire.Eligible(outcome="timeout")
        only = await judge.look_for("pcmde", images[0])
        assert only.answers == {}
        await judge.close()

    asyncio.run(late())

    class Broken(StudentNetwork):
        def __init__(self) -> None:
            self.contract, self.sha256 = network.contract, "0" * 64

        def answer(self, images: Sequence[U8]) -> list[Any]:
            raise ConfigError("student: p_yes: expected numbers, got NaN")

    async def broken() -> None:
        judge = StudentJudge(Broken(), probes, SETTINGS)
        look = await judge.look(images[0])
        (part,) = terravis_of([look], Counting())
        assert part.status == "error"
        assert "expected numbers, got NaN" in str(part.fault)
        await judge.close()

    asyncio.run(broken())


def test_a_batch_takes_what_waits_and_leaves_the_loop_free() -> None:
    sizes: list[int] = []
    gate = threading.Event()

    def work(things: Sequence[int]) -> list[int]:
        sizes.append(len(things))
        assert gate.wait(10)
        if 13 in things:
            raise ValueError("unlucky")
        return [10 * thing for thing in things]

    async def run() -> None:
        batcher: Batcher[int, int] = Batcher(work, 4)
        tasks = [asyncio.create_task(batcher.get(k)) for k in range(9)]
        ticks = 0
        while not sizes:
            await asyncio.sleep(0.001)
            ticks += 1
        tasks[8].cancel()
        await asyncio.sleep(0.01)  # the loop turns while the batch runs
        assert ticks
        gate.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert found[:8] == [10 * k for k in range(8)]
        assert isinstance(found[8], asyncio.CancelledError)
        assert sum(sizes) == 8
        assert max(sizes) <= 4
        assert len(sizes) <= 4
        bad = await asyncio.gather(batcher.get(13), batcher.get(1), return_exceptions=True)
        assert isinstance(bad[0], ValueError)
        assert await batcher.get(2) == 20  # and it goes on
        await batcher.close()

    asyncio.run(run())


def test_a_box_is_around_the_peak_in_px_of_the_image() -> None:
    where = np.full((16, 16), 0.1, np.float32)
    where[4:6, 8:11] = 0.9
    where[12, 12] = 0.3
    # 640 x 320 lies in rows 80 to 240 of the square; a cell is 20 px of it and 40 of the image.
    assert box_of(where, place(640, 320, 320), 320) == [320.0, 0.0, 440.0, 80.0]
    where[:] = 0.1
    where[0, 0] = 0.9
    assert box_of(where, place(640, 320, 320), 320) is None  # beside the image
