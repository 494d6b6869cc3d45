"""Ids that come again in an input: found with 8 bytes an entry, and told for certain."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from physgauge.clients.sources.arrow import Table, arrow

NAMED: Final = ("image_id", "place", "container", "line")
"""The columns that :func:`repeats` looks at."""


class Ids:
    """The ids of an input, as hashes in their order."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, ids: Iterable[str]) -> None:
        """The next ones."""
        self._hashes.extend(map(hash, ids))

    def candidates(self) -> Any:
        """Places, rising, of the ids whose hash comes more than once. int64 [N]"""
        import numpy as np

        hashes = np.frombuffer(self._hashes, dtype=np.int64)
        order = np.argsort(hashes, kind="stable")
        same = hashes[order][1:] == hashes[order][:-1]
        twice = np.zeros(len(hashes), dtype=bool)
        twice[order[1:][same]] = True
        twice[order[:-1][same]] = True
        return np.flatnonzero(twice)


class Numbering:
    """From the n-th entry of a plan to its unit and its place in it.

    Args:
        counts: entries of each unit; an archive counts as one.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        import numpy as np

        self._starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])

    def of(self, at: int) -> tuple[int, int]:
        """Unit and place in it."""
        import numpy as np

        unit = int(np.searchsorted(self._starts, at, side="right")) - 1
        return unit, int(at - self._starts[unit])

    def at(self, unit: int, place: int) -> int:
        """The number of the entry at that place."""
        return int(self._starts[unit]) + place


def repeats(
    candidates: Any, tables: Iterable[Table], containers: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Place in the input of each entry whose id was given before, and the origin of the first with it.

    Args:
        candidates: int64 [N], rising.
        tables: NAMED of the entries, in order.
        containers: names of the lists, manifests and datasets that the tables number.
    """
    import numpy as np

    pa = arrow()
    first: dict[str, str] = {}
    start = 0
    for table in tables:
        low, high = np.searchsorted(candidates, [start, start + table.num_rows])
        at = candidates[low:high] - start
        picked = table.select(NAMED).take(pa.array(at))
        for place, record in zip(at, picked.to_pylist(), strict=True):
            found = first.get(record["image_id"])
            if found is None:
                first[record["image_id"]] = _origin(record, containers)
            else:
                yield int(place) + start, found
        start += table.num_rows


def _origin(record: dict[str, Any], names: Sequence[str]) -> str:
    if record["container"] < 0:
        return str(record["place"])
    return f"{names[record['container']]}:{record['line']}"
