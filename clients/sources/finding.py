"""PATHs become what they name: images, rows of manifests and datasets (as tables), tar archives."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from physgauge.clients.captions import CaptionTable, read_captions
from physgauge.clients.files import IMAGE_SUFFIXES, drawn
from physgauge.clients.sources import patterns
from physgauge.clients.sources.arrow import Table
from physgauge.clients.sources.delimited import read_delimited
from physgauge.clients.sources.folders import image_batches, remote_folder, sorted_out
from physgauge.clients.sources.hosts import Hosts
from physgauge.clients.sources.jsonl import read_jsonl
from physgauge.clients.sources.kinds import FileKind, by_suffix, tell
from physgauge.clients.sources.lists import list_lines
from physgauge.clients.sources.loose import Loose
from physgauge.clients.sources.places import Place, about, digest, kind_of, local, object_of, raw_of
from physgauge.clients.sources.records import Sourcing
from physgauge.clients.sources.refs import Refs
from physgauge.clients.sources.tables import holds_images, read_table
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError, EnvironmentProblem, ImageError


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """A list, manifest or dataset file that named entries."""

    kind: Literal["list", "manifest", "dataset"]
    place: str
    raw: bytes = b""
    size: int = -1
    version: str = ""
    digest: str = ""
    """SHA-256 of a local list or manifest, an object's etag; empty for datasets and ``-``."""
    given: str = ""
    """Root and allowed hosts that its paths were read with; empty for datasets."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Entries."""

    table: Table
    whole: bool = False
    """They are cells of one group, and best stay in one unit."""


@dataclass(frozen=True, slots=True)
class Tar:
    """An archive."""

    place: Place


@dataclass(frozen=True, slots=True)
class Same:
    """A list or manifest that stayed as it was: its entries are those of the plan."""

    number: int
    """The container's in the plan."""


Found = Rows | Tar | Same


class Finder:
    """Looks for what PATHs name.

    Args:
        options: root, allowed hosts, captions.
        known: a container's number in a plan that read it in the same state; None = not known.
    """

    def __init__(
        self, options: Sourcing, known: Callable[[Container], int | None] | None = None
    ) -> None:
        self._options = options
        self._known = known or (lambda _: None)
        self.hosts = Hosts(options.allow_hosts)
        self.captions: CaptionTable | None = None
        if options.captions is not None:
            self.captions = read_captions(Path(options.captions))
        self.containers: list[Container] = []
        self._loose = Loose(self.captions)
        self._given = "\n".join([options.root or "", *sorted(options.allow_hosts)])

    def find(self, inputs: Sequence[str]) -> Iterator[Found]:
        """What the PATHs name, in the order given, sorted within folders and patterns.

        Raises:
            ConfigError: a path that does not exist, names nothing, or cannot be read; says which.
        """
        for text in inputs:
            yield from self._counted(text, self._path(text))
        yield from self._flush()

    def _counted(self, text: str, found: Iterator[Found | None]) -> Iterator[Found]:
        """What was found, if anything was. None stands for a loose image, not given out yet."""
        any_found = False
        try:
            for one in found:
                any_found = True
                if one is not None:
                    yield one
        except OSError as error:
            place = text if error.filename is None else os.fsdecode(error.filename)
            raise ConfigError(f"{place:.300}: cannot be read ({error.strerror})") from None
        except EnvironmentProblem as error:
            raise ConfigError(str(error)) from None
        if not any_found:
            kinds = ", ".join(sorted(IMAGE_SUFFIXES))
            raise ConfigError(f"{text}: expected at least one image ({kinds}), found none")

    def _path(self, text: str) -> Iterator[Found | None]:
        if not text:
            raise ConfigError("expected a file, a folder or a glob pattern, got an empty path")
        if text == "-" or text.startswith("@"):
            yield from self._list(text)
            return
        kind = kind_of(text)
        if kind == "file" and os.path.isdir(text):
            folder = os.fspath(Path(text))
            yield from self._local_folder(text, folder)
        elif kind == "file" and os.path.lexists(text):
            yield from self._file(local(os.fspath(Path(text))))
        elif patterns.has_range(text):
            for one in patterns.expand_ranges(text):
                yield from self._path(one)
        elif kind == "web":
            yield from self._url(text)
        elif kind == "object":
            yield from self._remote(text)
        elif glob.has_magic(text):
            for match in map(Path, sorted(glob.glob(text, recursive=True))):
                if not match.is_dir() and not drawn(match.parent):
                    yield from self._file(local(os.fspath(match)))
        else:
            raise ConfigError(f"{text}: expected a file, a folder or a glob pattern; no such path")

    def _url(self, text: str) -> Iterator[Found | None]:
        try:
            self.hosts.check_url(text)
        except ImageError as error:
            raise ConfigError(error.message) from None
        yield from self._file(Place("web", text))

    def _remote(self, text: str) -> Iterator[Found | None]:
        scheme, _, rest = text.partition("://")
        name, _, key = rest.partition("/")
        store = open_store(f"{scheme}://{name}")
        root = f"{scheme}://{name}/"
        if patterns.has_magic(key):
            wanted = patterns.matcher(key)
            for listed in store.list(patterns.literal_head(key)):
                if wanted.match(listed.key):
                    yield from self._file(
                        Place("object", root + listed.key, listed.size, listed.version)
                    )
            return
        if key and not key.endswith("/"):
            single = about(Place("object", text))
            if single is not None:
                yield from self._file(single)
                return
            key += "/"
        yield from self._remote_folder(text, remote_folder(store, root, key))

    def _local_folder(self, text: str, folder: str) -> Iterator[Found | None]:
        """Images, or archives, or tables: a folder is of one kind (tables that hold no image bytes may
        lie beside images)."""
        images = 0
        others: list[str] = []
        yield from self._flush()
        for batch in image_batches(folder, others):
            images += len(batch)
            yield Rows(self._loose.files(batch))
        yield from self._others(text, images, map(local, others))

    def _remote_folder(self, text: str, places: Iterator[Place]) -> Iterator[Found | None]:
        images = 0
        others: list[Place] = []
        for place in places:
            if by_suffix(place.text) != "image":
                others.append(place)
                continue
            images += 1
            yield from self._image(place)
        yield from self._others(text, images, others)

    def _others(self, text: str, images: int, places: Iterable[Place]) -> Iterator[Found | None]:
        for kind, place in sorted_out(text, images, places, holds_images):
            yield from self._as(kind, place)

    def _file(self, place: Place) -> Iterator[Found | None]:
        yield from self._as(tell(place), place)

    def _as(self, kind: FileKind, place: Place) -> Iterator[Found | None]:
        if kind == "image":
            yield from self._image(place)
            return
        yield from self._flush()
        if kind == "tar":
            yield Tar(place)
        else:
            yield from self._container(kind, place)

    def _image(self, place: Place) -> Iterator[Found | None]:
        yield None
        self._loose.add(place)
        if self._loose.full:
            yield from self._flush()

    def _flush(self) -> Iterator[Rows]:
        for table in self._loose.rest():
            yield Rows(table)

    def _container(self, kind: FileKind, place: Place) -> Iterator[Found]:
        dataset = kind in ("parquet", "arrow") and holds_images(place, kind)
        container = Container(
            kind="dataset" if dataset else "manifest",
            place=place.name,
            raw=raw_of(place.text) if place.kind == "file" else b"",
            size=place.size,
            version=place.version,
            digest="" if dataset else digest(place),
            given="" if dataset else self._given,
        )
        same = self._known(container)
        if same is not None:
            yield Same(same)
            return
        number = len(self.containers)
        self.containers.append(container)
        refs = Refs(self._base(place), self.hosts)
        if kind == "delimited":
            yield from map(Rows, read_delimited(place, refs, number))
        elif kind == "jsonl":
            yield from map(Rows, read_jsonl(place, refs, number))
        else:
            for table, whole in read_table(place, kind, refs, number):
                yield Rows(table, whole)

    def _base(self, place: Place) -> str:
        """What relative paths in a manifest start from."""
        if self._options.root is not None:
            return self._options.root
        if place.kind == "file":
            return os.path.dirname(place.text)
        object_of(place.text)
        return place.text.rpartition("/")[0]

    def _list(self, text: str) -> Iterator[Found | None]:
        """A list of paths; lines that name archives, manifests or tables stand for what is in them."""
        given = Place("file", "-") if text == "-" else _listed_place(text[1:])
        container = Container(
            kind="list",
            place=given.name,
            raw=raw_of(given.text) if given.kind == "file" else b"",
            size=given.size,
            version=given.version,
            digest="" if text == "-" else digest(given),
            given=self._given,
        )
        yield from self._flush()
        number = len(self.containers)
        self.containers.append(container)
        refs = Refs(self._options.root or "", self.hosts, any_bucket=True)
        for line, path in list_lines(given):
            kind = None if kind_of(path) == "web" else by_suffix(path)
            if kind not in (None, "image"):
                yield from self._path(path)
                continue
            try:
                place, fault = refs.place(path), None
            except ImageError as error:
                said = f"{given.name}:{line}: {error.message}"
                place, fault = Place("none", path), (error.code, said)
            yield None
            self._loose.add(place, number, line, fault)
            if self._loose.full:
                yield from self._flush()


def _listed_place(text: str) -> Place:
    if not text:
        raise ConfigError("expected @FILE with one path a line, got @ alone")
    kind = kind_of(text)
    if kind == "web":
        raise ConfigError(f"@{text:.300}: expected a list on a disk or in a store, got a URL")
    place = about(Place(kind, text))
    if place is None:
        raise ConfigError(f"@{text}: expected a list with one path a line; no such file")
    return place
