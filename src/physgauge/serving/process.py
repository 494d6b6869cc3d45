"""One tritonserver process with its stubs: start, look at, stop."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Final

from physgauge.errors import EnvironmentProblem

# Should the supervisor die, the kernel tells the server to stop: nobody would restart or drain it.
_LAUNCH: Final = (
    "import ctypes, os, signal, sys;"
    "ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0);"
    "os.getppid() == int(sys.argv[1]) and os.execv(sys.argv[2], sys.argv[2:])"
)


class ServerProcess:
    """A running tritonserver.

    Args:
        command: its command line.
        environment: its environment.
        log: where its output goes.
    """

    def __init__(self, command: list[str], environment: dict[str, str], log: IO[bytes]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCH, str(os.getpid()), *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,  # Ctrl-C is the supervisor's; and the group can be killed whole
        )
        self._stubs: dict[int, str] = {}

    @property
    def pid(self) -> int:
        """Process id of tritonserver."""
        return self._process.pid

    def remember_stubs(self) -> None:
        """Take the stubs that run now for those that must go on running."""
        self._stubs = {pid: _started(pid) for pid in _children(self.pid) if _started(pid)}

    @property
    def stubs(self) -> tuple[int, ...]:
        """Process ids of the stubs remembered."""
        return tuple(self._stubs)

    def fault(self) -> str | None:
        """What has died, if something has."""
        code = self._process.poll()
        if code is not None:
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            return f"tritonserver ended by {how}"
        for pid, started in self._stubs.items():
            if _started(pid) != started:
                return f"stub {pid} is gone"
        return None

    def terminate(self, wait_s: float) -> bool:
        """Ask it to stop; whether it did in time."""
        self._process.terminate()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """End it and all its children now, and clean up behind them."""
        for _ in range(50):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.poll()
            if not _group(self.pid):
                break
            time.sleep(0.02)
        self._process.wait()


def _children(parent: int) -> list[int]:
    return [pid for pid in _processes() if _stat(pid, 1) == str(parent)]


def _group(group: int) -> list[int]:
    return [pid for pid in _processes() if _stat(pid, 2) == str(group) and _stat(pid, 0) != "Z"]


def _started(pid: int) -> str:
    """Its start time, which with the pid names a process; "" for one that is gone or a zombie."""
    return "" if _stat(pid, 0) in ("", "Z", "X") else _stat(pid, 19)


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def _stat(pid: int, field: int) -> str:
    """A field of /proc/PID/stat, counted from the state behind the name."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[field]


def free_port(host: str, port: int) -> int:
    """`port` if it is free, any free one for 0.

    Raises:
        EnvironmentProblem: it is taken, or `host` is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise EnvironmentProblem(
                f"expected {host}:{port} to be free, got: {error.strerror}"
            ) from None
        return int(probe.getsockname()[1])
