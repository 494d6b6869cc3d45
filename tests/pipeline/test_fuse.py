from __future__ import annotations

import numpy as np
import pytest

from physgauge.config import FuseSettings
from physgauge.ensemble.fuse import fuse
from physgauge.types import VIEWS, Boxes, Detections

CLASSES = ("car.wheel", "car.roof", "animal.leg")
DOMAINS = ("car", "animal")
Part = tuple[str, tuple[float, float, float, float], float]


def detections(
    images: list[list[Part]],
    domain_p: list[list[float]] | None = None,
    view_p: list[list[float]] | None = None,
) -> Detections:
    parts = [part for image in images for part in image]
    unknown = [1.0] + [0.0] * (len(VIEWS) - 1)
    boxes = Boxes(
        np.array([p[1] for p in parts], np.float32).reshape(-1, 4),
        np.array([p[2] for p in parts], np.float32),
        np.array([CLASSES.index(p[0]) for p in parts], np.int16),
        np.zeros(len(parts), np.int8),
        np.cumsum([0, *(len(image) for image in images)]).astype(np.int64),
    )
    return Detections(
        boxes,
        CLASSES,
        DOMAINS,
        np.array(domain_p or [[1, 0, 0]] * len(images), np.float32).reshape(-1, 3),
        np.array(view_p or [unknown] * len(images), np.float32).reshape(-1, len(VIEWS)),
    )


A = (0.0, 0.0, 10.0, 10.0)
NEAR_A = (0.0, 0.0, 10.0, 9.0)
FAR = (50.0, 50.0, 60.0, 60.0)


def kept(images: list[list[Part]], settings: FuseSettings | None) -> list[list[tuple[str, float]]]:
    fused = fuse(detections(images), settings)
    b = fused.boxes
    return [
        [
            (fused.classes[b.label[k]], round(float(b.score[k]), 3))
            for k in range(b.of(i).start, b.of(i).stop)
        ]
        for i in range(len(b))
    ]


def test_of_two_boxes_of_a_class_the_surer_stays_within_its_image() -> None:
    images: list[list[Part]] = [
        [("car.wheel", NEAR_A, 0.6), ("car.wheel", A, 0.9), ("car.roof", A, 0.7), ("car.wheel", FAR, 0.5)],
        [("car.wheel", A, 0.4)],
        [],
    ]  # fmt: skip
    assert kept(images, FuseSettings(nms_iou=0.5)) == [
        [("car.wheel", 0.9), ("car.roof", 0.7), ("car.wheel", 0.5)],
        [("car.wheel", 0.4)],
        [],
    ]
    counts = fuse(detections(images), FuseSettings(nms_iou=0.5)).counts
    assert counts.tolist() == [[2, 1, 0], [1, 0, 0], [0, 0, 0]]


def test_boxes_from_elsewhere_are_taken_as_they_are() -> None:
    images: list[list[Part]] = [
        [("car.wheel", A, 0.6), ("car.wheel", A, 0.9), ("animal.leg", A, 1.0)]
    ]
    assert len(kept(images, None)[0]) == 3


def test_another_domains_name_for_the_same_thing_goes_and_a_real_foreign_part_stays() -> None:
    images: list[list[Part]] = [
        [("car.wheel", A, 0.5), ("animal.leg", NEAR_A, 0.9), ("animal.leg", FAR, 0.8)]
    ]
    assert kept(images, FuseSettings()) == [[("car.wheel", 0.5), ("animal.leg", 0.8)]]


@pytest.mark.parametrize(
    ("p", "domain"),
    [
        ([0.9, 0.05, 0.05], "car"),
        ([0.05, 0.9, 0.05], "animal"),
        ([0.45, 0.1, 0.45], None),  # below the floor
        ([0.1, 0.1, 0.8], None),
        ([0.0, 0.0, 1.0], None),
    ],
)
def test_domain_needs_its_probability(p: list[float], domain: str | None) -> None:
    fused = fuse(detections([[]], [p]), FuseSettings(min_domain_p=0.5))
    assert fused.domain == (domain,)
    if domain is None:
        assert fused.reason == (
            "no known domain: the image shows none of car, animal clearly enough",
        )
        assert fused.domain_p[0] == 0
    else:
        assert fused.reason == (None,)
        assert fused.domain_p[0] == pytest.approx(0.9)


def test_the_callers_word_decides_the_domain() -> None:
    fused = fuse(detections([[], []], [[0, 0, 1], [1, 0, 0]]), FuseSettings(), domain="animal")
    assert fused.domain == ("animal", "animal")
    assert fused.domain_p.tolist() == [1, 1]


def test_an_unsure_view_is_unknown() -> None:
    sure = [0, 0.6, 0.4, 0, 0, 0]
    unsure = [0.1, 0.4, 0.3, 0.2, 0, 0]
    fused = fuse(detections([[], []], view_p=[sure, unsure]), FuseSettings(min_view_p=0.5))
    assert [VIEWS[v] for v in fused.view] == ["side", "unknown"]


def test_no_images() -> None:
    fused = fuse(detections([]), FuseSettings())
    assert len(fused.boxes) == 0
    assert fused.domain == ()
    assert fused.counts.shape == (0, 3)


def test_an_image_of_too_many_boxes_is_judged_by_no_domain_and_the_others_go_on() -> None:
    many: list[Part] = [
        (
            "car.wheel",
            (20.0 * (k % 40), 20.0 * (k // 40), 20.0 * (k % 40) + 9, 20.0 * (k // 40) + 9),
            0.9,
        )
        for k in range(1025)
    ]
    for settings in (FuseSettings(), None):
        fused = fuse(detections([many, many[:1024], many[:2]]), settings)
        assert fused.domain == (None, "car", "car")
        assert fused.reason[0] == "too many parts to judge: expected at most 1024 boxes, got 1025"
        assert fused.reason[1:] == (None, None)
