"""TerraVis in the summary of a run."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from physgauge import wire
from physgauge.ensemble.judge.engine import EngineFault, Reply
from physgauge.report.draw import findings
from physgauge.report.summary import Summary, print_summary
from tests.terravis.scripted import Scripted, p
from tests.terravis.shared import look, scored


def rows() -> list[wire.Row]:
    def found(**values: float) -> Scripted:
        return Scripted(yes_no=lambda image, q: p({"eligible?": 0.9, **values}.get(q.id, 0.0)))

    engines = [
        found(),
        found(contact_state=0.9, relative_scale=0.6),
        found(contact_state=0.9),
        Scripted(yes_no=lambda image, q: p(0.9 if q.id == "layout" else 0.1)),
        Scripted(yes_no=lambda image, q: Reply("refused") if q.id == "contact_state" else p(0.9 if q.id == "eligible?" else 0)),
        Scripted(opening=lambda number: EngineFault("gone")),
    ]  # fmt: skip
    parts = [scored(look(engine)) for engine in engines]
    parts.append(wire.TerraVis(status="skipped"))
    return [
        wire.Row(
            image_id=str(k), source="x", terravis=part, pcmde=wire.Pcmde(status="not_applicable"),
            provenance=wire.Provenance(physgauge="0", profile="x"), cost=wire.Cost(usd=0.01),
        )
        for k, part in enumerate(parts)
    ]  # fmt: skip


def text(summary: Summary) -> str:
    out = io.StringIO()
    print_summary(Console(file=out, width=110), summary, seconds=1)
    return out.getvalue()


def test_the_summary_says_what_was_found_and_what_was_not_judged() -> None:
    summary = Summary()
    for row in rows():
        summary.add(row)
    told = summary.terravis
    assert told.seen == 6
    assert told.statuses == {"ok": 3, "not_applicable": 1, "partial": 1, "error": 1}
    assert told.total == pytest.approx(1 + 0.1353353 + 0.3678794)
    assert told.found.most_common(2) == [("contact_state", 2), ("relative_scale", 1)]
    assert told.asked["contact_state"] == 3
    said = text(summary)
    for words in (
        "TerraVis: 3 of 6 images scored, mean 0.501",
        "1 partial, 1 error, 0.06 USD",
        "1 of 6 not applicable (16.7%): 1 x layout",
        "contact_state",
        "2 of 3",
        "Probes without an answer: 18 x skipped; 1 x refused",
        "Judge: 1 x the engine has stopped: gone",
    ):
        assert words in said, words


def test_the_panel_says_what_was_found() -> None:
    told = [findings(row)[1:] for row in rows()]
    assert told[0] == ["TerraVis 1.000"]
    assert told[1] == ["TerraVis 0.135", "contact state (major)", "relative scale (major)"]
    assert told[3] == ["TerraVis not_applicable: not eligible: layout"]
    assert told[4] == ["TerraVis partial: 1 of 18 probes without an answer (1 refused)"]
    assert told[6] == []
    noted = msgspec.structs.replace(
        rows()[0].terravis,
        answers={
            "a": wire.Answer(outcome="answered", answer=True, objects=["a mug"], evidence="e")
        },
    )
    assert findings(msgspec.structs.replace(rows()[0], terravis=noted))[2:] == [
        "a (not graded): a mug, e"
    ]


def test_without_a_judge_there_is_no_word_of_it() -> None:
    summary = Summary()
    summary.add(rows()[-1])
    assert "TerraVis" not in text(summary)
    assert msgspec.json.encode(rows()[-1])
