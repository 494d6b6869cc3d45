"""What a user may say of the Ray engine, and what machines of a cluster are held to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from physgauge import __version__
from physgauge.bulk.engines.ray import RayEngine
from physgauge.bulk.engines.ray_nodes import Look, disagreements, look
from physgauge.bulk.engines.ray_settings import RaySettings
from physgauge.bulk.work import Setup
from physgauge.cli.main import group
from physgauge.clients.runs import Run
from physgauge.clients.sources import Sourcing, make_plan
from physgauge.clients.storage import open_store
from physgauge.errors import ConfigError, EnvironmentProblem
from tests.bulk_ray import rig


def test_numbers_of_actors() -> None:
    one = RaySettings.of("auto", "2:8", 0.5, 1)
    assert (one.least, one.top, one.gpus) == (2, 8, 0.5)
    assert RaySettings.of("10.0.0.1:6379", "4", 2, 0).top == 4


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("auto", "0", 0, 1), "--ray-actors: expected MIN[:MAX], 1 to 4,096, got 0:0"),
        (("auto", "3:2", 0, 1), "--ray-actors: expected MIN[:MAX], 1 to 4,096, got 3:2"),
        (("auto", "two", 0, 1), "--ray-actors: expected MIN or MIN:MAX, got 'two'"),
        (("auto", "1:5000", 0, 1), "got 1:5000"),
        (("auto", "1", 1.5, 1), "--ray-gpus-per-actor: expected a part of 1 or a whole number, got 1.5"),
        (("auto", "1", -1, 1), "--ray-gpus-per-actor: expected"),
        (("auto", "1", float("nan"), 1), "--ray-gpus-per-actor: expected"),
        (("auto", "1", 0, -1), "--ray-cpus-per-actor: expected 0 to 1,024, got -1"),
        (("ray://head:10001", "1", 0, 1), "Ray Data does not run through Ray Client"),
        (("head", "1", 0, 1), "--ray-address: expected HOST:PORT, auto or local, got 'head'"),
    ],
)  # fmt: skip
def test_wrong_settings_are_said(given: Any, says: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        RaySettings.of(*given)
    assert says in str(wrong.value)


def score(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["score", "examples/scenes", *arguments])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--engine", "server", "-o", "x"), "--engine server: expected --server HOST:PORT too"),
        (("--engine", "ray", "--server", "a:1", "-o", "x"), "--server: expected --engine server, got --engine ray"),
        (("--engine", "local", "--server", "a:1", "-o", "x"), "--server: expected --engine server"),
        (("--ray-actors", "2", "-o", "x"), "--ray-actors: expected --engine ray too"),
        (("--engine", "ray", "--processes", "2", "-o", "x"), "--processes: with --engine ray, give --ray-actors"),
        (("--engine", "ray", "--draw", "-o", "x"), "--draw: the pixels are at the actors"),
        (("--engine", "ray", "--json"), "--engine ray: expected -o DIR"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(arguments: tuple[str, ...], says: str) -> None:
    result = score(*arguments)
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


def test_without_ray_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    engine = RayEngine(RaySettings(), rig.parts(), 60.0, print)
    with pytest.raises(EnvironmentProblem, match=r"got none: pip install 'physgauge\[ray\]'"):
        rig.score(engine, [str(rig.EXAMPLES)], tmp_path / "out")


SEEN = Look(physgauge=__version__, run="a" * 32, parts={"model m": "1", "pack": "2"}, missing=[])


def said(other: Look) -> str:
    return "\n".join(disagreements(SEEN, {"node2 (10.0.0.2)": other}, "/data/run", SEEN.parts))


def test_a_machine_that_sees_the_same_is_fine() -> None:
    assert said(SEEN) == ""


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (replace(SEEN, physgauge="0.0.9"), f"node2 (10.0.0.2): expected physgauge {__version__} as here, got 0.0.9"),
        (replace(SEEN, run="b" * 32), "expected to find the run folder /data/run there too (s3://, or a disk that all machines share), got another run"),
        (replace(SEEN, run="/data/run: expected a run, got nothing"), "got /data/run: expected a run, got nothing"),
        (replace(SEEN, missing=["/data/1.jpg"]), "expected to find the images there too, got none of /data/1.jpg: put them on a disk that all machines share, or on s3://"),
        (replace(SEEN, parts={"model m": "3", "pack": "2"}), "expected the profile, models and packs of the run there too, got model m 3 for 1"),
        (replace(SEEN, parts={"pack": "2"}), "got model m none for 1"),
    ],
)  # fmt: skip
def test_a_machine_that_sees_something_else_is_named(other: Look, says: str) -> None:
    assert says in said(other)


def test_what_a_machine_sees(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    for name in ("a.jpg", "b.jpg"):
        (images / name).write_bytes((rig.EXAMPLES / "aircraft_01.jpg").read_bytes())
    store = open_store(tmp_path / "out")
    run = Run.create_or_open(store, {}, {})
    make_plan([str(images)], store, Sourcing())
    setup = Setup(output="out", profile=rig.PROFILE)  # relative: to the driver's folder
    before = Path.cwd()
    seen = look(setup, str(tmp_path))
    assert Path.cwd() == before
    assert seen == Look(physgauge=__version__, run=run.latest.token, parts=rig.parts(), missing=[])
    (images / "b.jpg").unlink()
    assert look(setup, str(tmp_path)).missing == [str(images / "b.jpg")]
    assert "expected a run" in look(setup, str(tmp_path / "nowhere")).run
