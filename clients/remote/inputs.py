"""What a caller may hand in, brought to one record. Whatever is wrong with an input is noted in it: it
becomes that input's error row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

import msgspec

from physgauge.clients.files import name_of
from physgauge.contract import Options
from physgauge.errors import CaptionError, InputError, RequestError
from physgauge.wire import Method

MAX_TIMEOUT_S: Final = 3600.0
METHODS: Final = get_args(Method)


@dataclass(frozen=True, slots=True)
class Input:
    """One image and what to say about it."""

    image: Any
    """Encoded bytes, a path, a NumPy array uint8 [H, W, 3], or a PIL image."""
    image_id: str | None = None
    """For the row. None or empty = the path's text, the request's id, or the input's number in its run,
    from 0: the first of them that there is."""
    caption: str | None = None
    source: str | None = None
    """For the row. None = the path's text, or empty."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """Columns carried into the row."""
    domain: str = "auto"
    """What the image shows, or "auto"."""
    timeout_s: float | None = None
    """From the input's turn to its row; None = the client's."""
    request_id: str = ""
    """For the logs of all steps of the server; empty = one of the client's."""
    error: InputError | None = None
    """Why it cannot be scored, if that is known already."""
    method: Method = "both"
    """What to score it by; `both` leaves out what the server's profile cannot do."""


def as_input(thing: Any, number: int) -> Input:
    """The record of an input, complete: an id, a source, and what is wrong with it.

    Args:
        thing: an image, ``(id, image[, caption[, options]])``, or an :class:`Input`.
        number: of the input in its run.
    """
    try:
        given = thing if isinstance(thing, Input) else Input(thing)
        return _checked(_of_tuple(thing, number) if isinstance(thing, tuple) else given, number)
    except Exception as error:  # a path or mapping that raises when it is looked at
        what = f"expected an input that can be looked at, got {type(error).__name__}"
        return Input(None, str(number), source="", error=RequestError("request_invalid", what))


def _of_tuple(parts: tuple[Any, ...], number: int) -> Input:
    if not 2 <= len(parts) <= 4:
        what = f"expected (id, image[, caption[, options]]), got {len(parts)} parts"
        return Input(None, error=RequestError("request_invalid", what))
    image_id, image, caption, *rest = (*parts, None)[:4]
    options: Any = next((one for one in rest if one is not None), {})
    try:
        told = options if isinstance(options, Options) else msgspec.convert(options, Options)
    except msgspec.ValidationError as error:
        wrong = RequestError("request_invalid", f"options: {error}")
        return Input(image, image_id, caption, error=wrong)
    timed = isinstance(options, Options) or "timeout_ms" in options
    return Input(
        image,
        told.image_id or None if image_id is None else image_id,
        caption,
        told.source or None,
        told.extra,
        told.domain,
        told.timeout_ms / 1000 if timed else None,
        method=told.method,
    )


def _checked(given: Input, number: int) -> Input:
    """With id and source, and fields of the right types."""
    path = name_of(given.image) if isinstance(given.image, str | os.PathLike) else None
    problem = _problem(given)
    caption = given.caption if _is_text(given.caption) else None  # a row holds text only
    carried: Any = given.extra
    pairs = carried.items() if isinstance(carried, Mapping) else ()
    extra = {k: v for k, v in pairs if _is_text(k) and _is_text(v)}
    return Input(
        given.image,
        _text(given.image_id or None, path or _text(given.request_id, "") or str(number)),
        caption or None,
        _text(given.source, path or ""),
        extra,
        given.domain,
        given.timeout_s,
        given.request_id,
        given.error or problem,
        given.method,
    )


def _problem(given: Input) -> InputError | None:
    caption: object = given.caption
    if caption is not None and not _is_text(caption):
        what = "Unicode text, got half of a surrogate pair"
        if not isinstance(caption, str):
            what = f"text or None, got {type(caption).__name__}"
        return CaptionError("caption_invalid", f"caption: expected {what}")
    for name in ("image_id", "source"):
        value = getattr(given, name)
        if not isinstance(value, str | None):
            return _wrong(f"{name}: expected text or None", value)
    for name in ("domain", "request_id"):
        value = getattr(given, name)
        if not _is_text(value):
            return _wrong(f"{name}: expected text", value)
    if given.method not in METHODS:
        return _wrong(f"method: expected one of {', '.join(METHODS)}", given.method)
    if not _is_timeout(given.timeout_s):
        return _wrong(f"timeout_s: expected 0.001 to {MAX_TIMEOUT_S:g} s or None", given.timeout_s)
    extra: object = given.extra
    if not isinstance(extra, Mapping) or not all(_is_text(t) for p in extra.items() for t in p):
        return _wrong("extra: expected a mapping of text to text", extra)
    return None


def _is_text(value: object) -> bool:
    """Half of a surrogate pair passes as a string, and fits in no row."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _text(value: object, otherwise: str) -> str:
    text = value if isinstance(value, str) else otherwise
    return text.encode("utf-8", "backslashreplace").decode()


def _is_timeout(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and 0.001 <= value <= MAX_TIMEOUT_S


def _wrong(expected: str, got: object) -> RequestError:
    return RequestError("request_invalid", f"{expected}, got {got!r:.80}")
