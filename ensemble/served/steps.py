"""The steps after decoding: each takes and gives the tensors of `tensors.py`, for one request, and calls
the functions that `pipeline.py` calls.

    decode -> detect -> judge (look) -> rules -> judge (reason) -> aggregate

One after another: Triton 24.10 crashes when a request ends while two of its steps are at work.

Nothing here knows Triton; `model_repository/*/1/model.py` connects each step to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from physgauge import wire
from physgauge.contract import RESULT, SCORES, scores_of
from physgauge.ensemble.aggregate import (
    Context,
    error_row,
    rows_of,
    rows_without_pcmde,
)
from physgauge.ensemble.clock import Clock
from physgauge.ensemble.detect import merge
from physgauge.ensemble.fuse import fuse
from physgauge.ensemble.judge.looking import JudgeCard, with_looks
from physgauge.ensemble.observations import Heard, listen
from physgauge.ensemble.readings import Readings, floor, read
from physgauge.ensemble.rules import apply_rules
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.records import (
    RuledImage,
    Ticket,
    read_answer,
    read_ruled,
    read_ticket,
    to_bytes,
)
from physgauge.ensemble.served.tensors import (
    DOMAIN,
    HEADS,
    LOOKED,
    NETWORK_OUTPUTS,
    REASON,
    REASONED,
    RULED,
    SKIP,
    TASK_REASON,
    TICKET,
    VIEW,
)
from physgauge.ensemble.subjects.apart import Apart, tell_apart
from physgauge.ensemble.whereabouts import whereabouts
from physgauge.errors import RequestError
from physgauge.types import VIEWS, Detections

Tensors = Mapping[str, Any]


@contextmanager
def in_time(ticket: Ticket, admission: Admission, last: bool = False) -> Iterator[None]:
    """Work on a request while there is time; gives its place back when it ends here.

    Raises:
        RequestError: the deadline is over.
    """
    try:
        if time.monotonic() > ticket.deadline_s:
            raise RequestError("deadline_exceeded", "the time that the caller gave is over")
        yield
    except BaseException:
        admission.give_back(ticket.slot, ticket.deadline_s)
        raise
    if last:
        admission.give_back(ticket.slot, ticket.deadline_s, answered=True)


class RulesStep:
    """From the networks' outputs to what the rules say."""

    def __init__(self, deployment: Deployment, admission: Admission, device: str = "cpu") -> None:
        self._deployment, self._profile = deployment, deployment.profile
        self._domains = deployment.domains(device)
        self._detectors = deployment.detectors()
        self._admission = admission
        judge = self._profile.judge
        self._context = (
            Context.of(self._profile, self._domains, self._detectors)
            if judge and judge.after_detection
            else None
        )
        """For a judge who must know where the subjects are."""

    def __call__(self, inputs: Tensors) -> dict[str, Any]:
        """RULED and the judge's next task."""
        ticket = read_ticket(inputs[TICKET.name])
        with in_time(ticket, self._admission):
            subject = ticket.subject
            if subject is None or not self._deployment.methods(ticket.method).detects:
                return {RULED.name: b"", REASON.name: np.array([SKIP], np.int32)}
            self._check_domain(ticket)
            # As the other stages' times, that of `detect` includes the wait for it.
            waited = round(1000 * (time.monotonic() - ticket.decoded_s), 3)
            clock, profile, domains = Clock(1), self._profile, self._domains
            size = np.array([(subject.width, subject.height)], np.float32)
            detections = domains.clear(self._detections(inputs, subject.width, subject.height))
            fused = clock.time(
                "fuse", lambda: fuse(detections, profile.fuse, ticket.domain, profile.detectors)
            )
            captions = [subject.caption]
            apart = clock.time("tell_apart", lambda: tell_apart(fused, captions, domains))
            readings = clock.time(
                "read", lambda: read(apart.fused, profile.readings, domains.literal)
            )
            sizes = np.repeat(size, len(apart.facts), axis=0)
            readings, heard = self._listen(inputs, readings, apart)
            ruled = clock.time(
                "rules", lambda: apply_rules(readings, apart.facts, sizes, domains, heard)
            )
            record = RuledImage.of(apart.whose, readings, ruled, {"detect": waited, **clock.ms})
            if self._context:
                (boxes,) = whereabouts(
                    [subject], fused, size, profile.readings, domains, self._context
                )
                record = msgspec.structs.replace(record, boxes=boxes)
            return {
                RULED.name: to_bytes(record),
                REASON.name: np.array([TASK_REASON], np.int32),
            }

    def _listen(self, inputs: Tensors, readings: Readings, apart: Apart) -> tuple[Readings, Heard]:
        """What the judge's observers have seen joins in."""
        observers = self._profile.observers
        look = read_answer(inputs[LOOKED.name]).look if observers else None
        if look is None:
            return readings, ()
        return listen(readings, apart.whose, [look.sights], observers, self._domains.by_name)

    def _check_domain(self, ticket: Ticket) -> None:
        if ticket.domain is not None and ticket.domain not in self._domains.by_name:
            known = ", ".join(["auto", *self._domains.by_name])
            raise RequestError(
                "request_invalid",
                f"OPTIONS.domain: expected one of {known}, got {ticket.domain!r:.80}",
            )

    def _detections(self, inputs: Tensors, width: int, height: int) -> Detections:
        """One image's, of all detectors: they share the boxes alike, and their heads by their sizes."""
        count = len(self._detectors)
        boxes = {
            output: np.split(inputs[tensor.name], count)
            for output, tensor in NETWORK_OUTPUTS.items()
            if output not in HEADS
        }
        domain, view = inputs[DOMAIN.name], inputs[VIEW.name]
        found = []
        for k, detector in enumerate(self._detectors):
            contract = detector.contract
            raw = {name: parts[k][None] for name, parts in boxes.items()}
            if contract.has_domain:
                heads = len(contract.domains) + 1
                raw["domain"], domain = domain[None, :heads], domain[heads:]
            if contract.has_view:
                raw["view"], view = view[None, : len(VIEWS)], view[len(VIEWS) :]
            least = floor(detector.settings, self._profile.readings)
            found.append(detector.finish(raw, [(width, height)], least))
        return merge(found)


class AggregateStep:
    """The last step: the row.

    Args:
        deployment: the profile.
        admission: the places.
        seen: is told of every row.
    """

    def __init__(
        self,
        deployment: Deployment,
        admission: Admission,
        seen: Callable[[Ticket, wire.Row], None],
    ) -> None:
        self._deployment, self._loaded = deployment, deployment.domains()
        self._context = deployment.context(self._loaded)
        self._card: JudgeCard | None = None
        self._admission = admission
        self._seen = seen

    def __call__(self, inputs: Tensors) -> dict[str, Any]:
        """RESULT and SCORES."""
        ticket = read_ticket(inputs[TICKET.name])
        with in_time(ticket, self._admission, last=True):
            row = self._row(ticket, inputs)
            self._seen(ticket, row)
            return {
                RESULT.name: wire.to_json(row),
                SCORES.name: np.array(scores_of(row), np.float32),
            }

    def _row(self, ticket: Ticket, inputs: Tensors) -> wire.Row:
        looked = read_answer(inputs[LOOKED.name])
        context = self._context_with(looked.card)
        if ticket.subject is None:
            return error_row(ticket.item, ticket.input_error, context)
        methods = self._deployment.methods(ticket.method)
        if methods.no_terravis is not None:
            context = replace(context, unseen=methods.no_terravis)
        answer, subjects = read_answer(inputs[REASONED.name]), [ticket.subject]
        if methods.no_pcmde is not None:
            rows = rows_without_pcmde(subjects, methods.no_pcmde, answer.ms, context)
        else:
            record = read_ruled(inputs[RULED.name])
            ruled, ms = record.ruled(self._loaded.by_name), {**record.ms, **answer.ms}
            said = answer.reasoned
            rows = rows_of(subjects, record.whose, record.readings, ruled, said, ms, context)
        look = looked.look or answer.look
        if look is not None and looked.card is not None:
            counting = looked.card.counting if methods.no_terravis is None else None
            rows = with_looks(rows, [look], counting)
        return rows[0]

    def _context_with(self, card: JudgeCard | None) -> Context:
        """Rows name the judge, which another process has."""
        if card != self._card:
            self._card, self._context = card, self._deployment.context(self._loaded, card)
        return self._context
