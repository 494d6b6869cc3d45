"""`--engine local`: worker processes of this machine, each with a pipeline of its own.

A worker that dies or stands still is replaced; what it had in hand is read from memory that it shared
(`flight.py`). One that cannot load its models stops the run with what it says.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Mapping, Sequence
from typing import Final

from physgauge.bulk.channel import Broke, Do, Failed, Finish, Nothing, Open, Ready, Want
from physgauge.bulk.engines.hands import Hand
from physgauge.bulk.machines import VISIBLE
from physgauge.bulk.watch.events import UnitDone, WorkerLost
from physgauge.bulk.work import DRAIN_S, GivenUp, Setup, Work
from physgauge.errors import ConfigError, EnvironmentProblem

_CLOSING_S: Final = 20.0
"""What a worker gets on top, to end."""
_TURN_S: Final = 0.25
_LOADING_DEATHS: Final = 3


class LocalEngine:
    """See :class:`physgauge.bulk.work.Engine`; a context manager.

    Args:
        parts: the fingerprint.
        environments: one a worker: variables over this process's own (CUDA_VISIBLE_DEVICES).
        stall_s: without any sign of life for so long, a worker is taken for stuck.
    """

    def __init__(
        self, parts: Mapping[str, str], environments: Sequence[Mapping[str, str]], stall_s: float
    ) -> None:
        self._parts, self._stall_s = dict(parts), stall_s
        self._environments = list(environments)
        self._selector = selectors.DefaultSelector()
        self._hands: list[Hand] = []
        self._setup: Setup | None = None
        self._loading_deaths = 0
        self._drain_until: float | None = None

    def fingerprint(self) -> dict[str, str]:
        """See Engine."""
        return dict(self._parts)

    @property
    def gpus(self) -> float:
        """How many GPUs the workers were given."""
        return float(len({gpu for one in self._environments for gpu in _gpus(one)}))

    def load(self, setup: Setup) -> None:
        """Start the workers, if none runs; they load their models while the caller goes on."""
        if self._hands:
            return
        self._setup = setup
        for name in range(len(self._environments)):
            self._start(name)

    def _start(self, name: int) -> Hand:
        assert self._setup is not None
        hand = Hand(str(name), self._environments[name], self._setup)
        self._hands.append(hand)
        self._selector.register(hand.channel, selectors.EVENT_READ, hand)
        return hand

    def run(self, work: Work) -> None:
        """See Engine."""
        self.load(work.setup)
        for hand in self._hands:
            hand.send(Open(work.setup))
        self._setup = work.setup
        while self._hands and work.drain != "stop":
            for key, _ in self._selector.select(_TURN_S):
                self._hear(key.data, work)
            self._drain(work)
            for hand in list(self._hands):
                self._look_after(hand, work)
            work.ahead()
        for hand in list(self._hands):
            for unit in list(hand.tasks):
                work.tell(GivenUp(unit=unit))

    def _hear(self, hand: Hand, work: Work) -> None:
        for message in hand.receive():
            match message:
                case Ready():
                    hand.ready, self._loading_deaths = True, 0
                case Want():
                    hand.wants = message
                    self._serve(hand, work)
                case Broke(how=how):
                    hand.broke = how
                case Failed():
                    kinds = {"config": ConfigError, "environment": EnvironmentProblem}
                    raise kinds.get(message.kind, EnvironmentProblem)(message.message)
                case UnitDone() | GivenUp():
                    hand.tasks.pop(message.unit, None)
                    work.tell(message)
                case _:
                    work.tell(message)

    def _serve(self, hand: Hand, work: Work) -> None:
        """Give what was asked for, if there is any."""
        if hand.wants is None:
            return
        task = work.take()
        if task is not None:
            hand.tasks[task.unit.number] = task
            hand.send(Do(task))
        elif not hand.wants.wait:
            hand.send(Nothing(over=False))
        elif work.drain == "no" and not work.over():
            return
        else:
            hand.send(Nothing(over=True))
        hand.wants = None

    def _look_after(self, hand: Hand, work: Work) -> None:
        hand.flush()
        self._serve(hand, work)
        if hand.ended:
            self._hear(hand, work)  # its last words
            self._leave(hand)
            if not hand.finished:
                self._lost(hand, work)
        elif hand.stands_still(self._stall_s):
            hand.kill(f"stood still for {self._stall_s:.0f} s")

    def _lost(self, hand: Hand, work: Work) -> None:
        """A worker died."""
        how = hand.how()
        goes_on = work.drain == "no"
        first = min(hand.tasks, default=None)
        work.tell(WorkerLost(worker=hand.name, unit=first, reason=hand.reason(), replaced=goes_on))
        if not hand.ready:
            self._loading_deaths += 1
            if self._loading_deaths >= _LOADING_DEATHS:
                raise EnvironmentProblem(
                    f"worker {hand.name}: expected it to load the models of the profile, got {how} "
                    f"{_LOADING_DEATHS} times"
                )
        elif goes_on:
            in_hand = hand.flight.in_hand()
            work.crashed(hand.tasks.values(), in_hand, how, worker=hand.name)
        else:
            for unit in list(hand.tasks):
                work.tell(GivenUp(unit=unit))
        hand.close()
        if goes_on:
            self._start(int(hand.name)).send(Open(work.setup))

    def _leave(self, hand: Hand) -> None:
        self._selector.unregister(hand.channel)
        self._hands.remove(hand)

    def _drain(self, work: Work) -> None:
        """Ctrl-C: units that are nearly done are finished."""
        if work.drain == "no":
            return
        if self._drain_until is None:
            self._drain_until = time.monotonic() + DRAIN_S + _CLOSING_S
            for hand in self._hands:
                if hand.ready:
                    hand.send(Finish(DRAIN_S))
                else:
                    hand.kill("ended while it loaded")
        elif time.monotonic() > self._drain_until:
            for hand in self._hands:
                hand.kill("did not end")

    def close(self) -> None:
        """End what still runs."""
        for hand in self._hands:
            hand.kill("ended")
            hand.close()
        self._hands.clear()
        self._selector.close()

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _gpus(environment: Mapping[str, str]) -> list[str]:
    return [gpu for gpu in environment.get(VISIBLE, "").split(",") if gpu]
