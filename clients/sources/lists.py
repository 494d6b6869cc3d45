"""Lists of paths: ``@list.txt``, and ``-`` for standard input; one path a line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from physgauge.clients.sources.lines import lines, opened
from physgauge.clients.sources.places import Place


def list_lines(place: Place) -> Iterator[tuple[int, str]]:
    """Line number (from 1) and path of each line that is not empty. Bytes that are not UTF-8 stay as the
    system has them: a path may have them.

    Raises:
        ConfigError: it cannot be read, or is no text.
    """
    if place.text == "-":
        yield from _paths(sys.stdin.buffer, "standard input")
        return
    with opened(place) as file:
        yield from _paths(file, place.name)


def _paths(file: BinaryIO, name: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines(file, name), 1):
        path = line.rstrip(b"\r\n")
        if path.strip():
            yield number, os.fsdecode(path)
