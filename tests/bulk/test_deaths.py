"""Processes die, stand still or are stopped: every image keeps its one row, and nobody is left behind."""

from __future__ import annotations

import os
import re
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from physgauge.bulk.flight import Flight
from tests.bulk import rig
from tests.bulk.conftest import COUNT, Base

PATIENCE_S = 300.0
SMALL = ("--unit-size", "16", "--workers", "1", "--threads", "1")


def wait_for(happens: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.02)


def units(output: Path) -> int:
    return len(list(output.glob("rows/*.parquet")))


def flight_of(worker: int) -> Flight | None:
    """What a worker has in hand, as its coordinator sees it."""
    for link in Path(f"/proc/{worker}/fd").glob("*"):
        try:
            if "physgauge-flight" in str(link.readlink()):
                return Flight(os.open(link, os.O_RDWR))
        except OSError:
            continue
    return None


def same_rows(output: Path, base: Base) -> None:
    """As a list: nothing lost, nothing twice, nothing in another order."""
    found = rig.plain(rig.rows(output))
    assert [row.image_id for row in found] == [row.image_id for row in base.rows]
    assert found == base.rows


def test_a_coordinator_killed_in_the_middle(base: Base, tmp_path: Path) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments) as process:
        wait_for(lambda: units(tmp_path / "out") >= 3 or process.poll() is not None)
        family = rig.children(process.pid)
        process.kill()
        process.wait()
        assert family
        wait_for(lambda: not any(map(rig.alive, family)))  # no orphan works on
    before = units(tmp_path / "out")
    assert before < COUNT / 16
    done = rig.run(base.folder, *arguments)
    assert "Rows:" in done.stdout
    same_rows(tmp_path / "out", base)
    assert "Nothing to do" in rig.run(base.folder, *arguments).stdout


def test_workers_killed_in_the_middle(base: Base, tmp_path: Path) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    killed = 0
    with rig.running(base.folder, *arguments) as process:
        for least in (2, 6, 10):
            while units(tmp_path / "out") < least and process.poll() is None:
                time.sleep(0.02)
            for worker in rig.workers(process.pid):
                rig.kill(worker)
                killed += 1
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said
    assert killed >= 2
    same_rows(tmp_path / "out", base)


@pytest.mark.slow
def test_a_worker_that_stands_still_is_replaced(base: Base, tmp_path: Path) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments, "--stall", "2") as process:
        wait_for(lambda: units(tmp_path / "out") >= 2)
        (worker,) = rig.workers(process.pid)
        rig.kill(worker, signal.SIGSTOP)
        wait_for(lambda: not rig.alive(worker))
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said
    same_rows(tmp_path / "out", base)


def test_a_session_that_wakes_up_late_loses_its_commit(base: Base, tmp_path: Path) -> None:
    """Coordinator and worker stand still, another session takes their unit over, and they wake."""
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments, "--lease", "2") as first:
        wait_for(lambda: units(tmp_path / "out") >= 2)
        (worker,) = rig.workers(first.pid)
        for pid in (first.pid, worker):
            rig.kill(pid, signal.SIGSTOP)
        flight = flight_of(worker)
        assert flight is not None
        assert flight.in_hand()
        flight.close()
        rig.run(base.folder, *arguments, "--lease", "2")
        same_rows(tmp_path / "out", base)
        for pid in (worker, first.pid):
            rig.kill(pid, signal.SIGCONT)
        _, said = first.communicate(timeout=PATIENCE_S)
        assert first.returncode == 0, said
    same_rows(tmp_path / "out", base)


@pytest.mark.slow
def test_two_sessions_share_the_units(base: Base, tmp_path: Path) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with (
        rig.running(base.folder, *arguments) as one,
        rig.running(base.folder, *arguments) as other,
    ):
        for process in (one, other):
            _, said = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, said
    same_rows(tmp_path / "out", base)
    assert len(list(tmp_path.glob("out/events/*.json"))) == 2


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)
def test_stopped_and_taken_up_again(
    base: Base, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments) as process:
        wait_for(lambda: units(tmp_path / "out") >= 2)
        family = rig.children(process.pid)
        process.send_signal(number)
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, said
    assert "the same command goes on" in out
    assert "Traceback" not in out + said
    assert not any(map(rig.alive, family))
    assert 2 <= units(tmp_path / "out") < COUNT / 16
    rig.run(base.folder, *arguments)
    same_rows(tmp_path / "out", base)


@pytest.mark.slow
def test_a_second_signal_stops_at_once(base: Base, tmp_path: Path) -> None:
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments) as process:
        wait_for(lambda: units(tmp_path / "out") >= 1)
        (worker,) = rig.workers(process.pid)
        rig.kill(worker, signal.SIGSTOP)  # so it will not finish anything
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    assert process.returncode == 130, said
    assert not rig.alive(worker)


def test_no_room_in_the_middle(base: Base, tmp_path: Path) -> None:
    """From some unit on the worker's files may not grow beyond 2 KB: the rows of a unit do not fit."""
    arguments = ("score", "in", "-o", tmp_path / "out", "--profile", base.profile, *SMALL)
    with rig.running(base.folder, *arguments) as process:
        wait_for(lambda: units(tmp_path / "out") >= 2)
        (worker,) = rig.workers(process.pid)
        resource.prlimit(worker, resource.RLIMIT_FSIZE, (2_000, 2_000))
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3, said
    assert re.search(r"rows/unit-\d{8}\.parquet: cannot be written \(File too large", said)
    assert "Traceback" not in out + said
    assert 2 <= units(tmp_path / "out") < COUNT / 16
    assert rig.plain(rig.rows(tmp_path / "out")) == base.rows[: 16 * units(tmp_path / "out")]
    rig.run(base.folder, *arguments)
    same_rows(tmp_path / "out", base)
    assert not list(tmp_path.glob("out/attempts/*"))


def test_a_worker_that_cannot_start_says_why(base: Base, tmp_path: Path) -> None:
    profile = tmp_path / "broken.toml"
    profile.write_text(
        base.profile.read_text("utf-8").replace('"boxes.onnx"', '"nowhere.onnx"'), "utf-8"
    )
    done = rig.run(base.folder, "score", "in", "-o", tmp_path / "out", "--profile", profile, code=3)
    assert "nowhere.onnx" in done.stderr
