"""Records on their way between the server's steps, as bytes (MessagePack; arrays as their raw bytes).

The pixels and the network's outputs travel as tensors (`steps.py`), since a GPU makes and takes them. The
records behind them are some thirty small arrays of ragged shapes beside text: they travel as one.
"""

from __future__ import annotations

import dataclasses
import typing
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from physgauge import wire
from physgauge.ensemble.aggregate import Subject
from physgauge.ensemble.domains import Domain
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import JudgeCard
from physgauge.ensemble.judge.reasoning import Reasoned
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.rules import DomainRules, Ruled
from physgauge.ensemble.subjects.worst import Whose
from physgauge.errors import InputError
from physgauge.types import Item


class Ticket(msgspec.Struct, frozen=True):
    """What goes with a request through all steps."""

    request_id: str
    image_id: str
    source: str
    caption: str | None
    extra: dict[str, str]
    domain: str | None
    """The caller's word; None = the detector decides."""
    deadline_s: float
    """`time.monotonic`, which all processes of a machine share."""
    slot: int
    """Of :class:`physgauge.ensemble.served.admission.Admission`."""
    arrived_s: float
    """When it came (`time.monotonic`)."""
    decoded_s: float = 0.0
    """When it left the decode step (`time.monotonic`)."""
    subject: Subject | None = None
    """None for an image or caption that cannot be scored."""
    error: tuple[str, str] | None = None
    """Code and message, then."""
    method: wire.Method = "both"
    """What to score it by, as the caller says."""

    @property
    def item(self) -> Item:
        """The input, without its bytes."""
        return Item(self.image_id, None, self.source, self.caption, self.extra, domain=self.domain)

    @property
    def input_error(self) -> InputError:
        """Why there is no subject."""
        code, message = self.error or (
            "internal",
            "expected a decoded image, got neither it nor why",
        )
        return InputError(code, message)


_HINTS = typing.get_type_hints(DomainRules)
_GROUP_FIELDS = [f.name for f in dataclasses.fields(DomainRules) if f.name != "domain"]
# A group without its `Domain`, which every step has loaded and knows by name. Made from the record's own
# fields, so that a field added there travels too.
if TYPE_CHECKING:
    _Group = Any
else:
    _Group = msgspec.defstruct(
        "_Group", [("domain_name", str), *((name, _HINTS[name]) for name in _GROUP_FIELDS)]
    )


class RuledImage(msgspec.Struct, frozen=True):
    """What the rules step says of one image."""

    whose: Whose
    readings: Readings
    groups: list[_Group]
    reason: tuple[str | None, ...]
    ms: dict[str, float]
    boxes: list[list[float]] | None = None
    """Around its subjects, for a judge who looks there; None where none does."""

    @classmethod
    def of(cls, whose: Whose, readings: Readings, ruled: Ruled, ms: dict[str, float]) -> RuledImage:
        """From the stages' records."""
        make: Any = _Group
        groups = [
            make(group.domain.name, *(getattr(group, name) for name in _GROUP_FIELDS))
            for group in ruled.groups
        ]
        return cls(whose, readings, groups, ruled.reason, ms)

    def ruled(self, domains: typing.Mapping[str, Domain]) -> Ruled:
        """Back to the stages' record."""
        groups = (
            DomainRules(
                domain=domains[group.domain_name],
                **{name: getattr(group, name) for name in _GROUP_FIELDS},
            )
            for group in self.groups
        )
        return Ruled(tuple(groups), self.reason)


class Answer(msgspec.Struct, frozen=True):
    """What the judge says, to either task."""

    skipped: str | None = None
    """Why there is no answer."""
    reasoned: list[Reasoned] = []
    """Task `reason`: one per group of the rules."""
    look: Look | None = None
    """Task `look`; or with `reason`, where a look needs to know the subjects."""
    card: JudgeCard | None = None
    """The judge, for rows; None where there is none."""
    ms: dict[str, float] = {}


def _encode_array(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    raise TypeError(f"expected a record of arrays and plain values, got a {type(value).__name__}")


def _decode_array(kind: type, value: Any) -> Any:
    if typing.get_origin(kind) is np.ndarray:
        dtype, shape, data = value
        return np.frombuffer(data, dtype).reshape(shape)
    raise TypeError(f"expected a record of arrays and plain values, got a {kind}")


_encoder = msgspec.msgpack.Encoder(enc_hook=_encode_array)
_ticket = msgspec.msgpack.Decoder(Ticket)
_ruled = msgspec.msgpack.Decoder(RuledImage, dec_hook=_decode_array)
_answer = msgspec.msgpack.Decoder(Answer)


def to_bytes(record: Ticket | RuledImage | Answer) -> bytes:
    """A record as bytes."""
    return _encoder.encode(record)


def read_ticket(data: bytes) -> Ticket:
    """A `Ticket` from its bytes."""
    return _ticket.decode(data)


def read_ruled(data: bytes) -> RuledImage:
    """A `RuledImage` from its bytes; its arrays are read-only views of them."""
    return _ruled.decode(data)


def read_answer(data: bytes) -> Answer:
    """An `Answer` from its bytes."""
    return _answer.decode(data)
