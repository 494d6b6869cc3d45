"""The metrics as Prometheus sees them: over HTTP, parsed by its own parser."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from physgauge.bulk.watch.events import Beat, Retried, Waiting, WorkerLost
from physgauge.bulk.watch.metrics import serve
from physgauge.bulk.watch.tally import MOST_VALUES
from physgauge.bulk.watch.watcher import Watcher
from physgauge.cost_settings import CostSettings
from physgauge.errors import EnvironmentProblem
from tests.watch.rows import commit, mixed, new_run, row, tally_of

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scrape(port: int) -> Samples:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            key = (sample.name.removeprefix("physgauge_bulk_"), frozenset(sample.labels.items()))
            assert key not in found, f"{key} twice"
            found[key] = sample.value
    return found


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[name, frozenset(labels.items())]


def names(samples: Samples) -> set[str]:
    return {name for name, _ in samples}


def test_the_numbers_of_a_session(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    rows = [mixed(n) for n in range(300)]
    prices = CostSettings(per_hour=1.0)
    with Watcher(
        run, "s", total=600, total_units=2, by=["generator"], prices=prices, gpus=0
    ) as watch:
        port, stop = serve(watch, "127.0.0.1", 0)
        try:
            assert value(scrape(port), "run_rows") == 0
            watch.tell(Waiting(units=1, workers=2))
            watch.tell(Beat(worker="1", unit=1, done=33, resident_bytes=5 * 10**8, cpu_s=9.0))
            watch.tell(Retried(what="storage"))
            watch.tell(WorkerLost(worker="0", reason="died"))
            watch.tell(commit(run, 0, rows))
            found = scrape(port)
        finally:
            stop()
    whole = tally_of(rows)
    assert value(found, "run_entries") == 600
    assert value(found, "run_rows") == 300
    assert value(found, "run_units_committed") == 1
    assert value(found, "in_flight_images") == 33
    assert value(found, "images", status="scored") == 300 - whole.total.errors
    assert value(found, "images", status="error") == whole.total.errors
    for code, n in whole.errors.items():
        assert value(found, "errors", code=code) == n
    for verdict, n in whole.total.verdicts.items():
        assert value(found, "verdicts", verdict=verdict) == n
    assert value(found, "session_images_total") == 300
    assert value(found, "restarts_total", reason="died") == 1
    assert value(found, "retries_total", what="storage") == 1
    assert value(found, "queue_units") == 1
    assert value(found, "workers") == 2
    assert value(found, "resident_bytes") > 5 * 10**8
    assert 0 <= value(found, "last_commit_age_seconds") < 600
    assert value(found, "tokens") == whole.spent.tokens
    assert value(found, "cost_usd", part="machine") > 0
    assert value(found, "gpu_seconds") == 0
    groups = whole.by["generator"]
    assert groups is not None
    for generator, group in groups.items():
        got = value(found, "group_images", column="generator", value=generator, verdict="PASS")
        assert got == group.verdicts["PASS"]
    assert "prompt" not in {dict(labels).get("column") for _, labels in found}
    decode = {dict(labels)["le"]: n for (name, labels), n in found.items()
              if name == "stage_seconds_bucket" and ("stage", "decode") in labels}  # fmt: skip
    scored = 300 - whole.total.errors
    assert decode["0.0025"] == 0
    assert decode["0.005"] == decode["+Inf"] == scored  # each took 3 ms
    assert value(found, "stage_seconds_sum", stage="decode") == pytest.approx(scored * 0.003)
    assert value(found, "stage_seconds_count", stage="decode") == scored


def test_what_has_no_value_is_left_out(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    with Watcher(run, "s", total=None, total_units=2) as watch:
        port, stop = serve(watch, "127.0.0.1", 0)
        try:
            found = scrape(port)
        finally:
            stop()
    assert not names(found) & {
        "run_entries",
        "left_seconds",
        "cost_usd",
        "gpu_seconds",
        "queue_units",
    }
    assert value(found, "run_units") == 2


def test_labels_are_bounded(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    rows = [row(n, extra={"seed": f'{n} "x"\n\\'}) for n in range(MOST_VALUES + 1)]
    with Watcher(run, "s", total=999, total_units=2, by=["seed"]) as watch:
        port, stop = serve(watch, "127.0.0.1", 0)
        try:
            watch.tell(commit(run, 0, rows[:MOST_VALUES]))
            most = scrape(port)
            watch.tell(commit(run, 1, rows[MOST_VALUES:]))
            more = scrape(port)
        finally:
            stop()
    assert value(most, "group_images", column="seed", value='7 "x"\n\\', verdict="PASS") == 1
    assert sum(name == "group_images" for name, _ in most) == MOST_VALUES
    assert "group_images" not in names(more)
    assert value(more, "run_rows") == MOST_VALUES + 1


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    with Watcher(run, "s", total=1, total_units=1) as watch:
        port, stop = serve(watch, "127.0.0.1", 0)
        try:
            with pytest.raises(EnvironmentProblem, match=rf"127\.0\.0\.1:{port} to be free"):
                serve(watch, "127.0.0.1", port)
        finally:
            stop()
