"""What rules mean, on the oracle (test_oracle_agrees holds the kernel to it)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from physgauge.rules_kernel import VIEWS, ExpressionError, reference
from tests.kernels.small import Box, image, images, observed, pack_of

NOSE: Box = ("nose", 0, 0, 10, 10)
WING: Box = ("wing", 20, 0, 40, 10)
LEG: Box = ("leg", 0, 20, 10, 40)


def status(rule: str, *boxes: Box, extra: str = "", top: str = "", **known: Any) -> int:
    pack = pack_of(rule, extra=extra, top=top)
    return int(reference.evaluate(pack, image(*boxes), observed(pack, **known)).status[0, 0])


YES, NO, NA = "W > 0.5 * W", "W < 0.5 * W", "cx(nose) > 0"


@pytest.mark.parametrize(
    ("rule", "want"),
    [
        (f"({YES}) and ({NA})", -1), (f"({NO}) and ({NA})", 0), (f"({NA}) and ({NO})", 0),
        (f"({YES}) or ({NA})", 1), (f"({NO}) or ({NA})", -1), (f"({NA}) or ({YES})", 1),
        (f"not ({NA})", -1), (f"not ({YES})", 0), (f"({YES}) iff ({NA})", -1),
        (f"({NO}) iff (H < 0.5 * H) or (H < 0.4 * H)", 1), (f"({YES}) implies ({NO})", 0),
        (f"({NO}) implies ({YES})", -1), (f"({NA}) implies ({YES})", -1),
    ],
)  # fmt: skip
def test_three_values(rule: str, want: int) -> None:
    assert status(rule, WING) == want


@pytest.mark.parametrize(
    ("rule", "want"),
    [("W > 999 implies W > 5", 1), ("cx(nose) > 0 implies W > 5", 1), ("cx(nose) > 0 implies W > 999", -1),
     ("all(nose, cx(nose) > 0)", 1), ("any(nose, cx(nose) > 0)", -1)],
)  # fmt: skip
def test_vacuous_truths_count_where_the_pack_says_so(rule: str, want: int) -> None:
    assert status(rule, WING, top="vacuous = true\n") == want


@pytest.mark.parametrize(("policy", "want"), [("exclude", -1), ("satisfied", 1), ("violated", 0)])
def test_absent_subject_follows_the_policy(policy: str, want: int) -> None:
    extra = f'missing = "{policy}"'
    assert status("cx(nose) < cx(wing)", WING, extra=extra) == want
    assert status("cx(nose) < cx(wing)", NOSE, WING, extra=extra) == 1
    # A division by zero is no absence.
    assert status("cx(nose) / (W - 100) < cx(wing)", NOSE, WING, extra=extra) == -1
    # What is decided without the absent part stays decided.
    assert status("cx(nose) < 5 or count(wing) == 1", WING, extra=extra) == 1


def test_division_by_zero_is_not_applicable() -> None:
    assert status("width(nose) / height(nose) > 1", ("nose", 0, 5, 10, 5)) == -1
    assert status("containment(nose, wing) > 0.5", ("nose", 0, 5, 10, 5), WING) == -1
    assert status("iou(nose, wing) < 0.5", ("nose", 0, 5, 10, 5), ("wing", 0, 5, 10, 5)) == -1
    assert status("count(wing) % (W - 100) < 5", WING) == -1


@pytest.mark.parametrize(
    ("rule", "want"),
    [("count(nose) % 2 == 0", 1), ("count(wing) % 2 == 0", 0), ("(7) % 4 + count(wing) == 4", 1),
     ("-count(wing) % 3 == 2", 1), ("count(nose) % -3 == -1", 1), ("50% * count(nose) == 1", 1),
     ("count(nose) * (3) % 4 == 2", 1), ("count(nose) % 2 < 0", None)],
)  # fmt: skip
def test_the_remainder_has_the_sign_of_the_divisor(rule: str, want: int | None) -> None:
    if want is None:
        with pytest.raises(ExpressionError, match="always false"):
            pack_of(rule)
    else:
        assert status(rule, NOSE, NOSE, WING) == want


@pytest.mark.parametrize(
    ("rule", "want"),
    [("width(nose) <= 10", 1), ("width(nose) < 10", 0), ("width(nose) >= 10.000001", 1),
     ("width(nose) >= 10.0001", 0), ("width(nose) == 10.000001", 1), ("width(nose) != 10.000001", 0),
     ("9 < width(nose) < 11", 1), ("10 < width(nose) < 11", 0), ("width(nose) in {2, 10}", 1),
     ("width(nose) not in {2, 10}", 0)],
)  # fmt: skip
def test_bounds_hold_within_a_millionth(rule: str, want: int) -> None:
    assert status(rule, NOSE) == want


def test_counts_fuse_or_fall_back_to_boxes() -> None:
    assert status("count(nose) == 2", NOSE, NOSE) == 1
    assert status("count(nose) == 3", NOSE, NOSE, counts=[3, math.nan, math.nan, math.nan]) == 1
    assert status("boxes(nose) == 2", NOSE, NOSE, counts=[3, math.nan, math.nan, math.nan]) == 1
    assert status("count(torso) == 2", WING, LEG, LEG) == 1, "a union is its most seen member"
    assert status("boxes(torso) == 3", WING, LEG, LEG) == 1, "its boxes add up"
    assert status("present(nose)", WING) == 0


def test_foreign_parts() -> None:
    no_leg = [math.nan, math.nan, 0, math.nan]
    assert status("count(foreign) == 0", NOSE, LEG) == 1
    assert status("count(foreign) == 1", NOSE, LEG, expected_max=no_leg) == 1
    assert status("count(foreign) == 2", ("other", 0, 0, 1, 1), LEG, expected_max=no_leg) == 1
    assert status("all(foreign as f, cy(f) > 25)", NOSE, LEG, expected_max=no_leg) == 1


def test_expectations() -> None:
    low, high = [math.nan, 1, math.nan, math.nan], [math.nan, 2, math.nan, math.nan]
    assert status("expected(nose)", NOSE, expected_min=low, expected_max=high) == -1
    assert status("expected(wing)", WING, expected_min=low, expected_max=high) == 1
    assert status("expected(wing)", NOSE, expected_min=low, expected_max=high) == 0
    assert status("expected(wing)", WING, WING, WING, expected_max=high) == 0
    assert status("count(wing) >= expected_min(wing)", WING) == -1


def test_views() -> None:
    side = VIEWS.index("side")
    assert status("view == side", view=[side]) == 1
    assert status("view in {front, rear}", view=[side]) == 0
    assert status("view != side", view=[0]) == -1, "an unknown view decides nothing"
    assert status("view in {unknown, side}", view=[0]) == 1
    assert status("W > H", extra='views = ["front"]', view=[side]) == -1
    assert status("W > H", extra='views = ["front", "side"]', view=[side]) == 1


def test_facts_and_tags() -> None:
    assert status("said(leg, below, wing)", said=[True]) == 1
    assert status("said(leg, below, wing)") == 0
    assert status("tag(bird) and not subtype(captioned)", tags=[True, False]) == 1


def test_named_parts_are_columns_behind_the_tags() -> None:
    pack = pack_of("named(leg) implies count(leg) >= 1", "named(wing) or named(leg)")
    assert pack.tags == ("bird", "captioned", "named leg", "named wing")
    tags = [[False, True, True, False], [False, True, False, True], [False, False, False, False]]
    got = reference.evaluate(pack, images([[], [], []]), observed(pack, 3, tags=tags))
    assert got.status.tolist() == [[0, 1], [-1, 1], [-1, 0]]


def test_geometry() -> None:
    assert status("gap(nose, wing) == 10 and distance(nose, wing) == 25", NOSE, WING) == 1
    assert status("intersects(nose, wing)", NOSE, ("wing", 10, 0, 20, 5)) == 1, "touching counts"
    assert status("inside(wing, expand(nose, 50%))", NOSE, ("wing", -5, 0, 12, 15)) == 1
    assert status("width(union(nose, leg)) == 10 and height(torso) == 20", NOSE, LEG) == 1
    assert status("width(span(nose, leg)) == 10", LEG) == -1, "a span needs both ends"
    assert (
        status("along(leg, nose, wing) == 0 and aside(leg, nose, wing) == 25", NOSE, WING, LEG) == 1
    )
    assert status("cut(nose) and not cut(wing)", NOSE, ("wing", 20, 10, 40, 20)) == 1
    assert status("area(largest(leg)) == 200 and diagonal(nose) == sqrt(200)", NOSE, LEG) == 1


def test_a_lone_component_is_its_best_box() -> None:
    pack = pack_of("cx(nose) > 50")
    boxes = image(NOSE, ("nose", 60, 0, 70, 10), ("nose", 80, 0, 90, 10))
    boxes.score[:] = [0.5, 0.9, 0.9]
    got = reference.evaluate(pack, boxes, observed(pack))
    assert got.measured[0, 0] == 65
    assert got.witness[0, 0].tolist() == [1, -1]


def test_measured_and_witness() -> None:
    pack = pack_of(
        "all(leg, any(wing, gap(leg, wing) <= 5))",
        "1 <= count(leg) <= 1",
        "max(leg, height(leg)) <= 1.5 * min(leg, height(leg))",
        "0.3 >= iou(nose, wing)",
    )
    near, far, small = ("leg", 20, 12, 30, 42), ("leg", 70, 60, 80, 80), ("leg", 22, 12, 24, 20)
    got = reference.evaluate(
        pack, image(WING, ("wing", 50, 50, 58, 58), near, far, small, NOSE), observed(pack)
    )
    assert got.status[0].tolist() == [0, 0, 0, 1]
    assert got.witness[0].tolist() == [[3, 1], [2, 3], [2, 4], [5, 0]]
    np.testing.assert_allclose(got.measured[0], [math.hypot(12, 2), 3, 30, 0], rtol=1e-6)
