"""Every error physgauge raises on purpose, in one tree.

    PhysgaugeError
    ├── ConfigError            a profile, pack, specification or option is wrong (stops the run)
    ├── EnvironmentProblem     a model file, library or system package is missing (stops the run)
    └── InputError             one input is wrong (becomes that input's row; the run goes on)
        ├── ImageError         the image bytes
        ├── CaptionError       the caption
        ├── BoxesError         boxes that came from elsewhere
        └── RequestError       a server could not answer (physgauge.contract maps it to gRPC)

An :class:`InputError` carries a stable ``code`` (a slug from :data:`ERROR_CODES`) for programs and a
message for people: what was expected, what was got, where. Messages never hold decoder text, heap
addresses or tracebacks.
"""

from __future__ import annotations

from typing import Final

ERROR_CODES: Final[dict[str, str]] = {
    "image_unreadable": "the file could not be read",
    "source_refused": "a host, scheme, link or path that may not be read from where it was named",
    "manifest_invalid": "a row of a manifest that does not say which image, or is no row",
    "archive_damaged": "an archive that ends early or is damaged; what follows in it is lost",
    "image_empty": "no bytes",
    "image_format": "not JPEG, PNG, WebP or .npy by its first bytes",
    "image_truncated": "the data ends early",
    "image_corrupt": "the data does not decode",
    "image_too_large": "more encoded bytes than the limit",
    "image_too_many_pixels": "more pixels than the limit",
    "image_side": "a side longer than the limit",
    "image_aspect": "sides further apart than the limit",
    "image_too_small": "a side shorter than the limit",
    "decode_timeout": "decoding took longer than its time limit",
    "decode_crashed": "the decoding process died",
    "caption_too_long": "more characters than the limit",
    "caption_invalid": "not text",
    "domain_unknown": "the profile has no such domain",
    "boxes_invalid": "boxes that no image can have",
    "request_invalid": "a request that breaks the server's contract",
    "overloaded": "the server has as much in hand as it takes",
    "unavailable": "the server, or a part of it, is not there",
    "deadline_exceeded": "the time the caller gave is over",
    "worker_crashed": "the process that scored it died twice, each time with this image alone in hand",
    "internal": "a fault of physgauge itself",
}

REQUEST_CODES: Final = frozenset(
    {"request_invalid", "overloaded", "unavailable", "deadline_exceeded", "internal"}
)
"""The codes of :class:`RequestError`."""


class PhysgaugeError(Exception):
    """Base of all errors raised on purpose."""


class ConfigError(PhysgaugeError):
    """A profile, pack, specification or option is wrong."""


class EnvironmentProblem(PhysgaugeError):
    """Something this machine lacks: a model file, a library, a system package."""


class InputError(PhysgaugeError):
    """One input is wrong; it becomes that input's error row.

    Args:
        code: a key of :data:`ERROR_CODES`.
        message: expected, got and where, in one sentence.
    """

    def __init__(self, code: str, message: str) -> None:
        if code not in ERROR_CODES:
            raise ValueError(f"expected an error code of ERROR_CODES, got {code!r}")
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str]]:
        # Exceptions cross process boundaries (decode workers); the default reduce loses `code`.
        return (type(self), (self.code, self.message))


class ImageError(InputError):
    """The image bytes cannot be scored."""


class CaptionError(InputError):
    """The caption cannot be used."""


class BoxesError(InputError):
    """Boxes from elsewhere cannot be scored."""


class RequestError(InputError):
    """A server did not answer a request with a row."""

    def __init__(self, code: str, message: str) -> None:
        if code not in REQUEST_CODES:
            raise ValueError(f"expected one of {sorted(REQUEST_CODES)}, got {code!r}")
        super().__init__(code, message)
