"""What an image must pass before the server behind sees it. Nothing is decoded, nothing is fetched."""

from __future__ import annotations

import time
from dataclasses import dataclass

import msgspec

from physgauge.contract import MAX_OPTIONS_BYTES, Options
from physgauge.errors import ImageError
from physgauge.formats import sniff
from physgauge.gateway.messages import no_unknown_options
from physgauge.gateway.refusal import Refused
from physgauge.gateway.settings import MAX_ID_CHARS, Limits
from physgauge.v1 import gateway_pb2 as v1


@dataclass(frozen=True, slots=True)
class Work:
    """An item that may go to the server."""

    image: bytes
    caption: str
    options: Options
    """Without `timeout_ms`, which is what is left when it is sent."""
    deadline_s: float
    """`time.monotonic` at which the caller's time is over."""


def check(item: v1.Item, limits: Limits, request_id: str, left_s: float | None = None) -> Work:
    """An item that keeps to the limits, ready to be sent.

    Args:
        item: the caller's.
        limits: those of this gateway.
        request_id: ours; names the row where the caller gives no name.
        left_s: time left of the call itself; None = it has no end.

    Raises:
        Refused: it does not; says which limit, and what was got.
    """
    no_unknown_options(item)
    deadline_s = time.monotonic() + _allowed_s(item.deadline_ms, left_s, limits)
    image = item.image
    _check_image(image, limits)
    caption = item.caption
    if len(caption) > limits.max_caption_chars:
        raise Refused(
            "caption_too_long",
            f"caption: expected at most {limits.max_caption_chars:,} characters, got {len(caption):,}",
        )
    return Work(image, caption, _options(item, request_id), deadline_s)


def check_id(item_id: str, required: bool) -> None:
    """See that an item's name is one.

    Raises:
        Refused: request_invalid.
    """
    if (required and not item_id) or len(item_id) > MAX_ID_CHARS:
        least = 1 if required else 0
        raise Refused(
            "request_invalid",
            f"item.id: expected {least} to {MAX_ID_CHARS:,} characters, got {len(item_id):,}",
        )


def _allowed_s(deadline_ms: int, left_s: float | None, limits: Limits) -> float:
    most = limits.max_deadline_ms
    if deadline_ms > most:
        raise Refused(
            "request_invalid",
            f"item.deadline_ms: expected 1 to {most:,}, got {deadline_ms:,}",
        )
    if not deadline_ms and left_s is None:
        raise Refused("request_invalid", f"item.deadline_ms: expected 1 to {most:,}, got none")
    ends = [deadline_ms / 1000] if deadline_ms else [most / 1000]
    return min(ends + ([] if left_s is None else [left_s]))


def _check_image(image: bytes, limits: Limits) -> None:
    try:
        kind = sniff(image)
    except ImageError as error:
        raise Refused(error.code, f"item.image: {error.message}") from None
    allowed = limits.max_npy_bytes if kind == "npy" else limits.max_image_bytes
    if len(image) > allowed:
        raise Refused(
            "image_too_large",
            f"item.image: expected at most {allowed:,} bytes of {kind}, got {len(image):,}",
        )


def _options(item: v1.Item, request_id: str) -> Options:
    given = item.options
    values = {
        "image_id": given.image_id or item.id or request_id,
        "source": given.source,
        "extra": dict(given.extra),
        "domain": given.domain or "auto",
        "method": given.method or "both",
    }
    try:
        options = msgspec.convert(values, Options)
    except msgspec.ValidationError as error:
        raise Refused("request_invalid", f"item.options: {error}") from None
    size = len(msgspec.json.encode(options))
    if size > MAX_OPTIONS_BYTES:
        raise Refused(
            "request_invalid",
            f"item.options: expected at most {MAX_OPTIONS_BYTES:,} bytes as JSON, got {size:,}",
        )
    return options
