"""What operators see of the rows: counters for Prometheus, and one line of JSON a row.

Neither holds a caption or pixels. Counters are added up here and handed to Triton once a second, since
each of its own takes a round trip to the server's process.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Final

from physgauge import wire
from physgauge.ensemble.served.records import Ticket
from physgauge.log import log
from physgauge.serve_settings import ServeSettings

FAMILIES: Final = {
    "physgauge_rows_total": "Rows by PCMDE status, verdict and domain.",
    "physgauge_terravis_rows_total": "Rows by TerraVis status.",
    "physgauge_errors_total": "Error rows by code.",
    "physgauge_violations_total": "Violated rules by rule and domain.",
    "physgauge_probe_violations_total": "TerraVis probes answered yes, by probe and severity.",
    "physgauge_probe_failures_total": "TerraVis probes without an answer, by outcome.",
    "physgauge_stage_seconds_total": "Time by stage, waiting included.",
    "physgauge_refused_total": "Requests refused by step and code.",
    "physgauge_request_seconds_bucket": "Rows by time from arrival at the server: at most `le` seconds.",
    "physgauge_request_seconds_sum": "Time from arrival at the server to the row, of all rows.",
    "physgauge_request_seconds_count": "Rows that the time was taken of.",
}
"""Counters and what they count. (The last three are a histogram: Triton 24.10 has none of its own.)"""
BUCKETS_S: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Bounds of the histogram; one more is without bound."""
FLUSH_S: Final = 1.0

Key = tuple[str, tuple[tuple[str, str], ...]]


class Tally:
    """Counts until it is collected. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[Key] = Counter()
        self._collected_s = time.monotonic()

    def add(self, family: str, by: float = 1.0, **labels: str) -> None:
        """Count."""
        with self._lock:
            self._counts[family, tuple(sorted(labels.items()))] += by  # type: ignore[assignment]

    def row(self, row: wire.Row) -> None:
        """Count a row."""
        pcmde = row.pcmde
        domain = pcmde.domain or "none"
        verdict = pcmde.verdict or "none"
        self.add("physgauge_rows_total", status=pcmde.status, verdict=verdict, domain=domain)
        self.add("physgauge_terravis_rows_total", status=row.terravis.status)
        if row.error_code is not None:
            self.add("physgauge_errors_total", code=row.error_code)
        for probe, answer in row.terravis.answers.items():
            self._probe(probe, answer)
        for rule in pcmde.rules:
            if rule.status == "violated":
                self.add("physgauge_violations_total", rule=rule.id, domain=domain)
        for stage, ms in row.cost.ms.items():
            self.add("physgauge_stage_seconds_total", ms / 1000, stage=stage)

    def _probe(self, probe: str, answer: wire.Answer) -> None:
        if answer.answer:
            severity = answer.severity or "ungraded"
            self.add("physgauge_probe_violations_total", probe=probe, severity=severity)
        elif answer.answer is None:
            self.add("physgauge_probe_failures_total", outcome=answer.outcome)

    def request(self, seconds: float) -> None:
        """Count the time of a request that has its row."""
        for bound in BUCKETS_S:
            if seconds <= bound:
                self.add("physgauge_request_seconds_bucket", le=f"{bound:g}")
        self.add("physgauge_request_seconds_bucket", le="+Inf")
        self.add("physgauge_request_seconds_sum", seconds)
        self.add("physgauge_request_seconds_count")

    def collect(self, now: bool = False) -> dict[Key, float]:
        """The counts since the last time; nothing within a second of it, unless `now`."""
        if not self._counts or (not now and time.monotonic() - self._collected_s < FLUSH_S):
            return {}
        with self._lock:
            counts, self._counts = self._counts, Counter()
        self._collected_s = time.monotonic()
        return dict(counts)


class Observer:
    """Takes note of every row but the canary's.

    Args:
        settings: whether to log.
    """

    def __init__(self, settings: ServeSettings) -> None:
        self.tally = Tally()
        self._settings = settings

    def __call__(self, ticket: Ticket, row: wire.Row) -> None:
        """A row is done."""
        if self._settings.is_canary(ticket.request_id):
            return
        total_s = time.monotonic() - ticket.arrived_s
        self.tally.row(row)
        self.tally.request(total_s)
        if self._settings.log_rows:
            log(
                "row",
                request_id=ticket.request_id,
                image_id=row.image_id,
                error_code=row.error_code,
                status=row.pcmde.status,
                verdict=row.pcmde.verdict,
                ms={**row.cost.ms, "total": round(1000 * total_s, 3)},
            )
