"""Calls beside the service's own, health and reflection: who may make them, how many, how long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc

from physgauge.gateway.access import Access, Denied
from physgauge.gateway.metrics import Metrics

_HEALTH: Final = "/grpc.health.v1.Health/"
_REFLECTION: Final = "/grpc.reflection."
MOST_CALLS: Final = 64
"""Of health and of reflection, open at a time, of all callers: each has a bound of its own."""
REFLECTION_S: Final = 60.0


class Door(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """Bounds health and reflection, and asks for the token before reflection.

    Args:
        access: the door.
        metrics: what is counted.
    """

    def __init__(self, access: Access, metrics: Metrics) -> None:
        self._access, self._metrics = access, metrics
        self._open = {_HEALTH: 0, _REFLECTION: 0}

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], details: Any
    ) -> Any:
        """gRPC asks this for each call before it reads anything of it."""
        method: str = details.method
        kind = next((kind for kind in self._open if method.startswith(kind)), None)
        handler = await continuation(details)
        if kind is None or handler is None:
            return handler
        if kind == _REFLECTION:
            try:
                self._access.by_token(details.invocation_metadata)
            except Denied as denied:
                self._metrics.denied(denied.reason)
                return _refusing(grpc.StatusCode.UNAUTHENTICATED, str(denied))
        if self._open[kind] >= MOST_CALLS:
            self._metrics.denied("full")
            return _refusing(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MOST_CALLS} calls are open")
        return self._counted(kind, handler)

    def _counted(self, kind: str, handler: Any) -> Any:
        if handler.unary_unary:
            return handler  # answered at once
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(
                self._bounded(kind, handler.unary_stream, None),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return grpc.stream_stream_rpc_method_handler(
            self._bounded(kind, handler.stream_stream, REFLECTION_S),
            handler.request_deserializer,
            handler.response_serializer,
        )

    def _bounded(self, kind: str, answer: Any, within_s: float | None) -> Any:
        async def bounded(request: Any, context: Any) -> None:
            self._open[kind] += 1
            try:
                async with asyncio.timeout(within_s):
                    if asyncio.iscoroutinefunction(answer):
                        await answer(request, context)
                    else:
                        async for response in answer(request, context):
                            await context.write(response)
            except TimeoutError:
                await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"open for {within_s:g} s")
            finally:
                self._open[kind] -= 1

        return bounded


def _refusing(code: grpc.StatusCode, message: str) -> Any:
    """A handler that says so. It reads nothing, whatever the call's kind."""

    async def refuse(_: Any, context: Any) -> None:
        await context.abort(code, f"physgauge [request_invalid] {message}")

    return grpc.stream_stream_rpc_method_handler(refuse)
