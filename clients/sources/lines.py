"""Text files line by line, wherever they lie, with bounded memory; and what is no text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from physgauge.clients.sources.places import Place, object_of
from physgauge.errors import ConfigError, EnvironmentProblem

MAX_LINE: Final = 16 << 20
"""Bytes."""
_ENCODINGS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@contextmanager
def opened(place: Place) -> Iterator[BinaryIO]:
    """A local file or object, to read from.

    Raises:
        ConfigError: it cannot be read (then, or while it is read).
    """
    try:
        if place.kind == "file":
            with open(place.text, "rb") as file:
                yield file
        else:
            store, key = object_of(place.text)
            with store.open(key) as remote:
                yield remote
    except OSError as error:
        raise ConfigError(
            f"{place.name}: cannot be read ({error.strerror or type(error).__name__})"
        ) from None
    except (EnvironmentProblem, KeyError) as error:
        raise ConfigError(f"{place.name}: cannot be read ({error})") from None


def lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines with their ends, a byte order mark taken off.

    Raises:
        ConfigError: UTF-16 or UTF-32 by its mark, zero bytes at the start, or a line above MAX_LINE.
    """
    first = file.readline(MAX_LINE + 1)
    for mark, encoding in _ENCODINGS:
        if first.startswith(mark):
            raise ConfigError(f"{name}: expected UTF-8 text, got {encoding}")
    if b"\0" in first[:64]:
        raise ConfigError(f"{name}: expected UTF-8 text, got zero bytes in its first line")
    line, number = first.removeprefix(codecs.BOM_UTF8), 1
    while line:
        if len(line) > MAX_LINE:
            raise ConfigError(f"{name}:{number}: expected lines of at most {MAX_LINE} bytes")
        yield line
        line, number = file.readline(MAX_LINE + 1), number + 1
