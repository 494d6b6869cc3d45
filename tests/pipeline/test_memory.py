"""What a run holds at a time does not depend on how large its images are."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest

from physgauge.config import Profile, load_profile
from physgauge.ensemble import feed
from physgauge.ensemble.batches import in_batches
from physgauge.ensemble.feed import Feed, Pixels
from physgauge.types import Item


def test_a_batch_is_full_by_count_or_by_size() -> None:
    assert list(in_batches([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
    sized = in_batches([4, 4, 4, 1, 1, 1, 1, 9, 1], 3, lambda n: n, 8)
    assert list(sized) == [[4, 4], [4, 1, 1], [1, 1, 9], [1]]
    assert list(in_batches([9, 9], 3, lambda n: n, 8)) == [[9], [9]]
    assert list(in_batches([], 3)) == []


def test_a_batch_reads_no_further_than_itself() -> None:
    read = iter(range(9))
    next(in_batches(read, 4))
    assert next(read) == 4


def _items(taken: list[int], count: int, side: int) -> Iterator[Item]:
    file = io.BytesIO()
    np.save(file, np.zeros((side, side, 3), np.uint8))
    for number in range(count):
        taken.append(number)
        yield Item(image_id=str(number), source="t", data=file.getvalue())


@pytest.mark.parametrize(("side", "images_ahead"), [(16, 12), (256, 3)])
def test_large_images_are_read_ahead_by_their_pixels(
    side: int, images_ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile: Profile = load_profile("tiny").profile
    # An .npy file is as large as its pixels, so an image of 256² counts 2 x 192 KiB.
    monkeypatch.setattr(feed, "AHEAD_BYTES", 3 * 2 * 256 * 256 * 3)
    taken: list[int] = []
    with_workers = Feed(profile, workers=2)
    try:
        results = with_workers.decode(_items(taken, 30, side))
        first = next(results)
        assert isinstance(first, Pixels)
        assert first.size == side * side * 3
        assert len(taken) == images_ahead
        assert len(list(results)) == 29
    finally:
        with_workers.close()
