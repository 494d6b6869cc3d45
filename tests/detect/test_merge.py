"""Several detectors become one record."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.ensemble.detect import merge
from physgauge.ensemble.detections import pack, unknown_view
from physgauge.types import VIEWS, Detections


def record(
    counts: list[int], classes: tuple[str, ...], domain_p: list[list[float]], view: int = 0
) -> Detections:
    found = [
        (
            np.tile(np.array([[0, 0, 5, 5]], np.float32), (n, 1)),
            np.linspace(0.9, 0.5, n, dtype=np.float32),
            np.arange(n, dtype=np.int64) % len(classes),
        )
        for n in counts
    ]
    view_p = unknown_view(len(counts))
    if view:
        view_p[:] = np.eye(len(VIEWS), dtype=np.float32)[view]
    domains = tuple(dict.fromkeys(c.split(".")[0] for c in classes))
    return Detections(pack(found), classes, domains, np.array(domain_p, np.float32), view_p)


CAR = record([2, 0, 1], ("car.wheel", "car.door"), [[0.9, 0.1], [0.02, 0.98], [0.6, 0.4]], view=2)
BOAT = record([0, 2, 1], ("boat.hull", "car.wheel"), [[0, 0, 1], [0.9, 0, 0.1], [0, 0, 1]])


def test_one_record_is_itself() -> None:
    assert merge([CAR]) is CAR


def test_a_record_merged_with_itself_keeps_its_domains_and_view() -> None:
    d = merge([CAR, CAR])
    np.testing.assert_array_equal(d.domain_p, CAR.domain_p)
    np.testing.assert_array_equal(d.view_p, CAR.view_p)
    boats = record([0, 2, 0], ("boat.hull",), [[0, 1], [0.9, 0.1], [0, 1]])
    np.testing.assert_allclose(merge([CAR, boats, CAR]).domain_p, merge([CAR, boats]).domain_p)


def test_who_looks_for_what() -> None:
    assert CAR.looks is None
    looks = merge([CAR, BOAT]).looks
    assert looks is not None
    assert looks.tolist() == [[True, True, False], [True, False, True]]


def test_boxes_stay_with_their_image_and_name_their_source() -> None:
    d = merge([CAR, BOAT])
    assert d.classes == ("car.wheel", "car.door", "boat.hull")
    assert d.boxes.offsets.tolist() == [0, 2, 4, 6]
    assert d.boxes.source.tolist() == [0, 0, 1, 1, 0, 1]
    assert [d.classes[i] for i in d.boxes.label] == [
        "car.wheel",
        "car.door",
        "boat.hull",
        "car.wheel",
        "car.wheel",
        "boat.hull",
    ]


def test_a_detector_speaks_for_the_domains_that_it_knows_only() -> None:
    boats = record([0, 2, 0], ("boat.hull",), [[0, 1], [0.9, 0.1], [0, 1]])
    d = merge([CAR, boats])
    assert d.domains == ("car", "boat")
    assert d.domain_p.sum(1) == pytest.approx(np.ones(3))
    assert d.domain_p[0].tolist() == pytest.approx([0.9, 0, 0.1])
    # w(car) = 0.02 * 0.1, w(boat) = 0.9 * 0.98, w(none) = 0.98 * 0.1
    weights = np.array([0.002, 0.882, 0.098])
    assert d.domain_p[1].tolist() == pytest.approx((weights / weights.sum()).tolist())


def test_a_false_part_of_a_foreign_detector_does_not_hide_a_car() -> None:
    boats = record([1, 1, 1], ("boat.hull",), [[0.9, 0.1]] * 3)
    assert merge([CAR, boats]).domain_p[0].argmax() == 0


def test_flat_contradiction_is_none() -> None:
    a = record([0], ("car.wheel",), [[1, 0]])
    b = record([0], ("boat.hull",), [[1, 0]])
    assert merge([a, b]).domain_p[0].tolist() == [0, 0, 1]


def test_the_view_comes_from_the_detector_that_looked() -> None:
    assert merge([BOAT, CAR]).view_p.argmax(1).tolist() == [2, 2, 2]


def test_records_of_different_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 3 images in each record"):
        merge([CAR, record([1], ("boat.hull",), [[1, 0]])])
