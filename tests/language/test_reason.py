"""The deterministic reasoner: its bands, its three questions, and that evidence only ever counts against."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.ensemble.judge.reason import (
    Bounds,
    PartBox,
    PartCount,
    ReasonInput,
    RuleFact,
    reason,
)
from physgauge.ensemble.judge.rubric import BANDS, Finding, Severity, score, unusual
from physgauge.ensemble.layout import Arrangement
from tests.language.shared import read, spec

Xyxy = tuple[float, float, float, float]

JET: dict[str, list[Xyxy]] = {
    "head": [(20, 90, 60, 120)],
    "wing": [(120, 110, 220, 150), (140, 70, 200, 95)],
    "engine": [(140, 140, 165, 160), (175, 140, 200, 160), (255, 70, 290, 90)],
    "tail": [(260, 40, 300, 100)],
    "tail_wing": [(270, 95, 310, 110)],
}
"""A DC-10 from the side: two engines below the wing, one at the tail."""
DOG: dict[str, list[Xyxy]] = {
    "head": [(200, 60, 250, 110)],
    "eye": [(225, 75, 233, 82)],
    "ear": [(205, 45, 220, 70)],
    "nose": [(244, 85, 252, 92)],
    "chest": [(150, 90, 210, 150)],
    "belly": [(80, 95, 160, 145)],
    "leg": [(80, 140, 95, 200), (100, 140, 115, 200), (170, 145, 185, 200), (190, 145, 205, 200)],
    "tail": [(40, 60, 85, 105)],
}


def given_for(
    caption: str,
    domain: str,
    parts: dict[str, list[Xyxy]],
    bounds: dict[str, tuple[float, float]],
    scores: float = 0.95,
    view: str = "side",
) -> ReasonInput:
    """The record of a picture with these boxes."""
    facts = read(caption, domain)
    names = spec(domain).components
    boxes = tuple(
        PartBox(c if c in names else "other", xyxy, scores, f"{domain}.{c}")
        for c, own in parts.items()
        for xyxy in own
    )
    return ReasonInput(
        facts=facts,
        spec=spec(domain),
        view=view,
        counts={c: PartCount(float(len(parts.get(c, [])))) for c in names},
        bounds={c: Bounds(*bounds.get(c, (math.nan, math.nan))) for c in names},
        boxes=boxes,
        types=facts.candidates,
        size=(320.0, 240.0),
    )


def jet(caption: str = "a DC-10", **changed: list[Xyxy]) -> ReasonInput:
    bounds = {"engine": (1.0, 3.0), "wing": (1.0, 2.0), "head": (1.0, 1.0), "tail": (1.0, 1.0)}
    return given_for(caption, "aircraft", {**JET, **changed}, bounds)


def dog(scores: float = 0.95, **changed: list[Xyxy]) -> ReasonInput:
    bounds = {"leg": (2.0, 4.0), "head": (1.0, 1.0), "wing": (0.0, 0.0), "beak": (0.0, 0.0), "tail": (1.0, 1.0),
              "ear": (1.0, 2.0), "eye": (1.0, 2.0)}  # fmt: skip
    return given_for("a dog", "animal", {**DOG, **changed}, bounds, scores)


def test_nothing_wrong_is_100() -> None:
    for clean in (jet(), dog()):
        result = reason(clean)
        assert (result.score, result.violations, result.spatial) == (100.0, (), ())
        assert result.explanation.endswith("Score 100.0 (valid).")
        assert len(result.runs) == 1
        assert (result.runs[0].round, result.runs[0].score) == (1, 100.0)
        assert result.runs[0].outcome == "answered"
        assert not result.unstable


def test_count_beyond_the_type_is_major() -> None:
    result = reason(jet(engine=[*JET["engine"], (205, 140, 225, 160)]))
    assert result.score is not None
    assert 40 <= result.score <= 60
    assert result.violations == ("a DC-10 has 3 engines: 4 seen",)


def test_count_beyond_any_type_is_critical() -> None:
    legs = [*DOG["leg"], (125, 140, 140, 200)]
    result = reason(dog(leg=legs))
    assert result.score is not None
    assert 0 <= result.score <= 30
    assert result.violations == ("a dog has 4 legs: 5 seen",)
    assert (
        "3. Is anything physically impossible? Yes: a dog has 4 legs: 5 seen" in result.explanation
    )


def test_a_part_the_type_does_not_have_is_critical() -> None:
    result = reason(dog(wing=[(110, 60, 150, 110)]))
    assert result.score is not None
    assert result.score <= 30
    assert result.violations == ("a dog has no wing: 1 seen",)


def test_a_missing_part_is_major_and_weighs_by_salience() -> None:
    no_head = reason(dog(head=[], eye=[], ear=[], nose=[]))
    no_tail = reason(dog(tail=[]))
    assert no_head.score is not None
    assert no_tail.score is not None
    assert 40 <= no_head.score <= 60
    assert no_head.score < no_tail.score
    assert "a dog has 1 head: 0 seen" in no_head.violations


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (3, 4, "a dog has 4 legs, of which the view (side) shows at least 3: 2 seen"),
        (4, 4, "a dog has 4 legs: 2 seen"),
        (5, 6, "the caption wants at least 5 legs: 2 seen"),
        (4, 8, "a dog has at least 4 legs: 2 seen"),  # two dogs
        (4, math.nan, "a dog has at least 4 legs: 2 seen"),  # dogs, nobody says how many
        (
            3,
            math.nan,
            "a dog has at least 4 legs, of which the view (side) shows at least 3: 2 seen",
        ),
    ],
)
def test_who_wants_the_parts_that_are_missing(low: float, high: float, words: str) -> None:
    given = dog(leg=DOG["leg"][:2])
    legs = {**given.bounds, "leg": Bounds(low, high)}
    assert words in reason(replace(given, bounds=legs)).violations


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (0.05, "1 of 20"), (1 / 123.4, "1 of 120"), (1 / 9990, "1 of 10,000"),
        (1e-9, "less than 1 of 10,000"), (0.051, None),
    ],
)  # fmt: skip
def test_a_rare_arrangement_is_told_with_two_digits(p: float, words: str | None) -> None:
    told = reason(replace(jet(), arranged=Arrangement(math.log(p), "tail_wing", "tail_wing")))
    sentence = f"Unusual: a tail wing beside another: as strange in {words} faultless pictures."
    assert (sentence in told.explanation) == ("Unusual" in told.explanation) == (words is not None)


def test_a_cut_off_subject_may_hide_parts() -> None:
    whole = reason(dog(tail=[]))
    cut = reason(dog(tail=[], belly=[(0, 95, 160, 145)]))
    assert whole.score is not None
    assert cut.score is not None
    assert cut.score > whole.score


def test_absence_weighs_less_where_little_is_seen() -> None:
    seen = [reason(dog(scores=c, head=[], eye=[], ear=[], nose=[])).score for c in (0.9, 0.6, 0.4)]
    assert seen == sorted(seen)  # type: ignore[type-var]
    assert seen[0] != seen[-1]


def test_a_part_adrift_is_critical_and_beside_its_place_major() -> None:
    adrift = reason(dog(ear=[(60, 10, 75, 35)]))
    assert adrift.score is not None
    assert adrift.score <= 30
    assert adrift.violations == ("an ear floats away from the head: off by 42 % of the size",)
    off = reason(dog(eye=[(246, 75, 254, 82)]))
    assert off.score is not None
    assert 40 <= off.score <= 85
    assert off.spatial[0].startswith("an eye is not inside the head")


def test_relations_of_the_type() -> None:
    engines: list[Xyxy] = [(140, 50, 165, 65), (175, 50, 200, 65), (255, 70, 290, 90)]
    wrong = jet(engine=engines)
    assert any("2 engine(s) should be below the wing" in s for s in reason(wrong).spatial)


def test_parts_of_another_kind_are_critical() -> None:
    base = jet()
    ear = PartBox("other", (30, 70, 40, 90), 0.9, "animal.ear")
    result = reason(replace(base, boxes=(*base.boxes, ear)))
    assert result.score is not None
    assert result.score <= 30
    assert result.violations == ("an aircraft with the ear of an animal",)


def test_a_caption_about_another_kind_is_critical() -> None:
    result = reason(jet("a red car"))
    assert result.score is not None
    assert result.score <= 30
    assert result.violations == (
        "wrong kind: the caption names a car; the picture shows an aircraft",
    )


def test_contradictions_are_told_and_minor() -> None:
    sentence = "contradiction: the caption says 4 engines ('four engines'); a DC-10 has 3 engines"
    result = reason(replace(jet("a DC-10 with four engines"), contradictions=(sentence,)))
    assert result.score is not None
    assert 70 <= result.score <= 85
    assert result.violations == (sentence,)


def rule(measured: float | None, bound: str, category: str = "spatial", **more: object) -> RuleFact:
    fact = RuleFact("S1", "spatial", measured, bound, "says so", ("engine",), (0,))
    return replace(fact, category=category, **more)  # type: ignore[arg-type]


def test_rules_weigh_by_distance_beyond_the_bound() -> None:
    near = reason(replace(jet(), rules=(rule(0.09, "<= 0.08"),)))
    far = reason(replace(jet(), rules=(rule(0.30, "<= 0.08"),)))
    assert near.score is not None
    assert far.score is not None
    assert far.score < near.score
    assert far.spatial == ("S1: not so: says so (measured 0.3, bound <= 0.08)",)
    trusted_less = reason(replace(jet(), rules=(rule(0.30, "<= 0.08", weight=0.25),)))
    assert trusted_less.score is not None
    assert trusted_less.score > far.score


def test_ambiguous_captions_are_judged_against_any_type() -> None:
    assert reason(replace(jet("an aircraft"), types=())).score == 100
    two = jet("an aircraft", engine=JET["engine"][:2])
    assert reason(replace(two, types=())).score == 100


def test_weak_boxes_weigh_less() -> None:
    extra = (125, 140, 140, 200)
    scores = []
    for confidence in (0.3, 0.5, 0.7, 0.9):
        base = dog()
        boxes = (*base.boxes, PartBox("leg", extra, confidence, "animal.leg"))
        counts = {**base.counts, "leg": PartCount(5.0)}
        scores.append(reason(replace(base, boxes=boxes, counts=counts)).score or 0.0)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 100
    assert scores[-1] <= 30


def test_a_double_detection_is_hardly_a_fifth_leg() -> None:
    base = dog()
    again = PartBox("leg", (81, 141, 95, 200), 0.9, "animal.leg")
    result = reason(
        replace(base, boxes=(*base.boxes, again), counts={**base.counts, "leg": PartCount(5.0)})
    )
    assert result.score is not None
    assert result.score > 85


def test_degenerate_boxes_do_no_harm() -> None:
    base = dog()
    odd = (PartBox("leg", (5, 5, 5, 5), 0.9), PartBox("head", (math.nan,) * 4, math.nan))
    result = reason(replace(base, boxes=(*base.boxes, *odd)))
    assert result.score is not None
    assert 0 <= result.score <= 100
    assert reason(replace(base, boxes=(), counts={})).score == 100
    assert reason(replace(base, boxes=odd[:1])).score is not None


def test_bands_by_hand() -> None:
    def points(*findings: tuple[Severity, float, str]) -> float:
        return round(score(Finding(2, s, x, a, "") for s, x, a in findings)[0], 3)

    assert points() == 100
    # 85 - 15 (1 - exp(-0.3)); 60 - 20 (1 - exp(-0.7)); 30 - 30 (1 - exp(-1)).
    assert points((Severity.MINOR, 1, "a")) == 81.112
    assert points((Severity.MAJOR, 1, "a")) == 49.932
    assert points((Severity.CRITICAL, 1, "a")) == 11.036
    # Twice about one thing counts once; a weak one about another, 0.3 x 0.7 x 0.5 more.
    assert points((Severity.MAJOR, 1, "a"), (Severity.MAJOR, 0.9, "a")) == 49.932
    assert points((Severity.MAJOR, 1, "a"), (Severity.MAJOR, 0.5, "b")) == 48.942
    # Two sure ones about different things are an impossible configuration: 30 exp(-0.7 - 0.3 x 0.7).
    assert points((Severity.MAJOR, 1, "a"), (Severity.MAJOR, 1, "b")) == 12.076
    # Unusual: half for each factor of ten, four at most; alone it never leaves the valid band.
    assert [round(score([], unusual(math.log(p)))[0], 3) for p in (1, 0.1, 1e-4, 1e-9)] == [
        100, 94.491, 87.895, 87.895,
    ]  # fmt: skip
    assert round(score([Finding(2, Severity.MAJOR, 1, "a", "")], 0.5)[0], 3) == 46.024
    # Weak evidence moves up: one, two, three bands.
    assert [
        Finding(3, Severity.CRITICAL, x, "a", "").band.name for x in (0.6, 0.59, 0.39, 0.19)
    ] == ["CRITICAL", "MAJOR", "MINOR", "VALID"]


FINDINGS = st.builds(
    Finding,
    question=st.integers(1, 3),
    severity=st.sampled_from(list(Severity)[1:]),
    strength=st.floats(0, 1),
    about=st.sampled_from("abcdef"),
    sentence=st.text(max_size=3),
)


@settings(deadline=None)
@given(st.lists(FINDINGS, max_size=8), FINDINGS)
def test_more_findings_never_raise_the_score(findings: list[Finding], more: Finding) -> None:
    assert score([*findings, more])[0] <= score(findings)[0]


@settings(deadline=None)
@given(st.lists(FINDINGS, min_size=1, max_size=8), st.floats(0, 1))
def test_surer_findings_never_raise_the_score(findings: list[Finding], strength: float) -> None:
    first = findings[0]
    surer = replace(first, strength=max(first.strength, strength))
    assert score([surer, *findings[1:]])[0] <= score(findings)[0]


@settings(deadline=None)
@given(st.lists(FINDINGS, max_size=8), st.randoms())
def test_the_score_is_in_its_band_and_order_does_not_matter(
    findings: list[Finding], random: object
) -> None:
    points, band = score(findings)
    top, bottom = BANDS[band]
    assert bottom <= points <= top
    assert band in (max((f.band for f in findings), default=Severity.VALID), Severity.CRITICAL)
    assert score(sorted(findings, key=lambda f: (f.sentence, f.strength))) == (points, band)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(DOG)), st.floats(0, 300), st.floats(0, 200), st.floats(0.3, 1)
        ),
        max_size=12,
    )
)
def test_equal_records_get_equal_answers(parts: list[tuple[str, float, float, float]]) -> None:
    base = dog()
    boxes = tuple(PartBox(c, (x, y, x + 20, y + 20), s) for c, x, y, s in parts)
    counts = {c: PartCount(float(sum(b.component == c for b in boxes))) for c in base.counts}
    given_ = replace(base, boxes=boxes, counts=counts)
    first, again = reason(given_), reason(given_)
    assert first == again
    assert first.score is not None
    assert 0 <= first.score <= 100
    flipped = tuple(
        replace(b, xyxy=(320 - b.xyxy[2], b.xyxy[1], 320 - b.xyxy[0], b.xyxy[3])) for b in boxes
    )
    mirrored = reason(replace(given_, boxes=flipped))
    assert mirrored.score == pytest.approx(first.score, abs=1e-6)
    doubled = tuple(replace(b, xyxy=tuple(2 * v for v in b.xyxy)) for b in boxes)  # type: ignore[arg-type]
    twice = reason(replace(given_, boxes=doubled, size=(640.0, 480.0)))
    assert twice.score == pytest.approx(first.score, abs=1e-6)
