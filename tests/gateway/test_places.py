"""Who gets how much, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from physgauge.gateway.places import Place, Places
from physgauge.gateway.refusal import Refused
from physgauge.gateway.settings import Shares


def go(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 20))


def full(places: Places, client: str, size: int = 1) -> Refused:
    with pytest.raises(Refused) as caught:
        places.take(client, size)
    assert caught.value.code == "overloaded"
    assert caught.value.retry_ms is not None
    assert 100 <= caught.value.retry_ms <= 10_000
    return caught.value


def test_shares_by_number_and_by_bytes() -> None:
    async def test() -> None:
        places = Places(Shares(places=4, queue=4, share=0.5, max_bytes=1000))
        taken = [places.take("a", 10) for _ in range(4)]
        assert "4 images of this client in hand" in full(places, "a").message
        taken += [places.take("b", 10) for _ in range(4)]
        assert "8 images in hand" in full(places, "c").message
        assert (places.in_hand, places.bytes_in_hand) == (8, 80)
        for place in taken:
            place.close()
            place.close()
        assert (places.in_hand, places.bytes_in_hand, places.by_client) == (0, 0, {})

        alone = places.take("a", 5_000)  # larger than all bytes: taken alone
        assert "500 bytes of this client in hand" in full(places, "a").message
        assert "1,000 bytes in hand" in full(places, "b").message
        alone.close()
        places.take("a", 300)
        assert "500 bytes of this client" in full(places, "a", 201).message
        places.take("a", 200)
        places.take("b", 500)
        assert "1,000 bytes in hand" in full(places, "c", 1).message

    go(test())


def test_turns_go_round_the_clients() -> None:
    async def test() -> None:
        places = Places(Shares(places=1, queue=20, share=1.0))
        order: list[str] = []

        async def one(place: Place, name: str) -> None:
            await place.turn()
            order.append(name)
            await asyncio.sleep(0)
            place.close()

        tasks = []
        for name in ("a1", "a2", "a3", "a4", "b1", "b2", "c1"):
            tasks.append(asyncio.create_task(one(places.take(name[0], 1), name)))
            await asyncio.sleep(0) if name == "a1" else None
        await asyncio.gather(*tasks)
        assert order == ["a1", "a2", "a3", "b1", "c1", "a4", "b2"]
        assert places.at_server == 0

    go(test())


@pytest.mark.parametrize("when", ["waiting", "just given"])
def test_who_goes_while_he_waits_blocks_nobody(when: str) -> None:
    async def test() -> None:
        places = Places(Shares(places=1, queue=5, share=1.0))
        first, second, third = (places.take(name, 1) for name in "abc")
        await first.turn()
        waits = [asyncio.create_task(place.turn()) for place in (second, third)]
        await asyncio.sleep(0)
        if when == "just given":
            first.close()
        waits[0].cancel()
        await asyncio.gather(waits[0], return_exceptions=True)
        second.close()
        first.close()
        await asyncio.wait_for(waits[1], 1)
        assert places.at_server == 1
        third.close()
        assert (places.at_server, places.in_hand, places.waiting) == (0, 0, 0)
        last = places.take("d", 1)
        await asyncio.wait_for(last.turn(), 1)

    go(test())


def test_windows() -> None:
    places = Places(Shares(places=8, queue=8, share=0.5, window=6))
    assert places.window("a", 1) == 6
    assert places.window("a", 2) == 4  # half of 16, for two streams
    assert places.window("a", 20) == 1
    for name in "bcd":
        places.take(name, 1)
    assert places.window("a", 1) == 4  # a quarter of 16
    assert places.window("b", 1) == 5  # a third: it is one of those who are busy


def test_the_hint_follows_the_pace() -> None:
    async def test() -> None:
        places = Places(Shares(places=2, queue=2, share=1.0))
        for _ in range(4):
            place = places.take("a", 1)
            await place.turn()
            await asyncio.sleep(0.2)
            place.close()
        for _ in range(4):
            places.take("a", 1)
        hint = full(places, "a").retry_ms
        assert hint is not None
        assert 250 < hint < 2_000  # two of four, at one each 0.2 s

    go(test())
