"""Why there is no row: what the gateway says in its place."""

from __future__ import annotations

from typing import Final

from physgauge.errors import ERROR_CODES, RequestError

CODES: Final[dict[str, str]] = {
    code: ERROR_CODES[code]
    for code in (
        "request_invalid",
        "image_empty",
        "image_format",
        "image_too_large",
        "caption_too_long",
        "overloaded",
        "unavailable",
        "deadline_exceeded",
        "internal",
    )
} | {"no_credit": "sent without a credit"}
"""Codes of `Refusal` in gateway.proto."""

RETRY_MS: Final = {"overloaded": 1_000, "unavailable": 2_000, "internal": 1_000}
"""Where nothing better is known."""

_OF_CALLERS: Final = "OPTIONS"
"""What a server refuses of a request that the gateway has checked can only be wrong in here; the rest of
the request is the gateway's own."""
_SAID: Final = {
    "overloaded": "expected room at the server behind the gateway, got none in the image's time",
    "unavailable": "expected a server behind the gateway, got none that answers",
    "deadline_exceeded": "the time that the caller gave is over",
    "internal": "a fault behind the gateway; its log has it",
}
"""In place of what went wrong between gateway and server: that names addresses, and is nothing of the
caller's."""


class Refused(Exception):
    """An item gets a refusal for an answer.

    Args:
        code: a key of :data:`CODES`.
        message: expected, got and where, in one sentence.
        retry_ms: when the same item may be sent again; None = it would be refused again.
    """

    def __init__(self, code: str, message: str, retry_ms: int | None = None) -> None:
        if code not in CODES:
            raise ValueError(f"expected one of {sorted(CODES)}, got {code!r}")
        super().__init__(message)
        self.code, self.message, self.retry_ms = code, message, retry_ms

    @classmethod
    def of(cls, error: RequestError) -> Refused:
        """What there is to say to a caller of an error of the server behind, or on the way to it."""
        code = error.code
        if code == "request_invalid":
            if error.message.startswith(_OF_CALLERS):
                return cls(code, error.message)
            code = "internal"  # the gateway's request was wrong, or its token
        return cls(code, _SAID[code], RETRY_MS.get(code))
