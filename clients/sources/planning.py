"""Making a plan: what the PATHs name is cut into units, written, and sealed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from physgauge.clients.sources.arrow import Table, arrow
from physgauge.clients.sources.cutting import cut, unit_of
from physgauge.clients.sources.finding import Finder
from physgauge.clients.sources.plan import Plan, open_plan
from physgauge.clients.sources.records import Sourcing, Unit
from physgauge.clients.sources.repeats import NAMED, Ids, Numbering, repeats
from physgauge.clients.sources.sealed import PartWriter, Seal, seal_key

if TYPE_CHECKING:
    from physgauge.clients.storage import Store

UNUSED_SAID: Final = 100


def make_plan(inputs: Sequence[str], store: Store, options: Sourcing) -> Plan:
    """The sealed plan of the run in `store`; made from `inputs` if there is none.

    Streams: memory is bounded by a part of the plan (some ten MB), the names of the largest folder and 8
    bytes an entry.

    Raises:
        ConfigError: an input that does not exist, names no image, is of no known kind, or a manifest that
            cannot be read; says which.
        EnvironmentProblem: the plan cannot be written, or the one that is there is damaged.
    """
    there = open_plan(store)
    if there is not None:
        return there
    store.make()
    finder = Finder(options)
    writer = PartWriter(store, secrets.token_hex(8))
    try:
        ids = Ids()
        for table in cut(finder.find(inputs), options.unit_size):
            ids.add(table.column("image_id").to_pylist())
            writer.add(table)
        writer.flush()
        seal = Seal(
            token=writer.token,
            unit_size=options.unit_size,
            inputs=list(inputs),
            parts=writer.parts,
            containers=finder.containers,
            unused_captions=unused(finder),
        )
        seal = with_repeats(seal, Plan(store, [seal]), ids, writer)
        sealed = store.create(seal_key(0), msgspec.json.encode(seal))
    except BaseException:
        writer.drop()
        raise
    if not sealed:
        writer.drop()
    plan = open_plan(store)
    assert plan is not None
    return plan


def unused(finder: Finder) -> list[str]:
    """Names in the caption file that no image asked for, the first UNUSED_SAID."""
    return [] if finder.captions is None else finder.captions.unused()[:UNUSED_SAID]


def with_repeats(seal: Seal, plan: Plan, ids: Ids, writer: PartWriter) -> Seal:
    """The seal with the list of ids that were given before.

    Args:
        seal: the newest of the plan.
        plan: all of it, that seal included.
        ids: of all of the plan's entries, in order.
        writer: for the list.
    """
    candidates = ids.candidates()
    if not len(candidates):
        return seal
    pa = arrow()
    counts = [abs(count) for part, _ in plan.parts for count in part.counts]
    own = sum(abs(count) for part in seal.parts for count in part.counts)
    numbering = Numbering(counts)
    names = [one.place for one in plan.containers]
    found = [
        (*numbering.of(at), f"image_id given before in the input: {origin}")
        for at, origin in repeats(candidates, plan.tables(NAMED), names)
        if at >= len(ids) - own
    ]
    if not found:
        return seal
    unit, place, warning = zip(*found, strict=True)
    table = pa.table({"unit": unit, "place": place, "warning": warning})
    return msgspec.structs.replace(seal, repeats=writer.beside("repeats", table))


def open_inputs(
    inputs: Sequence[str], options: Sourcing, unused_captions: list[str] | None = None
) -> Iterator[Unit]:
    """The units of `inputs` without a run's folder (a server's client, `gate`): streamed, in order. Ids
    that come again are told by their hash, up to 200 bytes an entry.

    Args:
        inputs: PATHs.
        options: how to look for them.
        unused_captions: gets, at the end, the names in the caption file that no image asked for.

    Raises:
        ConfigError: as :func:`make_plan`.
    """
    finder = Finder(options)
    seen: set[int] = set()
    for number, table in enumerate(cut(finder.find(inputs), options.unit_size)):
        names = [one.place for one in finder.containers]
        yield unit_of(number, table, names, _seen(table, seen))
    if unused_captions is not None:
        unused_captions += unused(finder)


def _seen(table: Table, seen: set[int]) -> dict[int, str]:
    said = {}
    for place, image_id in enumerate(table.column("image_id").to_pylist()):
        mark = hash(image_id)
        if mark in seen:
            said[place] = "image_id given before in the input"
        seen.add(mark)
    return said
