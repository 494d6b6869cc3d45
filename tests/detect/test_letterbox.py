"""The detector's input: exact where it can be, mirror-symmetric always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.ensemble.letterbox import GREY, letterbox, place, to_image, to_square

sides = st.integers(1, 700)


@given(sides, sides)
@settings(max_examples=60, deadline=None)
def test_the_mirror_image_of_the_input_is_the_input_of_the_mirror_image(
    width: int, height: int
) -> None:
    image = np.random.default_rng(width * 1000 + height).integers(
        0, 256, (height, width, 3), np.uint8
    )
    straight, p = letterbox(image, 320)
    mirrored, q = letterbox(image[:, ::-1], 320)
    assert (mirrored == straight[:, ::-1]).all()
    assert p == q


def test_an_image_of_the_right_size_is_not_touched() -> None:
    image = np.random.default_rng(0).integers(0, 256, (320, 320, 3), np.uint8)
    square, _ = letterbox(image, 320)
    assert (square == image).all()


@given(st.integers(1, 16_384), st.integers(1, 16_384))
def test_padding_is_even_and_the_image_is_inside(width: int, height: int) -> None:
    p = place(width, height, 320)
    assert 2 * p.x + p.inner_width == 320
    assert 2 * p.y + p.inner_height == 320
    assert p.x >= 0
    assert p.y >= 0
    assert min(p.inner_width, p.inner_height) >= 2
    assert max(p.inner_width, p.inner_height) == 320


@pytest.mark.parametrize(("width", "height"), [(2000, 10), (10, 2000), (400, 2)])
def test_aspect_of_200_to_1(width: int, height: int) -> None:
    square, p = letterbox(np.zeros((height, width, 3), np.uint8), 320)
    assert (square == 0).any()
    assert (square[0] == (0 if p.y == 0 else GREY)).any()


@given(sides, sides, st.integers(0, 2**32 - 1))
def test_boxes_go_there_and_back(width: int, height: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    corner = rng.random((5, 2)) * [width, height]
    other = rng.random((5, 2)) * [width, height]
    boxes = np.hstack([np.minimum(corner, other), np.maximum(corner, other)]).astype(np.float32)
    p = place(width, height, 320)
    back = to_image(to_square(boxes, p), p)
    assert np.allclose(back, boxes, atol=2e-3 * max(width, height) / 320 + 1e-3)


def test_boxes_are_clipped_to_the_image() -> None:
    p = place(100, 50, 320)
    box = np.array([[-10, 0, 330, 320]], np.float32)
    assert to_image(box, p).tolist() == [[0, 0, 100, 50]]


def test_grey_padding() -> None:
    square, p = letterbox(np.zeros((10, 20, 3), np.uint8), 320)
    assert p.y == 80
    assert (square[:80] == GREY).all()
    assert (square[80:240] == 0).all()
