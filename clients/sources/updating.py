"""Taking over what changed: new units for what was added, new rows for what was replaced."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import msgspec

from physgauge.clients.sources.arrow import Table, arrow
from physgauge.clients.sources.cutting import cut
from physgauge.clients.sources.differences import Changes
from physgauge.clients.sources.plan import Plan, open_plan
from physgauge.clients.sources.planning import with_repeats
from physgauge.clients.sources.repeats import Ids
from physgauge.clients.sources.sealed import PartWriter, Seal, seal_key

if TYPE_CHECKING:
    from physgauge.clients.storage import Store


def update_plan(store: Store, plan: Plan, found: Changes) -> Plan:
    """Appends what was added as new units and takes over what was replaced (sealed like the plan itself);
    returns the plan as it is now. What is gone stays in the plan. If somebody else updated the plan in
    the meantime, his update is taken: look for changes again.

    Raises:
        EnvironmentProblem: it cannot be written.
    """
    if not found:
        return plan
    unit_size = plan.seals[0].unit_size
    found.token = secrets.token_hex(8)
    writer = PartWriter(store, found.token, plan.units)
    try:
        ids = Ids()
        for table in plan.tables(["image_id"]):
            ids.add(table.column("image_id").to_pylist())
        for table in cut(found.new, unit_size):
            ids.add(table.column("image_id").to_pylist())
            writer.add(table)
        writer.flush()
        seal = Seal(
            token=writer.token,
            unit_size=unit_size,
            inputs=found.inputs,
            parts=writer.parts,
            containers=found.containers,
            unused_captions=found.unused_captions,
            unlisted=found.unlisted,
            replaced=writer.beside("new", _replaced(found)) if found.rows else None,
        )
        seal = with_repeats(seal, Plan(store, [*plan.seals, seal]), ids, writer)
        sealed = store.create(seal_key(len(plan.seals)), msgspec.json.encode(seal))
    except BaseException:
        writer.drop()
        raise
    if not sealed:
        writer.drop()
    now = open_plan(store)
    assert now is not None
    return now


def _replaced(found: Changes) -> Table:
    pa = arrow()
    rows = pa.concat_tables([row for _, _, row in found.rows])
    rows = rows.append_column("unit", pa.array([unit for unit, _, _ in found.rows], pa.int64()))
    places = pa.array([place for _, place, _ in found.rows], pa.int64())
    return rows.append_column("place_in_unit", places)
