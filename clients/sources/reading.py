"""A unit's entries with their bytes, in order."""

from __future__ import annotations

from collections.abc import Iterator

from physgauge.clients.sources.records import Loaded, Sourcing, Unit


def read_unit(unit: Unit, options: Sourcing) -> Iterator[Loaded]:
    """The entries of a unit in order, each with its bytes or with what is wrong with it.

    Remote bytes are fetched ahead by `options.fetchers` threads. Close the iterator to end them early.
    An archive that ends early or is damaged yields what is whole in it, then one entry that says where it
    ends.
    """
    raise NotImplementedError
