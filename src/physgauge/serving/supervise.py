"""Runs a server: start, wait until a canary has been through every step, watch, restart, drain.

starting -> ready <-> degraded -> draining -> ended
    ^---------|   (a dead server or stub, a canary that is late, a judge that stays dead)

Degraded: rows come, but without the judge's word, since his engine is dead or out of reach.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from physgauge.config import load_profile
from physgauge.ensemble.served.admission import Admission, path_of
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.log import log
from physgauge.serve_settings import VARIABLE, ServeSettings
from physgauge.serving.assemble import Assembled, assemble
from physgauge.serving.canary import Canary, JudgeFault, turned_away
from physgauge.serving.process import ServerProcess, free_port
from physgauge.serving.settings import ServerSettings, arguments
from physgauge.serving.status import StatusServer
from physgauge.serving.triton import Triton, check_numpy, find_triton

State = Literal["starting", "ready", "degraded", "draining", "ended"]
TICK_S: Final = 0.2
CHECK_S: Final = 5.0
CHECK_ELSEWHERE_S: Final = 60.0
"""Between two canaries where the judge is somebody else's server, who may charge for them."""
FIRST_CANARY_S: Final = 2.0
"""What the first canary may take; later ones twice that, and so on: a judge may be slow."""
EXIT_CONFIG: Final = 2
"""Of `physgauge.ensemble.served.prepare`, for a wrong profile or pack."""
FIRST_RETRY_S: Final = 1.0
MOST_RETRY_S: Final = 30.0


class Supervisor:
    """A server and its watch.

    Args:
        settings: the server's.
        models: its models'.
        site: where the wheel is, if not in this environment.

    Raises:
        EnvironmentProblem: something that the server needs is missing; says what to install.
        ConfigError: settings that do not go together.
    """

    def __init__(
        self, settings: ServerSettings, models: ServeSettings, site: str | None = None
    ) -> None:
        self._triton: Triton = find_triton(site)
        check_numpy(self._triton)
        settings = settings.checked()
        self.settings = replace(
            settings,
            grpc_port=free_port(settings.host, settings.grpc_port),
            metrics_port=free_port("127.0.0.1", settings.metrics_port),
        )
        judge = load_profile(models.profile).profile.judge
        self._mends_judge = judge is None or judge.engine != "endpoint"
        """Whether a restart can bring the judge back: not one that is somebody else's server."""
        self._check_s = settings.check_s or (CHECK_S if self._mends_judge else CHECK_ELSEWHERE_S)
        canary_id = f"physgauge-canary-{secrets.token_hex(8)}"
        self._models = msgspec.structs.replace(models, canary_id=canary_id)
        self._stop = threading.Event()
        self._server: ServerProcess | None = None
        self.state: State = "starting"
        self.restarts = 0
        self.canary_s: float | None = None

    def stop(self) -> None:
        """Begin to drain; called from a signal handler or another thread."""
        self._stop.set()

    @property
    def pid(self) -> int | None:
        """Process id of tritonserver; None while there is none."""
        return self._server.pid if self._server else None

    @property
    def stubs(self) -> tuple[int, ...]:
        """Process ids of the stubs of a ready server."""
        return self._server.stubs if self._server else ()

    @property
    def places_taken(self) -> int | None:
        """Images in hand; None while there is no server."""
        admission = self._admission()
        return None if admission is None else admission.taken

    def run(self) -> None:
        """Serve until `stop`.

        Raises:
            EnvironmentProblem: the first start fails: there is nothing that a restart would mend.
        """
        with (
            StatusServer(self.settings, self._metrics, lambda: self.state) as status,
            tempfile.TemporaryDirectory(prefix="physgauge-serve-") as folder,
        ):
            log("starting", status=f"127.0.0.1:{status.port}", triton=self._triton.version)
            assembled = assemble(self._triton, Path(folder))
            self._prepare(assembled)
            wait_s = FIRST_RETRY_S
            while not self._stop.is_set():
                was_ready = self._serve_once(assembled)
                if self._stop.is_set():
                    break
                if not was_ready and self.restarts == 0:
                    raise EnvironmentProblem(
                        "expected the server to start, got the end of it; its log says why"
                    )
                wait_s = FIRST_RETRY_S if was_ready else min(2 * wait_s, MOST_RETRY_S)
                self.restarts += 1
                log("restart", number=self.restarts, in_s=0 if was_ready else wait_s)
                if not was_ready:
                    self._stop.wait(wait_s)
        self.state = "ended"

    def _prepare(self, assembled: Assembled) -> None:
        """Load the profile as the steps will, compiling its rules the first time."""
        command = [str(assembled.python), "-m", "physgauge.ensemble.served.prepare"]
        log("preparing", profile=self._models.profile)
        child = subprocess.Popen(
            command, env=self._environment(assembled), stderr=subprocess.PIPE, text=True
        )
        while child.poll() is None and not self._stop.wait(TICK_S):
            pass
        if child.poll() is None:
            child.terminate()
            child.wait()
            return
        said = (child.stderr.read() if child.stderr else "").strip().rpartition("\n")[2]
        if child.returncode == EXIT_CONFIG:
            raise ConfigError(said)
        if child.returncode != 0:
            raise EnvironmentProblem(said or f"preparing ended with {child.returncode}")

    def _environment(self, assembled: Assembled) -> dict[str, str]:
        models = msgspec.json.encode(self._models).decode()
        return {**assembled.environment(), VARIABLE: models}

    def _metrics(self) -> dict[str, float | None]:
        return {
            "physgauge_ready": float(self.state == "ready"),
            "physgauge_restarts_total": self.restarts,
            "physgauge_in_hand": self.places_taken,
            "physgauge_places": self._models.places,
            "physgauge_canary_seconds": self.canary_s,
        }

    def _serve_once(self, assembled: Assembled) -> bool:
        """One life of a server; whether it was ever ready."""
        self.state = "starting"
        with self._process(assembled) as server:
            if not self._become_ready(server):
                return False
            self.state = "ready"
            log("ready", grpc=f"{self.settings.host}:{self.settings.grpc_port}", pid=server.pid)
            fault = self._watch(server)
            if fault is None:
                self._drain(server)
            else:
                self.state = "starting"
                log("fault", what=fault)
            return True

    @contextlib.contextmanager
    def _process(self, assembled: Assembled) -> Iterator[ServerProcess]:
        name = f"physgauge_{os.getpid()}_{self.restarts}_"
        command = arguments(self.settings, assembled, name)
        server = ServerProcess(command, self._environment(assembled), sys.stderr.buffer)
        self._server = server
        try:
            yield server
        finally:
            self._server = None
            server.kill()
            path_of(server.pid).unlink(missing_ok=True)
            for path in Path("/dev/shm").glob(f"{name}*"):
                path.unlink(missing_ok=True)

    def _become_ready(self, server: ServerProcess) -> bool:
        end, allowed_s, said = time.monotonic() + self.settings.start_s, FIRST_CANARY_S, ""
        while time.monotonic() < end and not self._stop.is_set():
            if fault := server.fault():
                log("fault", what=fault)
                return False
            began = time.monotonic()
            why = self._canary(allowed_s)
            if why is None:
                server.remember_stubs()
                return True
            if time.monotonic() - began >= allowed_s:  # not refused, but late: it may need longer
                allowed_s = min(2 * allowed_s, self.settings.check_timeout_s)
            if isinstance(why, JudgeFault) and str(why) != said:
                said = str(why)
                log("judge", what=said)
            self._stop.wait(TICK_S)
        if not self._stop.is_set():
            log("fault", what=f"not ready in {self.settings.start_s:g} s")
        return False

    def _watch(self, server: ServerProcess) -> str | None:
        """Until something is wrong, which it returns, or until `stop`: None."""
        next_check, dead_since = time.monotonic() + self._check_s, None
        while not self._stop.wait(TICK_S):
            if fault := server.fault():
                return fault
            if time.monotonic() < next_check:
                continue
            began = time.monotonic()
            why = self._canary(self.settings.check_timeout_s)
            if isinstance(why, JudgeFault):
                dead_since = dead_since or began
                self._becomes("degraded", what=str(why))
                if self._mends_judge and began - dead_since > self.settings.check_timeout_s:
                    return f"the judge: {why}"
            elif why is None:
                dead_since = None
                self._becomes("ready")
            elif not self._answered_since(self._long_ago() if turned_away(why) else began):
                return server.fault() or f"canary: {type(why).__name__}: {why}"[:300]
            next_check = time.monotonic() + min(self._check_s, 5.0 if dead_since else self._check_s)
        return None

    def _long_ago(self) -> float:
        """A server that turns canaries away lives, as long as it has answered anybody since."""
        return time.monotonic() - self.settings.check_timeout_s

    def _becomes(self, state: State, **why: str) -> None:
        if state != self.state:
            self.state = state
            log("recovered" if state == "ready" else state, **why)

    def _answered_since(self, moment_s: float) -> bool:
        """Whether images are being answered: then a late canary means a queue, not a fault."""
        admission = self._admission()
        return admission is not None and admission.answered_s > moment_s

    def _canary(self, timeout_s: float) -> Exception | None:
        """Send one; what went wrong, or None."""
        began = time.monotonic()
        canary = Canary(self.settings, self._models.canary_id)
        try:
            canary.row(timeout_s)
        except Exception as error:
            return error
        finally:
            canary.close()
        self.canary_s = time.monotonic() - began
        return None

    def _admission(self) -> Admission | None:
        server = self._server
        if server is None or not path_of(server.pid).exists():
            return None
        return Admission.of_server(self._models.places, server.pid)

    def _drain(self, server: ServerProcess) -> None:
        """No more ready; then refuse what is new, finish what is in hand, stop."""
        self.state = "draining"
        end = time.monotonic() + self.settings.drain_s
        log("draining", in_hand=self.places_taken, within_s=self.settings.drain_s)
        time.sleep(self.settings.notice_s)
        log("refusing", in_hand=self.places_taken)
        if admission := self._admission():
            admission.close()
            while admission.taken and time.monotonic() < end and server.fault() is None:
                # Behind all others: once it is back, those whose callers hung up are known to be gone.
                self._canary(max(0.1, end - time.monotonic()))
                time.sleep(0.05)
        left = self.places_taken
        time.sleep(0.2)  # the last answers are on their way out
        stopped = server.terminate(max(2.0, end - time.monotonic()))
        log("drained", cut_off=left, in_time=stopped)


def on_signals(supervisor: Supervisor) -> None:
    """SIGTERM and SIGINT drain."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: supervisor.stop())
