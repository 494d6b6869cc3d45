"""The calibration set of a cascade: stored rows of its two judges, image by image.

What is promised of bands (`cascade_fit.py`) rests on independent images, each looked at by the same two
judges: rows of several judges are refused, and of several copies of an image one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from physgauge import wire
from physgauge.ensemble.batches import in_batches
from physgauge.ensemble.judge.cascade.bands import Glance
from physgauge.ensemble.judge.terravis.result import Counting, look_of, terravis_of
from physgauge.errors import ConfigError
from physgauge.gate.bounds import Decision, decision

ALONE: Final = "in one of the two runs only"
BROKEN: Final = "with an error"
CHANGED: Final = "with other pixels in the other run"
COPY: Final = "another copy of one that counts"
FIRST_MODES: Final = ("onepass", "student")
"""How a cascade's first judge looks; its rows have to be made that way."""
_BATCH: Final = 1024


@dataclass(frozen=True, slots=True)
class Judged:
    """An image both judges have looked at."""

    first: Glance
    """Counted as the second's answers are."""
    second: Decision | None
    """None: he has no decision either, so there is nothing to disagree with."""
    cost_first: wire.Cost
    cost_second: wire.Cost


@dataclass(frozen=True, slots=True)
class Who:
    """Who has made rows, and how their answers count."""

    engine: str
    models: Mapping[str, str]
    """Name to a hash, as the judge has them."""
    probes: str
    counting: Counting
    gate: float | None
    """At which he stopped asking."""

    @classmethod
    def of(cls, row: wire.Row) -> Who:
        """Of a row."""
        made, mark = row.provenance, "judge_"
        models = {n.removeprefix(mark): s for n, s in made.models.items() if n.startswith(mark)}
        counting, gate = Counting.of_row(made), made.settings.get("gate")
        return cls(made.engine or "", models, made.probe_version or "", counting, gate)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Rows of two runs, joined."""

    judged: list[Judged]
    first: Who
    second: Who
    mode: str
    """How the second was asked."""
    left_out: Counter[str]
    """Why to images that are not in `judged`."""


def joined(first: Iterable[wire.Row], second: Iterable[wire.Row], gate: float) -> Calibration:
    """The images of both runs, by id. Rows are taken one by one and not kept.

    Args:
        first: rows of the quick judge.
        second: rows of the one whose decisions count.
        gate: an image passes from this score.

    Raises:
        ConfigError: an image twice in one run; rows that nobody looked at, of several judges or of a
            cascade; a way to ask that a cascade does not have; no image in both.
    """
    alone, quick, left = _Run("second"), _Run("first"), Counter[str]()
    theirs: dict[str, tuple[str | None, Decision | None, wire.Cost]] = {
        row.image_id: (row.pixel_sha256, decision(row.terravis, gate), row.cost)
        for row in alone.rows(second)
    }
    who = _second(alone, gate)
    both, seen = list[Judged](), set[str | None]()
    for batch in in_batches(quick.rows(first), _BATCH):
        counted = terravis_of([look_of(row.terravis) for row in batch], who.counting)
        for row, said in zip(batch, counted, strict=True):
            if row.image_id not in theirs:
                continue
            sha, word, cost = theirs[row.image_id]
            if sha != row.pixel_sha256:
                left[CHANGED] += 1
            elif sha in seen:
                left[COPY] += 1
            else:
                seen |= set() if sha is None else {sha}
                both.append(Judged(Glance.of(said, gate), word, row.cost, cost))
    if not both:
        raise ConfigError(
            f"expected images that both judges have looked at, got none (first: {len(quick.ids)}, "
            f"second: {len(alone.ids)})"
        )
    left[ALONE] = len(quick.ids ^ alone.ids)
    left[BROKEN] = len((quick.broken | alone.broken) & quick.ids & alone.ids)
    return Calibration(both, _first(quick, who), who, next(iter(alone.modes), ""), +left)


@dataclass(slots=True)
class _Run:
    """One run's rows."""

    name: str
    who: Who | None = None
    ids: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """Ids of error rows."""
    modes: set[str] = field(default_factory=set)

    def rows(self, given: Iterable[wire.Row]) -> Iterator[wire.Row]:
        """Those that are no error rows, each checked."""
        for row in given:
            if row.image_id in self.ids:
                raise ConfigError(
                    f"{self.name}: expected each image once, got {row.image_id!r} twice"
                )
            self.ids.add(row.image_id)
            if row.error_code is not None:
                self.broken.add(row.image_id)
                continue
            if row.terravis.status == "skipped":
                raise ConfigError(
                    f"{self.name}: {row.image_id!r}: expected a judge's answers, got none"
                )
            who = Who.of(row)
            self.who = self.who or who
            if who != self.who:
                raise ConfigError(
                    f"{self.name}: {row.image_id!r}: expected rows of one judge that count alike, got "
                    f"{who} after {self.who}"
                )
            self.modes |= {row.terravis.mode or ""} - {""}
            yield row


def _checked(run: _Run) -> Who:
    if run.who is None:
        raise ConfigError(f"{run.name}: expected rows that a judge has looked at, got none")
    if len(run.modes) > 1 or "direct" in run.modes or any(":" in mode for mode in run.modes):
        raise ConfigError(
            f"{run.name}: expected rows of one judge alone, asked about probes in one way, got "
            f"{', '.join(sorted(run.modes))}"
        )
    return run.who


def _second(run: _Run, gate: float) -> Who:
    who = _checked(run)
    if who.gate not in (None, gate):
        raise ConfigError(
            f"{run.name}: expected rows made without judge.gate, or with {gate:g}, got {who.gate:g}: "
            "what was left out there may decide here"
        )
    return who


def _first(run: _Run, second: Who) -> Who:
    who = _checked(run)
    if not run.modes <= set(FIRST_MODES) or who.gate is not None:
        raise ConfigError(
            f"{run.name}: expected rows as [cascade.first] makes them ({' or '.join(FIRST_MODES)}, "
            f"without judge.gate), got {', '.join(run.modes)}"
        )
    for name in ("grade_from", "eligible_from") if "student" not in run.modes else ():
        ours, wanted = getattr(who.counting, name), getattr(second.counting, name)
        if ours != wanted:
            raise ConfigError(
                f"{run.name}: expected the {name} of the second judge ({wanted:g}), which decides what "
                f"is asked in a cascade, got {ours:g}"
            )
    return who
