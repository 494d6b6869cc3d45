"""``python -m benchmarks.default_run [PATH...]``: `physgauge score` as a user starts it, both methods
against PCMDE alone.

Each run is a process of its own over the same images (by default the examples, several times), after one
that warms the caches; the two kinds alternate. Measured are images/s from the first row to the last, and
the time from the start of the process to its first row (imports, models and kernels included). The last
line is ``RESULT {json}``: medians over the rounds; `ratio` is both methods' images/s over PCMDE's alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from physgauge.clients.files import find_images

START = "from physgauge.cli.main import main; main()"
EXAMPLES = Path(__file__).parents[1] / "examples/scenes"


@dataclass(frozen=True, slots=True)
class Run:
    """One process."""

    first_row_s: float
    images_per_s: float
    """Behind the first row."""
    whole_s: float
    rows: int
    scored: dict[str, int]
    """By method: rows in which it was carried out."""


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.default_run", description=__doc__)
    parser.add_argument(
        "paths", nargs="*", default=[str(EXAMPLES)], help="images, folders, patterns"
    )
    parser.add_argument("--profile", default="tiny")
    parser.add_argument("--images", type=int, default=240, help="so many, again from the first")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(argv)
    paths = [str(path) for path in find_images(arguments.paths)]
    with tempfile.TemporaryDirectory(prefix="default_run_") as folder:
        images = _varied(paths, arguments.images, Path(folder))
        result = measured(images, arguments.profile, arguments.rounds)
    print("RESULT", json.dumps(result))


def measured(images: Sequence[str], profile: str, rounds: int) -> dict[str, Any]:
    """Medians over the rounds."""
    methods = ("both", "pcmde")
    for method in methods:
        run(images, profile, method, most=8)
    runs: dict[str, list[Run]] = {method: [] for method in methods}
    for _ in range(rounds):
        for method in methods:
            runs[method].append(run(images, profile, method))
            print(method, runs[method][-1], file=sys.stderr)
    rate = {m: statistics.median(one.images_per_s for one in some) for m, some in runs.items()}
    first = {m: statistics.median(one.first_row_s for one in some) for m, some in runs.items()}
    return {
        "images_per_s": round(rate["both"], 2),
        "first_row_s": round(first["both"], 2),
        "ratio": round(rate["both"] / rate["pcmde"], 3),
        "pcmde_images_per_s": round(rate["pcmde"], 2),
        "pcmde_first_row_s": round(first["pcmde"], 2),
        "images": runs["both"][0].rows,
        "scored": runs["both"][0].scored,
        "cores": len(os.sched_getaffinity(0)),
    }


def _varied(paths: Sequence[str], count: int, folder: Path) -> list[str]:
    """The images again and again, a column narrower each time: the same pixels are scored only once."""
    made = []
    for k in range(count):
        again, place = divmod(k, len(paths))
        source = Path(paths[place])
        made.append(folder / f"{k:06d}{source.suffix}")
        with Image.open(source) as image:
            narrower = image.crop((0, 0, image.width - again, image.height))
            narrower.save(made[-1], quality=95)
    return [str(path) for path in made]


def run(paths: Sequence[str], profile: str, method: str, most: int | None = None) -> Run:
    """One process over the images; its rows are read as they come."""
    command = [sys.executable, "-c", START, "score", *paths[:most]]
    command += ["--json", "--profile", profile, "--method", method]
    start = time.monotonic()
    times, scored = [], {"terravis": 0, "pcmde": 0}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        for line in process.stdout:
            times.append(time.monotonic() - start)
            row = json.loads(line)
            for name in scored:
                scored[name] += row[name]["status"] not in ("skipped", "error")
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:4])} ...: exit code {process.returncode}")
    behind = times[-1] - times[0]
    rate = (len(times) - 1) / behind if behind > 0 else float("nan")
    return Run(times[0], rate, time.monotonic() - start, len(times), scored)


if __name__ == "__main__":
    main()
