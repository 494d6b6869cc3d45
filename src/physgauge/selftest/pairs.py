"""A set of minimal pairs as a folder has it: ``truth.parquet`` and ``images/`` (docs/pairs.md).

Twins share a `pair` and differ in one planted violation; "other" pictures are not eligible. The package
ships a small held-out set, so that any judge can be checked where only the wheel is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from physgauge.clients.table import read_records
from physgauge.errors import ConfigError
from physgauge.wire import Severity

TRUTH: Final = "truth.parquet"
SHIPPED: Final = Path(__file__).parent / "pairs"


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """What one picture shows; other columns of the file are left alone."""

    image_id: str
    file: str
    """Path within the set's folder."""
    pair: int | None
    """Shared by twins; None for "other"."""
    twin: str
    """violated, clean or other."""
    category: str | None
    """What is violated; None for clean and other."""
    pair_category: str | None
    severity: Severity | None
    eligible: bool
    family: str | None
    box: tuple[float, float, float, float] | None = None
    """Of the violation, px of the picture."""


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pictures and their truth."""

    folder: Path
    pictures: tuple[Truth, ...]

    @property
    def pairs(self) -> int:
        """How many."""
        return len({one.pair for one in self.pictures if one.pair is not None})


def read_pairs(folder: Path, categories: Sequence[str] = (), most: int | None = None) -> PairSet:
    """Read a set.

    Args:
        folder: of the set.
        categories: only pairs of these, and no other pictures; () = all.
        most: pairs taken of each category, and so many other pictures, in the set's order.

    Raises:
        ConfigError: no such set, a row that has not the form, or a pair that is not one violated picture
            and one clean one; says which.
    """
    path = folder / TRUTH
    if not path.is_file():
        raise ConfigError(f"{folder}: expected a set of pairs ({TRUTH}), got none")
    pictures = [_truth(record, f"{path}: row {n}") for n, record in enumerate(read_records(path))]
    _check(pictures, path)
    if categories:
        known = {one.pair_category for one in pictures} - {None}
        for name in categories:
            if name not in known:
                raise ConfigError(
                    f"category: expected one of {', '.join(sorted(map(str, known)))}; got {name!r}"
                )
        pictures = [one for one in pictures if one.pair_category in categories]
    return PairSet(folder, tuple(pictures if most is None else _first(pictures, most)))


def _truth(record: dict[str, Any], where: str) -> Truth:
    box = tuple(record.get(name) for name in ("x0", "y0", "x1", "y1"))
    given = {name: record[name] for name in Truth.__struct_fields__ if name in record}
    try:
        truth = msgspec.convert(given | ({} if None in box else {"box": box}), Truth)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: expected the truth of a picture ({error})") from None
    parts = Path(truth.file).parts
    if not parts or Path(truth.file).is_absolute() or ".." in parts:
        raise ConfigError(f"{where}: file: expected a path within the set, got {truth.file!r}")
    return truth


def _check(pictures: Sequence[Truth], path: Path) -> None:
    twins: dict[int, list[Truth]] = {}
    seen: set[str] = set()
    for n, one in enumerate(pictures):
        where = f"{path}: row {n}"
        if one.image_id in seen:
            raise ConfigError(
                f"{where}: image_id: expected different ones, got {one.image_id!r} twice"
            )
        seen.add(one.image_id)
        _check_one(one, where)
        if one.pair is not None:
            twins.setdefault(one.pair, []).append(one)
    for pair, members in twins.items():
        kinds = sorted(one.twin for one in members)
        named = {one.pair_category for one in members}
        violated = {one.category for one in members if one.twin == "violated"}
        if kinds != ["clean", "violated"] or violated != named:
            raise ConfigError(
                f"{path}: pair {pair}: expected one violated and one clean picture of one category, got "
                f"{', '.join(f'{one.twin} ({one.pair_category})' for one in members)}"
            )
    if not twins:
        raise ConfigError(f"{path}: expected at least one pair, got none")


def _check_one(one: Truth, where: str) -> None:
    """Columns that depend on each other."""
    if (one.twin == "violated") != (one.category is not None):
        raise ConfigError(
            f"{where}: category: expected one where the picture is violated, and only there, "
            f"got {one.category!r} ({one.twin})"
        )
    alone = one.pair is None
    if (one.twin == "other") != alone or (one.pair_category is None) != alone:
        raise ConfigError(
            f"{where}: expected pair and pair_category, or neither where twin is other; got "
            f"{one.pair} and {one.pair_category!r} ({one.twin})"
        )
    if not (alone or one.eligible):
        raise ConfigError(f"{where}: expected eligible pictures in pairs, got {one.file}")


def _first(pictures: Sequence[Truth], most: int) -> list[Truth]:
    """The first pairs of each category, and the first others."""
    seen: dict[str | None, dict[object, None]] = {}
    kept = []
    for one in pictures:
        mine = seen.setdefault(one.pair_category, {})
        key = one.image_id if one.pair is None else one.pair
        if key in mine or len(mine) < most:
            mine[key] = None
            kept.append(one)
    return kept
