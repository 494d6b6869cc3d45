"""The coordinator of one session: which units are open, who has them, and what became of them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from physgauge.bulk.crashes import Crashes
from physgauge.bulk.generations import Generations
from physgauge.bulk.watch.events import AnyEvent, UnitDone, Waiting
from physgauge.bulk.work import Drain, GivenUp, RowMade, Setup, Task
from physgauge.clients.runs import Committed, Run, Session
from physgauge.clients.sources import Plan
from physgauge.errors import EnvironmentProblem

_LOOK_S: Final = 3.0
"""How often it looks what others have done, while there is nothing to take."""

Heard = AnyEvent | RowMade | GivenUp


class Coordinator:
    """See :class:`physgauge.bulk.work.Work`.

    Args:
        run: worked on.
        plan: its entries.
        session: of this process.
        setup: for the workers.
        crashes: of the run.
        hear: told everything that workers tell.
    """

    def __init__(
        self,
        run: Run,
        plan: Plan,
        session: Session,
        setup: Setup,
        crashes: Crashes,
        hear: Callable[[Heard], None],
    ) -> None:
        self._run, self._plan, self._session, self._crashes = run, plan, session, crashes
        self.setup, self._hear = setup, hear
        self.drain: Drain = "no"
        self._generations = Generations(run.records)
        self._hand: dict[int, int] = {}
        """Unit to generation, of units that workers have."""
        self._again: deque[tuple[int, int]] = deque()
        """Claimed, and given back by a worker."""
        self._todo: dict[int, int] = {}
        self._committed: Mapping[int, Committed] = {}
        self._quiet_until = 0.0
        self._look()

    def _look(self) -> None:
        """See what is open."""
        mine = {unit for unit, _ in self._again} | self._hand.keys()
        pending = self._run.pending(range(self._plan.units))
        self._todo = {unit: g for unit, g in pending.items() if unit not in mine}
        self._committed = (
            self._run.committed() if any(self._todo.values()) or any(self._hand.values()) else {}
        )

    def take(self) -> Task | None:
        """See Work."""
        if self.drain != "no":
            return None
        if not self._again and not self._claim():
            return None
        unit, generation = self._again.popleft()
        self._hand[unit] = generation
        self._hear(Waiting(units=len(self._todo) + len(self._again), workers=len(self._hand)))
        return self._task(unit, generation)

    def ahead(self) -> None:
        """See Work."""
        if self.drain == "no" and not self._again and self._todo:
            self._claim()

    def _claim(self) -> bool:
        """Take hold of a unit; others are asked about only now and then while there is none."""
        if time.monotonic() < self._quiet_until:
            return False
        for unit, generation in self._session.claim(self._todo.items(), 1):
            self._again.append((unit, generation))
            del self._todo[unit]
        if not self._again:
            self._look()
            self._quiet_until = time.monotonic() + _LOOK_S
        return bool(self._again)

    def _task(self, unit: int, generation: int) -> Task:
        before = self._committed.get(unit)
        keep = None
        if before is not None:
            keep = self._generations.keep(unit, generation, before.generation)
        return Task(
            unit=self._plan.unit(unit),
            generation=generation,
            keep=keep,
            gone=self._generations.gone(unit, generation),
            alone=self._crashes.alone(unit, generation),
            crashed=self._crashes.given_up(unit, generation),
        )

    @property
    def left(self) -> int:
        """See Work."""
        return len(self._todo) + len(self._again)

    def over(self) -> bool:
        """See Work."""
        if self._todo or self._again or self._hand:
            return False
        self._look()
        return not self._todo

    def tell(self, event: Heard) -> None:
        """See Work."""
        match event:
            case UnitDone():
                self._crashes.progress()
                self._release(event.unit)
            case GivenUp(lost=True):
                self._release(event.unit)
            case GivenUp() if event.unit in self._hand:
                if self.drain == "no":
                    self._again.appendleft((event.unit, self._hand.pop(event.unit)))
                else:
                    self._release(event.unit)
        self._hear(event)

    def _release(self, unit: int) -> None:
        if unit in self._hand:
            self._session.release(unit, self._hand.pop(unit))

    def crashed(
        self, tasks: Iterable[Task], in_hand: Mapping[int, list[int]], how: str, *, worker: str
    ) -> None:
        """See Work."""
        tasks = list(tasks)
        able = self._crashes.add(tasks, in_hand, how)
        # It may have died between a commit and its word of it.
        still = self._run.pending([task.unit.number for task in tasks])
        for task in reversed(tasks):
            unit = task.unit.number
            if unit not in still:
                self._release(unit)
            elif unit in self._hand:
                self._again.appendleft((unit, self._hand.pop(unit)))
        if not able:
            raise EnvironmentProblem(
                f"worker {worker}: {how}, again and again with no image in hand; the rows so far are "
                "committed, and the same command goes on"
            )

    def leave(self) -> None:
        """Give back what nobody works on."""
        for unit, generation in self._again:
            self._session.release(unit, generation)
        self._again.clear()
