"""A detector's boxes: unsure ones go to the nearest subject, and the view of the whole picture to nobody."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.config import FuseSettings, ReadingSettings, load_profile
from physgauge.ensemble.aggregate import Subject
from physgauge.ensemble.beside import at_once
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS, Boxes, Detections
from physgauge.wire import Row
from tests.subjects.shapes import DOG, HEIGHT, SEDAN, WIDTH, Part, at

Scored = tuple[Part, float]


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    made = Pipeline(load_profile("tiny"), Options(threads=1), detect=False)
    made._fusion = FuseSettings(nms_iou=0.5, min_domain_p=0.8)
    made._reading = ReadingSettings(draws=20, sure=0.96)
    return made


def row(
    pipeline: Pipeline,
    parts: list[Scored],
    domain_p: tuple[float, float, float, float],
    caption: str | None = None,
) -> Row:
    found = Detections(
        Boxes(
            np.array([part[1:] for part, _ in parts], np.float32),
            np.array([score for _, score in parts], np.float32),
            np.array([PART_CLASSES.index(part[0]) for part, _ in parts], np.int16),
            np.zeros(len(parts), np.int8),
            np.array([0, len(parts)], np.int64),
        ),
        PART_CLASSES,
        DOMAINS,
        np.array([domain_p], np.float32),
        np.eye(len(VIEWS), dtype=np.float32)[[VIEWS.index("rear")]],
    )
    subject = Subject("a", "t", caption, {}, WIDTH, HEIGHT)
    return at_once(pipeline._rows([subject], lambda: found))[0]


def sure(parts: list[Part]) -> list[Scored]:
    return [(part, 0.99) for part in parts]


ANIMAL, MIXED, NONE = (0, 0, 1, 0), (0, 0.5, 0.45, 0.05), (0, 0.3, 0.3, 0.4)


def test_an_unsure_box_is_read_with_the_subject_that_it_is_nearest_to(pipeline: Pipeline) -> None:
    faint: Scored = (("animal.ear", 625, 60, 645, 80), 0.4)
    plain = row(pipeline, sure(DOG + at(DOG, 380)), ANIMAL)
    doubtful = row(pipeline, [*sure(DOG + at(DOG, 380)), faint], ANIMAL)
    assert plain.pcmde.readings == 1
    assert len(doubtful.detections) == len(plain.detections) == 2 * len(DOG)
    near = [s for s in doubtful.pcmde.subjects if s.box[0] > 300]
    far = [s for s in doubtful.pcmde.subjects if s.box[0] < 300]
    before = {s.box[0] > 300: s.s_final for s in plain.pcmde.subjects}
    assert [s.s_final for s in far] == [before[False]]
    assert [s.parts for s in near] == [s.parts for s in plain.pcmde.subjects if s.box[0] > 300]


def test_a_view_of_the_whole_picture_is_nobodys(pipeline: Pipeline) -> None:
    several = row(pipeline, sure(DOG + at(DOG, 380)), ANIMAL)
    assert {s.view for s in several.pcmde.subjects} == {"side"}
    assert row(pipeline, sure(DOG), ANIMAL).pcmde.view == "rear"


def test_two_domains_share_the_probability(pipeline: Pipeline) -> None:
    both = row(pipeline, sure(SEDAN + at(DOG, 400)), MIXED)
    assert {s.domain for s in both.pcmde.subjects} == {"car", "animal"}
    for parts, p in (
        (SEDAN, MIXED),
        (SEDAN + at(DOG[:1], 400), MIXED),
        (SEDAN + at(DOG, 400), NONE),
    ):
        one = row(pipeline, sure(parts), p)
        assert one.pcmde.status == "not_applicable"
        assert one.pcmde.reason is not None
        assert one.pcmde.reason.startswith("no known domain")
