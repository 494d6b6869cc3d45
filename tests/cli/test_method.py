"""One method or both: what is left out is `skipped` with the reason, and the other is as it is in both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from physgauge import wire
from physgauge.cli.main import group
from physgauge.clients.remote.inputs import as_input
from physgauge.config import LoadedProfile, load_profile
from physgauge.contract import parse_options
from physgauge.ensemble.methods import Methods
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.errors import ConfigError, RequestError
from physgauge.judge_settings import JudgeSettings
from physgauge.types import Item
from tests.serving.test_steps import Chain
from tests.terravis.scripted import Scripted
from tests.terravis.test_pipeline import EXAMPLES, looking, npy

JUDGED_ONLY = """
name = "judged-only"
[judge]
engine = "onepass"
[judge.onepass]
model = "tiny:smolvlm"
"""


@pytest.fixture(scope="module")
def tiny() -> LoadedProfile:
    loaded = load_profile("tiny")
    return msgspec.structs.replace(
        loaded, profile=msgspec.structs.replace(loaded.profile, judge=None)
    )


def without_detectors(loaded: LoadedProfile) -> LoadedProfile:
    return msgspec.structs.replace(
        loaded, profile=msgspec.structs.replace(loaded.profile, detectors=[])
    )


def rows(loaded: LoadedProfile, method: wire.Method, engine: Scripted | None) -> list[wire.Row]:
    paths = sorted(EXAMPLES.glob("*.jpg"))[:2]
    items = [Item(path.name, path.read_bytes(), path.name) for path in paths]
    judge = None if engine is None else looking(engine)
    options = Options(workers=1, threads=1, method=method)
    with Pipeline(loaded, options, looking=judge) as pipeline:
        return [one.row for one in pipeline.score(items)]


def test_one_method_alone_says_what_it_says_in_both(tiny: LoadedProfile) -> None:
    both = rows(tiny, "both", Scripted())
    engine = Scripted()
    pcmde = rows(tiny, "pcmde", engine)
    assert engine.calls == []
    assert [r.pcmde for r in pcmde] == [r.pcmde for r in both]
    assert [r.detections for r in pcmde] == [r.detections for r in both]
    assert {(r.terravis.status, r.terravis.reason) for r in pcmde} == {
        ("skipped", "only pcmde was asked for")
    }
    bare = without_detectors(tiny)
    for loaded, reason in (
        (tiny, "only terravis was asked for"),
        (bare, "only terravis was asked for"),
    ):
        terravis = rows(loaded, "terravis", Scripted())
        assert [r.terravis for r in terravis] == [r.terravis for r in both]
        assert {(r.pcmde.status, r.pcmde.reason) for r in terravis} == {("skipped", reason)}
        assert all(not r.detections and "detect" not in r.cost.ms for r in terravis)
    alone = rows(bare, "both", Scripted())
    assert {r.pcmde.reason for r in alone} == {"this profile has no detector"}
    assert [r.terravis for r in alone] == [r.terravis for r in both]


def test_a_look_around_subjects_needs_them_without_pcmde_too(tiny: LoadedProfile) -> None:
    path = sorted(EXAMPLES.glob("*.jpg"))[0]
    views = {"kind": "subjects"}
    seen = []
    methods: tuple[wire.Method, ...] = ("both", "terravis")
    for method in methods:
        engine = Scripted()
        options = Options(workers=1, threads=1, method=method)
        with Pipeline(tiny, options, looking=looking(engine, views=views)) as pipeline:
            seen.append(next(iter(pipeline.score([Item("a", path.read_bytes(), "a")]))).row)
        assert len(engine.shapes) > 1
    assert seen[0].terravis == seen[1].terravis
    assert seen[1].pcmde.status == "skipped"


@pytest.mark.parametrize(
    ("method", "judge", "detectors", "message"),
    [
        ("terravis", False, True, "profile tiny: judge: expected a table for --method terravis, got none"),
        ("pcmde", True, False, "profile tiny: detectors: expected a table for --method pcmde, got none"),
        ("both", False, False, "profile tiny: expected detectors, a judge, or both, got neither"),
    ],
)  # fmt: skip
def test_what_a_profile_lacks_is_said(
    tiny: LoadedProfile, method: Any, judge: bool, detectors: bool, message: str
) -> None:
    profile = (tiny if detectors else without_detectors(tiny)).profile
    with pytest.raises(ConfigError) as caught:
        Methods.of(method, profile, JudgeSettings(engine="onepass") if judge else None)
    assert str(caught.value) == message


def test_the_command_says_it_and_ends(tmp_path: Path) -> None:
    profile = tmp_path / "bare.toml"
    profile.write_text('name = "bare"\n[[detectors]]\nname = "d"\nmodel = "none.onnx"\n', "utf-8")
    given = ["score", str(EXAMPLES), "--json", "--profile", str(profile), "--method", "terravis"]
    result = CliRunner().invoke(group, given)
    assert isinstance(result.exception, ConfigError)
    assert "judge: expected a table for --method terravis" in str(result.exception)


def test_requests_name_it(tmp_path: Path) -> None:
    assert parse_options(b'{"method": "pcmde"}').method == "pcmde"
    assert as_input(("a", b"", None, {"method": "terravis"}), 0).method == "terravis"
    wrong = as_input(("a", b"", None, {"method": "all"}), 0).error
    assert isinstance(wrong, RequestError)
    assert "method" in wrong.message


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("judged")
    profile = folder / "judged_only.toml"
    profile.write_text(JUDGED_ONLY, "utf-8")
    chain = Chain(folder, profile=str(profile))
    yield chain, str(profile)
    chain.close()


def test_the_served_steps_without_a_detector(served: tuple[Chain, str]) -> None:
    chain, profile = served
    image = npy(np.full((96, 96, 3), 90, np.uint8))
    row = chain.row(image, options=json.dumps({"image_id": "a"}).encode())
    assert row.pcmde == wire.Pcmde(status="skipped", reason="this profile has no detector")
    assert row.terravis.answers
    assert row.provenance.engine
    with Pipeline(load_profile(profile)) as pipeline:
        (local,) = [one.row for one in pipeline.score([Item("a", image, "")])]
    assert local.terravis == row.terravis
    with pytest.raises(RequestError, match=r"expected a table for OPTIONS\.method pcmde, got none"):
        chain.row(image, options=b'{"method": "pcmde"}')
    assert chain.admission.taken == 0


def test_the_served_steps_with_one_method_of_two(tmp_path: Path) -> None:
    chain = Chain(tmp_path)
    try:
        image = sorted(EXAMPLES.glob("*.jpg"))[0].read_bytes()
        both = chain.row(image, options=b'{"image_id": "a"}')
        pcmde = chain.row(image, options=b'{"image_id": "a", "method": "pcmde"}')
        assert pcmde.pcmde == both.pcmde
        assert pcmde.terravis.reason == "only pcmde was asked for"
        with pytest.raises(RequestError, match=r"OPTIONS\.method terravis"):
            chain.row(image, options=b'{"method": "terravis"}')
    finally:
        chain.close()


def test_a_wrong_domain_is_wrong_for_either_method(tiny: LoadedProfile) -> None:
    options = Options(domain="boat", workers=1, method="terravis")
    with (
        looking(Scripted()) as judge,
        pytest.raises(ConfigError, match=r"domain: expected one of auto, .*car.*, got 'boat'"),
    ):
        Pipeline(tiny, options, looking=judge)
    with looking(Scripted()) as judge:
        known = Options(domain="car", workers=1, method="terravis")
        Pipeline(tiny, known, looking=judge)._feed.close()  # type: ignore[union-attr]
