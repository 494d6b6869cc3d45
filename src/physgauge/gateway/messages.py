"""Bytes of the protocol to what the gateway works with, and back.

The gateway reads raw bytes and parses them here, so that a message that is none of ours is an answer
to that message and not the end of the stream.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from physgauge.clients import Answered
from physgauge.gateway.refusal import Refused
from physgauge.gateway.settings import GatewaySettings
from physgauge.v1 import gateway_pb2 as v1

Item = v1.Item


_VERDICTS: Final = {"PASS": v1.VERDICT_PASS, "FAIL": v1.VERDICT_FAIL}


def read_item(data: bytes, kind: type[Any]) -> v1.Item:
    """The item of a request.

    Args:
        data: one gRPC message.
        kind: StreamRequest or ScoreRequest.

    Raises:
        Refused: request_invalid; no such message, or a field that we don't know.
    """
    try:
        request = kind.FromString(data)
    except DecodeError:
        raise Refused(
            "request_invalid",
            f"expected a {kind.DESCRIPTOR.full_name}, got {len(data):,} bytes that are none",
        ) from None
    _no_unknown(request, "")
    if not request.HasField("item"):
        raise Refused("request_invalid", "item: expected one, got none")
    item: v1.Item = request.item
    return item


def no_unknown_options(item: v1.Item) -> None:
    """See that no field of an item or its options is unknown.

    Raises:
        Refused: request_invalid.
    """
    _no_unknown(item, "item.")
    if item.HasField("options"):
        _no_unknown(item.options, "item.options.")


def _no_unknown(message: Any, where: str) -> None:
    unknown = UnknownFieldSet(message)
    if len(unknown):
        number = unknown[0].field_number
        raise Refused(
            "request_invalid",
            f"{where}{number}: expected a field of gateway.proto, got the unknown field {number}",
        )


def row_of(answered: Answered) -> v1.Row:
    """The row as an answer holds it: all of it as the server's JSON, and its main numbers."""
    row = answered.row
    return v1.Row(
        json=answered.json,
        error_code=row.error_code or "",
        verdict=_VERDICTS.get(row.pcmde.verdict or "", v1.VERDICT_UNSPECIFIED),
        terravis_score=row.terravis.score,
        terravis_score_soft=row.terravis.score_soft,
        s_final=row.pcmde.s_final,
        s_rules=row.pcmde.s_rules,
        s_llm=row.pcmde.s_llm,
    )


def refusal_of(refused: Refused) -> v1.Refusal:
    """A refusal as an answer holds it."""
    return v1.Refusal(code=refused.code, message=refused.message, retry_after_ms=refused.retry_ms)


def welcome(client: str, settings: GatewaySettings) -> v1.Welcome:
    """What a stream begins with."""
    limits = settings.limits
    return v1.Welcome(
        client=client,
        max_image_bytes=limits.max_image_bytes,
        max_npy_bytes=limits.max_npy_bytes,
        max_caption_chars=limits.max_caption_chars,
        max_deadline_ms=limits.max_deadline_ms,
        max_window=settings.shares.window,
        idle_ms=int(1000 * settings.idle_s),
    )
