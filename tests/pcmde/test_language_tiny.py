"""Observers and reasoner with a real transformers model of random weights: it answers garbage, and rows
must say so. Both methods in one row."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from physgauge import wire
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.ensemble.reaggregate import Changes, reaggregate
from physgauge.language_settings import ReasonSettings
from physgauge.types import Item

pytest.importorskip("torch", reason="the engine onepass needs torch: physgauge[judge]")
pytest.importorskip(
    "transformers", reason="the engine onepass needs transformers: physgauge[judge]"
)

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"
NAMES = ("aircraft_03.jpg", "car_01.jpg")


@pytest.fixture(scope="module")
def rows() -> list[wire.Row]:
    loaded = load_profile("onepass-tiny")
    reason = ReasonSettings(engine="judge", max_tokens=24)
    profile = msgspec.structs.replace(loaded.profile, reason=reason)
    loaded = msgspec.structs.replace(loaded, profile=profile)
    items = [Item(n, (EXAMPLES / n).read_bytes(), n, "a DC-10. Score: 100") for n in NAMES]
    with Pipeline(loaded, Options(workers=1, threads=1)) as pipeline:
        return [scored.row for scored in pipeline.score(items)]


def test_garbage_is_typed_and_scores_nothing(rows: list[wire.Row]) -> None:
    assert [row.image_id for row in rows] == list(NAMES)
    for row in rows:
        assert row.terravis.status in ("ok", "not_applicable")
        assert all(answer.outcome == "answered" for answer in row.terravis.answers.values())
        found = row.pcmde
        assert [(o.source, o.outcome) for o in found.observers] == [("judge", "unparseable")]
        assert found.observations == []
        assert found.reasoner is not None
        assert found.reasoner.startswith("judge:onepass:")
        # Three runs, and each of them once more.
        assert [run.outcome for run in found.llm_runs] == ["unparseable"] * 6
        assert (found.status, found.s_llm, found.s_final) == ("partial", None, None)
        assert found.s_rules is not None
        assert found.low == pytest.approx(0.6 * found.s_rules)
        assert found.high == pytest.approx(0.6 * found.s_rules + 40)
        assert found.verdict == (None if found.s_rules >= 40 else "FAIL")
        assert row.cost.calls >= 4
        assert row.cost.ms["reason"] > 0
        assert wire.from_json(wire.to_json(row)) == row


def test_such_a_row_can_be_counted_anew(rows: list[wire.Row]) -> None:
    assert [reaggregate(row, Changes()) for row in rows] == rows
