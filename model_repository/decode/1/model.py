"""Triton model `decode`: admits a request and decodes its image."""

from __future__ import annotations

from typing import Any

from physgauge.ensemble import triton_io
from physgauge.ensemble.served.admission import Admission
from physgauge.ensemble.served.decode_step import DecodeStep
from physgauge.ensemble.served.deployment import Deployment


class TritonPythonModel:
    """Answers each request when its image is decoded, not when it is asked."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start the decode workers."""
        deployment = Deployment()
        self._step = DecodeStep(deployment, Admission.of_server(deployment.settings.places))
        self._counters = triton_io.Counters()

    def execute(self, requests: list[Any]) -> None:
        """Begin all requests."""
        for request in requests:
            triton_io.begin(request, "decode", self._step.start)
        self._counters.flush(requests)

    def finalize(self) -> None:
        """Stop the decode workers."""
        self._step.close()
