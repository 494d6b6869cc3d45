"""One render context and a small set of images for all scene tests."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import pytest

if find_spec("mujoco") is None:
    pytest.skip("the [scenes] extra is not installed", allow_module_level=True)

from benchmarks.scenes.compose import Shot, shoot
from benchmarks.scenes.render import Stage

SIZE = 192
SEED = 11


class Pool(NamedTuple):
    """Images of one seed by domain."""

    clean: dict[str, list[Shot]]
    violated: dict[str, list[Shot]]


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """A render context."""
    s = Stage(SIZE)
    yield s
    s.close()


@pytest.fixture(scope="session")
def pool(stage: Stage) -> Pool:
    """12 clean and 24 violated images of each domain."""

    def some(domain: str, count: int, violated: float) -> list[Shot]:
        return [shoot(stage, SEED, i, domain, violated, "jpeg") for i in range(count)]

    domains = ("aircraft", "car", "animal")
    return Pool({d: some(d, 12, 0.0) for d in domains}, {d: some(d, 24, 1.0) for d in domains})
