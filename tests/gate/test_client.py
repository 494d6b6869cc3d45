"""The gate in the streaming client: decisions beside rows, and rejects that are made again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
import pytest

from physgauge import wire
from physgauge.clients import AsyncClient, Client, Rule, regenerate, regenerate_async
from tests.clients.rogue import Rogue, answer, error_answer, image_of, options_of, row_of

RULE = Rule(min_terravis=0.6)


def scored(request: Any, context: Any) -> Any:
    """The image's bytes are its score, or an error code."""
    said = image_of(request).decode()
    if said.isalpha() or "_" in said:
        return error_answer(request, said)
    score = float(said)
    made = wire.TerraVis(status="ok", score=score, low=score, high=score)
    return answer(request, msgspec.structs.replace(row_of(options_of(request)), terravis=made))


@pytest.fixture(scope="module")
def server() -> Iterator[Rogue]:
    with Rogue(scored) as rogue:
        yield rogue


def test_decisions_come_with_their_rows(server: Rogue) -> None:
    images = [
        ("a", b"0.7"),
        ("b", b"0.5"),
        ("c", b"image_corrupt"),
        ("d", b"0.6"),
        ("e", "no/such.png"),
    ]
    with Client(server.address) as client:
        gated = list(client.gate(images, RULE, ordered=True))
    assert [(row.image_id, made.passed) for row, made in gated] == [
        ("a", True), ("b", False), ("c", False), ("d", True), ("e", False),
    ]  # fmt: skip
    assert [reason.code for _, made in gated for reason in made.reasons] == [
        "terravis:fails", "error:image_corrupt", "error:image_unreadable",
    ]  # fmt: skip


class Maker:
    """Makes what is asked for: the score of an id's n-th image is the n-th of its list."""

    def __init__(self, plan: dict[str, list[str]]) -> None:
        self.plan = plan
        self.asked: list[list[str]] = []

    def __call__(self, wanted: list[str], attempt: int) -> Iterator[tuple[str, bytes]]:
        self.asked.append(wanted)
        for name in reversed(wanted):
            yield name, self.plan[name][attempt - 1].encode()


PLAN = {
    "good": ["0.9"],
    "second": ["0.1", "0.8"],
    "broken": ["image_corrupt", "0.7"],
    "never": ["0.1", "0.2", "0.3"],
    "third": ["0.1", "0.2", "0.6"],
}


def fates(found: list[Any]) -> dict[str, tuple[bool, int]]:
    assert len({one.row.image_id for one in found}) == len(found)
    return {one.row.image_id: (one.decision.passed, one.attempt) for one in found}


EXPECTED = {
    "good": (True, 1),
    "second": (True, 2),
    "broken": (True, 2),
    "never": (False, 3),
    "third": (True, 3),
}


def test_rejects_are_made_again_so_many_times(server: Rogue) -> None:
    make = Maker(PLAN)
    with Client(server.address) as client:
        assert fates(list(regenerate(client, PLAN, make, RULE))) == EXPECTED
    assert make.asked == [list(PLAN), ["second", "broken", "never", "third"], ["never", "third"]]
    with Client(server.address) as client:
        (only,) = regenerate(client, ["never"], Maker(PLAN), RULE, max_attempts=1)
        assert (only.decision.passed, only.attempt) == (False, 1)
        assert list(regenerate(client, [], Maker(PLAN), RULE)) == []


def test_within_an_event_loop(server: Rogue) -> None:
    async def make(wanted: list[str], attempt: int) -> AsyncIterator[tuple[str, bytes]]:
        for name in wanted:
            await asyncio.sleep(0)
            yield name, PLAN[name][attempt - 1].encode()

    async def work() -> list[Any]:
        async with AsyncClient(server.address) as client:
            return [one async for one in regenerate_async(client, PLAN, make, RULE)]

    assert fates(asyncio.run(work())) == EXPECTED


def test_what_is_not_the_images_fault_is_not_made_again() -> None:
    def refuse(request: Any, context: Any) -> Any:
        if image_of(request) == b"internal":
            return error_answer(request, "internal")
        return scored(request, context)

    make = Maker({"a": ["internal", "0.9"], "b": ["0.1", "0.9"]})
    with Rogue(refuse) as rogue, Client(rogue.address) as client:
        assert fates(list(regenerate(client, ["a", "b"], make, RULE))) == {
            "a": (False, 1),
            "b": (True, 2),
        }
    assert make.asked == [["a", "b"], ["b"]]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ([("a", b"0.9")], "got none for 1 of them ('b' ...)"),
        ([("a", b"0.9"), ("b", b"0.9"), ("c", b"0.9")], "got 'c' which it was not asked for"),
        ([("a", b"0.9"), ("b", b"0.9"), ("a", b"0.9")], "got 'a' again"),
    ],
)
def test_makers_that_lose_or_invent_images(server: Rogue, made: list[Any], message: str) -> None:
    with (
        Client(server.address) as client,
        pytest.raises(ValueError, match="make: expected") as error,
    ):
        list(regenerate(client, ["a", "b"], lambda wanted, attempt: made, RULE))
    assert message in str(error.value)


def test_what_makes_no_sense(server: Rogue) -> None:
    with Client(server.address) as client:
        with pytest.raises(
            ValueError, match="wanted: expected each id once, got 3 ids, 2 different"
        ):
            next(regenerate(client, ["a", "b", "a"], Maker(PLAN), RULE))
        with pytest.raises(ValueError, match="max_attempts: expected 1 or more, got 0"):
            next(regenerate(client, ["a"], Maker(PLAN), RULE, max_attempts=0))
