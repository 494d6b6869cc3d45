"""Costs: known parts are added, unknown ones are null."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from physgauge.bulk.watch.ledger import Ledger
from physgauge.bulk.watch.money import Bill, Costs, costs
from physgauge.bulk.watch.session import SessionState
from physgauge.bulk.watch.standing import bills, overall_rate, run_s
from physgauge.bulk.watch.tally import Spent
from physgauge.config import load_profile
from physgauge.cost_settings import CostSettings
from physgauge.errors import ConfigError
from tests.watch.rows import mixed
from tests.watch.test_tally import made

NOTHING = Spent()
TOKENS = Spent(calls=2, tokens=3_000_000, cached_tokens=0, uncharged_tokens=3_000_000)


def bill(
    *,
    per_hour: float | None = None,
    per_million_tokens: float | None = None,
    spent: Spent = NOTHING,
    elapsed_s: float = 1800.0,
    cpu_s: float | None = 3600.0,
    gpus: float | None = 2,
) -> Bill:
    prices = CostSettings(per_hour=per_hour, per_million_tokens=per_million_tokens)
    return Bill(prices, spent, elapsed_s, cpu_s, gpus)


def test_without_a_price_there_is_no_money() -> None:
    found = costs([bill(spent=TOKENS)], images=1000)
    assert found.usd is None
    assert found.usd_per_million_images is None
    assert found.covers == []
    assert found.tokens == 3_000_000
    assert found.gpu_s == 3600.0
    assert found.gpu_s_per_million_images == 3_600_000.0
    assert found.cpu_s_per_million_images == 3_600_000.0


def test_hours_of_all_sessions_at_their_own_prices() -> None:
    found = costs([bill(per_hour=3.0), bill(per_hour=10.0, elapsed_s=360.0)], images=250_000)
    assert found.usd == pytest.approx(1.5 + 1.0)
    assert found.usd_per_million_images == pytest.approx(10.0)
    assert found.covers == ["machine"]


def test_a_session_without_a_price_makes_the_hours_unknown() -> None:
    found = costs([bill(per_hour=3.0), bill()], images=10)
    assert (found.usd_machine, found.usd) == (None, None)


def test_tokens_that_no_server_charged_have_the_price_of_tokens() -> None:
    spent = Spent(
        tokens=5_000_000,
        uncharged_tokens=3_000_000,
        usd=0.25,
        cached_tokens=7,
        uncharged_cached_tokens=0,
    )
    found = costs([bill(per_million_tokens=2.0, spent=spent)], images=1)
    assert (found.usd_tokens, found.usd_charged, found.usd) == (6.0, 0.25, 6.25)
    assert found.covers == ["tokens", "charged"]


def test_cached_tokens_without_a_price_make_the_tokens_unknown() -> None:
    spent = Spent(tokens=1, uncharged_tokens=1, cached_tokens=9, uncharged_cached_tokens=9)
    found = costs([bill(per_million_tokens=2.0, spent=spent)], images=1)
    assert (found.usd_tokens, found.usd) == (None, None)


def test_one_machine_that_nobody_knows_makes_its_seconds_unknown() -> None:
    found = costs([bill(cpu_s=None), bill(gpus=None)], images=1)
    assert (found.cpu_s, found.gpu_s, found.gpu_s_per_million_images) == (None, None, None)


def test_no_images_no_share() -> None:
    found = costs([bill(per_hour=3.0)], images=0)
    assert found.usd == 1.5
    assert found.usd_per_million_images is None
    assert costs([], images=0) == Costs()


def test_a_free_machine_costs_nothing_and_that_is_known() -> None:
    assert costs([bill(per_hour=0.0)], images=5).usd == 0.0
    assert costs([bill(per_hour=7.0, elapsed_s=0.0)], images=5).usd == 0.0


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "-0.01", '"3"', "1e10"])
@pytest.mark.parametrize("key", ["per_hour", "per_million_tokens", "per_million_cached_tokens"])
def test_a_price_is_a_number_from_0_on(tmp_path: Path, key: str, value: str) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text(f'name = "p"\n[cost]\n{key} = {value}\n', "utf-8")
    with pytest.raises(ConfigError, match=rf"cost\.{key}"):
        load_profile(str(profile))


def test_prices_of_a_profile(tmp_path: Path) -> None:
    profile = tmp_path / "p.toml"
    profile.write_text('name = "p"\n[cost]\nper_hour = 2.99\n', "utf-8")
    assert load_profile(str(profile)).profile.cost == CostSettings(per_hour=2.99)
    assert load_profile("tiny").profile.cost == CostSettings()


def state(token: str, start: float, seconds: float, **more: object) -> SessionState:
    return SessionState(
        token=token, host="h", pid=1, physgauge="0", started="", started_unix_s=start,
        elapsed_s=seconds, beats=1, status="done", **more,  # type: ignore[arg-type]
    )  # fmt: skip


def test_sessions_side_by_side_and_one_after_the_other() -> None:
    alone = [state("a", 0, 10), state("b", 100, 10)]
    together = [state("a", 0, 10), state("b", 5, 10)]
    assert (run_s(alone), run_s(together), run_s([])) == (20, 15, 0)
    assert overall_rate(alone, {"a": 30, "b": 10}, 0) == 2.0
    assert overall_rate([state("a", 0, 0)], {"a": 3}, 0) is None
    assert overall_rate([state("a", 0, 0.0001)], {"a": 20}, 0) is None  # killed at once
    # A clock set back a year between them: at worst they seem to overlap, or not.
    assert 10 <= run_s([state("a", 1e9, 10), state("b", 1e9 - 3e7, 10)]) <= 20
    assert run_s([state("a", 0, 100), state("b", 10, 5)]) == 100


def test_the_bill_of_units_whose_session_is_unknown() -> None:
    ledger = Ledger()
    ledger.add(made(0, 0, [mixed(0), mixed(1)]), "gone")
    ledger.add(made(1, 0, [mixed(2)]), "s")
    prices = CostSettings(per_million_tokens=1.0, per_million_cached_tokens=1.0)
    found = costs(bills({"s": state("s", 0, 10, gpus=0.0, cpu_s=5.0)}, ledger, prices), 3)
    assert found.tokens == sum(mixed(n).cost.tokens for n in range(3))
    assert found.usd == pytest.approx((600 + 150) / 1e6)
    assert found.cpu_s is None  # what the lost session took, nobody knows
    assert not math.isnan(found.usd_tokens or 0.0)
