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

RETRY_MS: Final = {"unavailable": 2_000, "internal": 1_000}
"""Where nothing better is known."""


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
        """What the server behind has refused."""
        return cls(error.code, error.message, RETRY_MS.get(error.code))
