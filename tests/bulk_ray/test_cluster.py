"""The engine `ray` on a local Ray cluster: rows as the engine `local` makes them, whatever is killed."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from physgauge import wire
from physgauge.bulk.engines.local import LocalEngine
from physgauge.bulk.engines.ray import RayEngine
from physgauge.bulk.engines.ray_settings import RaySettings
from physgauge.bulk.watch.events import Beat, UnitDone, WorkerLost
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from tests.bulk_ray import rig
from tests.bulk_ray.cluster import Cluster

STALL_S = 120.0


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve images, one of them no image."""
    folder = tmp_path_factory.mktemp("images")
    for path in sorted(rig.EXAMPLES.glob("*.jpg"))[:11]:
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 no more")
    return folder


@pytest.fixture(scope="session")
def local(images: Path, tmp_path_factory: pytest.TempPathFactory) -> list[wire.Row]:
    """The rows of the engine `local`."""
    output = tmp_path_factory.mktemp("local") / "out"
    with LocalEngine(rig.parts(), [{}], STALL_S) as engine:
        rig.score(engine, [str(images)], output, unit_size=3)
    return rig.rows(output)


@pytest.fixture(scope="session")
def connected(cluster: Cluster) -> Iterator[Cluster]:
    """One connection for all: the engine takes it as it is."""
    import ray

    ray.init(cluster.address, logging_level=logging.ERROR, log_to_driver=False)
    yield cluster
    ray.shutdown()


def engine(cluster: Cluster, least: int = 1, most: int = 2) -> RayEngine:
    return RayEngine(RaySettings(cluster.address, least, most), rig.parts(), STALL_S, print)


def processes(cluster: Cluster, words: str) -> list[int]:
    """Of the cluster, by their command line."""
    found = []
    for pid in cluster.left:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if words in line:
            found.append(pid)
    return found


class Killer:
    """Kills a process of the cluster once, when the first unit is committed."""

    def __init__(self, cluster: Cluster, words: str) -> None:
        self._cluster, self._words = cluster, words
        self.killed: list[int] = []
        self._once = threading.Lock()

    def __call__(self, event: Any) -> None:
        if isinstance(event, UnitDone) and self._once.acquire(blocking=False):
            self.killed = processes(self._cluster, self._words)[:1]
            for pid in self.killed:
                os.kill(pid, signal.SIGKILL)


def whole(output: Path, local: list[wire.Row], units: int = 4) -> None:
    """The undisturbed run's rows, once each, each unit in one file."""
    found = rig.rows(output)
    assert rig.ids(found) == rig.ids(local)
    assert found == local
    run = Run.open(open_store(output))
    assert sorted(run.committed()) == list(range(units))
    assert len(list(run.store.list("rows/"))) == units


def test_rows_are_those_of_the_engine_local_with_an_actor_killed(
    connected: Cluster, images: Path, local: list[wire.Row], tmp_path: Path
) -> None:
    kill = Killer(connected, "ray::MapWorker")
    heard = rig.score(engine(connected), [str(images)], tmp_path / "out", unit_size=3, hear=kill)
    assert kill.killed
    whole(tmp_path / "out", local)
    names = {one.worker for one in heard if isinstance(one, Beat)}
    assert names
    assert all(name.startswith("ray-") for name in names)
    assert not processes(connected, "physgauge.bulk.worker")


def test_a_worker_that_is_killed_is_handled_as_in_a_local_run(
    connected: Cluster, images: Path, local: list[wire.Row], tmp_path: Path
) -> None:
    kill = Killer(connected, "physgauge.bulk.worker")
    heard = rig.score(
        engine(connected, most=1), [str(images)], tmp_path / "out", unit_size=3, hear=kill
    )
    assert kill.killed
    whole(tmp_path / "out", local)
    (lost,) = [one for one in heard if isinstance(one, WorkerLost)]
    assert lost.worker.startswith("ray-")
    assert lost.reason == "died"


def command(cluster: Cluster, images: Path, output: Path) -> subprocess.Popen[str]:
    options = f"--engine ray --ray-address {cluster.address} --ray-actors 1:2 --unit-size 1"
    return subprocess.Popen(
        [
            sys.executable, "-c", "from physgauge.cli.main import main; main()",
            "score", str(images), "-o", str(output), *options.split(), "--threads", "1",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def test_the_command_is_stopped_and_goes_on(
    cluster: Cluster, images: Path, local: list[wire.Row], tmp_path: Path
) -> None:
    output = tmp_path / "out"
    with command(cluster, images, output) as first:
        while first.poll() is None and not list(output.glob("rows/*.parquet")):
            time.sleep(0.05)
        first.terminate()
        said, _ = first.communicate(timeout=120)
    assert first.returncode == 128 + signal.SIGTERM, said
    assert "the same command goes on" in said
    assert 0 < len(list(output.glob("rows/*.parquet"))) < 12
    with command(cluster, images, output) as second:
        said, _ = second.communicate(timeout=180)
    assert second.returncode == 0, said
    whole(output, local, units=12)
    end = time.monotonic() + 20
    while processes(cluster, "physgauge.bulk.worker") and time.monotonic() < end:
        time.sleep(0.1)
    assert not processes(cluster, "physgauge.bulk.worker")
