"""Triton's Python backend, and the only file that imports its module: requests to plain values and back.

A value is bytes for a BYTES tensor, else an array without the batch axis. A request that fails gets its
own error; nothing is raised out of `execute`, which would fail every request of the batch.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

from physgauge.contract import MAX_NAME_CHARS, message_of
from physgauge.ensemble.served.observe import FAMILIES, Tally
from physgauge.ensemble.served.records import read_ticket
from physgauge.ensemble.served.tensors import STEPS, TICKET
from physgauge.errors import RequestError
from physgauge.log import log
from physgauge.serve_settings import settings_from

# By name: the stub adds TritonError to its module only after it has imported the model.
_refused = Tally()
_CODES = {
    "request_invalid": "INVALID_ARG",
    "overloaded": "UNAVAILABLE",
    "unavailable": "UNAVAILABLE",
    "deadline_exceeded": "CANCELLED",
    "internal": "INTERNAL",
}
Values = dict[str, Any]


def parameter(arguments: Mapping[str, str], name: str, default: str) -> str:
    """A parameter of the model's configuration.

    Args:
        arguments: what `initialize` was given.
        name: its key.
        default: its value where it is not set.
    """
    parameters = json.loads(arguments["model_config"]).get("parameters", {})
    return str(parameters.get(name, {}).get("string_value", default))


def inputs(request: Any, step: str) -> Values:
    """The inputs of a request by name; an optional one that is not there is left out.

    Raises:
        RequestError: one that must be there is not, or holds not one image.
    """
    values: Values = {}
    for tensor in STEPS[step].inputs:
        given = pb_utils.get_input_tensor_by_name(request, tensor.name)
        if given is None:
            if tensor.optional:
                continue
            raise RequestError("request_invalid", f"{tensor.name}: expected it, got none")
        array = _host(given)
        if not array.shape or array.shape[0] != 1:
            raise RequestError(
                "request_invalid", f"{tensor.name}: expected a batch of 1, got shape {array.shape}"
            )
        if tensor.datatype == "BYTES":
            if array.size != 1:
                raise RequestError(
                    "request_invalid", f"{tensor.name}: expected one element, got {array.size}"
                )
            values[tensor.name] = array.reshape(-1)[0]
        else:
            values[tensor.name] = array[0]
    return values


def _host(tensor: Any) -> np.ndarray[Any, Any]:
    """A tensor as an array of its own (the stub copies it out of shared memory), to keep beyond the call;
    one on a GPU comes over through DLPack."""
    if tensor.is_cpu():
        array: np.ndarray[Any, Any] = tensor.as_numpy()
        return array
    from physgauge.rules_kernel.cuda.driver import download, gpu

    return download(gpu().borrow(tensor.name(), tensor))


def response(step: str, values: Mapping[str, Any]) -> Any:
    """A response from output values by name."""
    tensors = []
    for tensor in STEPS[step].outputs:
        value = values[tensor.name]
        if tensor.datatype == "BYTES":
            array = np.empty((1, 1), np.object_)  # never np.bytes_: it strips trailing zeros
            array[0, 0] = value
        else:
            array = np.ascontiguousarray(value)[None]
        tensors.append(pb_utils.Tensor(tensor.name, array))
    return pb_utils.InferenceResponse(output_tensors=tensors)


def refusal(error: Exception, step: str, request_id: str) -> Any:
    """A response that refuses; what is not a RequestError is a fault of ours, and is logged."""
    request_id = request_id[:MAX_NAME_CHARS]
    if not isinstance(error, RequestError):
        # Where, and of what kind, but not the message: it might quote a caption.
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        kind = type(error).__name__
        log("fault", step=step, request_id=request_id, kind=kind, where=where)
        error = RequestError("internal", f"{step}: {kind}")
    _refused.add("physgauge_refused_total", step=step, code=error.code)
    if error.code in (
        "request_invalid",
        "deadline_exceeded",
    ):  # the others are many, or logged above
        log("refused", step=step, request_id=request_id, code=error.code)
    code = getattr(pb_utils.TritonError, _CODES[error.code])
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(message_of(error), code))


def _id(request: Any) -> str:
    """A request's id: the caller's, or the one that the first step gave it."""
    if given := request.request_id():
        return str(given)
    try:
        ticket = pb_utils.get_input_tensor_by_name(request, TICKET.name)
        return read_ticket(ticket.as_numpy().reshape(-1)[0]).request_id
    except Exception:  # a caller's own ticket; the others of the batch must not fail with it
        return ""


def answer_each(requests: Sequence[Any], step: str, work: Callable[[Values], Values]) -> list[Any]:
    """One response per request, each by itself."""
    responses = []
    for request in requests:
        try:
            responses.append(response(step, work(inputs(request, step))))
        except Exception as error:
            responses.append(refusal(error, step, _id(request)))
    return responses


def answer_together(
    requests: Sequence[Any], step: str, work: Callable[[list[Values]], list[Values]]
) -> list[Any]:
    """One response per request, from one call for all; should it fail, each is tried alone."""
    try:
        together = work([inputs(request, step) for request in requests])
        return [response(step, values) for values in together]
    except Exception as error:
        if len(requests) == 1:
            return [refusal(error, step, _id(requests[0]))]
        return [answer_together([request], step, work)[0] for request in requests]


def begin(request: Any, step: str, start: Callable[..., None]) -> None:
    """Start on a request that is answered later, from whatever thread.

    Args:
        request: the request.
        step: the model's name.
        start: called with the request's id, its timeout (s; 0 = none), its inputs, and what to call once
            with the outputs or the reason why there are none.
    """
    sender, known_as = request.get_response_sender(), _id(request)

    def reply(answer: Values | Exception) -> None:
        try:
            if isinstance(answer, Exception):
                raise answer
            sent = response(step, answer)
        except Exception as error:
            sent = refusal(error, step, known_as)
        sender.send(sent, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    try:
        start(request.request_id(), request.timeout() / 1e6, inputs(request, step), reply)
    except Exception as error:
        reply(error)


class Counters:
    """Triton's counters, brought up to date from what was tallied.

    Only from `execute`: the stub crashes when its metrics are used in several threads at once (24.10).
    """

    def __init__(self, *tallies: Tally) -> None:
        self._tallies = (*tallies, _refused)
        self._is_canary = settings_from().is_canary
        self._families: dict[str, Any] = {}
        self._metrics: dict[Any, Any] = {}

    def flush(self, requests: Sequence[Any]) -> None:
        """Hand over what was counted, at most once a second; at once when the canary passes."""
        now = any(self._is_canary(request.request_id()) for request in requests)
        for tally in self._tallies:
            for key, by in tally.collect(now).items():
                self._metric(key).increment(by)

    def _metric(self, key: tuple[str, tuple[tuple[str, str], ...]]) -> Any:
        if key not in self._metrics:
            name, labels = key
            if name not in self._families:
                kind = pb_utils.MetricFamily.COUNTER
                self._families[name] = pb_utils.MetricFamily(
                    name=name, description=FAMILIES[name], kind=kind
                )
            self._metrics[key] = self._families[name].Metric(labels=dict(labels))
        return self._metrics[key]
