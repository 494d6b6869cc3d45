"""`physgauge gateway` in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).parents[2]
_RUN = "from physgauge.cli.main import main; main()"


class Process:
    """Use as a context manager.

    Args:
        flags: more of its options.
    """

    def __init__(self, *flags: str) -> None:
        self._log = tempfile.NamedTemporaryFile("w+b", suffix=".log")  # noqa: SIM115
        command = [sys.executable, "-c", _RUN, "gateway", "--port", "0", "--metrics-port", "0"]
        self.process = subprocess.Popen([*command, *flags], stderr=self._log, cwd=ROOT)

    @property
    def log(self) -> str:
        return Path(self._log.name).read_text("utf-8", "replace")

    def events(self, name: str) -> list[dict[str, Any]]:
        lines = (line for line in self.log.splitlines() if line.startswith("{"))
        return [event for line in lines if (event := json.loads(line))["event"] == name]

    def wait_for(self, name: str, within_s: float = 60.0, **fields: Any) -> dict[str, Any]:
        """The last event of this name, with these fields."""
        end = time.monotonic() + within_s
        while True:
            found = [e for e in self.events(name) if fields.items() <= e.items()]
            if found:
                return found[-1]
            assert self.process.poll() is None, f"ended:\n{self.log[-3000:]}"
            assert time.monotonic() < end, f"no {name} in {within_s} s:\n{self.log[-3000:]}"
            time.sleep(0.05)

    @property
    def address(self) -> str:
        self.wait_for("behind", ready=True)
        return str(self.wait_for("serving")["grpc"])

    def metrics(self) -> dict[str, float]:
        where = self.wait_for("serving")["metrics"]
        with urllib.request.urlopen(f"http://{where}/metrics", timeout=5) as answer:
            lines = answer.read().decode().splitlines()
        pairs = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    def stop(self, within_s: float = 60.0) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()
