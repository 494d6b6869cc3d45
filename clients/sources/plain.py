"""Local images without pyarrow: what the base install can send to a server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from physgauge.clients.captions import CaptionTable, read_captions
from physgauge.clients.files import find_images, name_of
from physgauge.clients.sources.arrow import arrow
from physgauge.clients.sources.kinds import by_suffix
from physgauge.clients.sources.places import raw_of
from physgauge.clients.sources.records import Entry, Fault, Sourcing, Unit, Where
from physgauge.clients.storage.address import REMOTE


def open_images(
    inputs: Sequence[str], options: Sourcing, unused: list[str] | None = None
) -> Iterator[Unit]:
    """As `planning.open_inputs`, of image files, folders and patterns on this disk only.

    Raises:
        ConfigError: as :func:`physgauge.clients.files.find_images`; a caption file that cannot be read.
        EnvironmentProblem: another kind of input, for which pyarrow is missing.
    """
    for one in inputs:
        if one == "-" or one.startswith("@") or _other(one):
            arrow()  # which says what to install
    captions = None if options.captions is None else read_captions(Path(options.captions))
    paths = iter(find_images(inputs))
    number = 0
    while some := list(islice(paths, options.unit_size)):
        yield Unit(number=number, entries=[_entry(path, captions) for path in some])
        number += 1
    if captions is not None and unused is not None:
        unused += captions.unused()


def _other(text: str) -> bool:
    scheme, mark, _ = text.partition("://")
    if mark:
        return scheme.lower() in (*REMOTE, "http", "https")
    return by_suffix(text) not in (None, "image")


def _entry(path: Path, captions: CaptionTable | None) -> Entry:
    name, about = name_of(path), None if captions is None else captions.get(path)
    error = None if about is None else about.error
    return Entry(
        image_id=name,
        source=name,
        origin=name,
        where=Where("file", name, raw_of(os.fspath(path))),
        caption=None if about is None else about.caption,
        extra={} if about is None else about.extra,
        fault=None if error is None else Fault(error.code, error.message),
    )
