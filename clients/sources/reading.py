"""A unit's entries with their bytes, in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

from physgauge.clients.files import read_image
from physgauge.clients.sources.cells import read_cells
from physgauge.clients.sources.hosts import Hosts
from physgauge.clients.sources.places import object_of
from physgauge.clients.sources.records import Entry, Loaded, Sourcing, Unit
from physgauge.clients.sources.samples import read_shard
from physgauge.clients.sources.web import fetch
from physgauge.clients.storage import Missing
from physgauge.errors import ConfigError, EnvironmentProblem, ImageError, InputError

Answer = bytes | InputError


def read_unit(unit: Unit, options: Sourcing) -> Iterator[Loaded]:
    """The entries of a unit in order, each with its bytes or with what is wrong with it.

    Remote bytes are fetched ahead by `options.fetchers` threads. Close the iterator to end them early.
    An archive that ends early or is damaged yields what is whole in it, then one entry that says where it
    ends.
    """
    if unit.shard is not None:
        yield from read_shard(unit.shard, options)
        return
    with _Ahead(unit.entries, options) as ahead:
        for _, group in groupby(enumerate(unit.entries), lambda one: _group(one[1])):
            numbered = list(group)
            entries = [entry for _, entry in numbered]
            if _group(entries[0]) is not None:
                yield from map(_loaded, entries, read_cells(entries, options.most_bytes))
                continue
            for number, entry in numbered:
                yield _loaded(entry, _answer(number, entry, ahead, options))


def _group(entry: Entry) -> tuple[str, str, int] | None:
    """What cells that are read together have in common; None for anything else."""
    where = entry.where
    if where.kind != "cell" or entry.fault is not None:
        return None
    return where.place, where.item, where.group


def _loaded(entry: Entry, answer: Answer) -> Loaded:
    if isinstance(answer, InputError):
        return Loaded(entry, None, answer)
    return Loaded(entry, answer)


def _answer(number: int, entry: Entry, ahead: _Ahead, options: Sourcing) -> Answer:
    if entry.fault is not None:
        return entry.fault.error()
    where = entry.where
    if where.kind in ("object", "web"):
        return ahead.take(number)
    try:
        path = os.fsdecode(where.raw) if where.raw else where.place
        return read_image(Path(path), options.most_bytes)
    except ImageError as error:
        return error


class _Ahead:
    """Fetches the remote entries of a unit ahead, in order, within bounds of number and bytes.

    Args:
        entries: of the unit.
        options: threads, bytes, hosts.
    """

    def __init__(self, entries: Sequence[Entry], options: Sourcing) -> None:
        self._options = options
        self._hosts = Hosts(options.allow_hosts)
        self._waiting = deque(
            (number, entry)
            for number, entry in enumerate(entries)
            if entry.where.kind in ("object", "web") and entry.fault is None
        )
        self._begun: dict[int, Future[Answer]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> _Ahead:
        if self._waiting:
            self._pool = ThreadPoolExecutor(self._options.fetchers, "physgauge-fetch")
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def take(self, number: int) -> Answer:
        """The bytes of the entry with that number; waits for them."""
        while number not in self._begun:
            self._begin()
        answer = self._begun.pop(number)
        self._fill()
        return answer.result()

    def _fill(self) -> None:
        most = 2 * self._options.fetchers
        while (
            self._waiting and len(self._begun) < most and self._held() < self._options.ahead_bytes
        ):
            self._begin()

    def _begin(self) -> None:
        assert self._pool is not None
        number, entry = self._waiting.popleft()
        self._begun[number] = self._pool.submit(self._fetch, entry)

    def _held(self) -> int:
        """Bytes that are here, or on their way as far as is known."""
        held = 0
        for future in self._begun.values():
            done = future.done() and not future.cancelled()
            answer = future.result() if done else b""
            held += len(answer) if isinstance(answer, bytes) else 0
        return held

    def _fetch(self, entry: Entry) -> Answer:
        most = self._options.most_bytes
        try:
            if entry.where.kind == "web":
                return fetch(entry.where.place, self._hosts, most, self._options.timeout_s)
            return _object(entry, most)
        except ImageError as error:
            return error
        except Exception as error:  # what a thread raises would else end the unit, not the entry
            return ImageError(
                "image_unreadable", f"{entry.source:.300}: cannot be read ({type(error).__name__})"
            )


def _object(entry: Entry, most_bytes: int) -> bytes:
    address = entry.where.place
    try:
        store, key = object_of(address)
        data = store.read_range(key, 0, most_bytes + 1)
    except Missing:
        raise ImageError("image_unreadable", f"{address}: expected an object, got none") from None
    except (ConfigError, EnvironmentProblem) as error:
        raise ImageError("image_unreadable", str(error)) from None
    if len(data) > most_bytes:
        raise ImageError(
            "image_too_large", f"{address}: expected at most {most_bytes} bytes, got more"
        )
    return data
