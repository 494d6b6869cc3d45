"""What differs between a plan and its inputs as they are now.

An input list that stayed as it was is walked beside the plan, table by table, and costs a look at each
local file. From the first difference on, what is left of both is matched by image_id (the n-th entry with
an id is matched with the n-th): that takes about 1 KB of memory an entry that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from physgauge.clients.sources.arrow import Table, arrow, plan_schema
from physgauge.clients.sources.compare import match, same, stat_check, states, with_state, without
from physgauge.clients.sources.cutting import SHARD, place_in, shard_table
from physgauge.clients.sources.finding import Container, Finder, Found, Rows, Same, Tar
from physgauge.clients.sources.plan import Plan, shifted
from physgauge.clients.sources.planning import unused
from physgauge.clients.sources.records import Sourcing
from physgauge.clients.sources.repeats import Numbering

EXAMPLES: Final = 5
LOOKED_AT: Final = ("kind", "place", "raw", "container", "size", "version")


@dataclass(slots=True)
class Changes:
    """What differs between a plan and the inputs as they are now."""

    added: int = 0
    """Entries (an archive counts as one) that the plan does not hold."""
    replaced: dict[int, list[int]] = field(default_factory=dict)
    """Unit -> places within it (from 0) of entries whose file, caption, domain or carried columns are
    others now. An archive that was replaced: ``{unit: [0]}`` stands for all of it."""
    gone: dict[int, list[int]] = field(default_factory=dict)
    """Unit -> places of entries that the inputs no longer name, or whose file is not there."""
    examples: list[str] = field(default_factory=list)
    """A few of them, one sentence each."""
    inputs: list[str] = field(default_factory=list)
    unused_captions: list[str] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)
    """What the tables below number."""
    new: list[Found] = field(default_factory=list)
    """What was added, in order."""
    unlisted: list[tuple[int, int]] = field(default_factory=list)
    """Unit and place of what is gone because no input names it any more."""
    rows: list[tuple[int, int, Table]] = field(default_factory=list)
    """What was replaced: unit, place in it, and its row as it is now."""
    token: str = ""
    """Of the seal that :func:`update_plan` made of it. The plan holds another one where somebody else was
    quicker."""

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.replaced or self.gone)


def changes(
    plan: Plan,
    inputs: Sequence[str],
    options: Sourcing,
    known_gone: Mapping[int, Sequence[int]] | None = None,
) -> Changes:
    """What differs now: by size and mtime of local files, etag of listed objects, hash of manifests.

    Rows of a manifest that name objects of a store or URLs are taken as they were while the manifest
    stays as it is: asking for each would cost a request an image.

    Raises:
        ConfigError: as :func:`make_plan`.
    """
    finder = Finder(options, _known(plan))
    walk = _Walk(plan, finder)
    found = finder.find(inputs)
    first = next((one for one in found if not walk.beside(one)), None)
    walk.apart([first] if first is not None else [], found)
    out = walk.out
    out.gone = {unit: sorted(places) for unit, places in sorted(out.gone.items())}
    out.inputs = list(inputs)
    out.unused_captions = unused(finder)
    out.containers = [*plan.containers, *finder.containers]
    for what, of in (("replaced", out.replaced), ("gone", without(out.gone, known_gone or {}))):
        out.examples += list(_examples(plan, what, of))[: EXAMPLES - len(out.examples)]
    return out


def _known(plan: Plan) -> Callable[[Container], int | None]:
    """Which container of the plan has stayed as it was."""
    latest = {(one.place, one.raw): (at, one) for at, one in enumerate(plan.containers)}

    def known(now: Container) -> int | None:
        number, then = latest.get((now.place, now.raw), (-1, None))
        if then is None or then.kind != now.kind:
            return None
        if now.kind == "dataset":
            alike = now.size == then.size >= 0 and now.version == then.version != ""
        else:
            alike = now.digest == then.digest != "" and now.given == then.given
        return number if alike else None

    return known


class _Cursor:
    """The plan's rows from first to last, as many at a time as are asked for."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._counts = [sum(map(abs, part.counts)) for part, _ in plan.parts]
        self._part = 0
        self._row = 0
        self._held: tuple[int, Table] | None = None
        self.at = 0
        """Number of the next row."""

    def take(self, count: int) -> Table:
        """The next rows; fewer at the end."""
        out = [plan_schema().empty_table()]
        while count and (left := self._left()):
            some = min(count, left)
            if self._held is None or self._held[0] != self._part:
                self._held = (self._part, self._plan.table(self._part))
            out.append(self._held[1].slice(self._row, some))
            self._go(some)
            count -= some
        return arrow().concat_tables(out)

    def take_of(self, numbers: set[int]) -> Iterator[tuple[Any, Table, Callable[[], Table]]]:
        """The next rows while their container is one of `numbers`: as :meth:`_Walk._look` takes them."""
        import numpy as np

        while left := self._left():
            table = self._plan.table(self._part, LOOKED_AT).slice(self._row)
            held = table.column("container").to_numpy()
            others = np.flatnonzero(~np.isin(held, list(numbers)))
            count = int(others[0]) if len(others) else left
            part, row = self._part, self._row
            yield (
                np.arange(self.at, self.at + count),
                table.slice(0, count),
                partial(self._rows, part, row, count),
            )
            self._go(count)
            if count < left:
                return

    def _rows(self, part: int, row: int, count: int) -> Table:
        return self._plan.table(part).slice(row, count)

    def back(self, count: int) -> None:
        """Rows that were taken are to be taken again."""
        self._go(-count)

    def _left(self) -> int:
        """Rows that are left in the part; 0: there is no other."""
        while self._part < len(self._counts) and self._row >= self._counts[self._part]:
            self._part, self._row = self._part + 1, 0
        return self._counts[self._part] - self._row if self._part < len(self._counts) else 0

    def _go(self, rows: int) -> None:
        self.at += rows
        self._row += rows
        while self._row < 0:
            self._part -= 1
            self._row += self._counts[self._part]


class _Walk:
    """Plan and inputs side by side."""

    def __init__(self, plan: Plan, finder: Finder) -> None:
        self.out = Changes()
        self._old = plan.containers
        self._finder = finder
        self._cursor = _Cursor(plan)
        self._counts = [abs(n) for part, _ in plan.parts for n in part.counts]
        self._numbering = Numbering(self._counts)
        self._unlisted = {self._numbering.at(*one) for one in plan.seals[-1].unlisted}

    def beside(self, one: Found) -> bool:
        """Goes on in the plan by what was found, if it is the same there; False: it is not."""
        if isinstance(one, Same):
            for some in self._cursor.take_of(self._same_place(one.number)):
                self._look(*some)
            return True
        table = _table(one)
        then = self._cursor.take(table.num_rows)
        if same(states(then, self._old), states(table, self._finder.containers)):
            return True
        self._cursor.back(then.num_rows)
        return False

    def apart(self, begun: Iterable[Found], rest: Iterable[Found]) -> None:
        """Matches what is left on both sides."""
        import numpy as np

        pa = arrow()
        tables, still = [plan_schema().empty_table()], set()
        for one in (*begun, *rest):
            if isinstance(one, Same):
                still |= self._same_place(one.number)
            else:
                tables.append(_table(one))
        start, new = self._cursor.at, pa.concat_tables(tables)
        old = self._cursor.take(sum(self._counts) - start)
        of_same = np.isin(old.column("container").to_numpy(), list(still))
        looked_at = np.flatnonzero(of_same)
        kept = old.take(pa.array(looked_at))
        self._look(start + looked_at, kept, lambda: kept)
        left = np.flatnonzero(~of_same)
        found = match(
            states(old.take(pa.array(left)), self._old), states(new, self._finder.containers)
        )
        moved = shifted(new, len(self._old))
        lost = _lost(old.take(pa.array(left)), new, found.replaced)
        for then, now in found.replaced[~lost]:
            self._replace(start + int(left[then]), moved.slice(int(now), 1))
        for then in found.gone:
            self._unlist(start + int(left[then]))
        for then, _ in found.replaced[lost]:
            self._lose(start + int(left[then]))
        self._add(moved.take(pa.array(found.added)))

    def _look(self, at: Any, table: Table, whole: Callable[[], Table]) -> None:
        """The local files of rows whose list is the same.

        Args:
            at: [N] their numbers in the plan.
            table: LOOKED_AT of them.
            whole: all columns of them, where they are needed.
        """
        import numpy as np

        unlisted = np.isin(at, list(self._unlisted))
        for number in at[unlisted]:
            self._unlist(int(number))
        stats = stat_check(table)
        rows = with_state(whole(), stats) if stats.replaced else table
        for number, row in enumerate(stats.replaced):
            if not unlisted[row]:
                self._replace(int(at[row]), rows.slice(number, 1))
        for row in stats.gone:
            if not unlisted[row]:
                self._lose(int(at[row]))

    def _replace(self, at: int, row: Table) -> None:
        unit, place = self._numbering.of(at)
        self.out.replaced.setdefault(unit, []).append(place)
        self.out.rows.append((unit, place, row))

    def _lose(self, at: int) -> None:
        unit, place = self._numbering.of(at)
        self.out.gone.setdefault(unit, []).append(place)

    def _unlist(self, at: int) -> None:
        self._lose(at)
        self.out.unlisted.append(self._numbering.of(at))

    def _add(self, table: Table) -> None:
        """Rows and archives, in order."""
        start = 0
        shards = [n for n, kind in enumerate(table.column("kind").to_pylist()) if kind == SHARD]
        for at in (*shards, table.num_rows):
            if at > start:
                self.out.new.append(Rows(table.slice(start, at - start)))
            if at < table.num_rows:
                self.out.new.append(Tar(place_in(table.slice(at, 1))))
            start = at + 1
        self.out.added = table.num_rows
        for record in table.slice(0, EXAMPLES).select(["image_id"]).to_pylist():
            self.out.examples.append(f"{record['image_id']:.200}: added")

    def _same_place(self, number: int) -> set[int]:
        """All numbers in the plan of a container that was read at several times."""
        place, raw = self._old[number].place, self._old[number].raw
        return {n for n, one in enumerate(self._old) if (one.place, one.raw) == (place, raw)}


def _table(one: Found) -> Table:
    assert isinstance(one, (Rows, Tar))
    return one.table if isinstance(one, Rows) else shard_table(one.place)


def _lost(old: Table, new: Table, pairs: Any) -> Any:
    """bool [N]: of the replaced, local files that were there and are not."""
    was, now = (
        table.column("size").to_numpy()[pairs[:, side]] for side, table in enumerate((old, new))
    )
    files = arrow().compute.equal(new.column("kind"), "file").to_numpy()[pairs[:, 1]]
    return (was >= 0) & (now < 0) & files


def _examples(plan: Plan, what: str, of: dict[int, list[int]]) -> Iterator[str]:
    for unit, places in list(of.items())[:EXAMPLES]:
        held = plan.unit(unit)
        if held.shard is not None:
            yield f"{held.shard.where.place:.200}: {what}"
            continue
        for place in places[:EXAMPLES]:
            yield f"{held.entries[place].source:.200}: {what}"
