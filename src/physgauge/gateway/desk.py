"""What happens to one image, on a stream or in a call: checks, a place, the server, the answer."""

from __future__ import annotations

import asyncio
import time
import traceback
from dataclasses import dataclass
from typing import Any, Final

from physgauge.errors import RequestError
from physgauge.gateway.behind import Behind
from physgauge.gateway.checks import Work, check, check_id
from physgauge.gateway.forward import Forward
from physgauge.gateway.messages import read_item, refusal_of, row_of
from physgauge.gateway.metrics import Metrics
from physgauge.gateway.places import Place, Places
from physgauge.gateway.refusal import RETRY_MS, Refused
from physgauge.gateway.settings import GatewaySettings
from physgauge.log import log
from physgauge.v1 import gateway_pb2 as v1

_LATE: Final = RequestError("deadline_exceeded", "in the gateway")


@dataclass(slots=True)
class Arrival:
    """A message of a caller, from its arrival to its answer."""

    client: str
    sequence: int
    request_id: str
    size: int
    """Bytes."""
    arrived_s: float
    """`time.monotonic`."""
    item_id: str = ""
    """As soon as it is known."""


class Desk:
    """Where all images pass.

    Args:
        settings: the limits.
        places: who may have how much in hand.
        forward: the server.
        behind: how it is.
        metrics: what is counted.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        places: Places,
        forward: Forward,
        behind: Behind,
        metrics: Metrics,
    ) -> None:
        self._settings, self._forward, self._behind = settings, forward, behind
        self._metrics = metrics
        self.places = places
        self.draining = False

    def arrival(self, client: str, call_id: str, sequence: int, data: bytes) -> Arrival:
        """Take note of a message."""
        self._metrics.received(client, len(data))
        return Arrival(client, sequence, f"{call_id}-{sequence}", len(data), time.monotonic())

    def open(self, arrival: Arrival, data: bytes, kind: type[Any], named: bool) -> v1.Item:
        """The item in a message; its name is noted before anything else is looked at.

        Args:
            arrival: the message.
            data: its bytes.
            kind: StreamRequest or ScoreRequest.
            named: whether the item must have a name.

        Raises:
            Refused: there is none.
        """
        item = read_item(data, kind)
        check_id(item.id, named)
        arrival.item_id = item.id
        return item

    def admit(
        self, arrival: Arrival, item: v1.Item, left_s: float | None = None
    ) -> tuple[Work, Place]:
        """Check an item and take it in hand.

        Raises:
            Refused: it is wrong, or there is no room, or no server.
        """
        if self.draining:
            raise Refused(
                "unavailable",
                "expected a gateway, got one that shuts down",
                RETRY_MS["unavailable"],
            )
        work = check(item, self._settings.limits, arrival.request_id, left_s)
        if not self._behind.ready:
            raise Refused(
                "unavailable",
                "expected a server behind the gateway, got none that is ready",
                RETRY_MS["unavailable"],
            )
        return work, self.places.take(arrival.client, len(work.image))

    async def score(self, arrival: Arrival, work: Work, place: Place) -> v1.Answer:
        """An item's answer, and its place free again."""
        try:
            async with asyncio.timeout(work.deadline_s - time.monotonic()):
                await place.turn()
                row = row_of(await self._forward.send(work, arrival.request_id, place))
        except TimeoutError:
            return self.refuse(arrival, Refused.of(_LATE))
        except RequestError as error:
            log(
                "behind_refused",
                request_id=arrival.request_id,
                why=f"{error.code}: {error.message}"[:300],
            )
            return self.refuse(arrival, Refused.of(error))
        except Exception as error:
            # Whatever it is, the image gets its answer and the others go on. It might quote a caption.
            where = [
                f"{f.filename}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-3:]
            ]
            log("fault", request_id=arrival.request_id, kind=type(error).__name__, where=where)
            return self.refuse(arrival, _fault())
        finally:
            place.leave()
        self._behind.answered()
        self._note(arrival, "row_error" if row.error_code else "row")
        return _answer(arrival, row=row)

    def refuse(self, arrival: Arrival, refused: Refused) -> v1.Answer:
        """The answer of an item without a row."""
        self._note(arrival, refused.code)
        return _answer(arrival, refusal=refusal_of(refused))

    def drop(self, client: str, count: int) -> None:
        """Take note of images whose stream has ended before their answer."""
        for _ in range(count):
            self._metrics.answered(client, "gone", 0.0)

    def _note(self, arrival: Arrival, outcome: str) -> None:
        seconds = time.monotonic() - arrival.arrived_s
        self._metrics.answered(arrival.client, outcome, seconds)
        if self._settings.log_answers:
            log(
                "answer",
                request_id=arrival.request_id,
                client=arrival.client,
                outcome=outcome,
                ms=round(1000 * seconds, 1),
                bytes=arrival.size,
            )


def _answer(arrival: Arrival, **outcome: Any) -> v1.Answer:
    return v1.Answer(
        id=arrival.item_id, sequence=arrival.sequence, request_id=arrival.request_id, **outcome
    )


def _fault() -> Refused:
    return Refused("internal", "a fault of the gateway; its log has it", RETRY_MS["internal"])
