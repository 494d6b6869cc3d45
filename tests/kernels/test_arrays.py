"""Arrays that break the contract are refused, by kernel and oracle alike, and the message says where."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from physgauge.rules_kernel import ArrayError, PackedBoxes, compile_pack, reference
from tests.kernels.small import Box, image, images, observed, pack_of

NOSE: Box = ("nose", 0, 0, 10, 10)
PACK = pack_of("cx(nose) > 5")
GOOD = images([[NOSE], [], [NOSE, NOSE]])


def changed(name: str, value: Any) -> PackedBoxes:
    return replace(GOOD, **{name: value})


def with_value(name: str, at: Any, value: float) -> PackedBoxes:
    array = getattr(GOOD, name).copy()
    array[at] = value
    return changed(name, array)


@pytest.mark.parametrize(
    ("boxes", "message"),
    [
        (with_value("xyxy", (1, 2), math.nan), r"box 1 is not finite, expected finite px, got \[0.0, 0.0, nan, 10.0\]"),
        (with_value("xyxy", (2, 3), math.inf), "box 2 is not finite"),
        (with_value("xyxy", (2, 0), 11), "box 2 is inverted, expected x1 >= x0 and y1 >= y0"),
        (with_value("score", 1, math.nan), "score of box 1, expected 0 to 1, got nan"),
        (with_value("score", 1, 1.5), "score of box 1, expected 0 to 1, got 1.5"),
        (with_value("label", 0, 4), "label of box 0 is out of range, expected 0 to 3, got 4"),
        (with_value("label", 0, -1), "label of box 0 is out of range, expected 0 to 3, got -1"),
        (changed("offsets", np.array([0, 2, 1, 3])), "offsets fall at image 1, expected a non-decreasing sequence, got 2 then 1"),
        (changed("offsets", np.array([1, 2, 3])), r"offsets must start at 0, got \[1\]"),
        (changed("offsets", np.array([], np.int64)), "offsets must start at 0"),
        (changed("offsets", np.array([0, 1, 1, 9])), r"xyxy has the wrong type or shape, expected float32 \[9, 4\], got float32 \[3, 4\]"),
        (changed("offsets", np.array([0, 1, 1, 3], np.int32)), r"offsets has the wrong type or shape, expected int64 \[N\], got int32 \[4\]"),
        (changed("xyxy", GOOD.xyxy.astype(np.float64)), "expected float32"),
        (changed("score", GOOD.score.tolist()), r"score is no array, expected float32 \[3\], got list"),
        (images([[NOSE] * 1025]), "image 0 has too many boxes, expected at most 1024, got 1025"),
    ],
)  # fmt: skip
def test_boxes(boxes: PackedBoxes, message: str) -> None:
    seen = observed(PACK, len(boxes.offsets) - 1 if len(boxes.offsets) else 0)
    for evaluate in (compile_pack(PACK).evaluate, lambda b, o: reference.evaluate(PACK, b, o)):
        with pytest.raises(ArrayError, match=message):
            evaluate(boxes, seen)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("counts", [[0, 0, 0, -1]], "counts of image 0, component 3, expected a count >= 0, or NaN, got -1"),
        ("expected_min", [[0, math.inf, 0, 0]], "expected_min of image 0, component 1"),
        ("size", [[0, 80]], r"size of image 0, expected width and height above 0, got \[0.0, 80.0\]"),
        ("size", [[math.nan, 80]], "size of image 0"),
        ("view", [6], "view of image 0, expected 0 to 5, got 6"),
        ("view", [-1], "view of image 0"),
    ],
)  # fmt: skip
def test_observations(name: str, value: Any, message: str) -> None:
    seen = observed(PACK, **{name: value})
    for evaluate in (compile_pack(PACK).evaluate, lambda b, o: reference.evaluate(PACK, b, o)):
        with pytest.raises(ArrayError, match=message):
            evaluate(image(NOSE), seen)


def test_observations_of_other_shape() -> None:
    with pytest.raises(
        ArrayError, match=r"counts has the wrong .* expected float32 \[1, 4\], got float32 \[2, 4\]"
    ):
        compile_pack(PACK).evaluate(image(NOSE), observed(PACK, 2))
    with pytest.raises(ArrayError, match="threads, expected at least 1, got 0"):
        compile_pack(PACK).evaluate(image(NOSE), observed(PACK), threads=0)


def test_arrays_that_are_not_contiguous() -> None:
    wide = np.zeros((2, 8), np.float32)
    wide[:, ::2] = [[0, 0, 10, 10], [0, 0, 30, 30]]
    boxes = PackedBoxes(
        wide[:, ::2], np.ones(4, np.float32)[::2], np.zeros(4, np.int16)[::2], np.array([0, 1, 2])
    )
    got = compile_pack(PACK).evaluate(boxes, observed(PACK, 2))
    assert got.status[:, 0].tolist() == [0, 1]
    assert wide[1, 4] == 30, "inputs are read only"


def test_nothing_to_do() -> None:
    got = compile_pack(PACK).evaluate(images([]), observed(PACK, 0))
    assert (got.status.shape, got.measured.shape, got.witness.shape) == ((0, 1), (0, 1), (0, 1, 2))
    assert compile_pack(PACK).evaluate(images([[], []]), observed(PACK, 2)).status.tolist() == [
        [-1],
        [-1],
    ]


def test_warmup_compiles_given_packs() -> None:
    from physgauge.rules_kernel.warmup import warmup

    assert set(warmup([PACK])) == {"small"}
