"""Prepared images hold the very values that the models' own processors give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from physgauge.ensemble.judge.engines.onepass.pixels import (
    IdeficsPixels,
    Normaliser,
    Picture,
    QwenPixels,
)
from physgauge.types import U8
from tests.judge.onepass.models import separate

SIDES = st.integers(8, 700)


def noise(height: int, width: int, seed: int = 0) -> U8:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def same_patches(picture: Picture, made: Any) -> None:
    grid = made["image_grid_thw"][0].tolist()
    assert [1, picture.rows, picture.columns] == grid
    # The processor repeats a still image's frame; [patches, channels, frames, p, p].
    theirs = made["pixel_values"].reshape(len(picture.values), 3, 2, *picture.values.shape[2:])
    assert np.array_equal(theirs[:, :, 0], picture.values)
    assert np.array_equal(theirs[:, :, 1], picture.values)


@settings(deadline=None, max_examples=25)
@given(SIDES, SIDES)
@example(8, 700)
@example(512, 512)
def test_qwen(height: int, width: int) -> None:
    processor = separate("qwen3vl").images
    image = noise(height, width)
    made = processor(images=[image], return_tensors="np", input_data_format="channels_last")
    same_patches(QwenPixels(processor, None)(image), made)


@settings(deadline=None, max_examples=25)
@given(SIDES, SIDES)
@example(700, 9)
@example(128, 128)
def test_idefics(height: int, width: int) -> None:
    image = noise(height, width)
    for name in ("smolvlm", "smolvlm-tiles"):
        processor = separate(name).images
        made = processor(
            images=[image], return_tensors="np", return_row_col_info=True,
            input_data_format="channels_last",
        )  # fmt: skip
        picture = IdeficsPixels(processor, 16, None)(image)
        assert np.array_equal(made["pixel_values"][0], picture.values)
        assert (picture.rows, picture.columns) == (made["rows"][0][0], made["cols"][0][0])


def test_channels_of_their_own() -> None:
    """Means and deviations that differ by channel, as some models have them."""
    processor = separate("smolvlm").images
    before = processor.image_mean, processor.image_std
    processor.image_mean, processor.image_std = [0.48, 0.45, 0.4], [0.27, 0.26, 0.28]
    try:
        image = noise(40, 50)
        made = processor(images=[image], return_tensors="np", input_data_format="channels_last")
        assert np.array_equal(
            made["pixel_values"][0], IdeficsPixels(processor, 16, None)(image).values
        )
    finally:
        processor.image_mean, processor.image_std = before


@pytest.mark.parametrize("tokens", [16, 40, 64, 300])
def test_token_budget(tokens: int) -> None:
    """The picture is scaled down to it, never up."""
    processor = separate("qwen3vl").images
    picture = QwenPixels(processor, tokens)(noise(500, 900))
    assert tokens / 2 < picture.rows * picture.columns // 4 <= tokens
    tiles = IdeficsPixels(separate("smolvlm-tiles").images, 16, tokens)(noise(500, 900))
    assert len(tiles.values) * 16 <= max(tokens, 16)


def test_normaliser_keeps_shape() -> None:
    values = Normaliser(separate("qwen3vl").images)(noise(8, 8).transpose(2, 0, 1)[None])
    assert values.shape == (1, 3, 8, 8)
    assert values.dtype == np.float32
    assert -1 <= values.min() < values.max() <= 1
