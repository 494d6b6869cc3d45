"""Which server gets the next call, and what makes one healthy."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.clients.remote.backoff import Backoff
from physgauge.clients.remote.endpoint import Endpoint, pick


def up(name: str, in_flight: int = 0, turn: int = 0) -> Endpoint:
    made = Endpoint(name, 100)
    made.reached()
    for _ in range(in_flight):
        made.send(turn)
    return made


def test_the_least_loaded_for_its_window() -> None:
    small, large = up("small", 3), up("large", 4)
    assert pick([small, large]) is small
    large.window.limit = 40
    assert pick([small, large]) is large


def test_none_has_room() -> None:
    assert pick([]) is None
    assert pick([up("a", 8), Endpoint("never reached", 8)]) is None


def test_avoided_only_while_another_has_room() -> None:
    a, b = up("a"), up("b", 7)
    assert pick([a, b], avoid=a) is b
    b.send(0)
    assert pick([a, b], avoid=a) is a


@given(st.integers(1, 6), st.integers(0, 60))
def test_equals_share_alike(servers: int, calls: int) -> None:
    all_of_them = [up(str(n)) for n in range(servers)]
    got: Counter[str] = Counter()
    for turn in range(1, calls + 1):
        chosen = pick(all_of_them)
        assert chosen is not None
        chosen.answered(chosen.send(turn), turn)
        got[chosen.address] += 1
    counts = [got[one.address] for one in all_of_them]
    assert max(counts) - min(counts) <= 1


def test_after_a_fault_one_call_decides() -> None:
    one = up("one")
    old = one.send(1)
    one.eject()
    assert (one.room, one.capacity, one.failures) == (0, 0, 1)
    one.unreachable()
    assert one.failures == 2
    one.reached()
    assert (one.state, one.room, one.capacity) == ("trial", 1, 1)
    call = one.send(2)
    assert one.room == 0
    one.dropped(old)  # of before: says nothing
    assert one.room == 0
    one.answered(call, 1.0)
    assert (one.state, one.failures) == ("up", 0)
    assert one.room == one.window.limit


@pytest.mark.parametrize("word", ["rejected", "refused"])
def test_any_word_of_its_own_shows_that_it_is_there(word: str) -> None:
    one = up("one")
    one.eject()
    one.reached()
    getattr(one, word)(one.send(1), 5.0)
    assert (one.state, one.answered_s) == ("up", 5.0)


def test_a_call_given_up_on_trial_leaves_it_on_trial() -> None:
    one = up("one")
    one.eject()
    one.reached()
    one.dropped(one.send(1))
    assert (one.state, one.room) == ("trial", 1)


@given(st.floats(1e-3, 1), st.floats(1, 100), st.integers(1, 10_000))
def test_waits_stay_below_a_bound_that_doubles(first: float, most: float, failures: int) -> None:
    backoff = Backoff(first, most)
    bound = backoff.bound_s(failures)
    assert 0 <= backoff.wait_s(failures) <= bound <= most
    assert backoff.bound_s(1) == first
    assert backoff.bound_s(failures + 1) == pytest.approx(min(most, 2 * bound))


def test_waits_are_spread_over_all_of_it() -> None:
    backoff = Backoff(1.0, 1.0)
    waits = [backoff.wait_s(3) for _ in range(2000)]
    counts = Counter(int(10 * wait) for wait in waits)
    assert len(counts) == 10
    assert min(counts.values()) > 100
