"""One Ray cluster for all tests here."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.bulk_ray.cluster import Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with Cluster() as one:
        before = {name: os.environ.get(name) for name in one.environment}
        os.environ.update(one.environment)
        try:
            yield one
        finally:
            for name, value in before.items():
                os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    assert not one.left
