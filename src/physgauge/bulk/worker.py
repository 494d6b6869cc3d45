"""The worker process of the engine `local`: a pipeline, a bench, and a line to the coordinator.

Started by `local.py` in a fresh interpreter. It imports and loads while the coordinator plans, and ends
with it, whatever happens to it.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import resource
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import physgauge
from physgauge import wire
from physgauge.bulk.bench import Bench
from physgauge.bulk.channel import (
    Begin,
    Broke,
    Channel,
    Do,
    Failed,
    Finish,
    Nothing,
    Open,
    Ready,
    ToWorker,
    Want,
)
from physgauge.bulk.flight import Flight
from physgauge.bulk.watch.events import AnyEvent, Beat
from physgauge.bulk.work import GivenUp, Known, RowMade, Setup, Task
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.orphans import die_with
from physgauge.types import U8, Item

if TYPE_CHECKING:
    from physgauge.ensemble.feed import Pixels

BEAT_S: Final = 2.0


def main(link_fd: int, flight_fd: int, parent: int) -> None:
    """Work for the coordinator `parent` until it has no more, or is gone."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is the coordinator's
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    channel = Channel(socket.socket(fileno=link_fd), ToWorker, wait=True)
    flight = Flight(flight_fd)
    line = PipeLine(channel)
    try:
        _work(line, flight)
    except ConfigError as error:
        line.fail("config", str(error))
    except EnvironmentProblem as error:
        line.fail("environment", str(error))
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        line.fail("environment", f"{place}{error.strerror or type(error).__name__}")
    except BaseException as error:
        line.send(Broke(_where(error)))
        os._exit(1)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing that a library has left running may keep it


def _where(error: BaseException) -> str:
    """What was raised, and by which line of ours; its text may hold anything."""
    ours, place = Path(physgauge.__file__).parent, ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).is_relative_to(ours):
            place = f" in {Path(frame.filename).relative_to(ours)}:{frame.lineno}"
    return f"{type(error).__name__}{place}"


def _work(line: PipeLine, flight: Flight) -> None:
    stage = LocalStage(line.begin())
    try:
        line.send(Ready())
        setup = line.open()
        run, twins = _open(setup)
        bench = Bench(stage, run, line, setup.sourcing, twins, flight, setup.rows)
        stage.number = lambda: bench.number
        line.beat_with(lambda: bench.standing)
        bench.work()
    finally:
        stage.close()


def _open(setup: Setup) -> tuple[Any, Any]:
    from physgauge.bulk.index import Index
    from physgauge.bulk.lookup import Lookup
    from physgauge.bulk.twins import Twins
    from physgauge.clients.runs import Run
    from physgauge.clients.storage import open_store

    run = Run.open(open_store(setup.output), setup.session, setup.run)
    if setup.twins is None:
        return run, None
    return run, Twins(Index(Path(setup.twins)), Lookup(run).row)


def _asked(known: Known, one: Pixels) -> bool:
    return known(one.item, one.decoded.sha256, one.decoded.warnings)


class LocalStage:
    """A pipeline as a :class:`physgauge.bulk.work.Stage`."""

    number: Callable[[], int]
    """Of the image whose row comes next; for the names of pictures."""

    def __init__(self, setup: Setup) -> None:
        from physgauge.config import load_profile
        from physgauge.ensemble.pipeline import Options, Pipeline

        options = Options(setup.domain, setup.packs, setup.workers, setup.threads, setup.method)
        self._pipeline = Pipeline(load_profile(setup.profile), options)
        self._draw = None if setup.draw is None else Path(setup.draw)
        if self._draw is not None:
            self._draw.mkdir(parents=True, exist_ok=True)

    def score(self, items: Iterable[Item], known: Known | None) -> Iterator[wire.Row]:
        """See Stage."""
        asked = None if known is None else partial(_asked, known)
        for scored in self._pipeline.score(items, asked):
            if self._draw is not None and scored.rgb is not None:
                self._picture(scored.rgb, scored.row, self._draw)
            yield scored.row

    def _picture(self, rgb: U8, row: wire.Row, folder: Path) -> None:
        from physgauge.report.draw import save

        save(rgb, row, folder, self.number())

    def close(self) -> None:
        """See Stage."""
        self._pipeline.close()


class PipeLine:
    """The worker's end of its channel, as a :class:`physgauge.bulk.bench.Line`."""

    worker: str
    finish_by: float | None = None

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._inbox: queue.SimpleQueue[Begin | Open | Do | Nothing] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="line", daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                messages = self._channel.receive()
            except EOFError:
                os._exit(1)  # the coordinator is gone: what is not committed is another's
            for message in messages or ():
                if isinstance(message, Finish):
                    self.finish_by = time.monotonic() + message.within_s
                    self._inbox.put(Nothing(over=True))
                else:
                    self._inbox.put(message)

    def begin(self) -> Setup:
        """What to load."""
        first = self._inbox.get()
        assert isinstance(first, Begin)
        self.worker = first.worker
        return first.setup

    def open(self) -> Setup:
        """Where to work."""
        second = self._inbox.get()
        assert isinstance(second, Open)
        return second.setup

    def send(self, message: Any) -> None:
        """Hand over; without a coordinator, the process ends."""
        try:
            self._channel.send(message)
        except OSError:
            os._exit(1)

    def take(self, *, wait: bool) -> Task | None:
        """See Line."""
        if self.finish_by is not None:
            return None
        self.send(Want(wait))
        answer = self._inbox.get()
        return answer.task if isinstance(answer, Do) else None

    def tell(self, event: AnyEvent | RowMade | GivenUp) -> None:
        """See Line."""
        self.send(event)

    def fail(self, kind: str, message: str) -> None:
        """The last word."""
        self.send(Failed(kind, message))

    def beat_with(self, standing: Callable[[], tuple[int | None, int, int]]) -> None:
        """Tell every few seconds where the work stands."""

        def beat() -> None:
            while True:
                try:
                    unit, done, errors = standing()
                except RuntimeError:  # it changed while it was looked at
                    continue
                used = os.times()
                self.send(
                    Beat(
                        worker=self.worker,
                        unit=unit,
                        done=done,
                        errors=errors,
                        resident_bytes=_resident(),
                        cpu_s=used.user + used.system + used.children_user + used.children_system,
                    )
                )
                time.sleep(BEAT_S)

        threading.Thread(target=beat, name="beat", daemon=True).start()


def _resident() -> int | None:
    """Of this process and those it started, bytes."""
    try:
        total = 0
        for pid in [os.getpid(), *_children(os.getpid())]:
            fields = Path(f"/proc/{pid}/statm").read_text().split()
            total += int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
        return total
    except (OSError, IndexError, ValueError):  # not Linux, or a child that just ended
        return None


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(one) for one in task.read_text().split()]
    return found
