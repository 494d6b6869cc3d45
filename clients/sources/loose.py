"""Images that are named by themselves: their tables, and what a caption file says of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from physgauge.clients.captions import CaptionTable
from physgauge.clients.sources.arrow import Carried, Table, plan_table
from physgauge.clients.sources.places import Place, raw_of

BATCH_ROWS: Final = 8192


class Loose:
    """Collects images and gives them out as tables of the plan.

    Args:
        captions: looked up by path; None = no caption file.
    """

    def __init__(self, captions: CaptionTable | None) -> None:
        self._captions = captions
        self._places: list[Place] = []
        self._lines: list[tuple[int, int]] = []
        self._faults: list[tuple[str, str] | None] = []

    def add(
        self,
        place: Place,
        container: int = -1,
        line: int = -1,
        fault: tuple[str, str] | None = None,
    ) -> Iterator[Table]:
        """One more image; a table when there are BATCH_ROWS."""
        self._places.append(place)
        self._lines.append((container, line))
        self._faults.append(fault)
        if len(self._places) >= BATCH_ROWS:
            yield from self.rest()

    def rest(self) -> Iterator[Table]:
        """What has not been given out yet."""
        if not self._places:
            return
        places, lines, faults = self._places, self._lines, self._faults
        self._places, self._lines, self._faults = [], [], []
        names = [place.name for place in places]
        columns = {
            "image_id": names,
            "kind": [place.kind for place in places],
            "place": names,
            "container": [container for container, _ in lines],
            "line": [line for _, line in lines],
            "size": [place.size for place in places],
            "version": [place.version for place in places],
        }
        raws = [(raw_of(one.text) or None) if one.kind == "file" else None for one in places]
        if any(raws):
            columns["raw"] = raws
        if self._captions is not None:
            columns |= self._captioned(self._captions, places, faults)
        if any(faults):
            columns["code"] = [None if fault is None else fault[0] for fault in faults]
            columns["fault"] = [None if fault is None else fault[1] for fault in faults]
        yield plan_table(len(places), columns)

    @staticmethod
    def _captioned(
        captions: CaptionTable, places: list[Place], faults: list[tuple[str, str] | None]
    ) -> dict[str, object]:
        extra = Carried()
        texts: list[str | None] = []
        for number, place in enumerate(places):
            key = place.text if place.kind == "file" else place.text.partition("://")[2]
            about = captions.get(Path(key))
            texts.append(None if about is None else about.caption)
            extra.add([] if about is None else about.extra.items())
            if about is not None and about.error is not None and faults[number] is None:
                faults[number] = (about.error.code, about.error.message)
        return {"caption": texts, "extra": extra.column()}
