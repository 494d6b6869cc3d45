"""The engine `server` against servers that go away, come back, differ and change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest

from physgauge import wire
from physgauge.bulk.engines.server import ServerEngine, ServerSettings
from physgauge.bulk.watch.events import Retried, UnitDone
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.bulk_ray import rig
from tests.clients.rogue import Rogue, answer, image_of, options_of, row_of

FLEET = {"part_detector": "a" * 64}
PACKS = {"pack_car": "b" * 64}
Reject = Callable[[str], bool]


def behave(
    models: dict[str, str] = FLEET,
    packs: dict[str, str] = PACKS,
    pack: str = "b" * 64,
    away: Reject = lambda image_id: False,
    delay_s: float = 0.0,
) -> Any:
    """A server that says what it runs, as physgauge's do."""

    def answered(request: Any, context: grpc.ServicerContext) -> Any:
        options = options_of(request)
        time.sleep(delay_s)
        if away(options["image_id"]):
            context.abort(grpc.StatusCode.UNAVAILABLE, "physgauge [unavailable] draining")
        row = row_of(options)
        made = wire.Provenance(physgauge="9.9", profile="rogue", models=models)
        if not image_of(request):
            none = wire.Pcmde(status="error")
            row = msgspec.structs.replace(
                row, error_code="image_empty", error="no bytes", pcmde=none,
                provenance=msgspec.structs.replace(made, models=models | packs),
            )  # fmt: skip
        else:
            judged = msgspec.structs.replace(made, pack="car", pack_hash=pack)
            row = msgspec.structs.replace(row, provenance=judged)
        return answer(request, row)

    return answered


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(24):
        (folder / f"{number:02}.jpg").write_bytes(b"\xff\xd8\xff" + bytes([number]))
    return folder


def names(images: Path) -> list[str]:
    return [str(path) for path in sorted(images.iterdir())]


def engine(
    *servers: str, warn: Callable[[str], None] = lambda text: None, **settings: Any
) -> ServerEngine:
    given: dict[str, Any] = {"timeout_s": 1.0, "away_s": 20.0} | settings
    return ServerEngine(ServerSettings(",".join(servers), **given), warn)


@contextmanager
def stopped(server: Rogue, for_s: float) -> Iterator[list[Rogue]]:
    """Stops a server, and has another one come up on its port after a while."""
    server.stop()
    others: list[Rogue] = []

    def start() -> None:
        others.append(Rogue(behave(), port=server.port))

    timer = threading.Timer(for_s, start)
    timer.start()
    try:
        yield others
    finally:
        timer.join()
        for one in others:
            one.stop()


def test_rows_of_two_servers_are_committed_in_order(images: Path, tmp_path: Path) -> None:
    with Rogue(behave()) as first, Rogue(behave()) as second:
        made = engine(first.address, second.address)
        heard = rig.score(made, [str(images)], tmp_path / "out")
        assert len(first.requests) > 5
        assert len(second.requests) > 5
    assert rig.ids(rig.rows(tmp_path / "out")) == names(images)
    assert sum(one.entries for one in heard if isinstance(one, UnitDone)) == 24


def test_a_server_that_goes_away_and_comes_back_costs_no_row(images: Path, tmp_path: Path) -> None:
    done = threading.Event()

    def hear(event: Any) -> None:
        if isinstance(event, UnitDone):
            done.set()

    with Rogue(behave(delay_s=0.05), threads=2) as server:
        made = engine(server.address)

        def stop() -> None:
            done.wait(30)
            with stopped(server, 3.0):
                over.wait(60)

        over = threading.Event()
        thread = threading.Thread(target=stop)
        thread.start()
        try:
            heard = rig.score(made, [str(images)], tmp_path / "out", hear=hear)
        finally:
            over.set()
            thread.join()
    found = rig.rows(tmp_path / "out")
    assert rig.ids(found) == names(images)
    assert [row.error_code for row in found] == [None] * 24
    assert any(isinstance(one, Retried) for one in heard)


def test_an_image_that_no_server_answers_for_gets_its_row_at_last(
    images: Path, tmp_path: Path
) -> None:
    bad = names(images)[5]
    with Rogue(behave(away=lambda image_id: image_id == bad)) as server:
        made = engine(server.address, tries=2)
        heard = rig.score(made, [str(images)], tmp_path / "out")
    found = rig.rows(tmp_path / "out")
    assert rig.ids(found) == names(images)
    assert [row.image_id for row in found if row.error_code] == [bad]
    assert found[5].error_code == "unavailable"
    assert "sent again 2 times" in str(found[5].error)
    assert "physgauge retry DIR --code unavailable" in str(found[5].error)
    assert sum(isinstance(one, Retried) for one in heard) >= 2


def test_without_tries_the_row_is_final(images: Path, tmp_path: Path) -> None:
    bad = names(images)[5]
    with Rogue(behave(away=lambda image_id: image_id == bad)) as server:
        heard = rig.score(engine(server.address, tries=0), [str(images)], tmp_path / "out")
    codes = [row.error_code for row in rig.rows(tmp_path / "out")]
    assert codes == [None] * 5 + ["unavailable"] + [None] * 18
    assert not any(isinstance(one, Retried) for one in heard)


def test_without_servers_the_run_ends_and_is_taken_up_later(images: Path, tmp_path: Path) -> None:
    port, stop = 0, threading.Event()

    def hear(event: Any) -> None:
        if isinstance(event, UnitDone) and not stop.is_set():
            stop.set()
            threading.Thread(target=server.stop).start()

    server = Rogue(behave(delay_s=0.05), threads=2)
    port = server.port
    with pytest.raises(EnvironmentProblem, match="the same command goes on with the run"):
        rig.score(engine(server.address, away_s=1.0), [str(images)], tmp_path / "out", hear=hear)
    server.stop()
    committed = Run.open(open_store(tmp_path / "out")).committed()
    before = rig.rows(tmp_path / "out")
    assert 0 < len(committed) < 6
    assert not [row.error_code for row in before if row.error_code]
    with Rogue(behave(), port=port) as again:
        rig.score(engine(again.address), [str(images)], tmp_path / "out")
        asked = [options_of(request)["image_id"] for request in again.requests]
    found = rig.rows(tmp_path / "out")
    assert rig.ids(found) == names(images)
    assert not {row.image_id for row in before} & set(asked)


def test_servers_that_differ_are_refused(images: Path, tmp_path: Path) -> None:
    other = behave(models={"part_detector": "c" * 64})
    with Rogue(behave()) as first, Rogue(other) as second, pytest.raises(ConfigError) as wrong:
        rig.score(engine(first.address, second.address), [str(images)], tmp_path / "out")
    text = str(wrong.value)
    assert f"got {first.address} and {second.address}: model part_detector" in text
    assert f"{'a' * 64} and {'c' * 64}" in text
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "other",
    [behave(models={"part_detector": "c" * 64}), behave(pack="d" * 64)],
    ids=["model", "pack"],
)
def test_a_server_that_is_changed_ends_the_run(images: Path, tmp_path: Path, other: Any) -> None:
    first = behave()

    def changing(request: Any, context: grpc.ServicerContext) -> Any:
        late = options_of(request)["image_id"].endswith("13.jpg")
        return (other if late else first)(request, context)

    changed = pytest.raises(ConfigError, match="a server has been changed since")
    with Rogue(changing, threads=2) as server, changed:
        rig.score(engine(server.address), [str(images)], tmp_path / "out")
    ids = rig.ids(rig.rows(tmp_path / "out"))
    assert names(images)[13] not in ids


def test_another_fleet_does_not_go_on_with_a_run(images: Path, tmp_path: Path) -> None:
    with Rogue(behave()) as server:
        rig.score(engine(server.address), [str(images)], tmp_path / "out")
    other = Rogue(behave(packs={"pack_car": "e" * 64}))
    with other as server, pytest.raises(ConfigError, match="model pack_car"):
        rig.score(engine(server.address), [str(images)], tmp_path / "out")


def test_a_server_that_is_silent_at_first_is_said(images: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with Rogue(behave()) as server, Rogue() as gone:
        gone.stop()
        made = engine(server.address, gone.address, warn=told.append)
        rig.score(made, [str(images)], tmp_path / "out")
    assert rig.ids(rig.rows(tmp_path / "out")) == names(images)
    assert len(told) == 1
    assert gone.address in told[0]
    assert "the run begins without it" in told[0]


def test_no_server_at_all(tmp_path: Path) -> None:
    with Rogue() as gone:
        gone.stop()
    with pytest.raises(EnvironmentProblem, match=f"--server {gone.address}: unavailable"):
        engine(gone.address).fingerprint()


def test_domain_and_method_are_parts_of_the_run() -> None:
    with Rogue(behave()) as server:
        settings = ServerSettings(server.address, timeout_s=1.0)
        one = ServerEngine(settings, print, domain="car", method="pcmde").fingerprint()
        other = ServerEngine(settings, print).fingerprint()
    assert (one["domain"], one["method"]) == ("car", "pcmde")
    assert one["model pack_car"] == other["model pack_car"] == "b" * 64
    assert one != other


def test_numbers_that_are_wrong_are_said() -> None:
    with pytest.raises(ConfigError, match="tries: expected 0 to 100, got 101"):
        ServerEngine(ServerSettings("localhost:1", tries=101), print)
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        ServerEngine(ServerSettings("localhost"), print)
