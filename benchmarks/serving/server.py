"""`physgauge serve` on free ports, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from benchmarks.serving import processes

START_S: Final = 600.0


class Server:
    """A server; use as a context manager, which drains it at the end.

    Args:
        flags: more options of `physgauge serve`.
        log: where its log goes; None = nowhere.
    """

    def __init__(self, flags: Sequence[str] = (), log: Path | None = None) -> None:
        ports = ["--port", "0", "--metrics-port", "0", "--status-port", "0", "--quiet"]
        run = "from physgauge.cli.main import main; main()"
        read, write = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", run, "serve", *ports, *flags], stdout=write, stderr=write
        )
        os.close(write)
        self._lines = os.fdopen(read, encoding="utf-8", errors="replace")
        self._kept: IO[str] | None = log.open("w", encoding="utf-8") if log else None
        self._ready = threading.Event()
        self.address = ""
        # For as long as it runs: a pipe that nobody empties would stop it.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._lines:
            if self._kept:
                self._kept.write(line)
                self._kept.flush()
            if line.startswith('{"time"') and json.loads(line)["event"] == "ready":
                self.address = str(json.loads(line)["grpc"])
                self._ready.set()
        self._ready.set()  # it has ended

    def wait(self) -> None:
        """Until it is ready."""
        self._ready.wait(START_S)
        if not self.address:
            raise SystemExit("the server did not become ready: run `physgauge doctor`")

    def cpu_s(self) -> float:
        """Processor seconds of all its processes that run now."""
        return processes.cpu_s(self._process.pid)

    def pss_mib(self) -> float:
        """Memory of all its processes."""
        return processes.pss_mib(self._process.pid)

    def __enter__(self) -> Self:
        self.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(90)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        time.sleep(0.1)  # the last lines of its log
        if self._kept:
            self._kept.close()
