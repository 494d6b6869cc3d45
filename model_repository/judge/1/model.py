"""Triton model `judge`: the judge, for the tasks look and reason."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment, give_way
from physgauge.ensemble.served.steps import JudgeStep


class TritonPythonModel:
    """Looks, or reasons, or says that it was skipped."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the profile's domains."""
        give_way()
        deployment = Deployment()
        self._step = JudgeStep(deployment, Admission.of_server(deployment.settings.places))
        self._counters = triton_io.Counters()

    def execute(self, requests: list[Any]) -> list[Any]:
        """One response a request."""
        responses = triton_io.answer_each(requests, "judge", self._step)
        self._counters.flush(requests)
        return responses
