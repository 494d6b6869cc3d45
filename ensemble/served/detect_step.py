"""The detect step: the networks, and nothing but them, so that a TensorRT plan can stand in its place."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from physgauge.ensemble.served.deployment import Deployment
from physgauge.ensemble.served.tensors import DETECT, HEADS, NETWORK_OUTPUTS, SQUARES
from physgauge.errors import RequestError

_CPU: Final = frozenset(("CPUExecutionProvider",))
BATCH: Final = 8
"""Images together where a network runs on an accelerator; a CPU is no faster for it."""


class DetectStep:
    """Runs the networks, all requests of a batch together; from several threads at once.

    On a CPU each call takes one core, and `threads` calls run side by side: the cores never wait for each
    other within an image, as they would with threads inside the network.
    """

    def __init__(self, deployment: Deployment) -> None:
        cpu = {p for d in deployment.profile.detectors for p in d.providers} <= _CPU
        cores = deployment.settings.threads or len(os.sched_getaffinity(0))
        self.threads, self.batch = (cores, 1) if cpu else (1, BATCH)
        self._detectors = deployment.detectors(1 if cpu else cores)
        self._size = sum(3 * d.contract.size**2 for d in self._detectors) or 1
        if self._detectors:
            self._infer(np.zeros((1, self._size), np.uint8))  # the first call is slow

    def __call__(self, batch: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The outputs of each request, as the networks gave them; nothing where its time is over."""
        now = time.monotonic()
        wanted = [one[DETECT.name].item() > now for one in batch]
        squares = [one[SQUARES.name] for one, yes in zip(batch, wanted, strict=True) if yes]
        if any(one.shape != (self._size,) for one in squares):
            raise RequestError("request_invalid", f"SQUARES: expected {self._size} bytes a request")
        found = iter(self._infer(np.stack(squares)) if squares else ())
        return [next(found) if yes else _NOTHING for yes in wanted]

    def _infer(self, squares: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
        """Outputs of B images from [B, all squares]."""
        begin, raws = 0, []
        for detector in self._detectors:
            size = detector.contract.size
            end = begin + 3 * size * size
            raws.append(detector.infer(squares[:, begin:end].reshape(-1, size, size, 3)))
            begin = end
        none = np.zeros((len(squares), 0), np.float32)
        most = max(raw["scores"].shape[1] for raw in raws)
        joined = {
            tensor.name: np.concatenate(
                [
                    raw.get(output, none) if output in HEADS else _padded(raw[output], most)
                    for raw in raws
                ],
                axis=1,
            )
            for output, tensor in NETWORK_OUTPUTS.items()
        }
        return [{name: value[i] for name, value in joined.items()} for i in range(len(squares))]


def _padded(values: np.ndarray[Any, Any], length: int) -> np.ndarray[Any, Any]:
    """[B, K, ...] filled up to `length` with boxes that have no area, which nobody keeps."""
    fill = [(0, 0), (0, length - values.shape[1]), *[(0, 0)] * (values.ndim - 2)]
    return np.pad(values, fill) if values.shape[1] < length else values


_NOTHING = {
    name: np.zeros(shape, dtype)
    for name, shape, dtype in (
        ("BOXES", (0, 4), np.float32),
        ("BOX_SCORES", (0,), np.float32),
        ("LABELS", (0,), np.int64),
        ("DOMAIN", (0,), np.float32),
        ("VIEW", (0,), np.float32),
    )
}
