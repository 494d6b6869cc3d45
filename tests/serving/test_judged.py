"""The real server with a judge: one in its own process, and one that is somebody else's server."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import pytest

from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Pipeline
from physgauge.types import Item
from tests.engines.hostile import Act, good, serving
from tests.serving.server import (
    CAPTIONS,
    NAMES,
    Server,
    Window,
    image,
    inputs,
    plain,
    ready,
    same,
    score,
)

YES = {"yes": math.log(0.7), "no": math.log(0.3)}


def test_both_methods_in_one_row(wheel: None) -> None:
    """Rows of a server with a one-pass judge are the local run's, also when many come at once."""
    pytest.importorskip("transformers")
    names = [*NAMES[::5], "cut"]
    data = {name: image(name) for name in NAMES[::5]} | {"cut": image(NAMES[0])[:900]}
    items = [Item(name, data[name], name, CAPTIONS.get(name)) for name in names]
    with Pipeline(load_profile("onepass-tiny")) as pipeline:
        local = {scored.row.image_id: plain(scored.row) for scored in pipeline.score(items)}
    assert local[names[0]].terravis.answers
    assert local["cut"].error_code
    with Server("--profile", "onepass-tiny") as server:
        requests = [
            inputs(data[name], CAPTIONS.get(name, ""), image_id=name, source=name) for name in names
        ]
        for row in Window(server.client(), 8).all(requests):
            assert not isinstance(row, Exception), row
            same(plain(row), local[row.image_id])
            assert row.error_code or row.cost.tokens > 0


def answering(request: dict[str, Any], number: int) -> Act:
    return good(tokens=YES) if request.get("logprobs") else good()


def dead(request: dict[str, Any], number: int) -> Act:
    return Act(status=500)


ENDPOINT = """
name = "elsewhere"
[[detectors]]
name = "part_detector"
model = "{model}"
[packs]
car = "car"
[specifications]
car = "car"
[judge]
engine = "endpoint"
[judge.endpoint]
url = "{url}"
structured = "off"
wait_s = 0.05
again_s = 0.5
"""


def until(what: Any, within_s: float = 60.0) -> None:
    end = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_judge_that_dies_turns_readiness_off(wheel: None, tmp_path: Path) -> None:
    """Rows still come, with PCMDE's part whole and no TerraVis score; then the judge comes back."""
    pytest.importorskip("httpx")
    model = load_profile("tiny").path("models/part_detector.onnx")
    profile = tmp_path / "elsewhere.toml"
    with serving(answering) as judge:
        profile.write_text(ENDPOINT.format(model=model, url=judge.url), encoding="utf-8")
        with Server("--profile", str(profile), "--check", "0.5") as server:
            client = server.client()
            name = "car_01.jpg"
            whole = score(client, image(name), CAPTIONS[name])
            assert whole.terravis.score is not None
            assert ready(server)
            pid = server.pid
            judge.plan = dead
            until(lambda: not ready(server))
            server.wait_for("degraded")
            row = score(client, image(name), CAPTIONS[name])
            assert row.error_code is None
            assert row.pcmde == whole.pcmde
            assert (row.terravis.status, row.terravis.score) == ("error", None)
            judge.plan = answering
            until(lambda: ready(server))
            assert score(client, image(name), CAPTIONS[name]).terravis == whole.terravis
            assert server.pid == pid
            assert not server.events("restart")


def test_a_wrong_judge_is_said(wheel: None, tmp_path: Path) -> None:
    model = load_profile("tiny").path("models/part_detector.onnx")
    profile = tmp_path / "wrong.toml"
    text = ENDPOINT.format(model=model, url="http://127.0.0.1:9/v1") + "colour = 3\n"
    profile.write_text(text, encoding="utf-8")
    with Server("--profile", str(profile)) as server:
        assert server.process.wait(60) == 2
        assert "judge.endpoint: Object contains unknown field `colour`" in server.log
