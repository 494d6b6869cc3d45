"""One round of `benchmarks.chaos`: processes that can be killed and stopped, and their folder."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.bulk_watch import tree
from benchmarks.chaos_check import marked
from benchmarks.chaos_world import PATIENCE_S, UNIT, World, environment


class Unfit(Exception):
    """This machine does not allow the fault, or the run was over before it came."""


class Actor:
    """A `physgauge score` and all that it starts."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log

    @property
    def over(self) -> bool:
        """Whether the coordinator has ended."""
        return self.process.poll() is not None

    @property
    def family(self) -> list[int]:
        """All its processes, the coordinator first."""
        return tree(self.process.pid)

    @property
    def workers(self) -> list[int]:
        """Processes that the coordinator has started: workers."""
        found: list[int] = []
        for task in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, task.read_text().split())
        return found

    def wait(self) -> int:
        """Its exit code."""
        return self.process.wait(PATIENCE_S)

    def said(self) -> str:
        """What it has printed."""
        return self.log.read_text(errors="replace")


def send(pid: int, number: signal.Signals) -> None:
    """A signal; nothing where the process has gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


class Round:
    """A context manager: at its end no process of it runs.

    Args:
        world: what is worked on.
        output: the run folder, not there yet.
        chance: decides what happens when.
        more: environment of all its processes.
    """

    def __init__(
        self,
        world: World,
        output: Path,
        chance: random.Random,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.world, self.output, self.chance = world, output, chance
        self.mark = f"{os.getpid()}-{output.name}"
        self.clean_up: list[Callable[[], object]] = []
        self._more = dict(more or {})
        self._logs = 0

    def start(self, more: Mapping[str, str] | None = None) -> Actor:
        """Begin, or go on, with one worker or two."""
        self._logs += 1
        log = self.output.with_name(f"{self.output.name}-{self._logs}.log")
        with log.open("wb") as said:
            process = subprocess.Popen(
                self.world.command(self.output, self.chance.choice((1, 2))),
                env=environment(self.mark, {**self._more, **(more or {})}),
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip
        return Actor(process, log)

    def committed(self) -> int:
        """Units."""
        return len(list((self.output / "rows").glob("*.parquet")))

    def until(self, actor: Actor, share: float) -> None:
        """Wait until a share of the units is committed.

        Raises:
            Unfit: the process ended before.
        """
        wanted = max(1, int(share * len(self.world.ids) / UNIT))
        end = time.monotonic() + PATIENCE_S
        while self.committed() < wanted:
            if actor.over or time.monotonic() > end:
                raise Unfit(f"over before {wanted} units: {actor.said()[-300:]}")
            time.sleep(0.01)
        time.sleep(self.chance.uniform(0, 0.1))
        if actor.over:
            raise Unfit("over too soon")

    def finish(self) -> list[str]:
        """The same command until the run is done; what is wrong with it that this takes more than one."""
        actor = self.start()
        code = actor.wait()
        return [] if code == 0 else [f"finishing: exit code {code}: {actor.said()[-600:]}"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for pid in marked(self.mark):
            send(pid, signal.SIGKILL)
        for one in reversed(self.clean_up):
            one()
