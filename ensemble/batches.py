"""Streams in batches: so many at a time, and fewer where they are large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing")


def in_batches(
    things: Iterable[Thing],
    count: int,
    size_of: Callable[[Thing], int] = lambda _: 0,
    most: int = 0,
) -> Iterator[list[Thing]]:
    """Lists of up to `count`; a list ends early once its sizes add up to `most` or more.

    Args:
        things: anything; read only as far as the list that is being filled.
        count: most things in a list, at least 1.
        size_of: the size of a thing, in the unit of `most`.
        most: where a list is full by size; 0 = never.
    """
    batch: list[Thing] = []
    total = 0
    for thing in things:
        batch.append(thing)
        total += size_of(thing)
        if len(batch) >= count or 0 < most <= total:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
