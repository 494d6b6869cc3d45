"""The desk between a driver and its actors: which turn gets which task, whatever dies."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from physgauge.bulk.engines.desk import (
    Crash,
    Desk,
    Refused,
    pack,
    pack_task,
    unpack,
    unpack_task,
)
from physgauge.bulk.engines.ray_driver import drive
from physgauge.bulk.watch.events import Beat
from physgauge.bulk.work import Drain, GivenUp, Task
from physgauge.clients.sources import Unit
from physgauge.errors import ConfigError, EnvironmentProblem


def task(number: int) -> Task:
    return Task(unit=Unit(number=number))


def packed(*numbers: int) -> list[bytes]:
    return [pack_task(task(number)) for number in numbers]


def unit_of(data: bytes | None) -> int | None:
    return None if data is None else unpack_task(data).unit.number


def go(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def test_turns_that_wait_get_the_tasks_that_come() -> None:
    async def story() -> None:
        desk = Desk()
        first, second = (asyncio.create_task(desk.take(turn, 30)) for turn in (0, 1))
        await asyncio.sleep(0)
        assert (await desk.exchange([], False, "no")).waiting == 2
        last = await desk.exchange(packed(7, 8), False, "no")
        assert {unit_of(await first), unit_of(await second)} == {7, 8}
        last = await desk.exchange([], False, "no")
        assert (last.waiting, last.out, last.turns) == (0, 2, 2)
        await desk.done(0, pack([GivenUp(unit=7)]))
        last = await desk.exchange([], False, "no")
        assert last.out == 1
        assert [unpack(said) for said in last.said] == [[GivenUp(unit=7)]]

    go(story())


def test_a_turn_whose_actor_died_has_its_task_again() -> None:
    async def story() -> None:
        desk = Desk()
        await desk.exchange(packed(7, 8), False, "no")
        assert unit_of(await desk.take(0, 30)) == 7
        assert unit_of(await desk.take(0, 30)) == 7
        assert unit_of(await desk.take(0, 30)) == 7
        assert (await desk.exchange([], False, "no")).said == []
        assert await desk.take(0, 30) is None
        (said,) = (await desk.exchange([], False, "no")).said
        (crash,) = unpack(said)
        assert isinstance(crash, Crash)
        assert [one.unit.number for one in crash.tasks] == [7]
        assert crash.in_hand == {}
        assert crash.how == "its actor died 3 times"
        assert unit_of(await desk.take(0, 30)) == 8  # the turn itself goes on

    go(story())


def test_no_task_in_time() -> None:
    async def story() -> None:
        desk = Desk()
        assert await desk.take(0, 0.01) is None
        assert (await desk.exchange([], False, "no")).waiting == 0

    go(story())


@pytest.mark.parametrize(("over", "drain"), [(True, "no"), (False, "drain"), (False, "stop")])
def test_turns_that_wait_hear_of_the_end(over: bool, drain: Drain) -> None:
    async def story() -> None:
        desk = Desk()
        waiting = asyncio.create_task(desk.take(0, 60))
        await asyncio.sleep(0)
        await desk.exchange([], over, drain)
        assert await asyncio.wait_for(waiting, 5) is None
        assert await asyncio.wait_for(desk.take(1, 60), 5) is None

    go(story())


def test_what_nobody_has_taken_is_given_back() -> None:
    async def story() -> None:
        desk = Desk()
        await desk.exchange(packed(7, 8), False, "no")
        assert unit_of(await desk.take(0, 30)) == 7
        last = await desk.exchange(packed(9), False, "drain")
        given = [word for said in last.said for word in unpack(said)]
        assert given == [GivenUp(unit=8), GivenUp(unit=9)]
        assert last.out == 1
        beat = Beat(worker="ray-1")
        assert await desk.tell(pack([beat])) == "drain"

    go(story())


class Coordinator:
    """Three units, each of which can be had once; the first crashes."""

    def __init__(self) -> None:
        self.open = [task(number) for number in range(3)]
        self.heard: list[Any] = []
        self.drain: Drain = "no"
        self.hand = 0

    setup: Any = None

    @property
    def left(self) -> int:
        return len(self.open)

    def take(self) -> Task | None:
        if not self.open or self.drain != "no":
            return None
        self.hand += 1
        return self.open.pop(0)

    def ahead(self) -> None:
        pass

    def over(self) -> bool:
        return not self.open and not self.hand

    def tell(self, event: Any) -> None:
        if isinstance(event, GivenUp):
            self.hand -= 1
        self.heard.append(event)

    def crashed(self, tasks: Any, in_hand: Any, how: str, *, worker: str) -> None:
        self.heard.append((how, worker, dict(in_hand)))
        for one in tasks:
            self.hand -= 1
            self.open.append(one)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """In the thread where Ray would run the desk."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


def driven(
    loop: asyncio.AbstractEventLoop, coordinator: Coordinator, work: Any, turns: int = 50
) -> None:
    """A run of so many turns, each of which is worked on by `work`."""
    desk = Desk()

    def call(asked: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(asked, loop).result(10)

    def exhaust() -> None:
        for turn in range(turns):
            data = call(desk.take(turn, 30))
            if data is not None:
                call(work(desk, turn, unpack_task(data)))

    drive(coordinator, lambda *given: call(desk.exchange(*given)), exhaust)


def test_a_driver_brings_tasks_until_all_are_done(loop: asyncio.AbstractEventLoop) -> None:
    coordinator = Coordinator()
    crashed: list[int] = []

    async def work(desk: Desk, turn: int, one: Task) -> None:
        unit = one.unit.number
        if unit == 0 and not crashed:
            crashed.append(turn)
            crash = Crash(tasks=[one], in_hand={0: [3]}, how="signal SIGSEGV", worker="ray-1")
            await desk.tell(pack([crash]))
            await desk.done(turn, pack([]))
        else:
            await desk.done(turn, pack([GivenUp(unit=unit, lost=True)]))

    driven(loop, coordinator, work)
    assert ("signal SIGSEGV", "ray-1", {0: [3]}) in coordinator.heard
    done = [one.unit for one in coordinator.heard if isinstance(one, GivenUp)]
    assert sorted(done) == [0, 1, 2]
    assert coordinator.over()


def test_the_last_words_are_heard(loop: asyncio.AbstractEventLoop) -> None:
    async def work(desk: Desk, turn: int, one: Task) -> None:
        await desk.done(turn, pack([GivenUp(unit=one.unit.number, lost=True)]))

    coordinator = Coordinator()
    driven(loop, coordinator, work, turns=3)
    assert [one.unit for one in coordinator.heard] == [0, 1, 2]


@pytest.mark.parametrize(
    ("kind", "error"), [("config", ConfigError), ("environment", EnvironmentProblem)]
)
def test_an_actor_that_cannot_work_ends_the_run(
    loop: asyncio.AbstractEventLoop, kind: str, error: type[Exception]
) -> None:
    async def work(desk: Desk, turn: int, one: Task) -> None:
        refused = Refused(kind=kind, message="no such pack")
        await desk.done(turn, pack([GivenUp(unit=one.unit.number), refused]))

    with pytest.raises(error, match="no such pack"):
        driven(loop, Coordinator(), work)


def test_what_ray_says_ends_the_run() -> None:
    def fail() -> None:
        raise RuntimeError("first line\n\nthe cluster is gone")

    desk = Desk()
    with pytest.raises(EnvironmentProblem, match="--engine ray: RuntimeError: the cluster is gone"):
        drive(Coordinator(), lambda *given: asyncio.run(desk.exchange(*given)), fail)
