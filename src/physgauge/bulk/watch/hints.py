"""What to do about each error code."""

from __future__ import annotations

from typing import Final

_ANEW = "`physgauge retry DIR --status error`"
_LIMIT = "raise the limit under [decode] of the profile, or leave such images out"

HINTS: Final[dict[str, str]] = {
    "image_unreadable": f"check path, rights and network, then {_ANEW}",
    "image_empty": "the generator or the copy broke off: make the file again",
    "image_format": "convert to JPEG, PNG, WebP or .npy",
    "image_truncated": "the generator or the copy broke off: make the file again",
    "image_corrupt": "make the file again",
    "image_too_large": _LIMIT,
    "image_too_many_pixels": _LIMIT,
    "image_side": _LIMIT,
    "image_aspect": _LIMIT,
    "image_too_small": _LIMIT,
    "decode_timeout": f"{_ANEW} on a machine that is less busy, or raise decode.base_s",
    "decode_crashed": "look at the file: it kills decoders; convert it",
    "caption_too_long": "shorten it, or raise pcmde.max_caption_chars",
    "caption_invalid": "give captions as text (UTF-8)",
    "domain_unknown": "name a domain of the profile's packs, or `auto`",
    "manifest_invalid": "correct the row of the manifest that the message names; it is then an added one",
    "archive_damaged": f"make the archive again, or restore it, then {_ANEW}",
    "source_refused": "allow it with --allow-host if you trust it, or copy the images to your own store",
    "boxes_invalid": "check who made the boxes",
    "request_invalid": "client and server are of different versions, or the input breaks its limits",
    "overloaded": f"give the server time or add servers, then {_ANEW}",
    "unavailable": f"see `physgauge doctor` at the server, then {_ANEW}",
    "deadline_exceeded": f"raise --timeout or add servers, then {_ANEW}",
    "worker_crashed": f"look at the file: it kills workers (often memory); {_ANEW} after a fix",
    "internal": "a fault of physgauge: please report it, with the row",
}
"""Error code to a sentence; every code has one."""
