"""What operators see of a server: counters, the histogram of whole requests, and ids in the log."""

from __future__ import annotations

import math
import re
import time
import urllib.request
from typing import Any

import pytest

from physgauge import wire
from physgauge.ensemble.served.observe import BUCKETS_S, FAMILIES, Tally
from tests.serving.server import Server, image, inputs, score


def counts(tally: Tally, family: str) -> dict[tuple[str, ...], float]:
    """By label values."""
    found = tally.collect(now=True)
    assert {name for name, _ in found} <= set(FAMILIES)
    return {tuple(v for _, v in labels): n for (name, labels), n in found.items() if name == family}


@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.2, 7.0, 61.0])
def test_a_time_is_in_each_bucket_that_holds_it(seconds: float) -> None:
    tally = Tally()
    tally.request(seconds)
    buckets = counts(tally, "physgauge_request_seconds_bucket")
    assert {float(le) for (le,) in buckets} == {b for b in (*BUCKETS_S, math.inf) if seconds <= b}
    assert set(buckets.values()) == {1}


def test_terravis_probes_are_counted_by_what_became_of_them() -> None:
    answers = {
        "contact": wire.Answer(answer=True, outcome="answered", severity="major"),
        "optics": wire.Answer(answer=True, outcome="answered"),
        "scale": wire.Answer(answer=False, outcome="answered"),
        "medium": wire.Answer(outcome="timeout"),
    }
    row = wire.Row(
        image_id="i", source="", terravis=wire.TerraVis(status="partial", answers=answers),
        pcmde=wire.Pcmde(status="skipped"), provenance=wire.Provenance(physgauge="0", profile="tiny"),
    )  # fmt: skip
    for family, expected in (
        ("physgauge_terravis_rows_total", {("partial",): 1}),
        (
            "physgauge_probe_violations_total",
            {("contact", "major"): 1, ("optics", "ungraded"): 1},
        ),
        ("physgauge_probe_failures_total", {("timeout",): 1}),
    ):
        tally = Tally()
        tally.row(row)
        assert counts(tally, family) == expected


def histogram(server: Server) -> dict[str, float]:
    """The buckets of whole requests, and their `sum` and `count`."""
    with urllib.request.urlopen(f"http://{server.status}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    pattern = r'^physgauge_request_seconds_(?:bucket\{le="(.+)"\}|(sum|count)) (\S+)$'
    found = re.findall(pattern, text, re.MULTILINE)
    return {bound or name: float(value) for bound, name, value in found}


def handed_over(server: Server) -> dict[str, float]:
    """The same, once it counts every row that was logged since the server began (a test may have killed
    it): the canary sees to that, each 5 s."""
    end = time.monotonic() + 30
    while (found := histogram(server)).get("count", 0) != len(server.events("row", since="ready")):
        assert time.monotonic() < end, (
            f"{found.get('count')} counted of {len(server.events('row', since='ready'))}"
        )
        time.sleep(0.2)
    return found


def test_the_time_of_whole_requests_is_a_histogram(client: Any, server: Server) -> None:
    before = handed_over(server)
    for _ in range(3):
        score(client, image("car_01.jpg"))
    after = handed_over(server)
    assert after["count"] - before.get("count", 0) == 3
    assert after["+Inf"] == after["count"]
    buckets = [after.get(f"{bound:g}", 0) for bound in BUCKETS_S]
    assert buckets == sorted(buckets)
    assert after["sum"] > before.get("sum", 0)


def test_a_refusal_in_a_later_step_says_the_id_that_the_first_step_gave(
    client: Any, server: Server
) -> None:
    known = len(server.events("refused"))
    with pytest.raises(Exception, match="deadline_exceeded"):
        client.infer("score", inputs(image("car_01.jpg"), timeout_ms=1), client_timeout=60)
    line = server.wait_for("refused", known + 1, within_s=10)
    assert line["code"] == "deadline_exceeded"
    assert line["step"] != "decode"
    assert re.fullmatch("[0-9a-f]{32}", line["request_id"])
