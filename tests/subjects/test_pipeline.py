"""Several subjects through the pipeline: each is judged as if it were alone, and the worst one decides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from physgauge import wire
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from tests.subjects.shapes import (
    AIRBUS,
    DOG,
    SEDAN,
    SHAPES,
    Part,
    at,
    mirrored,
    record,
    without,
)

TITLES = {"animal": "dog", "car": "sedan", "aircraft": "Airbus A320"}
PLURALS = {"animal": "two dogs", "car": "two sedans", "aircraft": "two Airbus A320 airliners"}
HEADLESS = without(DOG, "animal.head")


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(load_profile("tiny"), Options(threads=1), detect=False) as made:
        yield made


def score(pipeline: Pipeline, *pictures: tuple[list[Part], str | None]) -> list[wire.Row]:
    entries = [record(parts, caption, str(k)) for k, (parts, caption) in enumerate(pictures)]
    return list(pipeline.score_boxes(entries, "test"))


def boxes_of(row: wire.Row, subject: wire.SubjectResult) -> set[Part]:
    found = [row.detections[i] for i in subject.parts]
    return {(d.label, d.box[0], d.box[1], d.box[2], d.box[3]) for d in found}


@pytest.mark.parametrize("domain", SHAPES)
def test_each_gets_what_it_gets_alone_and_the_worst_decides(
    pipeline: Pipeline, domain: str
) -> None:
    sound = SHAPES[domain]
    broken = at(without(sound, sound[0][0]), 380, 10)
    name = TITLES[domain]
    both, first, second = score(
        pipeline, (sound + broken, PLURALS[domain]), (sound, f"a {name}"), (broken, f"a {name}")
    )
    alone = {frozenset(sound): first.pcmde, frozenset(broken): second.pcmde}
    assert len(both.pcmde.subjects) == 2
    for subject in both.pcmde.subjects:
        own = alone[frozenset(boxes_of(both, subject))]
        for field in (
            "domain",
            "subtype",
            "view",
            "status",
            "s_rules",
            "s_llm",
            "s_final",
            "verdict",
        ):
            assert getattr(subject, field) == getattr(own, field), field
    worst = min(alone.values(), key=lambda pcmde: pcmde.s_final or 0)
    assert both.pcmde.s_final == worst.s_final == both.pcmde.subjects[0].s_final
    assert both.pcmde.verdict == worst.verdict
    assert both.pcmde.diagnostics == worst.diagnostics
    assert both.pcmde.counts == worst.counts
    assert [(r.id, r.status, r.measured) for r in both.pcmde.rules] == [
        (r.id, r.status, r.measured) for r in worst.rules
    ]


def test_witnesses_point_at_the_parts_of_the_judged_subject(pipeline: Pipeline) -> None:
    low = at(
        [p if p[0] != "animal.head" else ("animal.head", 236, 200, 299, 240) for p in DOG], 380
    )
    row, alone = score(pipeline, (DOG + low, "two dogs"), (low, "a dog"))
    judged = row.pcmde.subjects[0]
    assert boxes_of(row, judged) == set(low)
    assert judged.box == [435, 71, 679, 242]
    pointed = 0
    for rule, other in zip(row.pcmde.rules, alone.pcmde.rules, strict=True):
        assert set(rule.boxes) <= set(judged.parts)
        assert [row.detections[i].box for i in rule.boxes] == [
            alone.detections[i].box for i in other.boxes
        ]
        pointed += len(rule.boxes)
    assert pointed > 5


def test_a_failing_one_comes_before_a_lower_score_that_passes() -> None:
    from physgauge.ensemble.subjects.worst import worst

    found = [wire.Detection(label="car.roof", box=[0, 0, 1, 1], score=1)] * 3
    judged = [
        wire.Pcmde(status="ok", domain="car", s_final=62, verdict="PASS"),
        wire.Pcmde(status="ok", domain="car", s_final=69, verdict="FAIL"),
        wire.Pcmde(status="not_applicable", domain="car", reason="too little to judge"),
    ]
    row = worst(judged, [(0,), (1,), (2,)], found)
    assert (row.verdict, row.s_final) == ("FAIL", 69)
    assert [s.parts for s in row.subjects] == [[1], [0], [2]]
    partial = wire.Pcmde(status="partial", domain="car", low=50, high=90)
    assert worst([judged[0], partial], [(0,), (1,)], found).low == 50


def test_without_a_caption_too(pipeline: Pipeline) -> None:
    row, named = score(pipeline, (DOG + at(HEADLESS, 380), None), (DOG + at(DOG, 380), "a dog"))
    assert [len(s.parts) for s in row.pcmde.subjects] == [len(HEADLESS), len(DOG)]
    assert len(named.pcmde.subjects) == 2
    assert named.pcmde.verdict == "PASS"


def test_a_car_and_a_dog_are_judged_by_their_own_packs(pipeline: Pipeline) -> None:
    dog = at(HEADLESS, 400)
    row, car, alone = score(
        pipeline, (SEDAN + dog, "a sedan and a dog"), (SEDAN, "a sedan"), (dog, "a dog")
    )
    by_domain = {s.domain: s for s in row.pcmde.subjects}
    assert set(by_domain) == {"car", "animal"}
    assert by_domain["car"].s_final == car.pcmde.s_final
    assert by_domain["animal"].s_final == alone.pcmde.s_final
    assert row.pcmde.domain == "animal"
    assert row.provenance.pack == "animal"
    silent = score(pipeline, (SEDAN + dog, None))[0]
    assert {s.domain for s in silent.pcmde.subjects} == {"car", "animal"}
    named = score(pipeline, (SEDAN + at(DOG, 400), "a sedan"))[0]
    assert named.pcmde.verdict == "PASS", "a dog that stands by is no part of the sedan"


def test_what_the_caption_names_is_not_foreign_to_the_rest(pipeline: Pipeline) -> None:
    """Only the head of the dog in the car is seen: too little to judge, and nothing against the car."""
    head: list[Part] = [("animal.head", 150, 196, 200, 222)]
    row, car = score(pipeline, (SEDAN + head, "a dog in a sedan"), (SEDAN, "a sedan"))
    assert row.pcmde.s_final == car.pcmde.s_final
    assert [s.status for s in row.pcmde.subjects] == ["ok", "not_applicable"]
    assert row.pcmde.subjects[1].reason is not None
    assert "too little to judge" in row.pcmde.subjects[1].reason
    foreign = score(pipeline, (SEDAN + head, "a sedan"))[0]
    assert foreign.pcmde.subjects == []
    assert foreign.pcmde.s_final is not None
    assert car.pcmde.s_final is not None
    assert foreign.pcmde.s_final < car.pcmde.s_final - 20


@pytest.mark.parametrize(
    ("parts", "caption", "reason"),
    [
        (DOG + at(DOG, 90), "two dogs", "the caption names 2, and their parts overlap"),
        (DOG, "two dogs", "the caption names 2, and parts of 1 are seen"),
        (AIRBUS + at(AIRBUS, 60, 20), "airliners", "the caption names several, and their parts overlap"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_apart_gets_no_number(
    pipeline: Pipeline, parts: list[Part], caption: str, reason: str
) -> None:
    (row,) = score(pipeline, (parts, caption))
    domain = parts[0][0].partition(".")[0]
    assert row.pcmde.status == "not_applicable"
    assert row.pcmde.reason == f"several subjects ({domain}) that cannot be told apart: {reason}"
    assert row.pcmde.domain == domain
    assert row.pcmde.s_final is None
    assert row.pcmde.verdict is None
    assert row.pcmde.rules == []
    assert len(row.detections) == len(parts)


def test_one_of_an_unnumbered_several_is_judged_alone(pipeline: Pipeline) -> None:
    row, alone = score(pipeline, (DOG, "dogs"), (DOG, "a dog"))
    assert row.pcmde.subjects == []
    assert row.pcmde.s_final == alone.pcmde.s_final


@pytest.mark.parametrize(
    ("caption", "fails"),
    [
        ("two dogs with four legs", False),
        ("two dogs with eight legs", False),
        ("two dogs with six legs", True),
    ],
)
def test_parts_named_are_those_of_each_or_of_all(
    pipeline: Pipeline, caption: str, fails: bool
) -> None:
    row, plain = score(pipeline, (DOG + at(DOG, 380), caption), (DOG + at(DOG, 380), "two dogs"))
    assert plain.pcmde.s_final is not None
    assert row.pcmde.s_final is not None
    assert (row.pcmde.s_final < plain.pcmde.s_final) == fails


def test_published_packs_judge_a_picture_as_one() -> None:
    options = Options(threads=1, packs=("animal@paper",))
    with Pipeline(load_profile("tiny"), options, detect=False) as paper:
        (row,) = score(paper, (DOG + at(DOG, 380), "two dogs"))
    assert row.pcmde.subjects == []
    assert row.pcmde.counts["head"] == 2
    assert row.pcmde.s_final is not None


PICTURES: list[tuple[list[Part], str | None]] = [
    (DOG + at(HEADLESS, 380), "two dogs"),
    (DOG, "a dog"),
    (SEDAN + at(DOG, 400), "a dog and a sedan"),
    (DOG + at(DOG, 90), "two dogs"),
    (AIRBUS + at(AIRBUS, 330, 30) + at(AIRBUS, 690), None),
    ([], None),
    (SEDAN + at(SEDAN, 400, 0, 0.8), "two sedans"),
]


def without_cost(row: wire.Row) -> dict[str, object]:
    fields = {name: getattr(row, name) for name in wire.Row.__struct_fields__}
    del fields["cost"], fields["image_id"]
    return fields


def test_alone_a_picture_gives_what_it_gives_among_others(pipeline: Pipeline) -> None:
    together = score(pipeline, *PICTURES)
    assert [len(row.pcmde.subjects) for row in together] == [2, 0, 2, 0, 3, 0, 2]
    for row, picture in zip(together, PICTURES, strict=True):
        assert without_cost(row) == without_cost(score(pipeline, picture)[0])


def test_mirrored_and_doubled_pictures_give_the_same_answers(pipeline: Pipeline) -> None:
    for parts, caption in PICTURES:
        plain, mirror = score(pipeline, (parts, caption), (mirrored(parts), caption))
        big = record(at(parts, 0, scale=2), caption, scale=2)
        doubled = next(iter(pipeline.score_boxes([big], "test")))
        for row in (mirror, doubled):
            assert row.pcmde.s_final == plain.pcmde.s_final
            assert row.pcmde.verdict == plain.pcmde.verdict
            assert row.pcmde.reason == plain.pcmde.reason
            assert [(s.parts, s.s_final) for s in row.pcmde.subjects] == [
                (s.parts, s.s_final) for s in plain.pcmde.subjects
            ]


def test_rows_go_through_json_and_parquet(pipeline: Pipeline, tmp_path: object) -> None:
    from pathlib import Path

    from physgauge.clients.runs import read_run
    from tests.runs.folders import write_run

    rows = score(pipeline, *PICTURES)
    assert [wire.from_json(wire.to_json(row)) for row in rows] == rows
    write_run(Path(str(tmp_path)), rows)
    assert list(read_run(Path(str(tmp_path)))) == rows
