"""A session's numbers for Prometheus. Names begin with ``physgauge_bulk_``; labels have bounded values:
codes, verdicts, stages, and of the columns that were asked for at most MOST_VALUES values each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from physgauge.bulk.watch.group import BOUNDS_S, Group
from physgauge.bulk.watch.progress import Progress
from physgauge.bulk.watch.tally import Tally
from physgauge.bulk.watch.watcher import Watcher
from physgauge.errors import EnvironmentProblem

_PREFIX = "physgauge_bulk_"


class RunMetrics(Collector):
    """Asked by Prometheus.

    What is of the whole run (all sessions, each row once) is a gauge; counters begin at zero with the
    session.

    Args:
        watcher: the session's.
    """

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def collect(self) -> Iterable[Metric]:
        """See `prometheus_client.registry.Collector`."""
        progress, fresh = self._watcher.progress(), self._watcher.fresh()
        yield from _run(progress)
        yield from _verdicts(progress.tally, self._watcher.by)
        yield from _session(progress, fresh)
        yield from _costs(progress)
        yield _labelled(
            "restarts", "Workers that were replaced.", "reason", self._watcher.restarts()
        )
        yield _labelled("retries", "Tries again, by what failed.", "what", self._watcher.retries())
        yield _stages(fresh)


def serve(watcher: Watcher, host: str, port: int) -> tuple[int, Callable[[], None]]:
    """Serve the metrics over HTTP.

    Returns:
        The port, also where any free one (0) was asked for, and what stops it.

    Raises:
        EnvironmentProblem: host and port cannot be had.
    """
    registry = CollectorRegistry()
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise EnvironmentProblem(
            f"--metrics-port: expected {host}:{port} to be free, got: {error.strerror}"
        ) from None
    registry.register(RunMetrics(watcher))

    def stop() -> None:
        server.shutdown()
        server.server_close()
        thread.join()

    return int(server.server_port), stop


def _gauge(name: str, says: str, value: float | None) -> Iterable[Metric]:
    """Nothing where nobody knows."""
    if value is not None:
        yield GaugeMetricFamily(_PREFIX + name, says, value)


def _counter(name: str, says: str, value: float | None) -> Iterable[Metric]:
    if value is not None:
        yield CounterMetricFamily(_PREFIX + name, says, value)


def _labelled(name: str, says: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(_PREFIX + name, says, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def _gauges(name: str, says: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(_PREFIX + name, says, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def _run(progress: Progress) -> Iterable[Metric]:
    yield from _gauge("run_entries", "Entries of the run.", progress.total)
    yield from _gauge("run_rows", "Rows that are there, of all sessions.", progress.done)
    yield from _gauge("run_units", "Units of the run.", progress.total_units)
    yield from _gauge("run_units_committed", "Units whose rows are there.", progress.units)
    yield from _gauge("in_flight_images", "Rows made, not yet committed.", progress.in_flight)
    yield from _gauge("images_per_second", "Over the last minute.", progress.rate)
    yield from _gauge("left_seconds", "At that rate.", progress.left_s)
    yield from _gauge("queue_units", "Units in nobody's hand.", progress.waiting_units)
    yield from _gauge("workers", "Workers that run.", progress.workers)
    yield from _gauge("resident_bytes", "Memory of all its processes.", progress.resident_bytes)
    yield from _gauge(
        "last_commit_age_seconds",
        "Since the last commit of this session, or its start.",
        progress.elapsed_s if progress.last_commit_age_s is None else progress.last_commit_age_s,
    )
    yield from _gauge("draining", "1 after Ctrl-C: what is in hand is finished.", progress.draining)


def _verdicts(tally: Tally, by: Iterable[str]) -> Iterable[Metric]:
    total = tally.total
    images = {"error": total.errors, "scored": total.rows - total.errors}
    yield _gauges("images", "Rows by outcome, of the run.", "status", images)
    yield _gauges("errors", "Error rows by code, of the run.", "code", tally.errors)
    yield _gauges("verdicts", "PCMDE's verdict, else the row's status.", "verdict", total.verdicts)
    yield _gauges("terravis_images", "Status of TerraVis.", "status", tally.terravis)
    yield from _gauge("quarantined_images", "Each killed its worker twice.", tally.quarantined)
    yield from _gauge("copied_images", "Copied from equal images.", tally.copied)
    yield from _gauge("terravis_score_sum", "Sum of TerraVis scores.", total.score_sum)
    yield from _gauge("terravis_score_images", "Rows with a TerraVis score.", total.scored)
    family = GaugeMetricFamily(
        _PREFIX + "group_images",
        "Rows by a carried column and verdict.",
        labels=["column", "value", "verdict"],
    )
    for column in by:
        for value, group in (tally.by.get(column) or {}).items():
            for verdict, number in _labels(group).items():
                family.add_metric([column, value, verdict], number)
    yield family


def _labels(group: Group) -> dict[str, int]:
    return group.verdicts or {"rows": group.rows}


def _session(progress: Progress, fresh: Tally) -> Iterable[Metric]:
    yield from _counter("session_images", "Rows made or copied by this session.", fresh.rows)
    yield from _counter("session_error_images", "... with an error.", fresh.total.errors)
    yield from _counter("session_seconds", "Since the session began.", progress.elapsed_s)


def _costs(progress: Progress) -> Iterable[Metric]:
    costs = progress.costs
    parts = {"machine": costs.usd_machine, "tokens": costs.usd_tokens, "charged": costs.usd_charged}
    known = {part: usd for part, usd in parts.items() if usd is not None}
    yield _gauges("cost_usd", "US dollars, of the run; only what has a price.", "part", known)
    yield from _gauge("tokens", "Computed by judges, of the run.", costs.tokens)
    yield from _gauge("cached_tokens", "Read from caches, of the run.", costs.cached_tokens)
    yield from _gauge("cpu_seconds", "Processor seconds, of the run.", costs.cpu_s)
    yield from _gauge("gpu_seconds", "GPU seconds, of the run.", costs.gpu_s)


def _stages(fresh: Tally) -> Metric:
    family = HistogramMetricFamily(
        _PREFIX + "stage_seconds", "What a stage took, by image.", labels=["stage"]
    )
    for stage, times in fresh.stages.items():
        below, buckets = 0, []
        for bound, number in zip((*BOUNDS_S, "+Inf"), times.buckets, strict=True):
            below += number
            buckets.append((str(bound), float(below)))
        family.add_metric([stage], buckets, times.seconds)
    return family
