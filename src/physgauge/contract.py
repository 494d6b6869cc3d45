"""What a caller and the server agree on: tensors, options and refusals of the Triton model ``score``.

One request is one image: ``IMAGE``, ``CAPTION`` and ``OPTIONS`` in, the result row and its scores out. An
image or caption that cannot be scored is answered with an error row, as in a local run. A request that
cannot be answered at all is refused: a gRPC status, and a message like ``physgauge [code] sentence``.

A client needs this module, :mod:`physgauge.wire` and :mod:`physgauge.errors`, and no more. The tensors
between the steps are in :mod:`physgauge.ensemble.steps`; a test holds both to ``model_repository``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from physgauge import wire
from physgauge.errors import REQUEST_CODES, RequestError

MODEL: Final = "score"
"""The Triton model that callers use."""
TOKEN_HEADER: Final = "triton-grpc-protocol-physgauge-token"
"""The gRPC metadata key of the access token."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of a Triton model."""

    name: str
    datatype: str
    """KServe's name: BYTES, FP32, UINT8, ..."""
    dims: tuple[int, ...]
    """Without the batch axis, which is 1 on the wire: ``IMAGE`` has the shape [1, 1]. -1 = any."""
    optional: bool = False


IMAGE: Final = Tensor("IMAGE", "BYTES", (1,))
"""One encoded image: JPEG, PNG, WebP, or ``.npy`` of uint8 [H, W, 3]."""
CAPTION: Final = Tensor("CAPTION", "BYTES", (1,))
"""UTF-8; empty = no caption."""
OPTIONS: Final = Tensor("OPTIONS", "BYTES", (1,))
""":class:`Options` as JSON; empty = all defaults."""
RESULT: Final = Tensor("RESULT", "BYTES", (1,))
"""A :class:`physgauge.wire.Row` as JSON."""

SCORE_FIELDS: Final = (
    "terravis.score",
    "terravis.score_soft",
    "pcmde.s_final",
    "pcmde.s_rules",
    "pcmde.s_llm",
    "pcmde.s_presence",
    "pcmde.s_spatial",
    "pcmde.s_relational",
    "pcmde.s_caption",
)
"""The numbers of ``SCORES``, by their place in the row."""
SCORES: Final = Tensor("SCORES", "FP32", (len(SCORE_FIELDS),))
"""The row's main numbers in the order of :data:`SCORE_FIELDS`; NaN where the row says null."""

INPUTS: Final = (IMAGE, CAPTION, OPTIONS)
OUTPUTS: Final = (RESULT, SCORES)

MAX_OPTIONS_BYTES: Final = 64 * 1024
DEFAULT_TIMEOUT_MS: Final = 60_000
MAX_NAME_CHARS: Final = 4096
"""Of an image id, a source and a request's id, which may become one."""
Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME_CHARS)]


class Options(wire.Wire, frozen=True, kw_only=True):
    """What a caller may say about one image. Unknown keys are errors."""

    image_id: Name = ""
    """For the row; by default the id of the request."""
    source: Name = ""
    """For the row: where the image came from."""
    extra: Annotated[dict[str, str], msgspec.Meta(max_length=256)] = msgspec.field(
        default_factory=dict
    )
    """Columns carried into the row."""
    domain: Annotated[str, msgspec.Meta(max_length=64)] = "auto"
    """What the image shows, or "auto": the detector decides."""
    method: wire.Method = "both"
    """What to score it by; `both` leaves out what the server's profile cannot do."""
    timeout_ms: Annotated[int, msgspec.Meta(ge=1, le=3_600_000)] = DEFAULT_TIMEOUT_MS
    """From the arrival at the server; work that would end later is dropped, and the request refused."""


_options = msgspec.json.Decoder(Options)


def parse_options(data: bytes) -> Options:
    """The options of a request.

    Raises:
        RequestError: not JSON, an unknown key, a wrong type or range; says which.
    """
    if len(data) > MAX_OPTIONS_BYTES:
        raise RequestError(
            "request_invalid",
            f"OPTIONS: expected at most {MAX_OPTIONS_BYTES:,} bytes, got {len(data):,}",
        )
    if not data.strip():
        return Options()
    try:
        return _options.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError("request_invalid", f"OPTIONS: {error}") from None


def scores_of(row: wire.Row) -> list[float]:
    """The row's ``SCORES``."""
    parts = {"terravis": row.terravis, "pcmde": row.pcmde}
    values = []
    for field in SCORE_FIELDS:
        part, _, name = field.partition(".")
        value = getattr(parts[part], name)
        values.append(math.nan if value is None else float(value))
    return values


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a refusal looks on the wire."""

    status: str
    """gRPC status."""
    retry: bool
    """Whether the same request may succeed later, here or on another server."""


REFUSALS: Final[dict[str, Refusal]] = {
    "request_invalid": Refusal("INVALID_ARGUMENT", retry=False),
    "overloaded": Refusal("UNAVAILABLE", retry=True),
    "unavailable": Refusal("UNAVAILABLE", retry=True),
    "deadline_exceeded": Refusal("CANCELLED", retry=False),
    "internal": Refusal("INTERNAL", retry=True),
}
"""By code of :class:`physgauge.errors.RequestError`. (Triton's Python backend cannot say
DEADLINE_EXCEEDED, so a missed deadline is CANCELLED with our code in the message.)"""

_OURS = re.compile(r"physgauge \[(\w+)\] (.*)", re.DOTALL)
_RESTRICTED = "protocol is restricted"
_OVERLOADED = ("exceeds maximum queue size", "request timeout expired")
_STATUSES = {
    "INVALID_ARGUMENT": "request_invalid",
    "NOT_FOUND": "request_invalid",
    "UNIMPLEMENTED": "request_invalid",
    "RESOURCE_EXHAUSTED": "request_invalid",  # gRPC's word for a message above its size limit
    "DEADLINE_EXCEEDED": "deadline_exceeded",
    "CANCELLED": "deadline_exceeded",
    "UNAUTHENTICATED": "request_invalid",
    "PERMISSION_DENIED": "request_invalid",
}


def message_of(error: RequestError) -> str:
    """The text of a refusal on the wire."""
    return f"physgauge [{error.code}] {error.message}"


def read_refusal(status: str, message: str) -> RequestError:
    """What a gRPC error means, whoever refused: a step of ours, Triton, or the connection.

    Args:
        status: name of the gRPC status code ("UNAVAILABLE").
        message: its details.
    """
    if (ours := _OURS.search(message)) and ours[1] in REQUEST_CODES:
        return RequestError(ours[1], ours[2])
    text = message.lower()
    if status == "UNAVAILABLE" and any(words in text for words in _OVERLOADED):
        return RequestError("overloaded", message)
    if _RESTRICTED in text:  # Triton calls it UNAVAILABLE, but waiting does not help
        return RequestError(
            "request_invalid", "expected the server's access token, got none or another"
        )
    # A stub or server that has died says INTERNAL or UNAVAILABLE, and is restarted.
    return RequestError(_STATUSES.get(status, "unavailable"), message)
