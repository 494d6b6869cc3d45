"""The pipeline by itself over images in memory, for `benchmarks.bulk`.

Prints how many rows it has made, line by line; the rows are let go.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bulk_images import pictures
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import Item

STEP = 128
"""Rows a line."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", type=Path)
    parser.add_argument("--first", type=int, required=True, help="number of the first image")
    parser.add_argument("--images", type=int, required=True)
    parser.add_argument("--different", type=int, default=2048, help="images in memory; then again")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + min(arguments.images, arguments.different))
    held = [Item(name, data, name, text) for name, data, text in pictures(numbers)]
    options = Options(workers=arguments.workers, threads=arguments.threads)
    with Pipeline(load_profile(str(arguments.profile)), options) as pipeline:
        for made, _ in enumerate(pipeline.score(_again(held, arguments.images)), 1):
            if made % STEP == 0:
                print(made)
                sys.stdout.flush()


def _again(items: list[Item], count: int) -> Iterator[Item]:
    for number in range(count):
        yield items[number % len(items)]


if __name__ == "__main__":
    main()
