"""One undisturbed run, that the others are held against."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from physgauge import wire
from tests.bulk import rig

COUNT = 300


@dataclass(frozen=True)
class Base:
    """A folder with images in ``in``, a profile, and the rows of an undisturbed run."""

    folder: Path
    profile: Path
    rows: list[wire.Row]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    folder = tmp_path_factory.mktemp("bulk")
    profile = rig.profile(folder / "profile")
    rig.images(folder / "in", range(COUNT))
    rig.run(folder, "score", "in", "-o", "out", "--profile", profile)
    return Base(folder, profile, rig.plain(rig.rows(folder / "out")))
