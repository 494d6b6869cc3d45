"""What a run has cost, in dollars and in seconds. What nobody knows the price of is null."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from physgauge.bulk.watch.tally import Spent
from physgauge.cost_settings import CostSettings

MILLION = 1_000_000
NO_PRICES = CostSettings()


@dataclass(frozen=True, slots=True)
class Bill:
    """What one session took."""

    prices: CostSettings
    spent: Spent
    """By rows that it made and committed."""
    elapsed_s: float
    cpu_s: float | None
    """Processor seconds of all its processes on its machine."""
    gpus: float | None
    """GPUs that it holds; None: unknown."""


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """What all sessions of a run took together; work that was lost is in the times, not in the tokens."""

    usd: float | None = None
    """Sum of the parts that are known (`covers`); None: none is."""
    usd_per_million_images: float | None = None
    covers: list[str] = []
    """Which of `machine`, `tokens` and `charged` are in `usd`."""
    usd_machine: float | None = None
    """Hours of the sessions times their price; None: a session has no price."""
    usd_tokens: float | None = None
    """Of tokens for which no server named its charge; None: some have no price, or there are none."""
    usd_charged: float | None = None
    """What servers said they charged; None: none said so."""
    calls: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    cpu_s: float | None = None
    gpu_s: float | None = None
    cpu_s_per_million_images: float | None = None
    gpu_s_per_million_images: float | None = None


def costs(bills: Iterable[Bill], images: int) -> Costs:
    """Add up the bills of a run's sessions.

    Args:
        bills: one a session.
        images: rows of the run that are there; what is given per million images is None for 0.
    """
    all_bills = list(bills)
    spent = Spent()
    for bill in all_bills:
        spent = spent + bill.spent
    parts = {
        "machine": _sum(_machine(bill) for bill in all_bills),
        "tokens": _sum(_tokens(bill) for bill in all_bills if _uncharged(bill.spent)),
        "charged": spent.usd,
    }
    known = {name: usd for name, usd in parts.items() if usd is not None}
    usd = sum(known.values()) if known else None
    cpu_s = _sum(bill.cpu_s for bill in all_bills)
    gpu_s = _sum(None if b.gpus is None else b.gpus * b.elapsed_s for b in all_bills)
    return Costs(
        usd=usd,
        usd_per_million_images=per_million(usd, images),
        covers=list(known),
        usd_machine=parts["machine"],
        usd_tokens=parts["tokens"],
        usd_charged=parts["charged"],
        calls=spent.calls,
        tokens=spent.tokens,
        cached_tokens=spent.cached_tokens,
        cpu_s=cpu_s,
        gpu_s=gpu_s,
        cpu_s_per_million_images=per_million(cpu_s, images),
        gpu_s_per_million_images=per_million(gpu_s, images),
    )


def per_million(amount: float | None, images: int) -> float | None:
    """An amount for a million images; None without an amount or an image."""
    return None if amount is None or images <= 0 else amount * MILLION / images


def _sum(amounts: Iterable[float | None]) -> float | None:
    """None where one is unknown, and of nothing."""
    found = list(amounts)
    known = [amount for amount in found if amount is not None]
    return sum(known) if known and len(known) == len(found) else None


def _machine(bill: Bill) -> float | None:
    price = bill.prices.per_hour
    return None if price is None else price * bill.elapsed_s / 3600


def _uncharged(spent: Spent) -> bool:
    return spent.uncharged_tokens + spent.uncharged_cached_tokens > 0


def _tokens(bill: Bill) -> float | None:
    amounts = (
        (bill.spent.uncharged_tokens, bill.prices.per_million_tokens),
        (bill.spent.uncharged_cached_tokens, bill.prices.per_million_cached_tokens),
    )
    return _sum(None if price is None else n * price / MILLION for n, price in amounts if n)
