"""One empty kernel cache for the whole run: what is compiled here stays out of the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = os.environ.get("PHYSGAUGE_CACHE_DIR")
    os.environ["PHYSGAUGE_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    yield
    if before is None:
        del os.environ["PHYSGAUGE_CACHE_DIR"]
    else:
        os.environ["PHYSGAUGE_CACHE_DIR"] = before
