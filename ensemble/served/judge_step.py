"""The judge's step, for both its tasks; it owns the judge's engines.

It answers when the judge has, not when it is asked: Triton sees one instance that is never busy, and the
judge bounds for himself how many images he has in hand. Where he needs to know the subjects before he
looks, he looks in the second task, at the pixels that the first one brought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any, Final

from physgauge.ensemble.beside import Steps, reason
from physgauge.ensemble.clock import Clock
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.driving import drive
from physgauge.ensemble.served.records import (
    Answer,
    RuledImage,
    Ticket,
    read_ruled,
    read_ticket,
    to_bytes,
)
from physgauge.ensemble.served.steps import in_time
from physgauge.ensemble.served.tensors import (
    ANSWER,
    PIXELS,
    RULED,
    TASK,
    TASK_LOOK,
    TASK_REASON,
    TICKET,
)
from physgauge.errors import RequestError
from physgauge.types import U8

NO_LOOK: Final = "there is nothing to look at, or nobody looks"
Tensors = Mapping[str, Any]
Reply = Callable[[dict[str, Any] | Exception], None]


class JudgeStep:
    """Looks, reasons, or says that it was skipped.

    Args:
        deployment: the profile.
        admission: the places.
    """

    def __init__(self, deployment: Deployment, admission: Admission) -> None:
        self._deployment, self._profile = deployment, deployment.profile
        self._admission = admission
        self._looking = Looking.of(deployment.loaded)
        self._card = self._looking.card if self._looking else None
        self._domains = deployment.domains().by_name
        self._skipped = Answer(skipped=NO_LOOK, card=self._card)
        self._kept: dict[int, tuple[float, U8]] = {}
        """Deadline and pixels by place, for a look in the second task."""

    def start(self, request_id: str, timeout_s: float, inputs: Tensors, reply: Reply) -> None:
        """Begin; `reply` is called once, perhaps in another thread, with ANSWER or why there is none."""

        def done(outcome: Answer | Exception) -> None:
            if isinstance(outcome, CancelledError):
                outcome = RequestError(
                    "unavailable", "expected a judge, got one that is shutting down"
                )
            reply(outcome if isinstance(outcome, Exception) else {ANSWER.name: to_bytes(outcome)})

        ticket = read_ticket(inputs[TICKET.name])
        drive(self._steps(inputs[TASK.name].item(), ticket, inputs), done)

    def _steps(self, task: int, ticket: Ticket, inputs: Tensors) -> Steps[Answer]:
        with in_time(ticket, self._admission):
            answer = self._skipped
            if task == TASK_LOOK and self._looking:
                answer = yield from self._look(ticket, inputs[PIXELS.name], self._looking)
            elif task == TASK_REASON:
                answer = yield from self._reason(ticket, read_ruled(inputs[RULED.name]))
        with in_time(ticket, self._admission):
            return answer

    def _look(self, ticket: Ticket, pixels: U8, looking: Looking) -> Steps[Answer]:
        if looking.after_detection:
            self._kept[ticket.slot] = ticket.deadline_s, pixels
            return self._skipped
        (look,) = yield [looking.begin(pixels, (), ticket.deadline_s, ticket.method)]
        return Answer(card=self._card, look=look)

    def _reason(self, ticket: Ticket, record: RuledImage) -> Steps[Answer]:
        ruled, readings, clock = record.ruled(self._domains), record.readings, Clock(1)
        look, (until, pixels) = None, self._kept.pop(ticket.slot, (0.0, None))
        if self._looking and pixels is not None and until == ticket.deadline_s:
            until, boxes = ticket.deadline_s, record.boxes or ()
            (look,) = yield [self._looking.begin(pixels, boxes, until, ticket.method)]
        if self._deployment.methods(ticket.method).no_pcmde is not None:
            return Answer(look=look, card=self._card)
        reasoned = yield from reason(ruled, readings, self._profile, self._looking, clock)
        return Answer(reasoned=reasoned, look=look, ms=clock.ms, card=self._card)

    def close(self) -> None:
        """Stop what runs, and close the judge."""
        if self._looking:
            self._looking.close()
