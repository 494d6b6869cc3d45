"""``python -m benchmarks.run_tools``: what reads a finished run of a million rows, and how long it takes.

Makes two runs over one manifest (a million lines that name one image; rows drawn at random, the second
run slightly worse), then times, each as a process of its own as a user starts it: ``physgauge status``,
``query`` (three of them), ``diff``, ``gate``, and ``score`` with nothing to do. The first start of each
fills the page cache and is not counted; the median of the rounds is. The last line is ``RESULT {json}``:
seconds, largest resident memory in MiB, rows, unit size.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

START = "from physgauge.cli.main import main; main()"
IMAGE = Path(__file__).parents[1] / "examples/scenes/car_01.jpg"
QUERIES = {
    "query_mean": "SELECT extra['generator'] AS g, count(*), avg(terravis.score) FROM rows GROUP BY 1",
    "query_answers": "SELECT probe, count(*), avg(answer::INT) FROM answers GROUP BY 1",
    "query_rules": "SELECT domain, rule, status, count(*) FROM rules GROUP BY ALL",
}


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run_tools", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--unit-size", type=int, default=512)
    parser.add_argument("--distinct", type=int, default=32, help="units drawn; the rest are copies")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="keep the runs here, and take them if there")
    parser.add_argument("--gate", action="store_true", help="time `gate`, too (minutes)")
    parser.add_argument("--only-make", action="store_true")
    arguments = parser.parse_args(argv)
    made = arguments.folder or Path(tempfile.mkdtemp(prefix="run_tools_"))
    try:
        # In a process of its own: Linux counts what this one holds to whatever it starts.
        making = get_context("spawn").Process(
            target=_make, args=(made, arguments.rows, arguments.unit_size, arguments.distinct)
        )
        making.start()
        making.join()
        if making.exitcode:
            raise SystemExit(making.exitcode)
        if not arguments.only_make:
            found = _measure(made, arguments.rounds, arguments.gate)
            about = {"rows": arguments.rows, "unit_size": arguments.unit_size}
            print("RESULT", json.dumps(about | found))
    finally:
        if arguments.folder is None:
            shutil.rmtree(made)


def _make(folder: Path, rows: int, unit_size: int, distinct: int) -> None:
    if (folder / "made").exists():
        return
    from benchmarks.run_rows import make_run

    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / "list.csv"
    with manifest.open("w", encoding="utf-8") as file:
        file.write("image_id,path\n")
        for k in range(rows):
            file.write(f"images/{k // 1000:05d}/{k:07d}.jpg,{IMAGE}\n")
    for name, seed, worse in (("a", 1, 0.0), ("b", 2, 0.002)):
        begin = time.monotonic()
        count = make_run(folder / name, manifest, unit_size, distinct, seed, worse)
        print(f"{name}: {count:,} rows made in {time.monotonic() - begin:.0f} s", file=sys.stderr)
    (folder / "made").touch()


def _measure(folder: Path, rounds: int, gate: bool) -> dict[str, float]:
    a, b = str(folder / "a"), str(folder / "b")
    commands = {
        "status": ["status", a],
        **{name: ["query", a, sql] for name, sql in QUERIES.items()},
        "diff": ["diff", a, b],
        "diff_by": ["diff", a, b, "--by", "generator"],
        "resume": ["score", str(folder / "list.csv"), "-o", a],
    }
    if gate:
        commands["gate"] = ["gate", a, "--min-terravis", "0.6", "--min-pass-share", "0"]
    found: dict[str, float] = {}
    for name, arguments in commands.items():
        times = [_timed(arguments) for _ in range(rounds + 1)][1:]
        found[f"{name}_s"] = round(statistics.median(wall for wall, _, _ in times), 2)
        found[f"{name}_cpu_s"] = round(statistics.median(cpu for _, cpu, _ in times), 2)
        found[f"{name}_mib"] = round(max(mib for _, _, mib in times))
        print(f"{name:14} {found[f'{name}_s']:8.2f} s {found[f'{name}_cpu_s']:8.2f} s CPU "
              f"{found[f'{name}_mib']:7.0f} MiB", flush=True)  # fmt: skip
    return found


def _timed(arguments: list[str]) -> tuple[float, float, float]:
    """Wall seconds, processor seconds, and the most resident memory of one process."""
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", START, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(
            f"{' '.join(arguments)}: exit {process.returncode}: {said.decode()[-2000:]}"
        )
    assert isinstance(usage, resource.struct_rusage)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
