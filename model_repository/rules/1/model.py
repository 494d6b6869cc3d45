"""Triton model `rules`: from boxes to what the rules say."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment, give_way
from physgauge.ensemble.served.steps import RulesStep


class TritonPythonModel:
    """Fuses, reads and evaluates."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the profile's domains."""
        give_way()
        deployment = Deployment()
        admission = Admission.of_server(deployment.settings.places)
        self._step = RulesStep(deployment, admission, triton_io.parameter(args, "device", "cpu"))
        self._counters = triton_io.Counters()

    def execute(self, requests: list[Any]) -> list[Any]:
        """One response a request."""
        responses = triton_io.answer_each(requests, "rules", self._step)
        self._counters.flush(requests)
        return responses
