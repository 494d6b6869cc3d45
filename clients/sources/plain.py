"""Local images without pyarrow: what the base install can send to a server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from physgauge.clients.captions import CaptionTable, read_captions
from physgauge.clients.files import find_images, name_of, walk
from physgauge.clients.sources.arrow import arrow
from physgauge.clients.sources.kinds import TABLE_SUFFIXES, TAR_SUFFIXES, by_suffix, tell
from physgauge.clients.sources.patterns import expand_ranges, has_range
from physgauge.clients.sources.places import local, raw_of
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
    seen: set[int] = set()
    captions = None if options.captions is None else read_captions(Path(options.captions))
    paths = _paths(inputs)
    number = 0
    while some := list(islice(paths, options.unit_size)):
        yield Unit(number=number, entries=[_entry(path, captions, seen) for path in some])
        number += 1
    if captions is not None and unused is not None:
        unused += captions.unused()


def _paths(inputs: Sequence[str]) -> Iterator[Path]:
    """The images in the order given, as often as they are given."""
    for text in inputs:
        named = text and not os.path.lexists(text) and has_range(text)
        for one in expand_ranges(text) if named else (text,):
            paths = find_images([one])
            if os.path.isdir(one):
                beside = walk(os.fspath(Path(one)), (*TAR_SUFFIXES, *TABLE_SUFFIXES))
                others = next(beside, None) is not None  # they may be meant, or hold images
            else:
                others = any(tell(local(os.fspath(path))) != "image" for path in paths)
            if others:
                arrow()
            yield from paths


def _other(text: str) -> bool:
    scheme, mark, _ = text.partition("://")
    if mark:
        return scheme.lower() in (*REMOTE, "http", "https")
    return by_suffix(text) not in (None, "image")


def _entry(path: Path, captions: CaptionTable | None, seen: set[int]) -> Entry:
    name, about = name_of(path), None if captions is None else captions.get(path)
    error = None if about is None else about.error
    again = hash(name) in seen
    seen.add(hash(name))
    return Entry(
        image_id=name,
        source=name,
        origin=name,
        where=Where("file", name, raw_of(os.fspath(path))),
        caption=None if about is None else about.caption,
        extra={} if about is None else about.extra,
        warning="image_id given before in the input" if again else None,
        fault=None if error is None else Fault(error.code, error.message),
    )
