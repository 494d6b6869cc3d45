"""Claims: who works on what, and what becomes of the work of the dead."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import msgspec
import pytest

from physgauge.clients.runs import Run, Session
from physgauge.clients.runs.session import Beat
from physgauge.clients.storage import Store, open_store
from tests.runs.test_run import PARTS, begin, some

ALL = [(unit, 0) for unit in range(5)]


class Clock:
    """A monotonic clock that the test turns."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return open_store(tmp_path / "run" if request.param == "disk" else f"memory://{tmp_path.name}")


def names(store: Store, *prefixes: str) -> list[str]:
    return [one.key for prefix in prefixes for one in store.list(prefix)]


def test_a_unit_is_claimed_by_one(store: Store) -> None:
    run = begin(store)
    with run.session() as a, run.session() as b:
        assert a.claim(ALL, 2) == [(0, 0), (1, 0)]
        assert b.claim(ALL, 2) == [(2, 0), (3, 0)]
        assert a.claim(ALL, 9) == [(4, 0)]
        assert b.claim(ALL, 9) == []
        assert a.held() == {(2, 0): b.token, (3, 0): b.token}
        assert sorted(a.living()) == sorted([a.token, b.token])
        run.commit(0, 0, some(0))
        a.release(0, 0)
        a.release(1, 0)  # not committed: somebody else's
        assert b.claim(ALL, 9) == [(1, 0)]
    assert names(store, "claims/", "sessions/") == []


def test_what_was_committed_meanwhile_is_not_claimed(store: Store) -> None:
    run = begin(store)
    run.commit(0, 0, some(0))
    with run.session() as a:
        assert a.claim(ALL, 2) == [(1, 0), (2, 0)]
        assert a.claim([(0, 0), (0, 1)], 2) == [(0, 1)]


def test_the_dead_are_taken_over_and_the_living_are_not(store: Store) -> None:
    """By the observer's own clock, and by the counter alone: the wall clock may say what it likes."""
    begin(store)
    clock = Clock()
    dead, slow = Session(store, 60), Session(store, 60)
    for one in (dead, slow):  # without their threads: as if killed
        one.beat()
    assert dead.claim(ALL, 2) == [(0, 0), (1, 0)]
    assert slow.claim(ALL, 2) == [(2, 0), (3, 0)]
    watcher = Session(store, 60, clock)
    watcher.beat()
    assert watcher.claim(ALL[:4], 4) == []
    clock.now += 59
    slow.beat()
    with mock.patch("time.time", return_value=0.0):
        assert watcher.claim(ALL[:4], 4) == []
        clock.now += 2
        assert watcher.claim(ALL[:4], 1) == [(0, 0)]
    assert names(store, "claims/unit-00000000") == [
        "claims/unit-00000000.g000.000.json", "claims/unit-00000000.g000.001.json",
    ]  # fmt: skip
    # The one that was taken for dead wakes up: it gives back what it had, and no more than that.
    dead.beat()
    dead.release(0, 0)
    assert names(store, "claims/unit-00000000") == ["claims/unit-00000000.g000.001.json"]
    another = Session(store, 60, clock)
    another.beat()
    assert another.claim(ALL[:1], 1) == []
    assert another.held()[0, 0] == watcher.token


def test_one_of_two_takes_over(store: Store) -> None:
    begin(store)
    clock = Clock()
    dead = Session(store, 60)
    dead.beat()
    dead.claim(ALL, 5)
    heirs = [Session(store, 60, clock) for _ in range(2)]
    for one in heirs:
        one.beat()
        one.living()
    clock.now += 61
    for one in heirs:
        one.beat()
    turns, alive = heirs[0]._turns(), set(heirs[0].living())
    # Both have seen the same turn; the second to create the next one finds it taken.
    assert heirs[0]._take((0, 0), turns[0, 0], alive)
    assert not heirs[1]._take((0, 0), turns[0, 0], alive)


def test_a_session_that_lives_is_seen_to(tmp_path: Path) -> None:
    """With real threads and clocks: longer than a lease, and nothing is taken."""
    run = begin(open_store(tmp_path / "run"))
    with run.session(lease_s=1.2) as a, run.session(lease_s=1.2) as b:
        a.claim(ALL, 1)
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            assert (0, 0) not in b.claim(ALL[:1], 1)
            time.sleep(0.1)


KILLED = """
import sys, time
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
run = Run.open(open_store(sys.argv[1]))
session = run.session(lease_s=0.5).__enter__()
print(session.claim([(0, 0), (1, 0)], 2), flush=True)
(Run.open(run.store, session.token).store.scratch(session.token)).write_bytes(b"half")
print("ready", flush=True)
time.sleep(60)
"""


def test_a_killed_process_is_taken_over_and_swept(tmp_path: Path) -> None:
    store = open_store(tmp_path / "run")
    run = begin(store)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "run")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "[(0, 0), (1, 0)]\n"
        assert process.stdout.readline() == "ready\n"
        process.kill()
    with run.session() as session:
        # Its process is known to be gone: nobody waits for its lease to run out.
        assert session.claim(ALL[:1], 1) == [(0, 0)]
        assert len(names(store, "sessions/")) == 2
        assert session.sweep() == 3  # its attempt, its session, its other claim
        assert names(store, "sessions/", "attempts/") == [f"sessions/{session.token}.json"]
        assert names(store, "claims/unit-00000001") == []


@pytest.mark.parametrize("place", ["", "another machine"])
def test_a_process_elsewhere_is_waited_for(tmp_path: Path, place: str) -> None:
    """Two containers may share a host's name: a process id of the other one says nothing here."""
    store = open_store(tmp_path / "run")
    begin(store)
    clock = Clock()
    other = Session(store, 60)
    other.beat()
    other.claim(ALL[:1], 1)
    key = f"sessions/{other.token}.json"
    beat = msgspec.json.decode(store.get(key), type=Beat)
    gone = 2**22 + 1  # above the largest process id
    store.replace(key, msgspec.json.encode(msgspec.structs.replace(beat, pid=gone, place=place)))
    watcher = Session(store, 60, clock)
    watcher.beat()
    assert watcher.claim(ALL[:1], 1) == []
    clock.now += 61
    assert watcher.claim(ALL[:1], 1) == [(0, 0)]
    store.replace(key, msgspec.json.encode(msgspec.structs.replace(beat, pid=gone)))
    assert other.token not in Session(store, 60).living()


def test_a_sweep_takes_what_does_not_count_and_nothing_else(store: Store) -> None:
    run = begin(store)
    for unit in range(3):
        run.commit(unit, 0, some(unit))
    old = store.get("rows/unit-00000001.parquet")
    newer = run.revise("retry", PARTS, {}, [1])
    newer.commit(1, 1, some(1, 2, "new"))
    # A worker that died between its link and its second look; a count of rows that are gone.
    store.create("rows/unit-00000001.parquet", old)
    store.create("counts/unit-00000009.g000.7", b"")
    store.create("rows/notes.txt", b"mine")
    store.create("plan/plan.json", b"{}")
    clock = Clock()
    live = Session(store, 60, clock)
    live.beat()
    live.claim([(7, 0)], 1)
    before = set(names(store, ""))
    sweeper = Session(store, 60, clock)
    sweeper.beat()
    sweeper.sweep()
    gone = before - set(names(store, ""))
    assert gone == {
        "rows/unit-00000001.parquet", "counts/unit-00000001.g000.3", "counts/unit-00000009.g000.7",
    }  # fmt: skip
    assert list(Run.open(store).rows()) == [*some(0), *some(1, 2, "new"), *some(2)]
    assert sweeper.sweep() == 0


def test_attempts_of_nobody_known_go_when_they_stand_still(tmp_path: Path) -> None:
    store = open_store(tmp_path / "run")
    begin(store)
    clock = Clock()
    session = Session(store, 60, clock)
    session.beat()
    paths = [store.scratch(owner) for owner in ("x", "x", session.token)]
    for path in paths:
        assert path is not None
        path.write_bytes(b"1")
    still, grows, mine = (path for path in paths if path is not None)
    assert session.sweep() == 0
    clock.now += 61
    grows.write_bytes(b"12")
    assert session.sweep() == 1
    assert (still.exists(), grows.exists(), mine.exists()) == (False, True, True)


def test_a_session_outlives_a_store_that_is_full(tmp_path: Path) -> None:
    store = open_store(tmp_path / "run")
    run = begin(store)
    with run.session(lease_s=0.6) as session:
        counter = session._counter
        (tmp_path / "run").rename(tmp_path / "away")
        time.sleep(0.4)
        (tmp_path / "away").rename(tmp_path / "run")
        time.sleep(0.4)
        assert session._thread.is_alive()
        assert session._counter > counter + 2


def test_a_session_takes_half_written_files_of_its_workers_with_it(tmp_path: Path) -> None:
    run = begin(open_store(tmp_path / "run"))
    with run.session() as session:
        worker = Run.open(open_store(tmp_path / "run"), session=session.token)
        with (
            mock.patch("os.link", side_effect=KeyboardInterrupt),  # killed in mid-write ...
            mock.patch.object(Path, "unlink"),  # ... it can tidy nothing
            pytest.raises(KeyboardInterrupt),
        ):
            worker.store.create("counts/unit-00000000.g000.4", b"")
        (tmp_path / "run/attempts/x.00").touch()  # of somebody else, who may live
        assert len(names(run.store, "attempts/")) == 2
    assert names(run.store, "attempts/") == ["attempts/x.00"]
