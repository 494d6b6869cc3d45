"""Observers' numbers as votes beside the detector's, reading by reading, and their statements as facts."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from physgauge.config import DetectorSettings, FuseSettings, ReadingSettings
from physgauge.ensemble.domains import Domains, load_domains
from physgauge.ensemble.fuse import fuse
from physgauge.ensemble.observations import Sight, listen, numbers, said
from physgauge.ensemble.readings import Readings, read
from physgauge.ensemble.subjects.worst import Whose
from physgauge.language_settings import ObserverSettings
from physgauge.types import PART_CLASSES, VIEWS, Boxes, Detections
from physgauge.wire import Observation
from tests.pcmde.shared import tiny


@cache
def domains() -> Domains:
    return load_domains(tiny(), threads=1)


def detected(scores: dict[str, list[list[float]]], sources: int = 1, skip: str = "") -> Detections:
    """One aircraft; per class, the scores by each source."""
    rows: list[tuple[list[float], float, int, int]] = []
    for name, by_source in scores.items():
        label = PART_CLASSES.index(f"aircraft.{name}")
        for k, own in enumerate(by_source):
            for n, score in enumerate(own):
                x = 20.0 * len(rows) if sources == 1 else 20.0 * n
                rows.append(([x, 10 * label, x + 9, 10 * label + 9], score, label, k))
    looks = np.ones((sources, len(PART_CLASSES)), np.bool_)
    if skip:
        looks[:, PART_CLASSES.index(f"aircraft.{skip}")] = False
    return Detections(
        Boxes(
            np.array([r[0] for r in rows], np.float32).reshape(-1, 4),
            np.array([r[1] for r in rows], np.float32),
            np.array([r[2] for r in rows], np.int16),
            np.array([r[3] for r in rows], np.int8),
            np.array([0, len(rows)], np.int64),
        ),
        PART_CLASSES, ("aircraft", "car", "animal"), np.array([[1, 0, 0, 0]], np.float32),
        np.eye(len(VIEWS), dtype=np.float32)[:1], looks,
    )  # fmt: skip


def heard(
    found: Detections,
    *sights: Sight,
    observers: list[ObserverSettings] | None = None,
    draws: int = 1,
    subjects: int = 1,
    detectors: int = 1,
) -> Readings:
    settings = [DetectorSettings(name=str(k), model="", min_score=0.5) for k in range(detectors)]
    fused = fuse(found, FuseSettings(), None, settings)
    if subjects > 1:
        fused = replace(
            fused, domain=fused.domain * subjects, reason=fused.reason * subjects,
            likely=fused.likely * subjects, domain_p=np.repeat(fused.domain_p, subjects),
            counts=np.repeat(fused.counts, subjects, 0), view=np.repeat(fused.view, subjects),
            looked=np.repeat(fused.looked, subjects),
            boxes=replace(fused.boxes, offsets=np.array([0, *[fused.boxes.offsets[-1]] * subjects])),
        )  # fmt: skip
    readings = read(fused, ReadingSettings(draws=draws, sure=0.9))
    whose = Whose(np.zeros(subjects, np.int64), (None,) * subjects)
    known = observers or [ObserverSettings(name=s.source) for s in sights]
    return listen(readings, whose, [sights], known, domains().by_name)[0]


def sees(source: str = "one", domain: str = "aircraft", **count: int) -> Sight:
    each = tuple(Observation(source=source, component=c, count=n) for c, n in count.items())
    return Sight(source, "answered", domain, each)


def number(readings: Readings, component: str) -> float:
    column = readings.fused.classes.index(f"aircraft.{component}")
    return float(readings.fused.counts[readings.likeliest[0], column])


ENGINES = {"engine": [[0.7, 0.6]]}


def test_one_observer_does_not_outvote_a_surer_detector() -> None:
    assert number(heard(detected(ENGINES), sees(engine=4)), "engine") == 2


def test_two_observers_that_agree_outvote_it() -> None:
    assert number(heard(detected(ENGINES), sees(engine=4), sees("two", engine=4)), "engine") == 4
    assert number(heard(detected(ENGINES), sees(engine=4), sees("two", engine=3)), "engine") == 2


@pytest.mark.parametrize(
    ("weight", "confidence", "fused"), [(1, 0.6, 2), (1.4, 0.5, 4), (1, 0.7, 4), (0.9, 0.7, 2)]
)
def test_weight_and_confidence_count(weight: float, confidence: float, fused: int) -> None:
    one = ObserverSettings(name="one", weight=weight, confidence=confidence)
    assert number(heard(detected(ENGINES), sees(engine=4), observers=[one]), "engine") == fused


def test_a_tie_goes_to_the_detector() -> None:
    one = ObserverSettings(name="one", confidence=0.5)
    found = detected({"engine": [[0.5, 0.5]]})
    assert number(heard(found, sees(engine=4), observers=[one]), "engine") == 2


def test_a_stated_none_votes_with_its_reliability_and_silence_does_not_vote() -> None:
    found = detected(ENGINES)
    sure = ObserverSettings(name="one", reliability=0.9, confidence=0.1)
    assert number(heard(found, sees(engine=0), observers=[sure]), "engine") == 0
    doubtful = ObserverSettings(name="one", reliability=0.3, confidence=0.9)
    assert number(heard(found, sees(engine=0), observers=[doubtful]), "engine") == 2
    assert number(heard(found, sees(wing=2), observers=[sure]), "engine") == 2


def test_what_nobody_was_asked_about_stays_unknown() -> None:
    found = detected({"engine": [[0.9]]}, skip="tail")
    assert math.isnan(number(heard(found, sees(engine=1)), "tail"))
    assert number(heard(found, sees(tail=1)), "tail") == 1


def knowing(classes: tuple[str, ...]) -> Detections:
    """An engine, by a detector that knows these classes only."""
    found = detected({"engine": [[0.9]]})
    boxes = replace(found.boxes, label=np.array([classes.index("aircraft.engine")], np.int16))
    looks = np.ones((1, len(classes)), np.bool_)
    return replace(found, classes=classes, looks=looks, boxes=boxes)


def test_a_part_that_no_detector_knows_gets_a_count() -> None:
    known = tuple(name for name in PART_CLASSES if name != "aircraft.tail_wing")
    readings = heard(knowing(known), sees(tail_wing=2))
    assert number(readings, "tail_wing") == 2
    assert number(readings, "engine") == 1


def test_what_is_no_part_of_the_pack_is_nothing_at_all() -> None:
    readings = heard(knowing(PART_CLASSES), sees(engine=1, beak=1))
    assert readings.fused.classes == PART_CLASSES  # and no foreign part either


def test_several_detectors_vote_each_for_itself() -> None:
    found = detected({"engine": [[0.9, 0.9], [0.8, 0.8, 0.8]]}, sources=2)
    assert number(heard(found, detectors=2), "engine") == 2
    # 0.8 + 0.5 against 0.9
    assert number(heard(found, sees(engine=3), detectors=2), "engine") == 3


def test_an_observer_votes_in_every_reading_against_what_is_counted_there() -> None:
    found = detected({"engine": [[0.95, 0.6]], "wing": [[0.99, 0.99]]})
    plain, readings = heard(found, draws=32), heard(found, sees(engine=3), draws=32)
    column = plain.fused.classes.index("aircraft.engine")
    assert sorted(set(plain.fused.counts[:, column])) == [1, 2]
    assert (readings.fused.counts[:, column] == plain.fused.counts[:, column]).all()
    one = ObserverSettings(name="one", confidence=0.9)
    readings = heard(found, sees(engine=3), observers=[one], draws=32)
    # With the unsure box the detector's vote is 0.775 (mean of 0.95 and 0.6), without it 0.95.
    by_count = {1: 1, 2: 3}
    assert [by_count[int(n)] for n in plain.fused.counts[:, column]] == list(
        readings.fused.counts[:, column]
    )
    assert (readings.fused.counts >= 0)[~np.isnan(readings.fused.counts)].all()


@pytest.mark.parametrize(
    "sight",
    [
        sees(domain="car", engine=4), Sight("one", "refused"), Sight("one", "answered"),
        replace(sees(engine=4), outcome="unparseable"),
        replace(sees(engine=4), observations=(*sees(engine=4).observations, *sees(engine=3).observations)),
    ],
)  # fmt: skip
def test_what_does_not_speak_of_this_thing_or_twice_of_it_has_no_vote(sight: Sight) -> None:
    sure = ObserverSettings(name="one", confidence=1, reliability=1)
    assert number(heard(detected(ENGINES), sight, observers=[sure]), "engine") == 2


def test_of_several_subjects_nobody_knows_whose_parts_were_seen() -> None:
    sure = ObserverSettings(name="one", confidence=1)
    readings = heard(detected(ENGINES), sees(engine=4), observers=[sure], subjects=2)
    assert number(readings, "engine") == 2


def test_facts_are_what_anybody_has_stated() -> None:
    facts = [
        ("engine", "below", "wing"), ("engine", "on", "wing"), ("eye", "in", "head"),
        ("head", "at_end_of", "torso"),
    ]  # fmt: skip

    def one(component: str, relation: str, reference: str, count: int | None = None) -> Observation:
        return Observation(
            source="a", component=component, relation=relation, reference=reference, count=count
        )

    found = said(
        facts,
        [
            [one("engine", "below", "wing", 4)],
            [one("engine", "at", "wing"), one("eye", "inside", "head")],
            [one("head", "at_front", "torso"), one("engine", "below", "tail")],
            [one("engine", "below", "wing", 0)],
            [],
        ],
    )
    assert found.tolist() == [
        [True, False, False, False], [False, True, True, False], [False, False, False, True],
        [False] * 4, [False] * 4,
    ]  # fmt: skip


def test_two_numbers_of_one_part_are_none() -> None:
    assert numbers([sees(engine=4, wing=2), sees(engine=3)]) == {"wing": 2}
