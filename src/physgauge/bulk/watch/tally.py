"""Counts over rows: small enough to keep one for each unit, quick enough to make one row by row."""

from __future__ import annotations

import math

import msgspec

from physgauge import wire
from physgauge.bulk.watch.group import Group, StageTimes, count

MOST_VALUES = 100
"""Different values of a carried column that a tally keeps apart; a column with more has no groups."""
MOST_COLUMNS = 32
"""Carried columns with groups."""
MOST_CHARACTERS = 200
"""Of a value that a group is named by; a column with a longer one (a prompt) has no groups."""
MOST_NAMES = 256
"""Of probes, rules, stages and codes; more than these are not counted one by one."""
DOMAIN = "pcmde.domain"
"""The column that is not carried but found: what the picture shows."""


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What rows took."""

    calls: int = 0
    tokens: int = 0
    """Computed: read without a cache, and written."""
    cached_tokens: int = 0
    usd: float | None = None
    """What servers said they charged; None: none said so."""
    uncharged_tokens: int = 0
    """Tokens of rows for which no server named a price ..."""
    uncharged_cached_tokens: int = 0
    """... and cached ones."""

    @classmethod
    def of(cls, cost: wire.Cost) -> Spent:
        """What one row took."""
        charged = cost.usd is not None
        return cls(
            calls=cost.calls,
            tokens=cost.tokens,
            cached_tokens=cost.cached_tokens,
            usd=cost.usd,
            uncharged_tokens=0 if charged else cost.tokens,
            uncharged_cached_tokens=0 if charged else cost.cached_tokens,
        )

    def __add__(self, other: Spent) -> Spent:
        charged = [one.usd for one in (self, other) if one.usd is not None]
        return Spent(
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            usd=math.fsum(charged) if charged else None,
            uncharged_tokens=self.uncharged_tokens + other.uncharged_tokens,
            uncharged_cached_tokens=self.uncharged_cached_tokens + other.uncharged_cached_tokens,
        )


class Tally(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Counts over rows. Made by :meth:`add`, row by row; tallies of different rows by :meth:`merge`."""

    total: Group = msgspec.field(default_factory=Group)
    """Over all rows."""
    errors: dict[str, int] = {}
    """Error code to rows."""
    quarantined: int = 0
    """Rows with the code ``worker_crashed``."""
    copied: int = 0
    """Rows copied from an equal image."""
    warned: int = 0
    """Rows with a warning."""
    terravis: dict[str, int] = {}
    """Status of TerraVis to rows."""
    probes: dict[str, list[int]] = {}
    """Probe to rows on which it was answered, found something, and found it major."""
    rules: dict[str, list[int]] = {}
    """"domain rule" to rows to which it applied, and that violate it."""
    stages: dict[str, StageTimes] = {}
    """Stage to what it took, row by row."""
    spent: Spent = Spent()
    by: dict[str, dict[str, Group] | None] = {}
    """Column to value to counts over the rows with it; None: more values than are kept apart."""

    @property
    def rows(self) -> int:
        """Rows counted."""
        return self.total.rows

    def add(self, row: wire.Row) -> None:
        """Count one row."""
        self.total.add(row)
        self.spent = self.spent + Spent.of(row.cost)
        self.copied += row.same_as is not None
        self.warned += bool(row.warnings)
        if row.error_code is not None:
            count(self.errors, row.error_code, MOST_NAMES)
            self.quarantined += row.error_code == "worker_crashed"
        count(self.terravis, row.terravis.status, MOST_NAMES)
        for probe, answer in row.terravis.answers.items():
            if (marks := _numbers(self.probes, probe, 3)) is not None:
                marks[0] += answer.outcome == "answered"
                if answer.answer:
                    marks[1] += 1
                    marks[2] += answer.severity == "major"
        domain = row.pcmde.domain or ""
        for rule in row.pcmde.rules:
            if rule.status != "not_applicable":
                marks = _numbers(self.rules, f"{domain} {rule.id}", 2)
                if marks is not None:
                    marks[0] += 1
                    marks[1] += rule.status == "violated"
        for stage, ms in row.cost.ms.items():
            if stage in self.stages or len(self.stages) < MOST_NAMES:
                self.stages.setdefault(stage, StageTimes()).add(ms / 1000)
        for column, value in row.extra.items():
            self._add_by(column, value, row)
        if row.pcmde.domain is not None:
            self._add_by(DOMAIN, row.pcmde.domain, row)

    def _add_by(self, column: str, value: str, row: wire.Row) -> None:
        if column not in self.by:
            if len(self.by) >= MOST_COLUMNS:
                return
            self.by[column] = {}
        groups = self.by[column]
        if groups is None:
            return
        group = groups.get(value)
        if group is None:
            if len(groups) >= MOST_VALUES or len(value) > MOST_CHARACTERS:
                self.by[column] = None
                return
            group = groups[value] = Group()
        group.add(row)

    def merge(self, other: Tally) -> None:
        """Take the counts of other rows in."""
        self.total.merge(other.total)
        self.spent = self.spent + other.spent
        self.copied += other.copied
        self.warned += other.warned
        self.quarantined += other.quarantined
        for mine, theirs in ((self.errors, other.errors), (self.terravis, other.terravis)):
            for name, n in theirs.items():
                count(mine, name, MOST_NAMES, n)
        for marks, more in ((self.probes, other.probes), (self.rules, other.rules)):
            for name, numbers in more.items():
                if (sums := _numbers(marks, name, len(numbers))) is not None:
                    sums[:] = [a + b for a, b in zip(sums, numbers, strict=True)]
        for stage, times in other.stages.items():
            if stage in self.stages or len(self.stages) < MOST_NAMES:
                self.stages.setdefault(stage, StageTimes()).merge(times)
        for column, groups in other.by.items():
            self._merge_by(column, groups)

    def _merge_by(self, column: str, groups: dict[str, Group] | None) -> None:
        if column not in self.by:
            if len(self.by) >= MOST_COLUMNS:
                return
            self.by[column] = {}
        mine = self.by[column]
        if mine is None:
            return
        if groups is None or len(mine.keys() | groups.keys()) > MOST_VALUES:
            self.by[column] = None
            return
        for value, group in groups.items():
            mine.setdefault(value, Group()).merge(group)


def _numbers(of: dict[str, list[int]], name: str, length: int) -> list[int] | None:
    """The counts under a name, to be added to; None where there are too many names."""
    found = of.get(name)
    if found is None and len(of) < MOST_NAMES:
        found = of[name] = [0] * length
    return found
