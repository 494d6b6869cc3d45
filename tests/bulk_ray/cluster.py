"""A real Ray cluster on this machine, in a session of its own so that all of it can be ended."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[2]
RAY = [sys.executable, "-c", "from ray.scripts.scripts import main; main()"]
TRIES = 6
"""Ray's node gives its own agents 15 s to start and then dies: too little on a busy machine."""
UP_S = 150.0
MEMORY = 100 * 2**20
"""For Ray's object store; more than 75 MiB, or Ray refuses."""


class Cluster:
    """One head node; use as a context manager. `environment`: what a process needs to reach it."""

    def __init__(self, cpus: int = 2) -> None:
        self._cpus = cpus
        # Ray reads it once in a process.
        self._token = os.environ.get("RAY_AUTH_TOKEN") or secrets.token_hex(32)
        self._folder = Path(tempfile.mkdtemp(prefix="pgray", dir="/tmp"))  # sockets: short paths
        self._process: subprocess.Popen[bytes] | None = None
        self._others: list[subprocess.Popen[bytes]] = []
        self._guard: subprocess.Popen[bytes] | None = None
        self.address = ""

    @property
    def environment(self) -> dict[str, str]:
        """Ray's own settings: a token, so that nobody else on this machine gets in; no word to anyone."""
        return {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self._token,
            "RAY_USAGE_STATS_ENABLED": "0",
        }

    def __enter__(self) -> Self:
        # Whoever kills these tests, the cluster goes with them: the guard sees its input end.
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "tests.bulk_ray.cluster", str(self._folder)],
            stdin=subprocess.PIPE, cwd=ROOT, start_new_session=True,
        )  # fmt: skip
        log = ""
        for _ in range(TRIES):
            if self._start():
                return self
            log = (self._folder / "log").read_text("utf-8", "replace")[-3000:]
            self._kill()
        self.__exit__()
        raise AssertionError(f"no Ray cluster in {TRIES} tries:\n{log}")

    def _start(self) -> bool:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        self.address = f"127.0.0.1:{port}"
        command = [
            *RAY, "start", "--head", "--block",
            "--node-ip-address=127.0.0.1", f"--port={port}", f"--num-cpus={self._cpus}", "--num-gpus=0",
            f"--object-store-memory={MEMORY}", f"--temp-dir={self._folder}", "--include-dashboard=false",
            "--include-log-monitor=false", "--disable-usage-stats",
        ]  # fmt: skip
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True,
                env=os.environ | self.environment, cwd=ROOT,
            )  # fmt: skip
        self._note(self._process)
        return _up(self._process, self._folder / "log")

    def join(self, hidden: Path) -> None:
        """A second machine of the cluster, for all that a process can see: it does not see this folder."""
        start = shlex.join(
            [*RAY, "start", "--block", f"--address={self.address}", "--num-cpus=1", "--num-gpus=0",
             f"--object-store-memory={MEMORY}", "--disable-usage-stats"]
        )  # fmt: skip
        script = f"mount -t tmpfs none {shlex.quote(str(hidden))} && exec {start}"
        for number in range(TRIES):
            path = self._folder / f"log{number}"
            with path.open("wb") as log:
                other = subprocess.Popen(
                    ["unshare", "--mount", "sh", "-c", script], stdout=log, stderr=log,
                    start_new_session=True, env=os.environ | self.environment, cwd=ROOT,
                )  # fmt: skip
            self._others.append(other)
            self._note(other)
            if _up(other, path):
                return
        raise AssertionError(path.read_text("utf-8", "replace")[-3000:])

    def _kill(self) -> None:
        for process in [*self._others, *([] if self._process is None else [self._process])]:
            for one in members(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            process.wait()

    def _note(self, process: subprocess.Popen[bytes]) -> None:
        """For the guard."""
        assert self._guard is not None
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{process.pid}\n".encode())
        self._guard.stdin.flush()

    def __exit__(self, *_: object) -> None:
        self._kill()
        if self._guard is not None:
            self._guard.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def left(self) -> list[int]:
        """Processes of it that still run."""
        started = [*self._others, *([] if self._process is None else [self._process])]
        return [one for process in started for one in members(process.pid)]


def _up(process: subprocess.Popen[bytes], log: Path) -> bool:
    """Whether a node has come up."""
    end = time.monotonic() + UP_S
    while time.monotonic() < end and process.poll() is None:
        if "Ray runtime started" in log.read_text("utf-8", "replace"):
            return True
        time.sleep(0.2)
    return False


def members(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                state, _, _, of = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(of) == session and state != "Z":
                found.append(int(path.name))
    return found


def guard(folder: str) -> None:
    """Ends the sessions that standard input names, once it has ended."""
    sessions = [int(line) for line in sys.stdin.read().split()]
    while left := [one for session in sessions for one in members(session)]:
        for one in left:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    guard(sys.argv[1])
