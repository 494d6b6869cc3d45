"""Lanes: each a thread, its worker process and their arena, working off one queue of jobs.

A lane keeps two jobs at its worker, so that the worker goes on while the lane delivers. Replies come in
the order of the jobs; so when a worker dies, the oldest job is the one it died of, and the other goes to
the next worker.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Final

from physgauge.config import DecodeLimits
from physgauge.ensemble.pixels import npy
from physgauge.ensemble.pixels.header import Header
from physgauge.ensemble.pixels.record import Decoded
from physgauge.ensemble.sandbox.arena import Arena
from physgauge.ensemble.sandbox.process import Worker, WorkerDied, WorkerLate
from physgauge.ensemble.sandbox.protocol import SLOTS, Reply, layout
from physgauge.errors import ERROR_CODES, EnvironmentProblem, ImageError
from physgauge.types import U8

_START_TRIES: Final = 3


@dataclass(slots=True)
class Job:
    """One image to decode."""

    data: bytes
    header: Header
    future: Future[Decoded]
    number: int = 0
    slot: int = -1
    sent: bool = False


class Jobs:
    """The queue that all lanes work off. Thread-safe."""

    def __init__(self) -> None:
        self._ready = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._idle = 0
        self._closed = False

    def put(self, job: Job) -> None:
        """Add a job.

        Raises:
            RuntimeError: the queue is closed.
        """
        with self._ready:
            if self._closed:
                raise RuntimeError("expected an open Decoder, got a closed one")
            self._waiting.append(job)
            self._ready.notify()

    def take(self, ahead: bool) -> Job | None:
        """The next job.

        Args:
            ahead: only take what no idle lane waits for, and do not wait for it.

        Returns:
            None: there is none to take ahead, or the queue is closed and empty.
        """
        with self._ready:
            while True:
                while len(self._waiting) > (self._idle if ahead else 0):
                    job = self._waiting.popleft()
                    if job.future.set_running_or_notify_cancel():
                        return job
                if ahead or self._closed:
                    return None
                self._idle += 1
                self._ready.wait()
                self._idle -= 1

    def close(self, cancel: bool) -> None:
        """Take no more jobs; with `cancel`, drop those that wait."""
        dropped: list[Job] = []
        with self._ready:
            self._closed = True
            if cancel:
                dropped.extend(self._waiting)
                self._waiting.clear()
            self._ready.notify_all()
        for job in dropped:
            job.future.cancel()


class Lane:
    """One worker process and the thread that feeds it. Every job taken gets exactly one outcome."""

    def __init__(self, jobs: Jobs, limits: DecodeLimits, name: str) -> None:
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._jobs = jobs
        self._limits = limits
        self._arena = Arena(layout(limits))
        self._worker: Worker | None = None
        self._held: deque[Job] = deque()
        self._number = 0
        self._stopping = False

    @property
    def pid(self) -> int | None:
        """Process id of the worker; None while there is none."""
        worker = self._worker
        return worker.pid if worker else None

    def start(self) -> None:
        """Start the thread and, in it, the worker."""
        self._thread.start()

    def stop(self) -> None:
        """Give up the images in hand: their futures end in CancelledError. Called from other threads."""
        self._stopping = True  # before the kill: `_ready_worker` looks after it has a new worker
        if worker := self._worker:
            worker.interrupt()

    def join(self) -> None:
        """Wait until the queue is closed and empty and the worker has ended."""
        if (
            self._thread is not threading.current_thread()
        ):  # a future's callback may close the decoder
            self._thread.join()

    def _run(self) -> None:
        with contextlib.suppress(Exception):  # said to the first job instead
            self._ready_worker()
        going = True
        while going:
            try:
                going = self._turn()
            except (EnvironmentProblem, CancelledError) as error:
                self._abandon(error)
            except Exception as error:  # a fault of ours must not leave anyone waiting
                self._abandon(
                    ImageError("internal", f"expected a decode, got {type(error).__name__}")
                )
        self._dismiss()
        self._arena.close()

    def _turn(self) -> bool:
        """Keep the worker supplied and deliver its oldest job; False when there will be no more."""
        self._supply()
        if not self._held:
            return False
        job = self._held[0]
        outcome = self._outcome(job)
        if self._stopping:
            raise CancelledError
        # The worker is at the next image meanwhile, in another slot.
        slot, job.slot = job.slot, -1
        if isinstance(outcome, ImageError):
            self._arena.release(slot)
            self._held.popleft()
            job.future.set_exception(outcome)
        else:
            image = _image(outcome, self._arena.deliver(slot, outcome.height, outcome.width))
            self._held.popleft()
            self._supply(ahead_only=True)  # the worker's next job goes first
            job.future.set_result(image)
        return True

    def _supply(self, ahead_only: bool = False) -> None:
        """Take jobs, one per slot, and send them."""
        while len(self._held) < SLOTS:
            job = self._jobs.take(ahead=ahead_only or bool(self._held))
            if job is None:
                break
            if job.header.format == "npy":
                _finish_npy(job)
                continue
            self._held.append(job)
            job.number = self._number = self._number + 1
            job.slot = self._arena.stage(job.data, 3 * job.header.width * job.header.height)
        for job in self._held:
            if not job.sent:
                self._send(job)

    def _send(self, job: Job) -> None:
        for _ in range(_START_TRIES):
            try:
                self._ready_worker().send(job.number, job.slot, len(job.data))
                job.sent = True
                return
            except WorkerDied:
                if any(other.sent for other in self._held):
                    return  # its reply may have been sent: `_outcome` reads on and finds out
                self._dismiss()  # it died idle, and of no image
        raise EnvironmentProblem("decode worker: expected it to stay, got its end before any image")

    def _outcome(self, job: Job) -> Reply | ImageError:
        """What became of the oldest job; where it is a reply, the slot holds its pixels."""
        size = f"{job.header.format.upper()} of {job.header.width}×{job.header.height} px"
        allowed_s = self._limits.base_s + self._limits.per_mpx_s * job.header.megapixels
        try:
            reply = self._ready_worker().receive(allowed_s)
            if reply.code is not None:
                code = reply.code if reply.code in ERROR_CODES else "internal"
                return ImageError(code, reply.message)
            if _fits(reply, job):
                return reply
            ended = "an answer that fits no image"
        except WorkerLate:
            self._dismiss()
            return ImageError(
                "decode_timeout",
                f"expected a {size} to decode in {allowed_s:.2f} s, got no end of it",
            )
        except WorkerDied as error:
            ended = f"the end of the decoding process by {error}"
        self._dismiss()
        return ImageError("decode_crashed", f"expected a {size} to decode, got {ended}")

    def _ready_worker(self) -> Worker:
        if self._worker is None:
            self._worker = Worker(self._limits, self._arena.fd)
        if self._stopping:
            raise CancelledError
        return self._worker

    def _dismiss(self) -> None:
        """Kill the worker; what it held and has not been delivered goes to the next one."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
        for job in self._held:
            job.sent = False

    def _abandon(self, error: Exception) -> None:
        """Give every job held the same error."""
        self._dismiss()
        while self._held:
            job = self._held.popleft()
            if job.slot >= 0:
                self._arena.release(job.slot)
            job.future.set_exception(error)


def _image(reply: Reply, rgb: U8) -> Decoded:
    return Decoded(rgb, reply.sha256, reply.format, tuple(reply.warnings), reply.decoder)


def _fits(reply: Reply, job: Job) -> bool:
    sides = {reply.width, reply.height} == {job.header.width, job.header.height}
    return reply.job == job.number and sides and reply.format == job.header.format


def _finish_npy(job: Job) -> None:
    """A `.npy` has no decoder that could hang or crash: its pixels are the bytes themselves."""
    try:
        job.future.set_result(npy.decode(job.data))
    except ImageError as error:
        job.future.set_exception(error)
