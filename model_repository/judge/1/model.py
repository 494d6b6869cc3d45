"""Triton model `judge`: the judge, for the tasks look and reason."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment, give_way
from physgauge.ensemble.served.judge_step import JudgeStep


class TritonPythonModel:
    """Looks, or reasons, or says that it was skipped; answers each request when the judge has."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the profile's domains and its judge."""
        give_way()
        deployment = Deployment()
        self._step = JudgeStep(deployment, Admission.of_server(deployment.settings.places))
        self._counters = triton_io.Counters()

    def execute(self, requests: list[Any]) -> None:
        """Begin all requests."""
        for request in requests:
            triton_io.begin(request, "judge", self._step.start)
        self._counters.flush(requests)

    def finalize(self) -> None:
        """Close the judge."""
        self._step.close()
