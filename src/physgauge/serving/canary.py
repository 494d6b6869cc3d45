"""A small image through every step: the only sign of readiness that means something.

Triton calls itself ready while a stub is dead, and its health protocol says nothing about the steps.
"""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np

from physgauge import wire
from physgauge.contract import CAPTION, IMAGE, MODEL, OPTIONS, RESULT, TOKEN_HEADER, read_refusal
from physgauge.serving.settings import ServerSettings


class JudgeFault(Exception):
    """The canary's row came, but its judge could not look: the engine is dead or out of reach."""


class Canary:
    """Calls a server as any client would, through its TLS and with its token.

    Args:
        settings: the server's.
        request_id: by which the server knows it.
    """

    def __init__(self, settings: ServerSettings, request_id: str) -> None:
        import tritonclient.grpc as grpc_client

        self._api: Any = grpc_client
        self._request_id = request_id
        host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
        url = f"[{host}]:{settings.grpc_port}" if ":" in host else f"{host}:{settings.grpc_port}"
        # `settings` make a channel of its own: gRPC shares channels of one address within a process.
        arguments: list[tuple[str, Any]] = [("grpc.use_local_subchannel_pool", 1)]
        if settings.tls:
            arguments.append(("grpc.ssl_target_name_override", settings.tls.name))
        self._client: Any = grpc_client.InferenceServerClient(
            url, creds=_credentials(settings), ssl=False, channel_args=arguments
        )
        self._headers = {TOKEN_HEADER: settings.token} if settings.token else None

    def row(self, timeout_s: float) -> wire.Row:
        """The canary's row.

        Raises:
            JudgeFault: a row without its judge's word.
            Exception: whatever gRPC says, or no row.
        """
        inputs = [
            self._tensor(IMAGE.name, _IMAGE),
            self._tensor(CAPTION.name, b""),
            self._tensor(OPTIONS.name, b'{"timeout_ms": %d}' % max(1, int(1000 * timeout_s))),
        ]
        answer = self._client.infer(
            MODEL,
            inputs,
            request_id=self._request_id,
            client_timeout=timeout_s,
            headers=self._headers,
        )
        row = wire.from_json(answer.as_numpy(RESULT.name)[0, 0])
        if row.error_code is not None:
            raise RuntimeError(f"expected a row of the canary, got {row.error_code}: {row.error}")
        if row.terravis.status == "error":
            raise JudgeFault(row.terravis.fault or row.terravis.reason or "no reason given")
        return row

    def _tensor(self, name: str, value: bytes) -> Any:
        array = np.empty((1, 1), np.object_)
        array[0, 0] = value
        tensor = self._api.InferInput(name, [1, 1], "BYTES")
        tensor.set_data_from_numpy(array)
        return tensor

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def turned_away(error: Exception) -> bool:
    """Whether a canary's failure says that the server has too much in hand, which no dead one says."""
    status, message = getattr(error, "status", None), getattr(error, "message", None)
    if status is None or message is None:
        return False
    return (
        read_refusal(str(status()).removeprefix("StatusCode."), str(message())).code == "overloaded"
    )


def _credentials(settings: ServerSettings) -> Any:
    tls = settings.tls
    if tls is None:
        return None
    import grpc

    own = tls.own_certificate and tls.own_key
    return grpc.ssl_channel_credentials(
        root_certificates=tls.certificate.read_bytes(),
        private_key=tls.own_key.read_bytes() if own and tls.own_key else None,
        certificate_chain=tls.own_certificate.read_bytes() if own and tls.own_certificate else None,
    )


def _npy() -> bytes:
    """64 x 64 px of a ramp: an image that every step must look at, and that shows nothing."""
    out = io.BytesIO()
    ramp = np.arange(64, dtype=np.uint8)
    np.save(out, np.ascontiguousarray(np.broadcast_to(ramp[:, None, None] * 4, (64, 64, 3))))
    return out.getvalue()


_IMAGE: Final = _npy()
