"""The judge's step, for both its tasks; it owns the judge's engine.

It answers when the judge has, not when it is asked: Triton sees one instance that is never busy, and the
judge bounds for himself how many images he looks at together. Where he needs to know the subjects before
he looks, he looks in the second task, at the pixels that the first one brought.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Final

from physgauge.ensemble.aggregate import rows_of
from physgauge.ensemble.clock import Clock
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.reasoning import reason_batch
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment
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
        self._profile = deployment.profile
        self._admission = admission
        self._looking = Looking.of(deployment.loaded)
        self._card = self._looking.card if self._looking else None
        domains = deployment.domains()
        self._domains = domains.by_name
        self._context = deployment.context(domains, self._card)
        self._skipped = Answer(skipped=NO_LOOK, card=self._card)
        self._kept: dict[int, tuple[float, U8]] = {}
        """Deadline and pixels by place, for a look in the second task."""

    def start(self, request_id: str, timeout_s: float, inputs: Tensors, reply: Reply) -> None:
        """Begin; `reply` is called once, perhaps in another thread, with ANSWER or why there is none.

        Raises:
            RequestError: the request's time is over.
        """
        task, ticket = inputs[TASK.name].item(), read_ticket(inputs[TICKET.name])
        with in_time(ticket, self._admission):
            if task == TASK_LOOK and self._looking:
                return self._look_first(ticket, inputs[PIXELS.name], reply)
            if task == TASK_REASON:
                return self._reason(ticket, read_ruled(inputs[RULED.name]), reply)
        return reply({ANSWER.name: to_bytes(self._skipped)})

    def _look_first(self, ticket: Ticket, pixels: U8, reply: Reply) -> None:
        assert self._looking is not None
        if self._looking.after_detection:
            self._kept[ticket.slot] = ticket.deadline_s, pixels.copy()
            return reply({ANSWER.name: to_bytes(self._skipped)})
        # The copy: Triton takes the tensor back when this call has returned.
        return self._look(ticket, pixels.copy(), None, Answer(card=self._card), reply)

    def _reason(self, ticket: Ticket, record: RuledImage, reply: Reply) -> None:
        ruled, clock = record.ruled(self._domains), Clock(1)
        reasoned = clock.time("reason", lambda: reason_batch(ruled, record.readings, self._profile))
        answer = Answer(reasoned=reasoned, ms=clock.ms, card=self._card)
        until, pixels = self._kept.pop(ticket.slot, (0.0, None))
        if pixels is None or until != ticket.deadline_s or ticket.subject is None:
            return reply({ANSWER.name: to_bytes(answer)})
        (row,) = rows_of(
            [ticket.subject], record.whose, record.readings, ruled, reasoned, {}, self._context
        )
        return self._look(ticket, pixels, row, answer, reply)

    def _look(self, ticket: Ticket, pixels: U8, row: Any, answer: Answer, reply: Reply) -> None:
        assert self._looking is not None

        def done(future: Future[Look]) -> None:
            reply(self._outcome(ticket, answer, future))

        self._looking.begin(pixels, row, ticket.deadline_s).add_done_callback(done)

    def _outcome(
        self, ticket: Ticket, answer: Answer, future: Future[Look]
    ) -> dict[str, Any] | Exception:
        try:
            with in_time(ticket, self._admission):
                return {ANSWER.name: to_bytes(answer.with_look(future.result()))}
        except CancelledError:
            return RequestError("unavailable", "expected a judge, got one that is shutting down")
        except Exception as error:  # whatever happens, the caller gets an answer
            return error

    def close(self) -> None:
        """Stop what runs, and close the judge."""
        if self._looking:
            self._looking.close()
