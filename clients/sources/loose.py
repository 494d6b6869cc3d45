"""Images that are named by themselves: their tables, and what a caption file says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from physgauge.clients.captions import CaptionTable
from physgauge.clients.files import name_of
from physgauge.clients.sources.arrow import Carried, Table, arrow, plan_table
from physgauge.clients.sources.places import Place, file_states, raw_of

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
    ) -> None:
        """One more image."""
        self._places.append(place)
        self._lines.append((container, line))
        self._faults.append(fault)

    @property
    def full(self) -> bool:
        """Whether it is time to take :meth:`rest`."""
        return len(self._places) >= BATCH_ROWS

    def rest(self) -> Iterator[Table]:
        """What has not been given out yet."""
        if not self._places:
            return
        places, lines, faults = self._places, self._lines, self._faults
        self._places, self._lines, self._faults = [], [], []
        columns: dict[str, Any] = {
            "kind": [place.kind for place in places],
            "container": [container for container, _ in lines],
            "line": [line for _, line in lines],
            "size": [place.size for place in places],
            "version": [place.version for place in places],
        }
        texts = [place.text for place in places]
        yield self._table(texts, columns, faults, [place.kind == "file" for place in places])

    def files(self, paths: Sequence[str]) -> Table:
        """Local files as a table, past what is collected: the quick way for folders."""
        pa = arrow()
        size, mtime_ns = file_states(paths)
        versions = [str(one) if one >= 0 else "" for one in mtime_ns.tolist()]
        columns: dict[str, Any] = {
            "kind": pa.repeat(pa.scalar("file"), len(paths)),
            "size": pa.array(size),
            "version": versions,
        }
        return self._table(paths, columns, [None] * len(paths), None)

    def _table(
        self,
        texts: Sequence[str],
        columns: dict[str, Any],
        faults: list[tuple[str, str] | None],
        local: Sequence[bool] | None,
    ) -> Table:
        """Ids, places, captions and faults added; `local` says which are paths (None = all)."""
        try:
            names = raws = None
            "".join(texts).encode()
        except UnicodeEncodeError:  # paths that are not UTF-8
            files = local or [True] * len(texts)
            raws = [raw_of(t) or None if f else None for t, f in zip(texts, files, strict=True)]
            names = [name_of(one) for one in texts]
        column = arrow().array(names or texts, arrow().string())
        columns |= {"image_id": column, "place": column, "raw": raws}
        if self._captions is not None:
            columns |= self._captioned(self._captions, texts, faults)
        if any(faults):
            columns["code"] = [None if fault is None else fault[0] for fault in faults]
            columns["fault"] = [None if fault is None else fault[1] for fault in faults]
        return plan_table(len(texts), columns)

    @staticmethod
    def _captioned(
        captions: CaptionTable, texts: Sequence[str], faults: list[tuple[str, str] | None]
    ) -> dict[str, object]:
        extra = Carried()
        found: list[str | None] = []
        for number, text in enumerate(texts):
            about = captions.get(Path(text.partition("://")[2] or text))
            found.append(None if about is None else about.caption)
            extra.add([] if about is None else about.extra.items())
            if about is not None and about.error is not None and faults[number] is None:
                faults[number] = (about.error.code, about.error.message)
        return {"caption": found, "extra": extra.column()}
