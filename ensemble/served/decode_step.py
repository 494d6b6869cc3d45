"""The first step: admit a request, read its options and caption, decode its image.

It answers when the decode workers have, not when it is asked, so its queue in Triton stays short; what
the server has in hand is bounded by its places (`admission.py`).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from typing import Any, Final

import msgspec
import numpy as np

from physgauge.contract import CAPTION, IMAGE, MAX_NAME_CHARS, OPTIONS, Options, parse_options
from physgauge.ensemble.aggregate import Subject
from physgauge.ensemble.captions.parser import check_caption
from physgauge.ensemble.decode import Decoded, Decoder
from physgauge.ensemble.feed import Pixels
from physgauge.ensemble.served.admission import MAX_BYTES, Admission
from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.records import Ticket, to_bytes
from physgauge.ensemble.served.tensors import DETECT, LOOK, PIXELS, SKIP, SQUARES, TASK_LOOK, TICKET
from physgauge.errors import CaptionError, EnvironmentProblem, ImageError, InputError, RequestError

_NO_PIXELS: Final = np.zeros((1, 1, 3), np.uint8)

Outputs = dict[str, Any]
Reply = Callable[[Outputs | RequestError], None]


class DecodeStep:
    """Decodes in worker processes.

    Args:
        deployment: the profile.
        admission: the places.
    """

    def __init__(self, deployment: Deployment, admission: Admission) -> None:
        self._deployment, self._detectors = deployment, deployment.detectors()
        self._max_caption_chars = deployment.profile.pcmde.max_caption_chars
        self._decoder = Decoder(deployment.profile.decode, deployment.settings.workers)
        self._admission = admission
        self._settings = deployment.settings
        self._blank = np.zeros(sum(3 * d.contract.size**2 for d in self._detectors) or 1, np.uint8)
        """What stands for the networks' input where nothing is detected."""

    def start(
        self, request_id: str, timeout_s: float, inputs: Mapping[str, Any], reply: Reply
    ) -> None:
        """Begin; `reply` is called once, perhaps in another thread.

        Args:
            request_id: the caller's.
            timeout_s: what the transport allows; 0 = it does not say.
            inputs: IMAGE, CAPTION, OPTIONS.
            reply: takes the outputs, or why there are none.
        """
        try:
            options = parse_options(inputs[OPTIONS.name])
            self._deployment.methods(options.method)  # refused before it takes a place
            ticket = self._admit(request_id, timeout_s, options, len(inputs[IMAGE.name]))
        except RequestError as error:
            return reply(error)
        try:
            ticket = self._with_caption(ticket, inputs[CAPTION.name])
            return self._decode(ticket, inputs[IMAGE.name], reply)
        except RequestError as error:
            self._admission.give_back(ticket.slot, ticket.deadline_s)
            return reply(error)
        except InputError as error:
            return reply(self._unscored(ticket, error))

    def _admit(self, request_id: str, timeout_s: float, options: Options, size: int) -> Ticket:
        if (length := len(request_id)) > MAX_NAME_CHARS:
            what = f"request id: expected at most {MAX_NAME_CHARS:,} characters, got {length:,}"
            raise RequestError("request_invalid", what)
        canary = self._settings.is_canary(request_id)
        if self._admission.closed and not canary:
            raise RequestError("unavailable", "expected a server, got one that is shutting down")
        arrived_s, allowed_s = time.monotonic(), options.timeout_ms / 1000
        deadline_s = arrived_s + (min(allowed_s, timeout_s) if timeout_s else allowed_s)
        slot = self._admission.take(deadline_s, size, canary)
        if slot is None:
            most = f"{self._settings.places} images and {MAX_BYTES >> 20} MiB"
            raise RequestError("overloaded", f"expected at most {most} in hand, got more")
        request_id = request_id or uuid.uuid4().hex  # what the logs of all steps say
        return Ticket(
            request_id=request_id,
            image_id=options.image_id or request_id,
            source=options.source,
            caption=None,
            extra=options.extra,
            domain=None if options.domain == "auto" else options.domain,
            deadline_s=deadline_s,
            slot=slot,
            arrived_s=arrived_s,
            method=options.method,
        )

    def _with_caption(self, ticket: Ticket, data: bytes) -> Ticket:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CaptionError(
                "caption_invalid",
                f"caption: expected UTF-8, got byte {data[error.start]:#04x} at {error.start}",
            ) from None
        return msgspec.structs.replace(
            ticket, caption=check_caption(text or None, self._max_caption_chars)
        )

    def _decode(self, ticket: Ticket, data: bytes, reply: Reply) -> None:
        began = time.perf_counter()

        def done(future: Future[Decoded]) -> None:
            reply(self._outcome(ticket, future, 1000 * (time.perf_counter() - began)))

        self._decoder.submit(data).add_done_callback(done)

    def _outcome(
        self, ticket: Ticket, future: Future[Decoded], ms: float
    ) -> Outputs | RequestError:
        try:
            return self._scored(ticket, Pixels(ticket.item, future.result(), ms))
        except ImageError as error:
            return self._unscored(ticket, error)
        except (CancelledError, EnvironmentProblem) as error:
            self._admission.give_back(ticket.slot, ticket.deadline_s)
            return RequestError("unavailable", f"expected a decode worker, got none: {error}")
        except Exception as error:  # whatever happens, the caller gets an answer
            self._admission.give_back(ticket.slot, ticket.deadline_s)
            return RequestError("internal", f"decode: {type(error).__name__}")

    def _scored(self, ticket: Ticket, pixels: Pixels) -> Outputs:
        rgb, methods = pixels.decoded.rgb, self._deployment.methods(ticket.method)
        squares, until_s = self._blank, 0.0
        if methods.detects:
            each = [d.squares([rgb]).reshape(-1) for d in self._detectors]
            squares, until_s = np.concatenate(each), ticket.deadline_s
        outputs = self._outputs(ticket, Subject.of_pixels(pixels), squares, until_s)
        if methods.looks:
            outputs |= {PIXELS.name: rgb, LOOK.name: np.array([TASK_LOOK], np.int32)}
        return outputs

    def _unscored(self, ticket: Ticket, error: InputError) -> Outputs:
        failed = msgspec.structs.replace(ticket, error=(error.code, error.message))
        return self._outputs(failed, None, self._blank, 0.0)

    def _outputs(
        self, ticket: Ticket, subject: Subject | None, squares: np.ndarray[Any, Any], until_s: float
    ) -> Outputs:
        now = time.monotonic()
        self._admission.decoded(ticket.slot, now)
        whole = msgspec.structs.replace(ticket, subject=subject, decoded_s=now)
        return {
            TICKET.name: to_bytes(whole),
            SQUARES.name: squares,
            PIXELS.name: _NO_PIXELS,
            DETECT.name: np.array([until_s], np.float64),
            LOOK.name: np.array([SKIP], np.int32),
        }

    def close(self) -> None:
        """Stop the workers."""
        self._decoder.close(cancel=True)
