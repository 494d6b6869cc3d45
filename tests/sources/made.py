"""Small real files for the tests of sources."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from physgauge.clients.sources import Loaded, Plan, Sourcing, make_plan, open_inputs, read_unit
from physgauge.clients.storage import open_store


def npy(value: int) -> bytes:
    """An image whose pixels are all `value`."""
    out = io.BytesIO()
    np.save(out, np.full((8, 8, 3), value, np.uint8))
    return out.getvalue()


def value_of(data: bytes | None) -> int | None:
    """The value of an image of :func:`npy`."""
    return None if data is None else int(np.load(io.BytesIO(data))[0, 0, 0])


def images(folder: Path, count: int) -> list[Path]:
    """0.npy, 1.npy, ... with their own values."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{n}.npy" for n in range(count)]
    for n, path in enumerate(paths):
        path.write_bytes(npy(n))
    return paths


def tar(path: Path, members: Iterable[tuple[str, bytes]], mode: str = "w") -> Path:
    """An archive of regular files."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def read(inputs: Sequence[str | Path], options: Sourcing | None = None) -> list[Loaded]:
    """All entries of inputs, read."""
    options = options or Sourcing()
    units = open_inputs([os.fspath(one) for one in inputs], options)
    return [one for unit in units for one in read_unit(unit, options)]


def read_plan(plan: Plan, options: Sourcing | None = None) -> list[Loaded]:
    """All entries of a plan, read."""
    options = options or Sourcing()
    return [one for n in range(plan.units) for one in read_unit(plan.unit(n), options)]


def plan_of(folder: Path, inputs: Sequence[str | Path], options: Sourcing | None = None) -> Plan:
    """The plan of a run in a local folder."""
    paths = [os.fspath(one) for one in inputs]
    return make_plan(paths, open_store(folder), options or Sourcing())


def ids(loaded: Iterable[Loaded]) -> list[str]:
    return [one.entry.image_id for one in loaded]


def values(loaded: Iterable[Loaded]) -> list[int | None]:
    return [value_of(one.data) for one in loaded]


def codes(loaded: Iterable[Loaded]) -> list[str | None]:
    return [None if one.error is None else one.error.code for one in loaded]


def errors(loaded: Iterable[Loaded]) -> list[str]:
    return [one.error.message for one in loaded if one.error is not None]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
