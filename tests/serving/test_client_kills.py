"""Servers that are killed or stopped in the middle of a run: every input has exactly one row."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from physgauge import wire
from tests.serving.server import NAMES, Server
from tests.serving.test_client import check, examples, run


@pytest.fixture(scope="module")
def fragile(wheel: None) -> Iterator[Server]:
    """A server to kill; it is restarted by its supervisor."""
    with Server("--places", "64") as running:
        running.wait_for("ready")
        yield running


@pytest.mark.parametrize(
    "step",
    [
        "rules",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("decode", "detect", "aggregate", "")),
    ],
)  # fmt: skip
def test_a_stub_or_the_server_is_killed(
    fragile: Server, local_rows: dict[str, wire.Row], step: str
) -> None:
    """Killed: the stub of a step, or tritonserver itself."""
    images, restarts = examples(3), len(fragile.events("ready"))
    pid = fragile.stubs()[step] if step else fragile.pid
    rows, stats = run(
        fragile.address, images, after=(10, lambda: os.kill(pid, signal.SIGKILL)), timeout_s=300
    )
    check(images, rows, local_rows)
    assert len(fragile.events("ready")) == restarts + 1
    assert stats.retries > 0
    assert stats.endpoints[0].ejections > 0


@pytest.mark.slow
def test_one_of_two_is_killed_with_its_supervisor(
    server: Server, local_rows: dict[str, wire.Row]
) -> None:
    images = examples(3)
    with Server("--places", "64") as second:
        second.wait_for("ready")
        rows, stats = run(
            f"{second.address},{server.address}",
            images,
            after=(10, second.process.kill),
            timeout_s=300,
        )
    check(images, rows, local_rows)
    assert [one.healthy for one in stats.endpoints] == [False, True]


@pytest.mark.slow
def test_one_of_two_is_stopped(server: Server, local_rows: dict[str, wire.Row]) -> None:
    """SIGTERM: what it has in hand it answers, the rest goes to the other."""
    images = examples(3)
    with Server("--places", "64") as second:
        second.wait_for("ready")
        rows, stats = run(
            f"{second.address},{server.address}",
            images,
            after=(10, second.process.terminate),
            timeout_s=300,
        )
        assert second.process.wait(60) == 0
    check(images, rows, local_rows)
    assert [one.healthy for one in stats.endpoints] == [False, True]


@pytest.mark.slow
def test_the_only_one_is_stopped_for_good(wheel: None, local_rows: dict[str, wire.Row]) -> None:
    """Rows of what it had in hand, error rows of the rest."""
    images = examples(3)
    with Server("--places", "64") as only:
        only.wait_for("ready")
        rows, _ = run(
            only.address, images, after=(10, only.process.terminate), timeout_s=15, attempt_s=15
        )
        assert only.process.wait(60) == 0
    assert sorted(row.image_id for row in rows) == sorted(one[0] for one in images)
    failed = [row for row in rows if row.error_code]
    assert {row.error_code for row in failed} == {"unavailable"}
    good = {row.image_id for row in rows} - {row.image_id for row in failed}
    assert len(good) >= 10
    check([i for i in images if i[0] in good], [r for r in rows if r.image_id in good], local_rows)
    assert len(NAMES) == 24
