"""`physgauge parity` on profiles: a real judge of random weights, in two of its modes."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from physgauge.cli.main import group

SCENES = Path(__file__).parents[2] / "examples/scenes"


def test_two_modes_of_one_judge(tmp_path: Path) -> None:
    images = [str(SCENES / f"{name}_01.jpg") for name in ("aircraft", "car")]
    out = tmp_path / "parity.json"
    arguments = ["parity", "onepass-tiny", "onepass-tiny@single_prompt", *images, "-o", str(out)]
    done = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text("utf-8"))
    assert found["images"] == 2
    assert (found["a"]["mode"], found["b"]["mode"]) == ("onepass", "single_prompt")
    assert found["a"]["models"] == found["b"]["models"]
    assert found["other_pixels"] == []
    assert len(found["categories"]) == 19
    # Random weights write no list of findings: nothing to agree on, and no number made up for it.
    assert found["b"]["unanswered"] == 2 * 18
    assert found["all"]["pairs"] == 0
    assert found["all"]["agree"] is None
    wrong = CliRunner().invoke(group, ["parity", "onepass-tiny@no", "tiny", images[0]])
    assert "expected one of the modes onepass, paper" in str(wrong.exception)
