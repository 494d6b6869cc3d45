"""Triton model `detect`: the part detectors' networks."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.deployment import Deployment, give_way
from physgauge.ensemble.served.detect_step import DetectStep
from physgauge.ensemble.served.rolling import Rolling


class TritonPythonModel:
    """Squares in, raw boxes out; answers each request when a core has been free for it."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the networks."""
        give_way()
        step = DetectStep(Deployment())
        self._rolling = Rolling(step, step.threads, step.batch)
        self._counters = triton_io.Counters()

    def execute(self, requests: list[Any]) -> None:
        """Begin all requests."""
        for request in requests:
            triton_io.begin(request, "detect", self._rolling.start)
        self._counters.flush(requests)

    def finalize(self) -> None:
        """End the threads."""
        self._rolling.close()
