"""One real server for the session, whichever folder of tests asks for it (tests/conftest.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from physgauge import wire
from physgauge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from tests.serving.server import Server


@pytest.fixture(scope="session")
def wheel() -> None:
    """Skips where tritonserver is not there."""
    from physgauge.serving.triton import check_numpy, find_libpython, find_triton

    try:
        check_numpy(find_triton())
        find_libpython()
    except EnvironmentProblem as error:
        pytest.skip(f"no tritonserver here: {error}")


@pytest.fixture(scope="session")
def server(wheel: None) -> Iterator[Server]:
    from tests.serving.server import Server

    with Server("--places", "64") as running:
        running.wait_for("ready")
        yield running


@pytest.fixture(autouse=True)
def no_fault(request: pytest.FixtureRequest) -> Iterator[None]:
    """The session's server must go through a test without a fault of its own or a restart, unless the
    test is marked `kills_server`."""
    from tests.serving.server import Server

    running = request.getfixturevalue("server") if "server" in request.fixturenames else None
    if not isinstance(running, Server):  # vLLM's tests have a server of that name, too
        yield
        return
    known = len(faults(running))
    yield
    if not request.node.get_closest_marker("kills_server"):
        assert not faults(running)[known:], f"{faults(running)}\n{running.log[-6000:]}"


def faults(running: Server) -> list[dict[str, Any]]:
    """What its supervisor has said of faults and restarts."""
    return running.events("fault") + running.events("restart")


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[Any]:
    made = server.client()
    yield made
    made.close()


@pytest.fixture(scope="session")
def local_rows() -> dict[str, wire.Row]:
    """The examples' rows of a local run."""
    from physgauge.config import load_profile
    from physgauge.ensemble.pipeline import Pipeline
    from physgauge.types import Item
    from tests.serving.server import CAPTIONS, NAMES, image, plain

    with Pipeline(load_profile("tiny")) as pipeline:
        items = (Item(name, image(name), name, CAPTIONS[name]) for name in NAMES)
        return {scored.row.image_id: plain(scored.row) for scored in pipeline.score(items)}
