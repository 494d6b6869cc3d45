"""What happens to runs in `benchmarks.chaos`. A fault returns what it did; what is wrong, it raises."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.chaos_check import verify
from benchmarks.chaos_round import Actor, Round, Unfit, send
from benchmarks.chaos_world import LEASE_S
from physgauge.clients.runs import read_run
from physgauge.errors import PhysgaugeError

DAMAGED: Final = 4
"""Exit code of ``physgauge status`` for a damaged run."""


class Wrong(Exception):
    """The run did what it must not do."""


def coordinator_killed(round_: Round) -> str:
    """kill -9 of the coordinator, once or twice in a row."""
    times = round_.chance.randint(1, 2)
    for share in sorted(round_.chance.uniform(0, 0.8) for _ in range(times)):
        actor = round_.start()
        round_.until(actor, share)
        send(actor.process.pid, signal.SIGKILL)
        actor.wait()
    return f"{times} times"


def workers_killed(round_: Round) -> str:
    """kill -9 of workers; their coordinator has to go on by itself."""
    actor = round_.start()
    killed = 0
    for share in sorted(round_.chance.uniform(0, 0.7) for _ in range(round_.chance.randint(1, 3))):
        round_.until(actor, share)
        for worker in actor.workers:
            if round_.chance.random() < 0.7:
                send(worker, signal.SIGKILL)
                killed += 1
    if code := actor.wait():
        raise Wrong(f"coordinator: exit code {code} after dead workers: {actor.said()[-600:]}")
    return f"{killed} workers"


def all_killed(round_: Round) -> str:
    """kill -9 of coordinator, workers and decoders, in any order."""
    actor = round_.start()
    round_.until(actor, round_.chance.uniform(0, 0.8))
    family = actor.family
    round_.chance.shuffle(family)
    for pid in family:
        send(pid, signal.SIGKILL)
    actor.wait()
    return f"{len(family)} processes"


def two_at_once(round_: Round) -> str:
    """Two coordinators on one output; now and then one of them is killed."""
    first = round_.start()
    time.sleep(round_.chance.choice([0.0, round_.chance.uniform(0, 3)]))
    second = round_.start()
    killed = round_.chance.random() < 0.5
    if killed:
        loser = round_.chance.choice([first, second])
        round_.until(loser, round_.chance.uniform(0, 0.6))
        send(loser.process.pid, signal.SIGKILL)
    for actor in (first, second):
        if (code := actor.wait()) not in (0, -signal.SIGKILL):
            raise Wrong(f"one of two: exit code {code}: {actor.said()[-600:]}")
    return "one of them killed" if killed else "both to their end"


def stopped(round_: Round) -> str:
    """A session, or one process of it, stands still past its lease, and wakes up late."""
    actor = round_.start()
    round_.until(actor, round_.chance.uniform(0, 0.6))
    what = round_.chance.choice(["all", "coordinator", "worker"])
    family = actor.family
    still = {"all": family, "coordinator": family[:1], "worker": actor.workers[:1]}[what]
    for pid in still:
        send(pid, signal.SIGSTOP)
    other = round_.start()
    if what == "worker":  # its coordinator lives, and waits for it
        time.sleep(2 * LEASE_S)
    else:
        _ended_well(other, "the one that took over")
    for pid in reversed(still):
        send(pid, signal.SIGCONT)
    _ended_well(actor, f"woken up late ({what})")
    _ended_well(other, "the other one")
    return what


def paused(round_: Round) -> str:
    """All of the only session stand still for a while: a suspended machine."""
    actor = round_.start()
    round_.until(actor, round_.chance.uniform(0, 0.6))
    family = actor.family
    for pid in family:
        send(pid, signal.SIGSTOP)
    time.sleep(round_.chance.uniform(1, 4 * LEASE_S))
    for pid in family:
        send(pid, signal.SIGCONT)
    _ended_well(actor, "paused")
    return "for seconds"


def disk_full(round_: Round) -> str:
    """No space in the middle; more room later."""
    with_rows = int(round_.world.size * round_.chance.uniform(0.3, 1.2))
    _disk(round_, f"size={300_000 + with_rows}")
    actor = round_.start()
    code = actor.wait()
    if code and "no space left" not in actor.said():
        raise Wrong(f"disk full: expected to be told so, got {actor.said()[-600:]}")
    if not code:
        raise Unfit("there was room enough")
    _mount(round_.output, "remount,size=512m")
    return f"exit code {code}"


def read_only(round_: Round) -> str:
    """The output becomes read-only in the middle; writable again later."""
    _disk(round_, "size=512m")
    actor = round_.start()
    round_.until(actor, round_.chance.uniform(0, 0.7))
    for _ in range(500):  # not while a file is being written
        if _mount(round_.output, "remount,ro"):
            break
        time.sleep(0.002)
    else:
        raise Unfit("always busy")
    code = actor.wait()
    _mount(round_.output, "remount,rw")
    if not code:
        raise Wrong(f"read-only output: expected an error, got exit code 0: {actor.said()[-600:]}")
    if "read-only" not in actor.said().lower():
        raise Wrong(f"read-only output: expected to be told so, got {actor.said()[-600:]}")
    return f"exit code {code}"


def clock_jump(round_: Round) -> str:
    """The clock of one of two sessions jumps by days; times of files, too; then it is killed."""
    days = round_.chance.choice([-400, -1, 1, 400])
    hook = round_.world.folder / "clock"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(
        "from benchmarks.chaos_clock import install; install()\n"
    )
    more = {"PYTHONPATH": str(hook), "PHYSGAUGE_CHAOS_DAYS": str(days)}
    jumps, other = round_.start(more), round_.start()
    round_.until(jumps, round_.chance.uniform(0.1, 0.6))
    when = time.time() + 86_400 * days
    for found in round_.output.rglob("*"):
        try:
            os.utime(found, (when, when))
        except FileNotFoundError:
            continue
    send(jumps.process.pid, signal.SIGKILL)
    jumps.wait()
    _ended_well(other, "the one whose clock is right")
    return f"{days:+} days"


def bit_flipped(round_: Round) -> str:
    """A bit of a committed file flips: `status --verify` names it, or nobody can tell."""
    actor = round_.start()
    round_.until(actor, round_.chance.uniform(0.2, 0.8))
    for pid in actor.family:
        send(pid, signal.SIGKILL)
    actor.wait()
    path = round_.chance.choice(sorted((round_.output / "rows").glob("*.parquet")))
    whole = path.read_bytes()
    data, bit = bytearray(whole), round_.chance.randrange(8 * len(whole))
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    code, said = verify(round_.output, round_.mark)
    if code == DAMAGED and path.name in said:
        path.unlink()  # as its message says
        return f"bit {bit} of {path.name}, found"
    hidden = _reads(round_.output)
    path.write_bytes(whole)
    if hidden is None or hidden != _reads(round_.output):
        raise Wrong(
            f"bit {bit} of {8 * len(whole)} in {path.name}: exit code {code}, {said[-300:]}"
        )
    return f"bit {bit} of {path.name}, which nobody reads"


def _reads(output: Path) -> list[object] | None:
    try:
        return list(read_run(output))
    except PhysgaugeError:
        return None


def _ended_well(actor: Actor, who: str) -> None:
    if code := actor.wait():
        raise Wrong(f"{who}: exit code {code}: {actor.said()[-600:]}")


def _disk(round_: Round, options: str) -> None:
    """The output is a disk of its own."""
    if os.geteuid() or shutil.which("mount") is None:
        raise Unfit("needs root, to mount a disk")
    round_.output.mkdir()
    if not _mount(round_.output, options, "-t", "tmpfs", "tmpfs"):
        raise Unfit("cannot mount a disk")
    round_.clean_up.append(lambda: subprocess.run(["umount", "-l", round_.output], check=False))


def _mount(path: Path, options: str, *words: str) -> bool:
    command = ["mount", *words, "-o", options, str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


Fault = Callable[[Round], str]
KILLS: Final[tuple[Fault, ...]] = (coordinator_killed, workers_killed, all_killed)
FAULTS: Final[tuple[Fault, ...]] = (
    *KILLS, two_at_once, stopped, paused, disk_full, read_only, clock_jump, bit_flipped,
)  # fmt: skip
