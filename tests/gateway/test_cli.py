"""Options of `physgauge gateway` that are wrong are said before anything starts."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from physgauge.cli.main import group
from physgauge.errors import ConfigError, EnvironmentProblem


def run(*words: str) -> Result:
    return CliRunner().invoke(group, ["gateway", *words], standalone_mode=True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--host", "0.0.0.0"), "expected TLS (--tls-cert, --tls-key)"),
        (("--host", "0.0.0.0", "--token-file", __file__), "expected TLS (--tls-cert, --tls-key)"),
        (("--host", "0.0.0.0", "--tls-cert", __file__, "--tls-key", __file__), "to know who calls"),
        (("--tls-cert", __file__), "expected both --tls-cert and --tls-key"),
        (
            ("--tls-cert", __file__, "--tls-key", __file__, "--port", "0", "--metrics-port", "0"),
            "expected PEM, got something else",
        ),
        (("--server", "nowhere"), "--server: expected HOST:PORT[,HOST:PORT], got 'nowhere'"),
        (("--server", "a:1,b:70000"), "got 'b:70000'"),
        (("--server", "a:1,b:2", "--status", "a:3"), "expected one address for each of --server"),
        (("--token-file", "/no/such"), "cannot be read"),
        (("--server-token-file", "/no/such"), "cannot be read"),
        (("--server-ca", "/no/such"), "cannot be read"),
    ],
)
def test_wrong_options(words: tuple[str, ...], says: str) -> None:
    result = run(*words)
    assert isinstance(result.exception, ConfigError), result.output
    assert says in str(result.exception)


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for words in (
            ("--port", port, "--metrics-port", "0"),
            ("--port", "0", "--metrics-port", port),
        ):
            result = run(*words)
            assert isinstance(result.exception, EnvironmentProblem), result.output
            assert f"expected 127.0.0.1:{port} to be free" in str(result.exception)
