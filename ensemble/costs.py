"""What a row took: its stages, and a language model that was asked about its subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from physgauge import wire
from physgauge.ensemble.judge.reasoning import Reasoned
from physgauge.ensemble.rules import Ruled


def paid_for(ruled: Ruled, reasoned: Sequence[Reasoned]) -> dict[int, wire.Cost]:
    """What reasoning took, by reading."""
    return {
        reading: result.cost
        for group, said in zip(ruled.groups, reasoned, strict=True)
        for reading, result in zip(group.images.tolist(), said.results, strict=True)
        if result is not None
    }


def cost_of(
    decode_ms: float | None, ms: Mapping[str, float], reasoned: Sequence[wire.Cost]
) -> wire.Cost:
    """Of an image.

    Args:
        decode_ms: of its decoding.
        ms: the other stages' times.
        reasoned: what reasoning about each of its subjects took.
    """
    times = {} if decode_ms is None else {"decode": round(decode_ms, 3)}
    times |= ms
    for cost in reasoned:
        times |= {stage: round(times.get(stage, 0.0) + t, 3) for stage, t in cost.ms.items()}
    charged = [cost.usd for cost in reasoned if cost.usd is not None]
    return wire.Cost(
        calls=sum(cost.calls for cost in reasoned),
        tokens=sum(cost.tokens for cost in reasoned),
        cached_tokens=sum(cost.cached_tokens for cost in reasoned),
        usd=sum(charged) if charged else None,
        ms=times,
    )
