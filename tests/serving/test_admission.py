"""Places: how many images a server has in hand."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from physgauge.ensemble.served import admission as module
from physgauge.ensemble.served.admission import GRACE_S, MAX_BYTES, ORDER_S, Admission


@pytest.fixture
def places(tmp_path: Path) -> Admission:
    return Admission(tmp_path / "places", 3)


def soon() -> float:
    return time.monotonic() + 60


def test_so_many_and_no_more(places: Admission) -> None:
    taken = [places.take(soon(), 1) for _ in range(4)]
    assert sorted(t for t in taken if t is not None) == [0, 1, 2]
    assert taken[3] is None
    assert places.taken == 3


def test_one_is_kept_for_the_canary(places: Admission) -> None:
    for _ in range(3):
        places.take(soon(), 1)
    assert places.take(soon(), 1, canary=True) == 3
    assert places.take(soon(), 1, canary=True) is None


def test_given_back_by_whoever_has_it(places: Admission) -> None:
    first = soon()
    place = places.take(first, 1)
    assert place is not None
    places.give_back(place, first + 1)
    assert places.taken == 1
    places.give_back(place, first)
    assert places.taken == 0


def test_processes_share_them(places: Admission, tmp_path: Path) -> None:
    other = Admission(tmp_path / "places", 3)
    until = soon()
    place = places.take(until, 1)
    assert place is not None
    assert other.taken == 1
    other.give_back(place, until)
    assert places.taken == 0
    other.close()
    assert places.closed


def test_a_place_whose_deadline_is_long_over_is_free(places: Admission) -> None:
    now = time.monotonic()
    places.take(now - GRACE_S + 1, 1)
    assert places.taken == 1
    places.take(now - GRACE_S - 1, 1)
    assert places.taken == 1


def test_disorder_that_is_seen_is_waited_for(places: Admission) -> None:
    now, until = time.monotonic(), soon()
    least, most = ORDER_S

    def answered(decoded_s: float) -> None:
        place = places.take(until, 1, canary=True)
        assert place == 3
        places.decoded(place, decoded_s)
        places.give_back(place, until, answered=True)

    for early_s in (0.0, 1.0, 60.0):
        lost, near = (places.take(until + 1, 1) for _ in range(2))
        assert lost is not None
        assert near is not None
        answered(now)
        answered(now - early_s)
        slack_s = min(most, max(least, 2 * early_s))
        places.decoded(lost, now - slack_s - 0.1)
        places.decoded(near, now - slack_s + 0.1)
        assert places.taken == 1
        places.give_back(near, until + 1)
    for _ in range(1000):
        answered(now)
    places.decoded(places.take(until, 1) or 0, now - least - 0.1)
    assert places.taken == 0, "disorder of long ago"


def test_a_request_that_was_passed_is_gone(places: Admission) -> None:
    """Its caller hung up: those decoded well after it have been answered."""
    now, until = time.monotonic(), soon()
    order_s = ORDER_S[0]
    lost, near, waiting, last = (places.take(until + k, 1, canary=k == 3) for k in range(4))
    assert lost is not None
    assert near is not None
    assert last is not None
    places.decoded(lost, now - order_s - 0.1)
    places.decoded(near, now - order_s + 0.1)
    places.decoded(last, now)
    assert places.taken == 4
    places.give_back(last, until + 3, answered=True)
    assert places.taken == 2  # `near` may still come, and `waiting` is not decoded yet
    assert places.answered_s == pytest.approx(now, abs=1)
    assert places.take(until, 1) == lost
    assert waiting is not None


def test_the_file_is_named_by_the_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "_FOLDER", tmp_path)
    Admission.of_server(2, 4711).take(soon(), 1)
    assert Admission(tmp_path / "physgauge-4711.places", 2).taken == 1


def test_bytes_in_hand_are_bounded(places: Admission) -> None:
    until = soon()
    assert places.take(until, MAX_BYTES + 1) == 0  # alone, whatever its size
    assert places.take(until, 1) is None
    assert places.take(until, 1, canary=True) == 3
    places.give_back(0, until)
    assert places.take(until, MAX_BYTES - 1) == 0
    assert places.take(until, 1) is None
