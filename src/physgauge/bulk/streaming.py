"""Rows without a run folder: in order, as they are made."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import msgspec

from physgauge import wire
from physgauge.bulk.work import Stage
from physgauge.clients.sources import Loaded, Sourcing, Unit, read_unit
from physgauge.errors import EnvironmentProblem
from physgauge.types import Item


def item_of(loaded: Loaded) -> Item:
    """An entry for a stage."""
    entry = loaded.entry
    return Item(
        entry.image_id, loaded.data, entry.source, entry.caption, entry.extra, loaded.error,
        entry.domain,
    )  # fmt: skip


def rows_of(
    inputs: Sequence[str], sourcing: Sourcing, stage: Stage, unused_captions: list[str]
) -> Iterator[wire.Row]:
    """One row an entry, in order.

    Args:
        inputs: PATHs; without pyarrow (the base install), of local images only.
        sourcing: how to look for them.
        stage: what scores them.
        unused_captions: gets, at the end, the names in the caption file that no image asked for.

    Raises:
        ConfigError: an input that does not exist or cannot be read.
    """
    opened = _opener()
    warnings: deque[str | None] = deque()

    def items() -> Iterator[Item]:
        for unit in opened(inputs, sourcing, unused_captions):
            for loaded in read_unit(unit, sourcing):
                warnings.append(loaded.entry.warning)
                yield item_of(loaded)

    for row in stage.score(items(), None):
        yield with_warning(row, warnings.popleft())


def _opener() -> Callable[[Sequence[str], Sourcing, list[str]], Iterator[Unit]]:
    from physgauge.clients import sources
    from physgauge.clients.sources.arrow import arrow

    try:
        arrow()
    except EnvironmentProblem:
        return sources.open_images
    return sources.open_inputs


def with_warning(row: wire.Row, warning: str | None) -> wire.Row:
    """With what its source warns of, at the end of what decoding and judge do."""
    if warning is None or warning in row.warnings:
        return row
    return msgspec.structs.replace(row, warnings=[*row.warnings, warning])
