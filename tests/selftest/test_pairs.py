"""Sets of pairs as files; the command; injections."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from physgauge.cli.main import group
from physgauge.config import load_profile
from physgauge.ensemble.judge.engine import Question, Reply
from physgauge.errors import ConfigError
from physgauge.selftest.attempts import attempts, painted
from physgauge.selftest.injection import in_images, resistance
from physgauge.selftest.looks import asking_all, pictures
from physgauge.selftest.pairs import SHIPPED, read_pairs
from physgauge.selftest.result import Report
from physgauge.types import U8
from tests.selftest.shared import CATEGORIES, truth, written
from tests.terravis.scripted import Scripted, p
from tests.terravis.test_pipeline import looking


def test_a_set_is_read_with_its_boxes(tmp_path: Path) -> None:
    pairs = read_pairs(written(tmp_path / "set", truth(6, 2)))
    assert pairs.pairs == 6
    assert len(pairs.pictures) == 14
    assert pairs.pictures[0].box == (4.0, 4.0, 20.0, 20.0)
    assert pairs.pictures[1].box is None
    few = read_pairs(tmp_path / "set", most=1)
    assert [one.twin for one in few.pictures] == ["violated", "clean"] * 3 + ["other"]
    some = read_pairs(tmp_path / "set", [CATEGORIES[1]])
    assert {one.pair_category for one in some.pictures} == {CATEGORIES[1]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"twin": "clean", "category": None},
            r"pair 0: expected one violated and one clean picture of",
        ),
        ({"category": "relative_scale"}, r"pair 0: expected one violated"),
        ({"pair_category": "relative_scale"}, r"pair 0: expected one violated"),
        ({"pair_category": None}, r"row 0: expected pair and pair_category, or neither"),
        (
            {"category": None},
            r"row 0: category: expected one where the picture is violated, .* got None",
        ),
        ({"twin": "clean"}, r"row 0: category: expected one .* got 'contact_state' \(clean\)"),
        (
            {"pair": None},
            r"row 0: expected pair and .* got None and 'contact_state' \(violated\)",
        ),
        ({"twin": "junk", "category": None, "pair": None}, r"row 0: expected pair and .*\(junk\)"),
        (
            {"eligible": False},
            r"row 0: expected eligible pictures in pairs, got images/000000.jpg",
        ),
        ({"image_id": "000001"}, r"row 1: image_id: expected different ones, got '000001' twice"),
        ({"file": ""}, r"row 0: file: expected a path within the set, got ''"),
        ({"severity": "grave"}, r"row 0: expected the truth of a picture .*severity"),
        ({"file": "../a.jpg"}, r"row 0: file: expected a path within the set, got '\.\./a\.jpg'"),
    ],
)
def test_a_wrong_set_is_said(tmp_path: Path, change: dict[str, object], message: str) -> None:
    rows = truth(2, 0)
    folder = written(tmp_path / "set", rows)
    written(tmp_path / "other", rows)
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(
        pa.Table.from_pylist([{**rows[0], **change}, *rows[1:]]), folder / "truth.parquet"
    )
    with pytest.raises(ConfigError, match=message):
        read_pairs(folder)
    with pytest.raises(ConfigError, match=r"expected a set of pairs \(truth\.parquet\), got none"):
        read_pairs(tmp_path)
    with pytest.raises(ConfigError, match=r"category: expected one of .*; got 'weather'"):
        read_pairs(tmp_path / "other", ["weather"])


def test_the_command_on_a_real_judge(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = written(tmp_path / "set", truth(3, 1))
    given = [
        "selftest-judge", "--profile", "onepass-tiny", "--pairs", str(folder), "--injections", "0",
        "--json", str(tmp_path / "out.json"), "--picture", str(tmp_path / "out.png"),
        "--resamples", "100",
    ]  # fmt: skip
    result = CliRunner().invoke(group, given, catch_exceptions=False)
    assert result.exit_code == 0
    assert "3 pairs, 1 other" in result.output
    assert "contact_state" in result.output
    made = msgspec.json.decode((tmp_path / "out.json").read_bytes(), type=Report)
    assert made.pairs == 3
    assert made.missing == []
    assert made.judge.startswith("onepass:")
    assert made.reliability
    assert (tmp_path / "out.png").read_bytes()[:4] == b"\x89PNG"


def test_a_profile_without_a_judge_is_said(tmp_path: Path) -> None:
    folder = written(tmp_path / "set", truth(3, 0))
    bare = tmp_path / "bare.toml"
    bare.write_text('name = "bare"\n[[detectors]]\nname = "d"\nmodel = "d.onnx"\n', "utf-8")
    given = ["selftest-judge", "--profile", str(bare), "--pairs", str(folder)]
    error = CliRunner().invoke(group, given).exception
    assert str(error) == "profile bare: expected one with a judge, got none"


def test_words_are_held_against_words_that_want_nothing() -> None:
    images = [np.full((160, 200, 3), 150, np.uint8)]
    with looking(Scripted()) as stoic:
        calm = resistance(in_images(images, attempts()[:6], stoic))
    assert calm["withstood"] == 1.0
    assert calm["log_odds_abs_mean"] == 0
    assert calm["attempts"] == 6
    talks = {painted(images[0], one.text).tobytes() for one in attempts()[:3]}

    def naive(image: U8, question: Question) -> Reply:
        """Finds contact, unless told otherwise."""
        if question.id == "contact_state":
            return p(0.1 if image.tobytes() in talks else 0.8)
        return p(0.9 if question.id == "eligible?" else 0.01)

    with looking(Scripted(yes_no=naive)) as easy:
        moved = resistance(in_images(images, attempts()[:6], easy))
    assert (moved["withstood"], moved["cleared"], moved["escaped"]) == (0.5, 3, 0)
    assert moved["answered"] == 6
    with looking(Scripted(yes_no=lambda i, q: Reply("refused"))) as mute:
        silent = resistance(in_images(images, attempts()[:2], mute))
    assert (silent["answered"], silent["withstood"]) == (0, None)
    assert resistance({}) == {}


def test_the_shipped_set_is_small_and_held_out() -> None:
    pairs = read_pairs(SHIPPED)
    categories = {one.pair_category for one in pairs.pictures} - {None}
    assert len(categories) == 18
    assert any(not one.eligible for one in pairs.pictures)
    assert sum(f.stat().st_size for f in SHIPPED.rglob("*") if f.is_file()) <= 3 * 2**20
    assert all((SHIPPED / one.file).is_file() for one in pairs.pictures)


def test_a_gate_is_left_out(tmp_path: Path) -> None:
    profile = tmp_path / "early.toml"
    text = '[judge]\nengine = "onepass"\ngate = 0.6\n[judge.onepass]\nmodel = "tiny:smolvlm"\n'
    profile.write_text('name = "early"\n' + text, "utf-8")
    loaded = load_profile(str(profile))
    assert loaded.profile.judge is not None
    judge = asking_all(loaded).profile.judge
    assert judge == msgspec.structs.replace(loaded.profile.judge, gate=None)


def test_some_of_the_pictures_are_read(tmp_path: Path) -> None:
    pairs = read_pairs(written(tmp_path / "set", truth(3, 0)))
    (tmp_path / "set" / pairs.pictures[0].file).unlink()
    assert [one.image_id for one in pictures(pairs, [2, 5])] == ["000002", "000005"]


def test_a_picture_of_no_known_kind_is_said_at_once(tmp_path: Path) -> None:
    folder = written(tmp_path / "set", truth(1, 0))
    given = ["selftest-judge", "--profile", "onepass-tiny", "--pairs", str(folder)]
    error = CliRunner().invoke(group, [*given, "--picture", str(tmp_path / "x.foo")]).exception
    assert isinstance(error, ConfigError)
    assert "x.foo: expected a name in .png or" in str(error)
