"""``python -m benchmarks.chaos [--rounds 50] [--seed 0]``: bulk runs that everything happens to.

Each round begins a run of its own (`physgauge score -o`, processes), does something to it
(`chaos_faults`), and lets the same command finish it. Then the ids have to equal the input as a list, the
rows those of an undisturbed run (but for costs and times), checksums have to verify, and nobody who died
may have left anything, nor be there still. Faults come in turn, in an order, at times and with choices by
the seed.

`--broken` has the runs commit in the wrong way (write the rows, then mark the unit done); then the rounds
must fail, and the exit code is 0 if they do.

Disks that fill up or become read-only need root and are left out otherwise. Last line: ``RESULT {json}``.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chaos_check import check
from benchmarks.chaos_faults import FAULTS, KILLS, Fault, Wrong
from benchmarks.chaos_round import Round, Unfit
from benchmarks.chaos_world import World, open_world


@dataclass(frozen=True, slots=True)
class Told:
    """How a round went."""

    fault: str
    did: str
    wrong: list[str]
    seconds: float


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--images", type=int, default=200, help="of a run")
    parser.add_argument("--only", nargs="*", metavar="FAULT", help="these faults")
    parser.add_argument("--no-rules", action="store_true", help="a profile without rule packs")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="inputs are made there once, and stay"
    )
    parser.add_argument("--broken", action="store_true", help="with a committer that does it wrong")
    arguments = parser.parse_args(argv)
    faults = KILLS if arguments.broken else FAULTS
    faults = tuple(f for f in faults if not arguments.only or f.__name__ in arguments.only)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the processes of a round end with us
    done: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        place = arguments.keep or Path(folder) / "world"
        world = open_world(place, arguments.images, rules=not arguments.no_rules)
        more = broken(Path(folder)) if arguments.broken else {}
        for number, told in enumerate(
            play(world, Path(folder), faults, arguments.rounds, arguments.seed, more)
        ):
            print(
                f"{number:3d} {told.fault:20} {told.seconds:5.1f} s  {told.did}",
                *told.wrong,
                sep="\n      ",
                flush=True,
            )
            done[told.fault if told.did else f"{told.fault} (left out)"] += 1
            wrong += [f"round {number}, {told.fault}: {one}" for one in told.wrong]
    failed = len({one.partition(",")[0] for one in wrong})
    result = {
        "rounds": sum(done.values()),
        "failed": failed,
        "faults": dict(done),
        "wrong": wrong[:10],
    }
    print("RESULT", json.dumps({**result, "seed": arguments.seed, "broken": arguments.broken}))
    sys.exit(int(bool(failed) != arguments.broken))


def play(
    world: World,
    folder: Path,
    faults: Sequence[Fault],
    rounds: int,
    seed: int,
    more: Mapping[str, str] | None = None,
) -> Iterator[Told]:
    """Rounds, each with the next fault; `more` is environment of all processes."""
    chance = random.Random(seed)
    turns: list[Fault] = []
    for number in range(rounds):
        if not turns:
            turns = list(faults)
            chance.shuffle(turns)
        yield _round(world, folder / f"round-{number}", turns.pop(), chance, more)


def _round(
    world: World, output: Path, fault: Fault, chance: random.Random, more: Mapping[str, str] | None
) -> Told:
    start = time.monotonic()
    did, wrong = "", []
    with Round(world, output, chance, more) as round_:
        try:
            did = fault(round_)
        except Unfit as why:
            print(f"    {fault.__name__}: left out: {why}", file=sys.stderr)
        except Wrong as what:
            did, wrong = "", [str(what)]
        if output.exists():
            wrong += [*round_.finish(), *check(world, output, round_.mark)]
    if not wrong:
        shutil.rmtree(output, ignore_errors=True)
    return Told(fault.__name__, did, wrong, time.monotonic() - start)


def broken(folder: Path) -> dict[str, str]:
    """Environment in which runs commit in the wrong way."""
    (folder / "sitecustomize.py").write_text(
        "from benchmarks.chaos_broken import install; install()\n"
    )
    return {"PYTHONPATH": str(folder)}


if __name__ == "__main__":
    main()
