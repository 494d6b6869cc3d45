"""Images per second through the real server, by gRPC, against the same pipeline in this process.

    python -m benchmarks.serving [--windows 1,2,4,8,16,32,64] [--rounds 3] [--seconds 6]   about 2 minutes
    python -m benchmarks.serving --open-loop [--seconds 12]                                about 2 minutes
    python -m benchmarks.serving --overload [--seconds 30]                                 about 2 minutes

Starts `physgauge serve` (so needs the nvidia-pytriton wheel: docs/serving.md). Same images, captions
and profile on both sides, each with all cores, in turns; the generator's work is on the server's side of
the scales. Both sides have the images in memory. The table by concurrency comes first; the turns are at
its best window, and the project's own client, which finds its window by itself, takes turns with them.
`--open-loop` shows latency against load, `--overload` what twice the capacity and a burst do; both
measure the capacity first, in the same run. `--all` does the three, one after another.

Last line: ``RESULT {"ratio": …, "images_per_s": …, "p50_ms": …, "p99_ms": …, …}``: the server's rate over
the pipeline's (median over the rounds), the server's rate, and the time of its calls at that window; the
same by our client; and ``"by_concurrency"``, ``"open_loop"``, ``"overload"``.
"""

from __future__ import annotations

import argparse
import itertools
import json
from pathlib import Path
from typing import Any

from benchmarks.serving import open_loop, overload, pictures, ratio
from benchmarks.serving.server import Server


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--windows", default="1,2,4,8,16,32,64", help="calls at a time, to look at")
    parser.add_argument("--rounds", type=int, default=3, help="turns of both sides")
    parser.add_argument(
        "--seconds", type=float, help="of a turn (6), a load (12), an overload (30)"
    )
    parser.add_argument("--open-loop", action="store_true", help="latency against load, alone")
    parser.add_argument("--overload", action="store_true", help="overload and burst, alone")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--capacity-window", type=int, default=32, help="calls at a time for it")
    parser.add_argument("--places", type=int, help="images in hand [default: the server's]")
    parser.add_argument("--server-log", type=Path, help="keep the server's log here")
    args = parser.parse_args()
    flags = ["--places", str(args.places)] if args.places else []
    requests = itertools.cycle([pictures.request(item) for item in pictures.examples()])
    alone = args.open_loop or args.overload
    result: dict[str, Any] = {}
    with Server(flags, args.server_log) as server:
        if args.all or not alone:
            windows = [int(w) for w in args.windows.split(",")]
            turn_s = args.seconds or 6.0
            result |= ratio.measure(server, windows, args.rounds, turn_s, turn_s / 2)
        if args.all or args.open_loop:
            seconds = args.seconds or 12.0
            full = open_loop.capacity(server, requests, args.capacity_window, 8.0)
            result["open_loop"] = open_loop.measure(server, requests, full, seconds)
        if args.all or args.overload:
            seconds = args.seconds or 30.0
            result["overload"] = overload.measure(server, requests, args.capacity_window, seconds)
    print(f"RESULT {json.dumps(result)}")


if __name__ == "__main__":
    main()
