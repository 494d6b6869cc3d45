"""What people read: the panel of an annotated picture and the summary of a run."""

from __future__ import annotations

import io

import numpy as np
from PIL import ImageFont
from rich.console import Console

from physgauge import wire
from physgauge.report.draw import BAD, GOOD, annotate, findings, wrap
from physgauge.report.summary import Summary, print_summary

PROVENANCE = wire.Provenance(physgauge="0", profile="tiny")


def row(name: str, s_final: float | None, verdict: wire.Verdict | None, violated: bool) -> wire.Row:
    rules = [
        wire.RuleResult(
            id="P1", category="presence", status="violated" if violated else "satisfied",
            measured=3, bound="<= 2", says="two wings", boxes=[1],
        ),
        wire.RuleResult(id="S1", category="spatial", status="not_applicable", says="level"),
    ]  # fmt: skip
    return wire.Row(
        image_id=name, source=name, width=100, height=80,
        terravis=wire.TerraVis(status="skipped"),
        pcmde=wire.Pcmde(
            status="ok", domain="aircraft", s_rules=s_final, s_llm=s_final, s_final=s_final,
            verdict=verdict, rules=rules,
            diagnostics=wire.Diagnostics(specification=["too many wings"] if violated else []),
        ),
        detections=[
            wire.Detection(label="aircraft.wing", box=[10, 10, 40, 30], score=0.9),
            wire.Detection(label="aircraft.wing", box=[50, 40, 90, 70], score=0.8),
        ],
        provenance=PROVENANCE,
    )  # fmt: skip


def error(name: str) -> wire.Row:
    return wire.Row(
        image_id=name, source=name, error_code="image_empty", error="expected bytes, got none",
        terravis=wire.TerraVis(status="error"), pcmde=wire.Pcmde(status="error"),
        provenance=PROVENANCE,
    )  # fmt: skip


def test_findings_say_verdict_rule_measure_and_bound() -> None:
    lines = findings(row("a", 45.5, "FAIL", violated=True))
    assert lines == [
        "FAIL  S_final 45.5  (S_rules 45.5, S_llm 45.5)   aircraft",
        "P1 violated: two wings (measured 3, bound <= 2)",
        "specification: too many wings",
    ]
    assert findings(row("a", 100, "PASS", violated=False)) == [
        "PASS  S_final 100.0  (S_rules 100.0, S_llm 100.0)   aircraft"
    ]
    assert findings(error("b")) == ["error: expected bytes, got none"]


def test_the_guilty_box_is_red_and_the_picture_keeps_its_pixels() -> None:
    rgb = np.full((80, 100, 3), 77, np.uint8)
    sheet = np.asarray(annotate(rgb, row("a", 45, "FAIL", violated=True)))
    factor = sheet.shape[1] // 100
    assert factor == 5  # enlarged to at least 480 px
    assert tuple(sheet[60 * factor, 50 * factor]) == BAD  # left edge of the second box
    assert tuple(sheet[25 * factor, 10 * factor]) == GOOD
    assert tuple(sheet[75 * factor, 5 * factor]) == (77, 77, 77)
    assert sheet.shape[0] > 80 * factor  # the panel


def test_long_words_and_empty_text_wrap() -> None:
    font = ImageFont.load_default(size=13)
    assert wrap("", font, 100) == []
    assert wrap("x" * 500 + " y", font, 100) == ["x" * 500, "y"]


def test_summary_counts_rules_and_orders_the_worst() -> None:
    summary = Summary()
    scores = [90, 20, 70, 10, 50, 60, 80, 30, 40, 65, 66, 67]
    for number, score in enumerate(scores):
        summary.add(row(f"{number}.png", score, "PASS" if score >= 60 else "FAIL", score < 60))
    summary.add(error("broken.png"))
    assert summary.rows == 13
    assert summary.verdicts == {"PASS": 7, "FAIL": 5, "error": 1}
    assert summary.most_violated() == [("aircraft P1", "two wings", 5, 12)]
    assert [score for _, score, _ in summary.worst_images()] == [10, 20, 30, 40, 50, 60, 65, 66]
    assert summary.worst_images()[0] == ("3.png", 10, "too many wings")
    out = io.StringIO()
    print_summary(Console(file=out, width=100), summary, seconds=2.0)
    text = out.getvalue()
    for words in (
        "13 images in 2.0 s (6.5 images/s)",
        "PASS 7",
        "FAIL 5",
        "5 of 12",
        "1 x image_empty",
    ):
        assert words in text, words


def test_markup_in_names_is_text() -> None:
    summary = Summary()
    summary.add(row("[red]x[/red].png", 10, "FAIL", violated=True))
    out = io.StringIO()
    print_summary(Console(file=out, width=100), summary, seconds=0)
    assert "[red]x[/red].png" in out.getvalue()


def test_an_empty_run_has_a_summary() -> None:
    out = io.StringIO()
    print_summary(Console(file=out, width=100), Summary(), seconds=0)
    assert "0 images" in out.getvalue()
