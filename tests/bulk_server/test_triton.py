"""The engine `server` on the real one: the rows of a local run, committed once, and what it says it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from physgauge import wire
from physgauge.bulk.engines.fleet import ASKED, parts_of
from physgauge.bulk.engines.server import ServerEngine, ServerSettings
from physgauge.bulk.watch.events import Beat, UnitDone
from physgauge.wire import Method
from tests.bulk_ray import rig
from tests.serving.server import EXAMPLES, NAMES, Server, same


def test_rows_are_those_of_a_local_run(
    server: Server, local_rows: dict[str, wire.Row], tmp_path: Path
) -> None:
    told: list[str] = []
    engine = ServerEngine(ServerSettings(server.address), told.append)
    heard = rig.score(
        engine, [str(EXAMPLES)], tmp_path / "out", unit_size=5, captions=EXAMPLES / "captions.csv"
    )
    found = rig.rows(tmp_path / "out")
    assert [Path(row.image_id).name for row in found] == NAMES
    for row in found:
        name = Path(row.image_id).name
        same(replace(row, image_id=name, source=name), local_rows[name])
    assert sum(one.entries for one in heard if isinstance(one, UnitDone)) == len(NAMES)
    assert {one.worker for one in heard if isinstance(one, Beat)} == {"server"}
    assert told == []


@pytest.mark.parametrize("method", ["both", "pcmde"])
def test_the_fingerprint_holds_for_the_rows_of_each_method(
    server: Server, tmp_path: Path, method: Method
) -> None:
    """Rows that a server makes are looked at: none may differ from what it said of itself."""
    engine = ServerEngine(ServerSettings(server.address), print, method=method)
    folder = tmp_path / "images"
    folder.mkdir()
    for name in (*NAMES[:2], "broken.jpg"):
        there = rig.EXAMPLES / name
        (folder / name).write_bytes(there.read_bytes() if there.exists() else b"\xff\xd8\xff")
    rig.score(engine, [str(folder)], tmp_path / "out", method=method)
    found = rig.rows(tmp_path / "out")
    assert [row.error_code is None for row in found] == [True, True, False]
    parts = engine.fingerprint()
    assert {name for name in parts if name.startswith("model pack_")} == {
        "model pack_aircraft", "model pack_animal", "model pack_car"
    }  # fmt: skip
    assert parts_of(found[2].provenance).items() <= parts.items()
    assert parts.keys() >= ASKED
