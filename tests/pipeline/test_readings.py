"""Readings: unsure boxes are there as often as their scores say, and scores are means over readings."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from physgauge.config import FuseSettings, Profile, ReadingSettings, check, load_profile
from physgauge.ensemble.aggregate import Subject
from physgauge.ensemble.beside import at_once
from physgauge.ensemble.fuse import Fused, fuse
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.ensemble.readings import Readings, read
from physgauge.errors import ConfigError
from physgauge.types import DOMAINS, PART_CLASSES, Boxes, Detections
from physgauge.wire import Row

SETTINGS = ReadingSettings(draws=20, sure=0.9)
DETECTORS = load_profile("tiny").profile.detectors
CAR = (  # a sedan from the side: label, box
    ("car.wheel", (60, 190, 110, 240)), ("car.wheel", (230, 190, 280, 240)),
    ("car.bonnet", (20, 140, 100, 170)), ("car.windshield", (95, 100, 135, 140)),
    ("car.roof", (120, 90, 230, 105)), ("car.door", (120, 140, 175, 215)),
    ("car.door", (175, 140, 230, 215)), ("car.side_window", (125, 105, 175, 140)),
    ("car.side_window", (178, 105, 228, 140)), ("car.fender", (60, 150, 118, 200)),
)  # fmt: skip


def found(*images: list[tuple[str, tuple[float, ...], float]]) -> Detections:
    """Detections of car images as (label, box, score)."""
    every = [one for image in images for one in image]
    return Detections(
        Boxes(
            np.array([b for _, b, _ in every], np.float32).reshape(-1, 4),
            np.array([s for _, _, s in every], np.float32),
            np.array([PART_CLASSES.index(n) for n, _, _ in every], np.int16),
            np.zeros(len(every), np.int8),
            np.cumsum([0, *map(len, images)]).astype(np.int64),
        ),
        PART_CLASSES,
        DOMAINS,
        np.tile(np.array([[0, 1, 0, 0]], np.float32), (len(images), 1)),
        np.tile(np.eye(6, dtype=np.float32)[1], (len(images), 1)),
    )


def car(**scores: float) -> list[tuple[str, tuple[float, ...], float]]:
    """The sedan; `wheel0=0.4` is the score of its first wheel."""
    seen: dict[str, int] = {}
    parts = []
    for name, box in CAR:
        part = name.split(".")[1]
        number = seen[part] = seen.get(part, -1) + 1
        parts.append((name, tuple(map(float, box)), scores.get(f"{part}{number}", 0.99)))
    return parts


def fused(*images: list[tuple[str, tuple[float, ...], float]]) -> Fused:
    return fuse(found(*images), FuseSettings(nms_iou=0.5), detectors=DETECTORS)


def there(readings: Readings, reading: int) -> set[tuple[float, ...]]:
    return {tuple(b) for b in readings.fused.boxes.xyxy[readings.fused.boxes.of(reading)].tolist()}


def test_a_box_is_there_in_as_many_readings_as_its_score_says() -> None:
    readings = read(fused(car(wheel0=0.4, roof0=0.75, door1=0.95, bonnet0=0.05)), SETTINGS)
    assert readings.share.sum() == pytest.approx(1)
    boxes = {
        name: [b for n, b in CAR if n == f"car.{name}"]
        for name in ("wheel", "roof", "door", "bonnet")
    }
    for name, number, share in (
        ("wheel", 0, 0.4),
        ("roof", 0, 0.75),
        ("door", 1, 1),
        ("bonnet", 0, 0),
    ):
        box = tuple(map(float, boxes[name][number]))
        got = sum(s for r, s in enumerate(readings.share) if box in there(readings, r))
        assert got == pytest.approx(share), name


@pytest.mark.parametrize(
    ("name", "box", "scores", "both", "neither"),
    [
        ("car.wheel", (70, 165, 120, 215), (0.55, 0.45), 0, 0),  # twice the same wheel
        ("car.wheel", (70, 165, 120, 215), (0.45, 0.25), 0, 0.3),
        ("car.wheel", (70, 165, 120, 215), (0.85, 0.35), 0.2, 0),
        ("car.wheel", (70, 200, 85, 215), (0.55, 0.45), 0, 0),  # inside it
        ("car.fender", (58, 188, 112, 240), (0.55, 0.45), 0, 0),  # two names for one thing
        ("car.fender", (60, 120, 130, 240), (0.55, 0.45), 0.25, 0.25),  # over it, but another thing
        ("car.wheel", (230, 190, 280, 240), (0.55, 0.45), 0.25, 0.25),  # another wheel
    ],
)
def test_boxes_over_one_thing_take_turns(
    name: str, box: tuple[float, ...], scores: tuple[float, float], both: float, neither: float
) -> None:
    wheel = ("car.wheel", (60.0, 190.0, 110.0, 240.0), scores[0])
    rest = [p for p in car() if not p[1][0] <= 60 or p[0] == "car.bonnet"]
    others = [p for p in rest if p[1] != (230.0, 190.0, 280.0, 240.0)]
    readings = read(fused([wheel, (name, box, scores[1]), *others]), SETTINGS)
    pair = (wheel[1], tuple(map(float, box)))
    seen = [tuple(b in there(readings, r) for b in pair) for r in range(len(readings.image))]

    def share(*wanted: bool) -> float:
        return float(sum(s for s, got in zip(readings.share, seen, strict=True) if got == wanted))

    assert share(True, True) + share(True, False) == pytest.approx(scores[0])
    assert share(True, True) + share(False, True) == pytest.approx(scores[1])
    tolerance = 0.15 if both and neither else 1e-6  # independent boxes: as the draws fall
    assert share(True, True) == pytest.approx(both, abs=tolerance)
    assert share(False, False) == pytest.approx(neither, abs=tolerance)


def test_a_row_of_alternatives_takes_turns_as_one() -> None:
    """The first and the last overlap the middle one only; their scores add up to 1."""
    row = [
        ("car.wheel", (x, 190.0, x + 50, 240.0), score)
        for x, score in ((60.0, 0.4), (90.0, 0.35), (120.0, 0.25))
    ]
    readings = read(fused([*row, *(p for p in car() if p[0] != "car.wheel")]), SETTINGS)
    for r, share in enumerate(readings.share):
        assert share == 0 or len({box for _, box, _ in row} & there(readings, r)) == 1
    for _, box, score in row:
        got = sum(s for r, s in enumerate(readings.share) if box in there(readings, r))
        assert got == pytest.approx(score)


def test_the_likeliest_reading_is_first_and_has_the_clear_boxes() -> None:
    readings = read(fused(car(wheel0=0.4, roof0=0.75), car(), car(door0=0.49)), SETTINGS)
    assert readings.likeliest.tolist() == [np.flatnonzero(readings.image == i)[0] for i in range(3)]
    wheel, roof = (tuple(map(float, CAR[k][1])) for k in (0, 4))
    assert wheel not in there(readings, 0)
    assert roof in there(readings, 0)
    assert (readings.image == 1).sum() == 1
    wheels = PART_CLASSES.index("car.wheel")
    assert readings.fused.counts[readings.likeliest, wheels].tolist() == [1, 2, 2]
    for r in range(len(readings.image)):
        span = readings.fused.boxes.of(r)
        labels = readings.fused.boxes.label[span]
        assert readings.fused.counts[r, wheels] == (labels == wheels).sum()


def test_an_image_is_read_alike_alone_in_a_batch_and_mirrored() -> None:
    one = car(wheel0=0.4, wheel1=0.6, roof0=0.75, door0=0.3, door1=0.55)
    flipped = [(n, (320 - b[2], b[1], 320 - b[0], b[3]), s) for n, b, s in one]
    alone, batch, mirrored = (read(fused(*x), SETTINGS) for x in ([one], [car(), one], [flipped]))
    mine = np.flatnonzero(batch.image == 1)
    assert batch.share[mine].tolist() == alone.share.tolist() == mirrored.share.tolist()
    for r, other in enumerate(mine):
        assert there(alone, r) == there(batch, int(other))
        back = {(320 - b[2], b[1], 320 - b[0], b[3]) for b in there(mirrored, r)}
        assert there(alone, r) == back


def test_one_draw_takes_the_threshold_at_its_word() -> None:
    readings = read(fused(car(wheel0=0.4, roof0=0.75)), ReadingSettings())
    assert readings.share.tolist() == [1]
    assert len(there(readings, 0)) == len(CAR) - 1
    literal = read(fused(car(wheel0=0.4, roof0=0.75)), SETTINGS, frozenset({"car"}))
    assert there(literal, 0) == there(readings, 0)
    assert len(literal.image) == 1


def test_means_leave_out_readings_without_a_value() -> None:
    readings = read(fused(car(wheel0=0.4), car()), SETTINGS)
    assert readings.share[:2].tolist() == pytest.approx([0.6, 0.4])
    values = np.array([10.0, 20.0, np.nan])
    assert readings.mean(values)[0] == pytest.approx(14)
    assert np.isnan(readings.mean(values)[1])
    assert readings.mean(np.array([np.nan, 20.0, 5.0])).tolist() == [20, 5]


def rows(
    pipeline: Pipeline, draws: int, *images: list[tuple[str, tuple[float, ...], float]]
) -> list[Row]:
    pipeline._fusion = FuseSettings(nms_iou=0.5)
    pipeline._reading = ReadingSettings(draws=draws, sure=0.9)
    subjects = [Subject(str(i), "t", "a sedan", {}, 320, 320) for i in range(len(images))]
    return at_once(pipeline._rows(subjects, lambda: found(*images)))


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_profile("tiny"), Options(threads=1), detect=False)


def test_scores_are_expected_over_the_readings_and_the_rest_is_of_the_likeliest(
    pipeline: Pipeline,
) -> None:
    unsure, sound, broken = rows(
        pipeline,
        20,
        car(wheel0=0.4),
        car(),
        [p for p in car() if p[1][0] != 60 or p[0] != "car.wheel"],
    )
    for name in ("s_rules", "s_llm", "s_final", "s_presence"):
        a, b, c = (getattr(r.pcmde, name) for r in (unsure, sound, broken))
        assert b > c, name
        assert a == pytest.approx(0.4 * b + 0.6 * c, abs=3), (
            name
        )  # scores of boxes differ, a little
    assert unsure.pcmde.readings == 2
    assert [r.status for r in unsure.pcmde.rules] == [r.status for r in broken.pcmde.rules]
    assert len(unsure.detections) == len(CAR) - 1
    assert {r.p_violated for r in sound.pcmde.rules if r.status != "violated"} == {0}
    known = {r.id for r in sound.pcmde.rules if r.status == "violated"}
    fired = {r.id: r.p_violated for r in unsure.pcmde.rules if r.status == "violated"}
    fired = {rule: share for rule, share in fired.items() if rule not in known}
    assert fired
    assert set(fired.values()) == {0.6}
    assert unsure.pcmde.explanation is not None
    assert unsure.pcmde.explanation.endswith(f"Expected over 2 readings: {unsure.pcmde.s_llm:.1f}.")


def test_boxes_from_elsewhere_are_read_once(pipeline: Pipeline) -> None:
    from physgauge.clients.boxes import BoxRecord, PartBox

    fresh = Pipeline(load_profile("tiny"), Options(threads=1), detect=False)
    parts = [PartBox(label=n, box=list(b), score=0.4) for n, b, _ in car()]
    record = BoxRecord(image_id="a", width=320, height=320, domain="car", boxes=parts)
    (row,) = fresh.score_boxes([record], source="t")
    assert row.pcmde.readings == 1
    assert len(row.detections) == len(CAR)


def test_profiles_that_cannot_be_read_are_refused() -> None:
    profile: Profile = load_profile("tiny").profile
    two = [*profile.detectors, msgspec.structs.replace(profile.detectors[0], name="b")]
    with pytest.raises(ConfigError, match=r"readings.draws: expected 1 with several detectors"):
        check(msgspec.structs.replace(profile, detectors=two), "p")
    low = [msgspec.structs.replace(profile.detectors[0], min_score=0.03)]
    with pytest.raises(ConfigError, match=r"min_score: expected .* 0.04 and 0.96, got 0.03"):
        check(msgspec.structs.replace(profile, detectors=low), "p")


def test_a_faint_box_of_the_own_domain_does_not_hide_a_foreign_part() -> None:
    horn = ("animal.horn", (60.0, 190.0, 110.0, 240.0), 0.8)
    for score, hidden in ((0.4, False), (0.6, True)):
        seen = fused([*car(wheel0=score), horn])
        labels = seen.boxes.label[seen.boxes.of(0)]
        assert (PART_CLASSES.index("animal.horn") not in labels) == hidden
