"""Images that kill their worker: tried alone, given up, and tried again when asked."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bulk import rig
from tests.bulk.test_deaths import PATIENCE_S, flight_of

COUNT = 40
BAD = 7


def test_a_poisoned_image_gets_its_row_and_stops_nothing(tmp_path: Path) -> None:
    """A picture that the network fails on, among others that are in hand with it."""
    profile = rig.profile(tmp_path / "profile", poison=True)
    rig.images(tmp_path / "in", range(COUNT))
    rig.save(tmp_path / f"in/{BAD:05}.npy", rig.WHITE)
    arguments = ("score", "in", "-o", "out", "--profile", profile, "--unit-size", "16")
    done = rig.run(tmp_path, *arguments)
    found = rig.rows(tmp_path / "out")
    assert [row.image_id for row in found] == [f"in/{number:05}.npy" for number in range(COUNT)]
    assert [number for number, row in enumerate(found) if row.error_code is not None] == [BAD]
    row = found[BAD]
    assert row.error_code == "worker_crashed"
    assert row.error is not None
    assert "detect.py" in row.error
    assert "physgauge retry" in row.error
    assert row.pcmde.status == "error"
    assert "1 x worker_crashed" in done.stdout
    assert (len(_crashes(tmp_path)), _deaths_alone(tmp_path)) == (
        3,
        2,
    )  # nobody is given up for one death

    rig.save(tmp_path / f"in/{BAD:05}.npy", rig.picture(BAD))  # the fix
    rig.run(tmp_path, "retry", "out", "--code", "worker_crashed")
    again = rig.rows(tmp_path / "out")
    assert again[BAD].error_code is None
    untouched = [n for n in range(COUNT) if n != BAD]
    assert [again[n] for n in untouched] == [found[n] for n in untouched]  # cost and all


@pytest.mark.slow
def test_what_died_is_known_to_the_next_session(tmp_path: Path) -> None:
    """Killed from outside, whenever one image is in hand: by the second death alone it is given up, though
    another session saw the first ones."""
    profile = rig.profile(tmp_path / "profile")
    rig.images(tmp_path / "in", range(COUNT))
    victim = 5
    large = np.random.default_rng(5).integers(0, 250, (4000, 4000, 3), np.uint8)
    rig.save(tmp_path / f"in/{victim:05}.npy", large)  # in hand long enough to be seen
    arguments = ("score", "in", "-o", "out", "--profile", profile, "--unit-size", "16")
    while _deaths_alone(tmp_path) < 2:  # each in a session of its own
        with rig.running(tmp_path, *arguments) as process:
            until, before = time.monotonic() + PATIENCE_S, _crashes(tmp_path)
            while not _kill_holder(process.pid, victim):
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.0005)
            while _crashes(tmp_path) == before:
                assert time.monotonic() < until
                time.sleep(0.01)
            process.kill()
    rig.run(tmp_path, *arguments)
    found = rig.rows(tmp_path / "out")
    assert [row.image_id for row in found if row.error_code is not None] == [f"in/{victim:05}.npy"]
    assert "signal SIGKILL" in (found[victim].error or "")


def _crashes(folder: Path) -> list[Any]:
    return [json.loads(one.read_text()) for one in sorted(folder.glob("out/crashes/*.json"))]


def _deaths_alone(folder: Path) -> int:
    held = [[place for held in one["held"] for place in held["places"]] for one in _crashes(folder)]
    return sum(len(places) == 1 for places in held)


def _kill_holder(coordinator: int, victim: int) -> bool:
    """Kill the worker that has the image in hand, if one has."""
    for worker in rig.workers(coordinator):
        flight = flight_of(worker)
        if flight is None:
            continue
        held = flight.in_hand()
        flight.close()
        if victim in held.get(0, []):
            rig.kill(worker)
            return True
    return False
