"""Triton model `aggregate`: the result row."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.deployment import Deployment, give_way
from physgauge.ensemble.served.observe import Observer
from physgauge.ensemble.served.steps import AggregateStep


class TritonPythonModel:
    """Rows and scores out, counted and logged."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the profile's domains."""
        give_way()
        deployment = Deployment()
        admission = Admission.of_server(deployment.settings.places)
        seen = Observer(deployment.settings)
        self._step = AggregateStep(deployment, admission, seen)
        self._counters = triton_io.Counters(seen.tally)

    def execute(self, requests: list[Any]) -> list[Any]:
        """One response a request."""
        responses = triton_io.answer_each(requests, "aggregate", self._step)
        self._counters.flush(requests)
        return responses
