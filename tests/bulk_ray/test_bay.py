"""An actor's place of work, without Ray: what is told when its worker cannot work."""

from __future__ import annotations

from pathlib import Path

from physgauge.bulk.engines.desk import Refused, Word, unpack
from physgauge.bulk.engines.ray_actor import Bay, Place
from physgauge.bulk.work import Drain, GivenUp, Setup, Task
from physgauge.clients.sources import Unit


class Line:
    def __init__(self) -> None:
        self.told: list[Word] = []

    def tell(self, said: bytes) -> Drain:
        self.told += unpack(said)
        return "no"


def test_a_worker_that_cannot_load_is_said_for_each_task(tmp_path: Path) -> None:
    profile = str(tmp_path / "none.toml")
    place = Place(folder=str(Path.cwd()), scratch=str(tmp_path / "scratch"), stall_s=60.0)
    bay = Bay("ray-1", Setup(profile=profile), place, Line())
    for number in (3, 4):  # the second one when it is known already
        given, refused = unpack(bay.do(Task(unit=Unit(number=number))))
        assert given == GivenUp(unit=number)
        assert isinstance(refused, Refused)
        assert refused.kind == "config"
        assert profile in refused.message


def test_an_index_of_the_drivers_is_taken_where_it_is(tmp_path: Path) -> None:
    from physgauge.bulk.engines.ray_actor import _here

    place = Place(folder=".", scratch=str(tmp_path / "scratch"), stall_s=60.0)
    index = tmp_path / "twins"
    setup = Setup(profile="tiny", twins=str(index))
    assert _here(setup, place).twins == str(tmp_path / "scratch/twins.sqlite")
    index.touch()
    assert _here(setup, place) == setup
    assert _here(Setup(profile="tiny"), place).twins is None
