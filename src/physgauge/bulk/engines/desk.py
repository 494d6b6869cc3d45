"""Where the driver of a Ray run and its actors meet: tasks go out, what workers say comes in.

Ray Data hands *turns* to actors; an actor that begins one asks the desk for a task. So a task is claimed
and bound to an actor when that is free, not before, and one that comes back after a crash goes to
whoever is next. Ray tries a turn again whose actor died: the desk then gives it the same task.

No Ray in here: `ray.py` makes an actor of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

import msgspec

from physgauge.bulk.watch.events import AnyEvent
from physgauge.bulk.work import Drain, GivenUp, RowMade, Task

MOST_TURNS: Final = 3
"""Times that a turn may lose its actor; then the coordinator is told that the task's worker died."""


class Crash(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An actor's worker died, or a turn has lost its actors."""

    tasks: list[Task]
    in_hand: dict[int, list[int]]
    how: str
    worker: str


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An actor cannot work, and nor could another."""

    kind: str
    """"config", "environment", else "fault"."""
    message: str


Word = AnyEvent | RowMade | GivenUp | Crash | Refused
_words: Final = msgspec.msgpack.Decoder(list[Word])
_task: Final = msgspec.msgpack.Decoder(Task)


def pack(words: list[Word]) -> bytes:
    """What an actor says, as bytes."""
    return msgspec.msgpack.encode(words)


def unpack(data: bytes) -> list[Word]:
    """Back again."""
    return _words.decode(data)


def pack_task(task: Task) -> bytes:
    """A task, as bytes."""
    return msgspec.msgpack.encode(task)


def unpack_task(data: bytes) -> Task:
    """Back again."""
    return _task.decode(data)


class Exchange(msgspec.Struct, frozen=True):
    """What the desk answers the driver."""

    said: list[bytes]
    """Since the last time, each for :func:`unpack`."""
    waiting: int
    """Turns that wait for a task, beyond those that lie ready."""
    out: int
    """Tasks in actors' hands."""
    turns: int
    """Begun since the beginning."""


class Desk:
    """The desk, within one event loop."""

    def __init__(self) -> None:
        self._ready: deque[bytes] = deque()
        self._given: dict[int, tuple[bytes, int]] = {}
        self._said: list[bytes] = []
        self._waiting = self._turns = 0
        self._changed = asyncio.Event()
        self._drain: Drain = "no"
        self._over = False

    async def take(self, turn: int, within_s: float) -> bytes | None:
        """The task of a turn, when there is one; None: none within this time, or there will be none."""
        self._turns += 1
        if turn in self._given:
            return self._again(turn)
        end = asyncio.get_running_loop().time() + within_s
        self._waiting += 1
        try:
            while not self._ready:
                if self._over or self._drain != "no":
                    return None
                changed = self._changed
                try:
                    async with asyncio.timeout_at(end):
                        await changed.wait()
                except TimeoutError:
                    return None
        finally:
            self._waiting -= 1
        task = self._ready.popleft()
        self._given[turn] = (task, 1)
        return task

    def _again(self, turn: int) -> bytes | None:
        """The actor that had this turn is dead; that is no image's fault, but too often it may be."""
        task, times = self._given[turn]
        if times >= MOST_TURNS:
            how = f"its actor died {times} times"
            crash = Crash(tasks=[unpack_task(task)], in_hand={}, how=how, worker="ray")
            self._said.append(pack([crash]))
            del self._given[turn]
            return None
        self._given[turn] = (task, times + 1)
        return task

    async def tell(self, said: bytes) -> Drain:
        """An actor says something; returns what the user wants."""
        self._said.append(said)
        return self._drain

    async def done(self, turn: int, said: bytes) -> None:
        """A turn is over, and so its task is in no hand."""
        self._said.append(said)
        self._given.pop(turn, None)

    async def exchange(self, tasks: list[bytes], over: bool, drain: Drain) -> Exchange:
        """The driver brings tasks and takes what was said."""
        self._ready.extend(tasks)
        self._over, self._drain = over, drain
        if tasks or over or drain != "no":
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()
            await asyncio.sleep(0)
        if drain != "no":  # nobody will take them
            back = [GivenUp(unit=unpack_task(task).unit.number) for task in self._ready]
            self._said.append(pack([*back]))
            self._ready.clear()
        said, self._said = self._said, []
        out = len(self._given) + len(self._ready)
        return Exchange(said, self._waiting - len(self._ready), out, self._turns)
