"""Samples of a WebDataset shard: members that follow each other under one key make one sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

import msgspec

from physgauge.clients.files import IMAGE_SUFFIXES
from physgauge.clients.sources.jsonl import Record, parse
from physgauge.clients.sources.places import Place, place_of
from physgauge.clients.sources.records import Entry, Fault, Loaded, Shard, Sourcing, Where
from physgauge.clients.sources.tar import Archive, Damaged, Member, open_archive
from physgauge.errors import ConfigError

CAPTION_SUFFIX: Final = ".txt"
RECORD_SUFFIX: Final = ".json"
CUT: Final = "the archive ends within this sample: its caption may be lost"


@dataclass(slots=True)
class _Sample:
    """What one key has shown so far."""

    key: str
    images: list[tuple[Member, bytes | None, Fault | None]] = field(default_factory=list)
    caption: str | None = None
    record: Record = field(default_factory=Record)
    others: list[str] = field(default_factory=list)
    """Suffixes of members that are neither image nor text."""
    fault: Fault | None = None
    """Of its texts."""


def read_shard(shard: Shard, options: Sourcing) -> Iterator[Loaded]:
    """The images of an archive in its order, each with its caption, domain and carried columns; an entry
    with an error for each member that is refused, each sample without an image, and the place where the
    archive ends early, if it does. Memory holds one sample, and up to 200 bytes an id.
    """
    place = place_of(shard.where)
    seen: set[int] = set()
    for found, data in _read(place, options):
        entry, mark = found, hash(found.image_id)
        said = f"image_id given before in {place.name}" if mark in seen else shard.warning
        if said is not None:
            entry = msgspec.structs.replace(found, warning=said)
        seen.add(mark)
        error = None if entry.fault is None else entry.fault.error()
        yield Loaded(entry, None if error else data, error)


def _read(place: Place, options: Sourcing) -> Iterator[tuple[Entry, bytes | None]]:
    sample: _Sample | None = None
    try:
        with open_archive(place) as archive:
            for member in archive:
                fault = _refused(member)
                name = PurePosixPath(member.name)
                if fault is None and (name.name.startswith((".", "__")) or not name.name):
                    continue  # what a folder leaves out, and WebDataset's own notes
                if fault is not None:
                    if sample is not None:
                        yield from _entries(sample, place)
                        sample = None
                    yield _failed(place, member.name, fault), None
                    continue
                key = str(name.parent / name.name.partition(".")[0])
                if sample is None or sample.key != key:
                    if sample is not None:
                        yield from _entries(sample, place)
                    sample = _Sample(key)
                _take(sample, member, archive, options)
    except (Damaged, ConfigError) as error:
        if sample is not None and sample.images:
            for entry, data in _entries(sample, place):
                yield msgspec.structs.replace(entry, warning=CUT), data
        kind = "archive_damaged" if isinstance(error, Damaged) else "image_unreadable"
        said = f"{place.name}: {error}; what follows is lost" if kind[0] == "a" else str(error)
        yield _failed(place, "", Fault(kind, said)), None
        return
    if sample is not None:
        yield from _entries(sample, place)


def _refused(member: Member) -> Fault | None:
    said = None
    parts = member.name.split("/")
    if member.kind != "file":
        said = "a regular file, got a link" if member.kind == "link" else "a regular file"
    elif member.name.startswith("/") or ".." in parts:
        said = "a name within the archive"
    elif "\0" in member.name or not _is_text(member.name):
        said = "a name in UTF-8"
    if said is None:
        return None
    return Fault("source_refused", f"member {member.name!a:.200}: expected {said}")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _take(sample: _Sample, member: Member, archive: Archive, options: Sourcing) -> None:
    """One member into its sample; content that is too large is passed over."""
    suffix = PurePosixPath(member.name).suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        if member.size > options.most_bytes:
            said = f"{member.name}: expected at most {options.most_bytes} bytes, got {member.size}"
            sample.images.append((member, None, Fault("image_too_large", said)))
            return
        sample.images.append((member, archive.read(), None))
    elif suffix in (CAPTION_SUFFIX, RECORD_SUFFIX):
        if member.size > options.most_text_bytes:
            said = f"{member.name}: expected at most {options.most_text_bytes} bytes, got {member.size}"
            sample.fault = Fault("caption_invalid", said)
            return
        data = archive.read()
        if suffix == RECORD_SUFFIX:
            sample.record = parse(data, paths=())
            if sample.record.fault is not None and sample.record.fault[0] == "manifest_invalid":
                said = f"{member.name}: {sample.record.fault[1]}"
                sample.fault = Fault("manifest_invalid", said)
            return
        try:
            sample.caption = data.decode("utf-8-sig").strip() or None
        except UnicodeDecodeError:
            said = f"{member.name}: expected UTF-8 text, got other bytes"
            sample.fault = Fault("caption_invalid", said)
    else:
        sample.others.append(suffix or member.name)


def _entries(sample: _Sample, place: Place) -> Iterator[tuple[Entry, bytes | None]]:
    record = sample.record
    if not sample.images:
        got = ", ".join(sample.others[:8]) or "texts only"
        said = f"sample {sample.key}: expected an image ({', '.join(sorted(IMAGE_SUFFIXES))}), got {got}"
        yield _failed(place, sample.key, Fault("image_unreadable", said)), None
        return
    fault = sample.fault
    caption = sample.caption if sample.caption is not None else record.caption
    if fault is None and record.fault is not None and sample.caption is None:
        fault = Fault(*record.fault)
    for member, data, own in sample.images:
        alone = len(sample.images) == 1
        source = f"{place.name}/{member.name}"
        image_id = record.image_id if alone else None
        entry = Entry(
            image_id=image_id or (f"{place.name}/{sample.key}" if alone else source),
            source=source,
            origin=source,
            where=Where("member", place.name, place.where().raw, member.name),
            caption=caption,
            domain=record.domain,
            extra=dict(record.extra),
            size=member.size,
            fault=own or fault,
        )
        yield entry, data


def _failed(place: Place, name: str, fault: Fault) -> Entry:
    shown = name.encode("utf-8", "backslashreplace").decode()
    source = f"{place.name}/{shown}" if name else place.name
    where = Where("none", place.name, place.where().raw, shown)
    return Entry(image_id=source, source=source, origin=source, where=where, fault=fault)
