"""A cluster with a second machine that does not see the driver's disk (a mount namespace; needs root)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from physgauge.bulk.engines.ray import RayEngine
from physgauge.bulk.engines.ray_settings import RaySettings
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError
from tests.bulk_ray import rig
from tests.bulk_ray.cluster import Cluster

pytestmark = pytest.mark.slow


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cluster, Path]]:
    """A cluster of two, and the folder that only the first sees."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    with Cluster(cpus=1) as two:
        for name, value in two.environment.items():
            monkeypatch.setitem(os.environ, name, value)
        two.join(hidden)
        yield two, hidden


def test_a_machine_that_does_not_see_the_folder_or_the_images_is_named(
    machines: tuple[Cluster, Path], tmp_path: Path
) -> None:
    two, hidden = machines
    engine = RayEngine(RaySettings(two.address, 2), rig.parts(), 60.0, print)
    with pytest.raises(ConfigError) as wrong:
        rig.score(engine, [str(rig.EXAMPLES)], hidden / "out")
    assert f"expected to find the run folder {hidden / 'out'} there too" in str(wrong.value)
    assert str(wrong.value).count("expected") == 2  # that machine alone: the other one sees it
    image = hidden / "a.jpg"
    image.write_bytes((rig.EXAMPLES / "aircraft_01.jpg").read_bytes())
    with pytest.raises(
        ConfigError, match=f"expected to find the images there too, got none of {image}"
    ):
        rig.score(engine, [str(image)], tmp_path / "out")
    assert not Run.open(open_store(tmp_path / "out")).committed()
    rig.score(engine, [str(rig.EXAMPLES)], tmp_path / "seen")
    assert len(rig.rows(tmp_path / "seen")) == 24
