"""The window of one server, as a state machine that is told the time."""

from __future__ import annotations

import heapq
from collections import deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from physgauge.clients.remote.window import START, Window


class AnyOrder(RuleBasedStateMachine):
    """Whatever happens, in whatever order, the counts are right and the limit is within its bounds."""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window(50)
        self.out: list[int] = []
        self.before: list[int] = []
        self.now = 0.0

    @rule(count=st.integers(1, 30))
    def send(self, count: int) -> None:
        for _ in range(min(count, self.window.room)):
            self.out.append(self.window.send())

    @rule(data=st.data(), passed=st.floats(0, 3), what=st.sampled_from("arrd"))
    def end(self, data: st.DataObject, passed: float, what: str) -> None:
        calls = self.out or self.before
        if not calls:
            return
        call = calls.pop(data.draw(st.integers(0, len(calls) - 1)))
        self.now += passed
        if what == "a":
            self.window.answered(call, self.now)
        elif what == "r":
            self.window.rejected(call)
        else:
            self.window.dropped(call)

    @rule()
    def restart(self) -> None:
        self.window.restart()
        self.before += self.out
        self.out.clear()
        assert self.window.limit <= START

    @invariant()
    def counted(self) -> None:
        assert self.window.in_flight == len(self.out)
        assert 1 <= self.window.limit <= 50
        assert self.window.room == max(0, self.window.limit - len(self.out))


AnyOrder.TestCase.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
TestAnyOrder = AnyOrder.TestCase


class Shop:
    """A server that works on `lanes` calls at a time, `service_s` each, and has `places` in all."""

    def __init__(self, lanes: int, service_s: float, places: int = 10_000) -> None:
        self.lanes, self.service_s, self.places = lanes, service_s, places
        self.now, self.rejects = 0.0, 0
        self.queue: deque[int] = deque()
        self.busy: list[tuple[float, int]] = []

    def serve(self, window: Window, answers: int, asked: int = 10_000) -> list[int]:
        """Keep the window full, or `asked` calls out if that is less; the limit after each answer."""
        limits: list[int] = []
        while len(limits) < answers:
            while window.room and window.in_flight < asked:
                call = window.send()
                if len(self.queue) + len(self.busy) >= self.places:
                    self.rejects += 1
                    window.rejected(call)
                    break  # the caller waits a little
                self.queue.append(call)
                self._begin()
            self.now, call = heapq.heappop(self.busy)
            window.answered(call, self.now)
            self._begin()
            limits.append(window.limit)
        return limits

    def _begin(self) -> None:
        while self.queue and len(self.busy) < self.lanes:
            heapq.heappush(self.busy, (self.now + self.service_s, self.queue.popleft()))


@pytest.mark.parametrize("lanes", [1, 3, 8, 20, 64, 150])
def test_grows_to_what_the_server_can_use_and_not_far_beyond(lanes: int) -> None:
    limits = Shop(lanes, 0.3).serve(Window(256), 8000)
    settled = limits[4000:]
    middle = sorted(settled)[len(settled) // 2]
    assert middle >= 0.8 * lanes
    assert middle <= max(2 * START, 2 * lanes)


def test_never_beyond_its_most() -> None:
    assert max(Shop(64, 0.3).serve(Window(20), 3000)) == 20


def test_does_not_grow_while_nobody_asks_for_more() -> None:
    assert max(Shop(64, 0.3).serve(Window(256), 1000, asked=5)) == START


def test_rejects_hold_it_at_what_the_server_takes() -> None:
    shop, window = Shop(100, 0.3, places=30), Window(256)
    limits = shop.serve(window, 8000)
    settled = limits[2000:]
    assert max(settled) <= 40
    assert sorted(settled)[len(settled) // 2] >= 20
    assert shop.rejects < 0.02 * 8000  # it does not knock all the time


def test_finds_a_server_that_has_become_faster() -> None:
    shop, window = Shop(8, 0.3), Window(256)
    shop.serve(window, 3000)
    before = window.limit
    shop.lanes = 100
    assert max(shop.serve(window, 20_000)) >= 3 * before


def test_one_round_of_rejects_shrinks_it_once() -> None:
    window = Window(100, start=40)
    calls = [window.send() for _ in range(40)]
    for call in calls[:30]:
        window.rejected(call)
    assert window.limit == 28
    later = [window.send() for _ in range(window.room)]
    window.rejected(later[0])
    assert window.limit == 19


def test_at_least_one_call_stays() -> None:
    window = Window(100)
    for _ in range(50):
        window.rejected(window.send())
    assert window.limit == 1
