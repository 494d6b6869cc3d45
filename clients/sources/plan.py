"""The plan: a run's input list, frozen in its folder when it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from physgauge.clients.sources.records import Sourcing, Unit

if TYPE_CHECKING:
    from physgauge.clients.storage import Store


class Plan:
    """A sealed plan, read from the run's folder. Cheap to open; units are read as they are asked for."""

    token: str
    """Of this plan: two coordinators that start together end with one."""
    units: int
    """Number of units: 0 .. units - 1."""
    entries: int | None
    """Number of entries; None while it holds archives, whose entries are known when they are read."""
    listed: int
    """Entries that are known already (all but those in archives)."""
    unused_captions: list[str]
    """Names in the caption file that no image asked for (the first 100)."""

    def unit(self, number: int) -> Unit:
        """One unit; about 1 ms when asked for in order (a part of the plan stays in memory).

        Raises:
            IndexError: not 0 .. units - 1.
        """
        raise NotImplementedError

    def counts(self) -> list[int | None]:
        """Number of entries of each unit, without reading them; None for an archive."""
        raise NotImplementedError


class Changes:
    """What differs between a plan and the inputs as they are now."""

    added: int
    """Entries (an archive counts as one) that the plan does not hold."""
    replaced: dict[int, list[int]]
    """Unit -> places within it (from 0) of entries whose file, caption, domain or carried columns are
    others now. An archive that was replaced: ``{unit: []}``, all of it."""
    gone: dict[int, list[int]]
    """Unit -> places of entries that the inputs no longer name, or whose file is not there."""
    examples: list[str]
    """A few of them, one sentence each."""

    def __bool__(self) -> bool:
        """Whether anything differs."""
        raise NotImplementedError


def make_plan(inputs: Sequence[str], store: Store, options: Sourcing) -> Plan:
    """The sealed plan of the run in `store`; made from `inputs` if there is none.

    Streams: memory is bounded by a part of the plan (some ten MB) and 8 bytes an entry.

    Raises:
        ConfigError: an input that does not exist, names no image, is of no known kind, or a manifest that
            cannot be read; says which.
    """
    raise NotImplementedError


def open_plan(store: Store) -> Plan | None:
    """The sealed plan of the run in `store`, or None."""
    raise NotImplementedError


def changes(plan: Plan, inputs: Sequence[str], options: Sourcing) -> Changes:
    """What differs now: by size and mtime of local files, etag of listed objects, hash of manifests.

    Rows of a manifest that name objects of a store or URLs are taken as they were while the manifest
    stays as it is: asking for each would cost a request an image.
    """
    raise NotImplementedError


def update_plan(store: Store, plan: Plan, found: Changes) -> Plan:
    """Appends what was added as new units and takes over what was replaced (sealed like the plan itself);
    returns the plan as it is now. What is gone stays in the plan."""
    raise NotImplementedError


def open_inputs(inputs: Sequence[str], options: Sourcing) -> Iterator[Unit]:
    """The units of `inputs` without a run's folder (a server's client, `gate`): streamed, in order.

    Raises:
        ConfigError: as :func:`make_plan`.
    """
    raise NotImplementedError
