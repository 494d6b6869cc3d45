"""Triton model `detect`: the part detectors' networks, a batch at a time."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.detect_step import DetectStep


class TritonPythonModel:
    """Squares in, raw boxes out."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the networks."""
        self._step = DetectStep(Deployment())

    def execute(self, requests: list[Any]) -> list[Any]:
        """One response a request."""
        return triton_io.answer_together(requests, "detect", self._step)
