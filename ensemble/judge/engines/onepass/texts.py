"""Texts that are written token by token, in groups that began together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.judge.engines.onepass.running import Opened, Runner, Writing
from physgauge.ensemble.judge.engines.onepass.work import Expired, Failed, Write, late
from physgauge.log import log

MAX_WRITING: Final = 64
"""Texts that are written at a time."""


@dataclass(slots=True, eq=False)
class _Group:
    writing: Writing
    owners: list[tuple[Write, int, int]]
    """Whose, start, stop among the texts."""


class Texts:
    """All that is being written; arguments as for `Passes`."""

    def __init__(
        self,
        runner: Runner,
        used: Callable[[Sequence[Opened]], None],
        failed: Callable[[], None],
    ) -> None:
        self._runner, self._used, self._failed = runner, used, failed
        self._groups: list[_Group] = []

    def __bool__(self) -> bool:
        return bool(self._groups)

    @property
    def owners(self) -> Iterator[Write]:
        """Who waits for texts."""
        return (write for group in self._groups for write, _, _ in group.owners)

    @property
    def room(self) -> int:
        """Texts that may begin; one image's may always where nothing is being written."""
        return MAX_WRITING - sum(len(group.writing.written) for group in self._groups)

    def begin(self, taken: Sequence[Write]) -> None:
        """Start texts as one group; where that fails, each image's by itself."""
        if not taken:
            return
        try:
            writing = self._runner.write([wanted for write in taken for wanted in write.wanted])
        except Exception as error:
            self._apart(taken, error)
            return
        self._used([wanted.opened for write in taken for wanted in write.wanted])
        owners, start = [], 0
        for write in taken:
            owners.append((write, start, start + len(write.wanted)))
            start += len(write.wanted)
        self._groups.append(_Group(writing, owners))

    def step(self) -> None:
        """One more token of every text."""
        for group in list(self._groups):
            try:
                group.writing.step()
            except Exception as error:
                self._groups.remove(group)
                self._apart([write for write, _, _ in group.owners], error)
            else:
                self._look(group)

    def _look(self, group: _Group) -> None:
        """What is done, cancelled or late leaves its group."""
        now, going = time.monotonic(), list[tuple[Write, int, int]]()
        for write, start, stop in group.owners:
            written = group.writing.written[start:stop]
            if all(w.done for w in written):
                write.done(written)
            elif write.cancelled or late(write, now):
                for index in range(start, stop):
                    group.writing.stop(index)
                write.fail(Expired())
            else:
                going.append((write, start, stop))
        group.owners = going
        if not going:
            self._groups.remove(group)

    def _apart(self, writes: Sequence[Write], error: Exception) -> None:
        if len(writes) > 1:
            for write in writes:
                self.begin([write])
            return
        log("judge_text_failed", error=f"{error!r:.300}")
        writes[0].fail(Failed())
        self._failed()
