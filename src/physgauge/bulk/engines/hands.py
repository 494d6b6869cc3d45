"""One worker process, as its engine sees it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal

import physgauge
from physgauge.bulk.channel import Begin, Channel, FromWorker, ToWorker, Want
from physgauge.bulk.flight import WORKING, Flight
from physgauge.bulk.work import Setup, Task
from physgauge.errors import EnvironmentProblem

_BOOT: Final = (
    "import sys; sys.path[:0] = [p for p in sys.argv[4:] if p not in sys.path];"
    "from physgauge.bulk.worker import main; main(*map(int, sys.argv[1:4]))"
)
_GRACE_S: Final = 5.0
_MOST_STEP_S: Final = 5.0
"""Of stillness between two looks: this process may have been stopped itself."""


class Hand:
    """Starts a worker. To be made by a thread that outlives it: the kernel ends the worker with it."""

    def __init__(self, name: str, environment: Mapping[str, str], setup: Setup) -> None:
        self.name = name
        self.flight = Flight()
        ours, theirs = socket.socketpair()
        try:
            fds = (theirs.fileno(), self.flight.fd)
            self._process = subprocess.Popen(
                [sys.executable, "-c", _BOOT, *map(str, fds), str(os.getpid()), *_search_path()],
                pass_fds=fds,
                stdin=subprocess.DEVNULL,
                stdout=_beside_rows(),
                process_group=0,  # Ctrl-C at the terminal is the coordinator's to handle
                env={**os.environ, **environment},
            )
        except OSError as error:
            raise EnvironmentProblem(f"worker: cannot be started ({error.strerror})") from None
        finally:
            theirs.close()
        self.channel = Channel(ours, FromWorker, wait=False)
        self.tasks: dict[int, Task] = {}
        """By unit, not committed."""
        self.wants: Want | None = None
        self.ready = False
        self.broke: str | None = None
        """What it ended on, by its own word."""
        self._gone = False
        self._killed: str | None = None
        self._oom = _oom_kills()
        self._signs: tuple[int, ...] = ()
        self._looked = time.monotonic()
        self._still_s = 0.0
        self.send(Begin(setup, name))

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def send(self, message: ToWorker) -> None:
        """Hand over; a worker that has died is noticed elsewhere."""
        try:
            self.channel.send(message)
        except OSError:
            self._gone = True

    def flush(self) -> None:
        """Send what it has not taken yet."""
        if self.channel.unsent:
            try:
                self.channel.flush()
            except OSError:
                self._gone = True

    def receive(self) -> list[Any]:
        """What it has said since."""
        found: list[Any] = []
        try:
            while (messages := self.channel.receive()) is not None:
                found += messages
        except EOFError:
            self._gone = True
        return found

    @property
    def ended(self) -> bool:
        """Whether its process is over. One that has hung up and stays is ended."""
        if self._process.poll() is None and self._gone:
            try:
                self._process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                self.kill("hung up")
        return self._process.poll() is not None

    @property
    def finished(self) -> bool:
        """Whether it has ended as it should."""
        return self._process.poll() == 0 and not self.tasks

    def stands_still(self, most_s: float) -> bool:
        """Whether nothing has moved in it for so long while it had something to do, or was stopped. (How
        long it takes to load its models is nobody's to say.)"""
        signs, now = self.flight.signs, time.monotonic()
        if signs != self._signs or not (self.flight.phase == WORKING or _stopped(self.pid)):
            self._still_s = 0.0
        else:
            self._still_s += min(now - self._looked, _MOST_STEP_S)
        self._signs, self._looked = signs, now
        return self._still_s > most_s

    def kill(self, why: str) -> None:
        """End it and what it started, at once."""
        if self._process.poll() is None:
            self._killed = self._killed or why
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def how(self) -> str:
        """How it ended, in words."""
        if self._killed is not None or self.broke is not None:
            return self._killed or self.broke or ""
        code = self._process.wait()
        if code >= 0:
            return f"exit code {code}"
        name = signal.Signals(-code).name
        return f"killed for memory ({name})" if self.reason() == "memory" else f"signal {name}"

    def reason(self) -> Literal["died", "stalled", "memory"]:
        """The same, in a word."""
        if self._killed is not None:
            return "stalled"
        killed = self._process.wait() == -signal.SIGKILL
        return "memory" if killed and _oom_kills() > self._oom else "died"

    def close(self) -> None:
        """Let go of what it leaves."""
        with suppress(ProcessLookupError, PermissionError):  # what it started and left behind
            os.killpg(self.pid, signal.SIGKILL)
        self.channel.close()
        self.flight.close()


def _stopped(pid: int) -> bool:
    """Whether a process has got a SIGSTOP."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):  # gone, or not Linux
        return False


def _beside_rows() -> int:
    """Where a library that prints may do so: not among rows on standard output."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return 2


def _search_path() -> list[str]:
    """Where the worker imports from: ourselves first, then as here."""
    ours = str(Path(physgauge.__file__).parent.parent)
    return [ours, *(os.path.abspath(folder) for folder in sys.path if folder)]


def _oom_kills() -> int:
    """Processes that this machine's kernel has killed for memory so far."""
    try:
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    except OSError:  # not Linux
        pass
    return 0
