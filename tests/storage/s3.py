"""An S3 server on loopback: moto's, with faults on demand.

moto does not make conditional puts atomic (two racing callers both win), which S3 does: requests go
through one by one.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

BUCKET = "runs"
Fault = Callable[[str, str], str | None]
"""Method and path of a request -> "429", "500", "503": answered so and not done; "500 after": done, and
answered so; "cut after": done, and the connection is lost; None: as it should be."""


class S3:
    """The server; `fault` may be set at any time.

    Attributes:
        url: of the endpoint.
        seen: method, path and fault of each request.
    """

    def __init__(self) -> None:
        self.fault: Fault = lambda method, path: None
        self.seen: list[tuple[str, str, str | None]] = []
        self._one = threading.Lock()
        self._app = DomainDispatcherApplication(create_backend_app)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _answer(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        length = int(environ.get("CONTENT_LENGTH") or 0)
        with self._one:
            fault = self.fault(method, path)
            self.seen.append((method, path, fault))
            if fault is None:
                return list(self._app(environ, start))
            if "after" in fault:
                list(self._app(environ, lambda *answer: None))
            else:
                environ["wsgi.input"].read(length)
        if fault.startswith("cut"):
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        status = re.match(r"\d+", fault)
        start(f"{status[0] if status else 500} Fault", [("Content-Length", "0")])
        return []

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def environment(self) -> dict[str, str]:
        """What a client needs to find it."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }


@contextmanager
def s3_server() -> Iterator[S3]:
    """The server with an empty bucket, and its environment variables set."""
    server = S3()
    try:
        with mock.patch.dict(os.environ, server.environment()):
            make_bucket(BUCKET)
            yield server
    finally:
        server.close()


def make_bucket(name: str) -> None:
    """A bucket on the server of the environment."""
    import boto3

    boto3.client("s3", endpoint_url=os.environ["AWS_ENDPOINT_URL"]).create_bucket(Bucket=name)


@pytest.fixture(scope="module")
def s3_shared() -> Iterator[S3]:
    with s3_server() as server:
        yield server


@pytest.fixture
def s3(s3_shared: S3) -> Iterator[S3]:
    s3_shared.seen.clear()
    yield s3_shared
    s3_shared.fault = lambda method, path: None
