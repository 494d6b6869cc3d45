"""What an actor of a Ray run does: it runs the engine `local` with one worker process, against the
driver's coordinator, which it reaches through the desk.

So a crash is told and handled as in a local run, and an image that kills its worker does not kill the
actor. The rows never come here: the worker reads the images' bytes and commits to the run folder itself.

No Ray in here: `ray.py` makes an actor of it.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Final, Protocol

import msgspec

from physgauge.bulk.engines.desk import Crash, Refused, Word, pack
from physgauge.bulk.engines.local import LocalEngine
from physgauge.bulk.machines import VISIBLE
from physgauge.bulk.watch.events import AnyEvent, UnitDone
from physgauge.bulk.work import Drain, GivenUp, RowMade, Setup, Task
from physgauge.errors import ConfigError, EnvironmentProblem

TELL_S: Final = 0.5
"""How often what is no end of a unit is passed on."""
MOST_HELD: Final = 64
"""... or after so many words: rows one by one are large."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where an actor works: plain data."""

    folder: str
    """The driver's working folder: relative paths of images start there."""
    scratch: str
    """A folder of the host's own, for the index of equal images."""
    stall_s: float
    """For :class:`LocalEngine`."""


class DeskLine(Protocol):
    """An actor's line to the desk. Each call waits for its answer."""

    def tell(self, said: bytes) -> Drain:
        """Say something; returns what the user wants."""
        ...


class Bay:
    """One actor's place of work.

    Args:
        name: the worker's, in what it tells.
        setup: the run's.
        place: where it is.
        line: to the desk.
    """

    def __init__(self, name: str, setup: Setup, place: Place, line: DeskLine) -> None:
        if Path(place.folder).is_dir():
            os.chdir(place.folder)
        self._work = _ActorWork(name, _here(setup, place), line)
        self._stall_s = place.stall_s
        # What Ray has given this actor.
        self._gpus = {name: os.environ[name] for name in (VISIBLE,) if name in os.environ}
        # It lives as long as the actor: the kernel ends the worker process with this thread.
        threading.Thread(target=self._run, name="bay", daemon=True).start()

    def _run(self) -> None:
        why: Refused | None = None
        try:
            with LocalEngine({}, [self._gpus], self._stall_s) as engine:
                engine.run(self._work)
        except ConfigError as error:
            why = Refused(kind="config", message=str(error))
        except EnvironmentProblem as error:
            why = Refused(kind="environment", message=str(error))
        except BaseException as error:  # whoever waits for a turn's end must hear
            why = Refused(kind="fault", message=f"{type(error).__name__}: {error}"[:500])
        if why is None and self._work.drain == "no":
            why = Refused(kind="fault", message="expected a worker that works, got one that ended")
        self._work.end(why)

    def do(self, task: Task) -> bytes:
        """Have a task done; what is to be told of its end. Safe from several threads."""
        return pack(self._work.hand_in(task).result())


def _here(setup: Setup, place: Place) -> Setup:
    """The index of equal images is the driver's on its host, and elsewhere one of that host's own."""
    twins = setup.twins
    if twins is None or Path(twins).exists():
        return setup
    scratch = Path(place.scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    return msgspec.structs.replace(setup, twins=str(scratch / "twins.sqlite"))


class _ActorWork:
    """The coordinator as the engine in an actor sees it."""

    def __init__(self, name: str, setup: Setup, line: DeskLine) -> None:
        self.setup = setup
        self._name, self._line = name, line
        self._inbox: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._ends: dict[int, Future[list[Word]]] = {}
        self._held: list[Word] = []
        self._told_s = 0.0
        self._ended = False
        self._refused: Refused | None = None
        self._lock = threading.Lock()
        self.drain: Drain = "no"

    def hand_in(self, task: Task) -> Future[list[Word]]:
        """A task from the desk; the future says how it ended."""
        with self._lock:
            end: Future[list[Word]] = Future()
            if self._ended:
                end.set_result(self._last(task.unit.number))
                return end
            self._ends[task.unit.number] = end
        self._inbox.put(task)
        return end

    def take(self) -> Task | None:
        """See Work."""
        try:
            return self._inbox.get_nowait()
        except queue.Empty:
            return None

    def ahead(self) -> None:
        """See Work: the desk claims."""

    @property
    def left(self) -> int:
        """See Work."""
        return self._inbox.qsize()

    def over(self) -> bool:
        """See Work: Ray says when it is over, by ending the actor."""
        return False

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        """See Work."""
        if hasattr(event, "worker"):
            event = msgspec.structs.replace(event, worker=self._name)
        if isinstance(event, UnitDone | GivenUp):
            self._flush()
            self._end(event.unit, [event])
            return
        self._held.append(event)
        if len(self._held) >= MOST_HELD or time.monotonic() - self._told_s >= TELL_S:
            self._flush()

    def crashed(
        self, tasks: Iterable[Task], in_hand: Mapping[int, list[int]], how: str, *, worker: str
    ) -> None:
        """See Work: the coordinator decides what comes of it."""
        tasks = list(tasks)
        self._held.append(Crash(tasks=tasks, in_hand=dict(in_hand), how=how, worker=self._name))
        self._flush()  # heard before any turn of theirs ends
        for task in tasks:
            self._end(task.unit.number, [])

    def _flush(self) -> None:
        held, self._held = self._held, []
        self._told_s = time.monotonic()
        if held:
            self.drain = self._line.tell(pack(held))

    def _end(self, unit: int, words: list[Word]) -> None:
        with self._lock:
            end = self._ends.pop(unit, None)
        if end is not None:
            end.set_result(words)

    def end(self, why: Refused | None) -> None:
        """Nothing more is done here; None: since the user wants it so."""
        with self._lock:
            self._ended, self._refused = True, why
            ends, self._ends = self._ends, {}
        for unit, end in ends.items():
            end.set_result(self._last(unit))

    def _last(self, unit: int) -> list[Word]:
        return [GivenUp(unit=unit), *([] if self._refused is None else [self._refused])]
