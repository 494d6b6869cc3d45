"""``python -m benchmarks.bulk [--count N]``: memory and overhead of a bulk run.

`physgauge score -o` runs over small images that are all different, with the shipped rules and a judge;
only the networks are tiny (`bulk_models`). Before and after it, the same pipelines run by themselves over
images in memory (`bulk_bare`), as many at a time as the run has workers. All are processes of their own.

* `kb_per_image`: proportional set size of all processes of the run over the rows it has committed (Theil
  and Sen's slope, after a warm-up). Target: at most 0.5.
* `overhead_ms_per_image`: processor time of the run, all processes and threads, less that of the bare
  pipelines. Processor time is what is left where cores are shared: waiting for a core is not in it, and
  work that hides behind another core is. Target: at most 1.
* `wall_ms_per_image` is the same by the clock; it counts only on a quiet machine.

Needs Linux (/proc). Last line: ``RESULT {json}``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from benchmarks.bulk_bare import STEP
from benchmarks.bulk_images import KINDS, make_inputs
from benchmarks.bulk_models import make_profile
from benchmarks.bulk_watch import Sample, Watch, after, paces, slope
from physgauge.clients.runs import open_run

START: Final = "from physgauge.cli.main import main; main()"
WARM_SHARE: Final = 0.1
WARM_ROWS: Final = 2_048
"""Rows before the measurement: at least so many, if there are twice as many."""


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--count", type=int, default=200_000, help="images")
    parser.add_argument("--kind", choices=KINDS, default="tar", help="what the images lie in")
    parser.add_argument("--draws", type=int, default=1, help="readings an image (tiny: 32)")
    parser.add_argument("--unit-size", type=int, default=512)
    parser.add_argument("--processes", type=int, default=1, help="workers")
    parser.add_argument("--workers", type=int, help="decode processes of each worker")
    parser.add_argument("--threads", type=int, help="of the detector and the rules, each worker")
    parser.add_argument("--bare", type=int, help="images of a bare run  [default: a tenth]")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="inputs are made there once, and stay"
    )
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="bulk-benchmark-") as temporary:
        print("RESULT", json.dumps(_measure(arguments, arguments.keep or Path(temporary))))


def _measure(asked: argparse.Namespace, folder: Path) -> dict[str, Any]:
    profile = make_profile(folder / "profile", asked.draws)
    inputs = _inputs(asked, folder)
    output = folder / f"run-{os.getpid()}"
    before = _bare(asked, profile)
    samples = _run(asked, profile, inputs, output)
    behind = _bare(asked, profile)
    warm = _warm(asked.count)
    steady = after(samples, warm)
    rows = [float(one.rows) for one in steady]
    bulk, bare = paces(steady), {name: (before[name] + behind[name]) / 2 for name in before}
    _check(asked.count, output)
    own = slope(rows, [float(one.own_kb) for one in steady])
    others = slope(rows, [float(one.others_kb) for one in steady])
    whole = slope(rows, [float(one.own_kb + one.others_kb) for one in steady])
    figures = {
        "kb_per_image": whole,
        "overhead_ms_per_image": bulk["cpu_ms"] - bare["cpu_ms"],
        "images_per_s": bulk["images_per_s"],
        "kb_per_image_coordinator": own,
        "kb_per_image_workers": others,
        "mb_at_the_end": (steady[-1].own_kb + steady[-1].others_kb) / 1024 if steady else math.nan,
        "cpu_ms_per_image": bulk["cpu_ms"],
        "bare_cpu_ms_per_image": bare["cpu_ms"],
        "bare_cpu_ms_before_and_after": [round(one["cpu_ms"], 3) for one in (before, behind)],
        "wall_ms_per_image": 1000 / bulk["images_per_s"] - 1000 / bare["images_per_s"],
        "bare_images_per_s": bare["images_per_s"],
        "images": asked.count,
        "measured_after": warm,
        "looks": len(steady),
        "stage_ms": _stages(output),
        "kind": asked.kind,
        "processes": asked.processes,
        "draws": asked.draws,
        "cores": len(os.sched_getaffinity(0)),
    }
    return {
        name: (None if math.isnan(value) else round(value, 4))
        if isinstance(value, float)
        else value
        for name, value in figures.items()
    }


def _warm(count: int) -> int:
    return max(int(WARM_SHARE * count), min(WARM_ROWS, count // 2))


def _inputs(asked: argparse.Namespace, folder: Path) -> list[str]:
    place = folder / f"{asked.kind}-{asked.count}-{asked.unit_size}"
    told = place / "arguments.json"
    if not told.exists():
        start = time.monotonic()
        arguments = make_inputs(place, asked.count, asked.kind, asked.unit_size)
        told.write_text(json.dumps(arguments))
        print(f"{asked.count:,} images in {time.monotonic() - start:.0f} s", file=sys.stderr)
    found: list[str] = json.loads(told.read_text())
    return found


def _how(asked: argparse.Namespace) -> tuple[int, int]:
    """Decode workers and threads of each pipeline: the same for both."""
    share = max(1, len(os.sched_getaffinity(0)) // asked.processes)
    return asked.workers or min(4, share), asked.threads or share


def _run(
    asked: argparse.Namespace, profile: Path, inputs: Sequence[str], output: Path
) -> list[Sample]:
    """The bulk run, watched."""
    workers, threads = _how(asked)
    options = {
        "--profile": profile, "-o": output, "--unit-size": asked.unit_size,
        "--processes": asked.processes, "--workers": workers, "--threads": threads,
    }  # fmt: skip
    command = [sys.executable, "-c", START, "score", *inputs]
    command += [str(word) for option in options.items() for word in option]
    log = output.with_suffix(".log")
    with (
        log.open("wb") as said,
        subprocess.Popen(command, stdout=said, stderr=said) as process,
        Watch(process.pid, lambda: _committed(output)) as watch,
    ):
        process.wait()
    if process.returncode:
        print(log.read_text()[-2000:], file=sys.stderr)
        raise SystemExit(f"physgauge score: exit code {process.returncode}")
    return watch.samples


def _committed(output: Path) -> int:
    """Rows, by the names of the counts beside the committed units."""
    try:
        return sum(int(name.rpartition(".")[2]) for name in os.listdir(output / "counts"))
    except FileNotFoundError:
        return 0


def _check(count: int, output: Path) -> None:
    """A run that lost or failed something is no measurement."""
    rows = errors = 0
    for table in open_run(output).tables(["error_code"]):
        rows += table.num_rows
        errors += table.num_rows - table["error_code"].null_count
    if rows != count or errors:
        raise SystemExit(f"expected {count} rows without an error, got {rows} with {errors}")


def _stages(output: Path) -> dict[str, float]:
    """Mean ms by stage, as rows say it (waiting included), of some units."""
    total: dict[str, float] = defaultdict(float)
    rows = 0
    run = open_run(output)
    units = sorted(run.committed())
    for table in run.tables(["cost.ms"], units[:: max(1, len(units) // 16)]):
        for stages in table["cost.ms"].to_pylist():
            rows += 1
            for stage, ms in stages:
                total[stage] += ms
    return {stage: round(ms / rows, 3) for stage, ms in total.items()}


class _Lines:
    """Counts what a bare pipeline says."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.made = 0
        self._thread = threading.Thread(target=self._read, args=(process,), daemon=True)
        self._thread.start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.made = int(line)


def _bare(asked: argparse.Namespace, profile: Path) -> dict[str, Any]:
    """The pipelines by themselves, side by side: images/s of all, processor time an image."""
    images = asked.bare or max(20 * STEP, asked.count // 10)
    workers, threads = _how(asked)
    command = [sys.executable, "-m", "benchmarks.bulk_bare", str(profile), "--images", str(images)]
    command += ["--workers", str(workers), "--threads", str(threads)]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [*command, "--first", str(10_000_000 + number * images)], stdout=subprocess.PIPE
                )
            )
            for number in range(asked.processes)
        ]
        watches = [
            stack.enter_context(Watch(process.pid, _counting(process), 0.1))
            for process in processes
        ]
        codes = [process.wait() for process in processes]
        if any(codes):
            raise SystemExit("a bare pipeline has failed")
    found = [paces(after(watch.samples, 4 * STEP)) for watch in watches]
    return {
        "images_per_s": sum(one["images_per_s"] for one in found),
        "cpu_ms": sum(one["cpu_ms"] for one in found) / len(found),
    }


def _counting(process: subprocess.Popen[bytes]) -> Callable[[], int]:
    lines = _Lines(process)
    return lambda: lines.made


if __name__ == "__main__":
    main()
