"""What `physgauge serve` hands to tritonserver, and what it says about a machine that lacks something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tritonclient.utils import InferenceServerException

from physgauge.cli.main import group
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.serving import triton as module
from physgauge.serving.assemble import Assembled
from physgauge.serving.canary import turned_away
from physgauge.serving.libpython import PYTHON
from physgauge.serving.settings import ServerSettings, Tls, arguments
from physgauge.serving.triton import Triton, find_libpython, find_triton


def flags(settings: ServerSettings) -> list[str]:
    made = Assembled(Triton.of_wheel(Path("/site"), "0.7.0"), Path("/made"))
    return arguments(settings.checked(), made, "name_")


def test_loopback_and_limits_by_default() -> None:
    line = flags(ServerSettings())
    assert line[0] == "/site/pytriton/tritonserver/bin/tritonserver"
    for flag in (
        "--disable-auto-complete-config", "--strict-readiness=true", "--model-control-mode=none",
        "--grpc-address=127.0.0.1", "--metrics-address=127.0.0.1", "--allow-http=false",
        "--allow-sagemaker=false", "--allow-vertex-ai=false", "--exit-timeout-secs=10",
        "--backend-config=python,shm-region-prefix-name=name_",
    ):  # fmt: skip
        assert flag in line
    assert not any(flag.startswith("--grpc-use-ssl") for flag in line)
    (closed,) = [flag for flag in line if flag.startswith("--grpc-restricted-protocol=")]
    assert "shared-memory,model-repository,trace,logging:physgauge-operator=" in closed
    assert closed not in flags(ServerSettings())  # a key of its own each time


def test_tls_token_and_variant() -> None:
    here = Path(__file__)
    tls = Tls(here, here, here, own_certificate=here, own_key=here)
    line = flags(ServerSettings(host="0.0.0.0", tls=tls, token="t" * 16, config="h100"))
    for flag in (
        "--grpc-address=0.0.0.0", "--metrics-address=127.0.0.1", "--model-config-name=h100",
        "--grpc-use-ssl=true", "--grpc-use-ssl-mutual=true", f"--grpc-server-cert={here}",
        f"--grpc-root-cert={here}",
        "--grpc-restricted-protocol=inference,metadata,model-config,statistics:physgauge-token="
        + "t" * 16,
    ):  # fmt: skip
        assert flag in line


def test_an_operators_token() -> None:
    line = flags(ServerSettings(operator_token="o" * 16))
    assert any(flag.endswith("logging:physgauge-operator=" + "o" * 16) for flag in line)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example"])
def test_an_open_door_must_be_asked_for(host: str) -> None:
    with pytest.raises(ConfigError, match=r"expected TLS .* or a token"):
        ServerSettings(host=host).checked()
    ServerSettings(host=host, token="x" * 16).checked()
    ServerSettings(host=host, insecure=True).checked()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_needs_nothing(host: str) -> None:
    ServerSettings(host=host).checked()


def test_mutual_tls_needs_a_certificate_for_the_canary() -> None:
    here = Path(__file__)
    with pytest.raises(ConfigError, match="--tls-own-cert"):
        ServerSettings(tls=Tls(here, here, here)).checked()
    with pytest.raises(ConfigError, match="expected a file"):
        ServerSettings(tls=Tls(here, Path("/no/such/key"))).checked()


def run(*words: str) -> Result:
    return CliRunner().invoke(group, list(words), standalone_mode=True)


def test_wrong_options_are_said_before_anything_starts(tmp_path: Path) -> None:
    short = tmp_path / "token"
    short.write_text("short", encoding="ascii")
    for words, says in (
        (["--profile", "no_such"], "expected one of"),
        (["--token-file", str(short)], "at least 16"),
        (["--token-file", "/no/such"], "cannot be read"),
        (["--tls-cert", __file__], "--tls-cert and --tls-key"),
    ):
        result = run("serve", *words)
        assert isinstance(result.exception, ConfigError), words
        assert says in str(result.exception)


def test_no_wheel_is_said(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"pip install 'physgauge\[serve\]'"):
        find_triton(str(tmp_path))


def test_no_libpython_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"libpython{PYTHON}" in find_libpython().name
    monkeypatch.setattr(module, "PYTHON", "3.99")
    with pytest.raises(EnvironmentProblem, match=r"apt-get install libpython3\.99"):
        find_libpython()


def test_doctor_says_what_is_lacking(tmp_path: Path) -> None:
    result = run("doctor", "--triton", str(tmp_path))
    assert result.exit_code == 3
    assert "LACK tritonserver: expected the nvidia-pytriton wheel" in result.output
    assert "ok   detector part_detector" in result.output
    assert "ok   layout car" in result.output
    (tmp_path / "p.toml").write_text(
        'name = "p"\n[specifications]\ncar = "car"\n[layouts]\ncar = "l.npz"\n'
        '[[detectors]]\nname = "d"\nmodel = "d.onnx"\nrescorer = "r.onnx"\n'
    )
    lacking = run("doctor", "--profile", str(tmp_path / "p.toml")).output
    for name in ("detector d", "rescorer of d", "layout car"):
        assert f"LACK {name}: expected the model file {tmp_path}" in lacking, lacking
    result = run("doctor", "--profile", str(tmp_path / "none.toml"))
    assert "LACK profile" in result.output
    assert result.exit_code == 3


def test_nothing_heavy_is_imported_to_serve() -> None:
    """The supervisor stays small: numba and onnxruntime are the steps' affair."""
    code = (
        "import physgauge.serving.supervise, physgauge.serving.canary, sys\n"
        "print(*{m.partition('.')[0] for m in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not set(done.stdout.split()) & {"numba", "onnxruntime", "PIL", "torch", "pytriton"}


@pytest.mark.parametrize(
    ("message", "status", "full"),
    [
        ("Exceeds maximum queue size", "StatusCode.UNAVAILABLE", True),
        ("physgauge [overloaded] expected less", "StatusCode.UNAVAILABLE", True),
        ("failed to connect", "StatusCode.UNAVAILABLE", False),
        ("Deadline Exceeded", "StatusCode.DEADLINE_EXCEEDED", False),
        ("stub is not healthy", "StatusCode.INTERNAL", False),
    ],
)
def test_a_canary_that_is_turned_away_is_no_sign_of_death(
    message: str, status: str, full: bool
) -> None:
    assert turned_away(InferenceServerException(message, status)) == full
    assert not turned_away(RuntimeError(message))
