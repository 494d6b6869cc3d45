"""Equal images of a run are scored once: pixels, caption and domain decide, wherever in the run they are.

A worker keeps the rows of the units in its hands; what is committed is found again through an index on
disk (`index.py`), which all workers of a host share. A row that something passing has spoilt (a judge's
time-out, a server that was gone) is nobody's: its twins are scored themselves.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import msgspec

from physgauge import wire
from physgauge.bulk.index import Index
from physgauge.types import Item

Key = bytes
KEY_BYTES: Final = 16
WHOLE: Final = frozenset({"ok", "partial", "not_applicable", "skipped"})
_PASSING: Final = frozenset({"timeout", "unparseable", "blocked"})
_MOST_HELD: Final = 256
"""Rows out of committed units that are kept for the next twin."""


def key_of(pixel_sha256: str, caption: str | None, domain: str | None) -> Key:
    """What equal images have in common."""
    parts = msgspec.msgpack.encode((pixel_sha256, caption, domain))
    return blake2b(parts, digest_size=KEY_BYTES).digest()


def key_of_row(row: wire.Row) -> Key | None:
    """The same, of a row; None: nothing was decoded."""
    if row.pixel_sha256 is None:
        return None
    return key_of(row.pixel_sha256, row.caption, row.provenance.domain)


def copyable(row: wire.Row) -> bool:
    """Whether an equal image would get the same row: nothing passing has spoilt it."""
    terravis, pcmde = row.terravis, row.pcmde
    if row.error_code is not None or row.pixel_sha256 is None or terravis.fault is not None:
        return False
    if terravis.status not in WHOLE or pcmde.status not in WHOLE:
        return False
    outcomes = {one.outcome for one in terravis.answers.values()}
    outcomes |= {one.outcome for one in pcmde.llm_runs} | {one.outcome for one in pcmde.observers}
    if terravis.eligible is not None:
        outcomes.add(terravis.eligible.outcome)
    return not outcomes & _PASSING


def copied(own: wire.Row, twin: wire.Row) -> wire.Row:
    """A twin's row for an image of which only decoding is known."""
    said = [twin.terravis.abstained] if twin.terravis.abstained else []
    return msgspec.structs.replace(
        own,
        same_as=twin.same_as or twin.image_id,
        warnings=[*own.warnings, *said],
        terravis=twin.terravis,
        pcmde=twin.pcmde,
        detections=twin.detections,
        provenance=msgspec.structs.replace(twin.provenance, decoder=own.provenance.decoder),
    )


@dataclass(slots=True)
class _Held:
    """A row that twins may get."""

    row: wire.Row
    in_unit: bool
    """Of a unit in this worker's hands, which its commit lets go."""


class Twins:
    """Of one worker.

    Args:
        index: where committed rows are; None: nothing committed is looked up.
        load: a row by unit, generation and its number in the unit's file; None: it is not there.
    """

    def __init__(
        self, index: Index | None, load: Callable[[int, int, int], wire.Row | None]
    ) -> None:
        self._index, self._load = index, load
        self._flying: set[Key] = set()
        """Keys of images that are being scored."""
        self._waiting: Counter[Key] = Counter()
        """Images in flight that are to get a twin's row."""
        self._held: OrderedDict[Key, _Held] = OrderedDict()
        self._unmatched: Counter[Key] = Counter()
        """Images whose twin's row was of no use, and that are asked about again: to be scored."""

    def known(self, item: Item, pixel_sha256: str, warnings: tuple[str, ...]) -> bool:
        """See :class:`physgauge.bulk.work.Known`. (`warnings` are each image's own.)"""
        key = key_of(pixel_sha256, item.caption, item.domain)
        if self._unmatched[key]:
            self._unmatched -= Counter([key])
            self._flying.add(key)
            return False
        if key not in self._flying and key not in self._held and not self._find(key):
            self._flying.add(key)
            return False
        self._waiting[key] += 1
        return True

    def _find(self, key: Key) -> bool:
        place = None if self._index is None else self._index.get(key)
        row = None if place is None else self._load(*place)
        # The file is what counts: an index may be behind it.
        if row is None or key_of_row(row) != key or not copyable(row):
            return False
        self._held[key] = _Held(row, in_unit=False)
        self._forget(but=key)
        return True

    def _forget(self, but: Key | None = None) -> None:
        """The oldest rows out of committed units that nobody waits for, where there are many."""
        for old in list(self._held)[: max(0, len(self._held) - _MOST_HELD)]:
            if not self._held[old].in_unit and not self._waiting[old] and old != but:
                del self._held[old]

    def settle(self, row: wire.Row, *, stub: bool) -> wire.Row | None:
        """The row of an image that comes out of the stage, in order.

        Args:
            row: the image's.
            stub: whether it says no more than decoding, since `known` said True.

        Returns:
            The row that counts; None: it has no twin after all, and is to be scored.
        """
        key = key_of_row(row)
        if key is None:
            return row
        if stub:
            held = self._held.get(key)
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
            if held is None:
                self._unmatched[key] += 1
            return None if held is None else copied(row, held.row)
        if key in self._flying:
            self._flying.discard(key)
            if copyable(row):
                self._held[key] = _Held(row, in_unit=True)
        return row

    def committed(self, unit: int, generation: int, rows: list[wire.Row]) -> None:
        """A unit is on disk, with these rows."""
        places: list[tuple[Key, int, int, int]] = []
        for number, row in enumerate(rows):
            key = key_of_row(row)
            if key is not None and copyable(row):
                places.append((key, unit, generation, number))
        if self._index is not None:
            self._index.put(places)
        self.let_go(rows)

    def let_go(self, rows: list[wire.Row]) -> None:
        """A unit's rows are no longer in this worker's hands."""
        for row in rows:
            key = key_of_row(row)
            held = None if key is None else self._held.get(key)
            if key is None or held is None or held.row is not row:
                continue
            if self._waiting[key]:
                held.in_unit = False
            else:
                del self._held[key]
        self._forget()

    def start(self) -> None:
        """Nothing is in flight (a stream has ended early)."""
        self._flying.clear()
        self._waiting.clear()
