"""Processes that commit units and are killed at any moment: `python -m tests.runs.killing FOLDER SEED HOW`.

A process of its own, light on threads, forks them: they begin within milliseconds, and die while they
write, link, look again or count.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from physgauge import wire
from physgauge.clients.runs import Run
from physgauge.clients.storage import open_store
from physgauge.clients.table import arrow_schema

UNITS, ROWS_A_UNIT, WORKERS = 24, 3, 4
FINGERPRINT = {"model": "m"}


def row(unit: int, place: int, generation: int) -> wire.Row:
    """What an undisturbed run has at a place."""
    return wire.Row(
        image_id=f"{unit * ROWS_A_UNIT + place:04d}.png",
        source="s" * (1 + unit % 7) * 50,
        extra={"generation": str(generation)},
        terravis=wire.TerraVis(status="ok", score=unit / UNITS),
        pcmde=wire.Pcmde(status="skipped"),
        provenance=wire.Provenance(physgauge="0", profile="p"),
    )


def rows(unit: int, generation: int) -> list[wire.Row]:
    """Of a unit."""
    return [row(unit, place, generation) for place in range(ROWS_A_UNIT)]


def work(folder: Path, how: str, seed: int) -> None:
    """Commit what is not committed, in an order of one's own: all workers want the same units."""
    rng = random.Random(seed)
    run = Run.open(open_store(folder))
    commit = write_then_mark if how == "broken" else Run.commit
    pending = marked if how == "broken" else Run.pending
    if how == "claims":
        with run.session(lease_s=0.5) as session:
            run = Run.open(run.store, session.token)
            while todo := run.pending(range(UNITS)):
                for unit, generation in session.claim(todo.items(), 2):
                    run.commit(unit, generation, rows(unit, generation))
                    session.release(unit, generation)
                time.sleep(0.002)
        return
    while left := list(pending(run, range(UNITS)).items()):
        unit, generation = rng.choice(left)
        commit(run, unit, generation, rows(unit, generation))


def write_then_mark(run: Run, unit: int, generation: int, given: list[wire.Row]) -> bool:
    """The committer that loses: its data counts before its mark is there."""
    token = f"{os.getpid()}{time.monotonic_ns()}"
    probe = Run.create_or_open(open_store(Path(run.store.address) / token), FINGERPRINT, {})
    probe.commit(unit, 0, given)
    (file,) = (Path(probe.store.address) / "rows").iterdir()
    Path(run.store.address, "rows").mkdir(exist_ok=True)
    file.replace(Path(run.store.address) / "rows" / f"{token}.parquet")
    return run.store.create(f"marks/{unit}", token.encode())


def marked(run: Run, units: range) -> dict[int, int]:
    """Those without a mark."""
    there = {one.key for one in run.store.list("marks/")}
    return {unit: 0 for unit in units if f"marks/{unit}" not in there}


def fork(act: Callable[[], None]) -> int:
    """A child that does one thing."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return pid


def disturb(folder: Path, how: str, rng: random.Random) -> None:
    """Until all is committed: workers, killed after a moment or stopped; those wake up when all is over."""
    stopped: list[int] = []
    killed = 0
    alive: list[int] = []
    while killed < 9:
        while len(alive) < WORKERS:
            alive.append(fork(partial(work, folder, how, rng.randrange(10**9))))
        time.sleep(rng.uniform(0.01, 0.08))
        pid = alive.pop(rng.randrange(len(alive)))
        killed += 1
        if rng.random() < 0.2 and len(stopped) < 3:
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)
        else:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    alive.append(fork(partial(work, folder, how, 0)))
    codes = [os.waitpid(pid, 0)[1] for pid in alive]
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    codes += [os.waitpid(pid, 0)[1] for pid in stopped]
    if any(codes):
        raise SystemExit(f"expected workers to end well, got {codes}")


def main() -> None:
    """Generation 0, then all of it again as generation 1, both disturbed; then the sweep."""
    folder, seed, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    arrow_schema()  # loads pyarrow once, for all that are forked
    run = Run.create_or_open(open_store(folder), FINGERPRINT, {})
    disturb(folder, how, rng)
    if how != "broken":
        run.revise("update", FINGERPRINT, {}, None)
        disturb(folder, how, rng)
        with run.session(lease_s=0.1) as session:
            session.living()
            time.sleep(0.15)
            session.sweep()


if __name__ == "__main__":
    main()
