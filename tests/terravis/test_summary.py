"""TerraVis in the summary of a run."""

from __future__ import annotations

import io

import msgspec
import numpy as np
import pytest
from rich.console import Console

from physgauge import wire
from physgauge.ensemble.judge.engine import EngineFault, Reply
from physgauge.report.draw import annotate, findings
from physgauge.report.marks import HEIGHT, MAJOR, MINOR, UNGRADED
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
    assert told[0] == ["TerraVis 1.000  (expected 1.000)"]
    assert told[1] == [
        "TerraVis 0.135  (expected 0.307)",
        "contact state (major)",
        "relative scale (major)",
    ]
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


def judged(**terravis: object) -> wire.Row:
    return msgspec.structs.replace(rows()[0], terravis=wire.TerraVis(**terravis))  # type: ignore[arg-type]


def test_abstentions_and_a_cascades_stages_are_said() -> None:
    summary = Summary()
    unknown = "outside what this model knows"
    lost = {"contact_state": wire.Answer(outcome="skipped")}
    for mode in ("cascade:first", "cascade:second", "cascade:first", "cascade:first"):
        summary.add(judged(status="ok", mode=mode, score=1.0))
    summary.add(judged(status="partial", reason=unknown, abstained=unknown, answers=lost))
    said = text(summary)
    assert "The cascade's second judge was asked about 1 of 4 (25.0%)" in said
    assert f"Judge abstains: 1 x {unknown}" in said
    assert "Probes without an answer" not in said
    assert "PCMDE: not_applicable 5" in said


def test_the_worst_by_terravis_are_listed_with_what_was_found() -> None:
    summary = Summary()
    for row in rows()[:3]:
        summary.add(row)
    said = text(summary)
    worst = said[said.index("Worst by TerraVis") :]
    assert worst.index("relative scale (major)") < worst.index("0.4")
    assert "contact state (major)" in worst


def test_terravis_alone_has_no_word_of_pcmde() -> None:
    row = msgspec.structs.replace(
        rows()[1], pcmde=wire.Pcmde(status="skipped", reason="only terravis was asked for")
    )
    assert findings(row)[0].startswith("TerraVis 0.135")
    summary = Summary()
    summary.add(row)
    assert "PCMDE" not in text(summary)
    assert "Not scored" not in text(summary)


def test_finds_are_marked_where_they_are_and_labels_do_not_cover_each_other() -> None:
    box = [20.0, 30.0, 120.0, 90.0]
    graded: list[tuple[str, float, wire.Severity | None]] = [
        ("contact_state", 0.9, "major"),
        ("relative_scale", 0.8, "minor"),
        ("optical_effect", 0.7, None),
    ]
    finds = {
        name: wire.Answer(outcome="answered", answer=True, p_yes=p_yes, severity=severity, box=box)
        for name, p_yes, severity in graded
    }
    finds["region_continuity"] = wire.Answer(outcome="answered", answer=True, p_yes=0.6)
    clean = {"thermal_response": wire.Answer(outcome="answered", answer=False, box=box)}
    row = judged(status="ok", score=0.1, answers=finds | clean)
    rgb = np.full((120, 160, 3), 90, np.uint8)
    sheet = np.asarray(annotate(rgb, row))
    factor = sheet.shape[1] // 160
    picture = sheet[: 120 * factor]
    for colour in (MAJOR, MINOR, UNGRADED):
        # Labels are solid bars, one line high; white letters stand in them.
        rows_with = (picture == colour).all(axis=2).sum(axis=1)
        assert (rows_with > 30).sum() >= HEIGHT - 4, colour
    inner = picture[35 * factor : 45 * factor, 40 * factor : 100 * factor]
    assert (inner == 90).all()
