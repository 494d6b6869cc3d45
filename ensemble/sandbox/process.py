"""Start, watch and kill one worker process."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

import physgauge
from physgauge.config import DecodeLimits
from physgauge.ensemble.sandbox.protocol import Hello, Inbox, Reply, Start, send_job
from physgauge.errors import EnvironmentProblem

_START_S: Final = 60.0
_GRACE_S: Final = 1.0
_WALL_FACTOR: Final = 8.0
"""Seconds on the clock for each second of computing allowed: cores may be shared with others."""
_MOST_LATE_S: Final = 0.1
"""What counts of this process being late to look: when it was stopped (a paused container), so was the
worker."""
# `-S` and a given path: no site hooks, no .pth files, nothing of the caller's __main__.
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[2:];"
    "from physgauge.ensemble.sandbox.worker import main; main(sys.argv[1])"
)
_KEPT: Final = ("PATH", "LD_LIBRARY_PATH", "PYTHONHOME", "LANG", "LC_ALL", "TMPDIR")
# One thread; and glibc's allocator keeps an image's buffers for the next one: returning them to the
# kernel and faulting them in again costs up to a sixth of a WebP's time. Its heap is in huge pages where
# the system gives them on request (a twelfth of a JPEG's time goes into finding small ones).
_SETTINGS: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(64 * 2**20),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


class WorkerDied(Exception):
    """The worker is gone; the text says how."""


class WorkerLate(Exception):
    """The worker had its time."""


class Worker:
    """A running worker process.

    Must be made in the thread that owns it: on Linux the kernel kills the worker when that thread ends.
    """

    def __init__(self, limits: DecodeLimits, arena_fd: int) -> None:
        """Start the process and wait until it is ready.

        Raises:
            EnvironmentProblem: it does not start.
        """
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            raise _not_started(error.strerror) from None
        fds: list[int] = []
        try:
            # Numbers above 2: in a parent without standard streams the others may be taken by these.
            fds += (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (arena_fd, theirs.fileno()))
            start = Start(limits, fds[0], fds[1], os.getpid())
            argument = msgspec.json.encode(start).decode()
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-c", _BOOT, argument, *_search_path()],
                pass_fds=fds,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C at the terminal is the parent's to handle.
                process_group=0,
                env={name: os.environ[name] for name in _KEPT if name in os.environ} | _SETTINGS,
            )
        except OSError as error:
            ours.close()
            raise _not_started(error.strerror) from None
        finally:
            theirs.close()
            for fd in fds:
                os.close(fd)
        self._link = ours
        self._inbox = Inbox(ours)
        self._await_hello()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def send(self, job: int, slot: int, size: int) -> None:
        """Hand over a job.

        Raises:
            WorkerDied: nobody is there to take it. Replies sent before may still be received.
        """
        try:
            self._link.settimeout(_START_S)
            send_job(self._link, job, slot, size)
        except OSError:
            raise WorkerDied from None

    def receive(self, allowed_s: float) -> Reply:
        """The next reply.

        Args:
            allowed_s: seconds of computing (on a core of its own: of time) that the job may take.

        Raises:
            WorkerLate: time is up; the worker has been killed.
            WorkerDied: it died, or sent what is no reply and has been killed.
        """
        looked, used_before = time.monotonic(), self._computed_s()
        wait, waited = allowed_s, 0.0
        try:
            while (message := self._inbox.next(wait)) is None:
                now, used = time.monotonic(), self._computed_s() - used_before
                waited += min(now - looked, wait + _MOST_LATE_S)
                looked = now
                if used >= allowed_s or waited >= allowed_s * _WALL_FACTOR:
                    self.kill()
                    raise WorkerLate
                wait = max(0.01, allowed_s - used)
            return msgspec.json.decode(message, type=Reply)
        except (EOFError, msgspec.DecodeError):
            raise WorkerDied(self.kill(_GRACE_S)) from None

    def interrupt(self) -> None:
        """Send the kill from another thread; the owner's `receive` notices."""
        self._process.kill()

    def kill(self, grace_s: float = 0.0) -> str:
        """Make sure that the process is gone; says how it ended.

        Args:
            grace_s: seconds it may take to end by itself, so that its own reason is seen.
        """
        try:
            code = self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._link.close()
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def _await_hello(self) -> None:
        try:
            message = self._inbox.next(_START_S)
            got = f"nothing in {_START_S:.0f} s"
            if message is not None:
                msgspec.json.decode(message, type=Hello)
                return
        except (EOFError, msgspec.DecodeError):
            got = ""
        ended = self.kill(_GRACE_S)
        raise _not_started(got or ended)

    def _computed_s(self) -> float:
        """Processor time of the worker so far; the time of day where that can't be had."""
        if sys.platform == "linux":
            try:
                # The kernel's clock id of another process (clock_getcpuclockid(3)).
                return time.clock_gettime((~self.pid << 3) | 2)
            except OSError:
                pass  # it is gone: the socket says so
        return time.monotonic()


def _search_path() -> list[str]:
    """Where the worker imports from: what this process does, with ourselves first."""
    ours = str(Path(physgauge.__file__).parent.parent)
    return [ours, *(os.path.abspath(folder) for folder in sys.path if folder)]


def _not_started(got: str | None) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"decode worker: expected {sys.executable!r} to start one, got {got or 'an error'}"
    )
