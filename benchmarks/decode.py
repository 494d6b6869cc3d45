"""Decode rates, in process and in the sandbox, alternating in one run.

    python -m benchmarks.decode [--size 1024] [--sittings 4] [--rounds 2]

Both sides follow the same pixel policy, hash included; they differ only in where it runs: a plain loop
over :func:`decode_pixels` in a process (or in two at once) against :class:`Decoder` with as many workers.
The processes of both sides are fresh in every sitting, as the luck of where their memory lies moves rates
by several percent. The images are made here, with structure and noise at all scales.

Last line: ``RESULT {"sandbox_vs_in_process": …, "images_per_s": …}``, the ratio for JPEG (the smaller of
one against one and, where there are two cores, two against two) and the sandbox's JPEG rate with all of
these workers; the rest of the table is in it too.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import multiprocessing
import os
import statistics
import time
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from physgauge.ensemble.decode import Decoder, decode_pixels

FORMATS: Final = ("jpeg", "png", "webp", "npy")
_DISTINCT: Final = 6
_JPEG_SHARE: Final = 3  # its ratio is the one with a target
_ROUND_S: Final = 0.35  # of one side: short, so that both see the same weather


def picture(size: int, seed: int) -> NDArray[np.uint8]:
    """A [size, size, 3] picture with a photograph's spectrum (amplitude about 1/f^1.2) and grain."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :])
    falloff = 1 / np.maximum(frequency, 1 / size) ** 1.2
    shared = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(size, size))) * falloff, (size, size))
    planes = []
    for _ in range(3):
        own = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(size, size))) * falloff, (size, size))
        mixed = shared + 0.4 * own
        planes.append(128 + 52 * mixed / mixed.std() + rng.normal(0, 1.0, (size, size)))
    pixels: NDArray[np.uint8] = np.clip(np.stack(planes, axis=-1), 0, 255).astype(np.uint8)
    return pixels


def encode(pixels: NDArray[np.uint8], kind: str) -> bytes:
    """The picture as a file of one of FORMATS."""
    out = io.BytesIO()
    if kind == "npy":
        np.save(out, pixels)
    else:
        quality = {"jpeg": {"quality": 90}, "webp": {"quality": 90}}.get(kind, {})
        Image.fromarray(pixels).save(out, kind.upper(), **quality)
    return out.getvalue()


class Pace(NamedTuple):
    """How fast one side went."""

    rate: float
    """Images per second on the clock."""
    cpu_ms: float
    """Processor time per image, all processes together, ms; steadier than the rate on a busy machine."""


def plain(images: list[bytes], count: int) -> Pace:
    """A plain loop in this process."""
    began, used = time.perf_counter(), time.process_time()
    for data in itertools.islice(itertools.cycle(images), count):
        _look(decode_pixels(data).rgb)
    return _pace(count, time.perf_counter() - began, time.process_time() - used)


def sandboxed(decoder: Decoder, images: list[bytes], count: int) -> Pace:
    """The same images through the sandbox."""
    began, used = time.perf_counter(), _computed_s(decoder)
    for result in decoder.decode_many(itertools.islice(itertools.cycle(images), count)):
        if isinstance(result, Exception):
            raise result
        _look(result.rgb)
    return _pace(count, time.perf_counter() - began, _computed_s(decoder) - used)


def _pace(count: int, wall_s: float, cpu_s: float) -> Pace:
    return Pace(count / wall_s, 1000 * cpu_s / count)


def _computed_s(decoder: Decoder) -> float:
    """Processor time of this process and the workers (clock ids as in clock_getcpuclockid(3))."""
    workers = (time.clock_gettime((~pid << 3) | 2) for pid in decoder.worker_pids)
    return time.process_time() + sum(workers)


def _look(rgb: NDArray[np.uint8]) -> None:
    """What any consumer does at least: touch the pixels."""
    rgb[::32, ::32].sum()


class PlainPeers:
    """The plain loop in `count` processes at once."""

    def __init__(self, count: int, images: dict[str, list[bytes]]) -> None:
        context = multiprocessing.get_context("spawn")
        self._links: list[Connection] = []
        self._processes = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_peer, args=(theirs, images), daemon=True)
            process.start()
            self._links.append(ours)
            self._processes.append(process)

    def run(self, kind: str, count: int) -> Pace:
        """All of them together over `count` images."""
        share = count // len(self._links)
        began = time.perf_counter()
        for link in self._links:
            link.send((kind, share))
        used_ms = [link.recv() for link in self._links]
        rate = share * len(self._links) / (time.perf_counter() - began)
        return Pace(rate, statistics.mean(used_ms))

    def close(self) -> None:
        """End the processes."""
        for link, process in zip(self._links, self._processes, strict=True):
            link.send(None)
            process.join()


def _peer(link: Connection, images: dict[str, list[bytes]]) -> None:
    while (order := link.recv()) is not None:
        kind, count = order
        link.send(plain(images[kind], count).cpu_ms)


Seen = dict[tuple[str, int], list[tuple[Pace, Pace]]]
"""By format and number of processes: the paces (in process, sandbox) of each round."""


def sitting(count: int, images: dict[str, list[bytes]], rounds: int, seen: Seen) -> str:
    """Alternate both sides with `count` fresh processes each; the paces go to `seen`.

    Returns:
        The decoder's version.
    """
    peers = PlainPeers(count, images)
    with Decoder(workers=count) as decoder:
        for kind in FORMATS:
            sandboxed(decoder, images[kind], 4 * count)
            size = max(4 * count, int(_ROUND_S * peers.run(kind, 4 * count).rate) // count * count)
            for number in range(rounds * (_JPEG_SHARE if kind == "jpeg" else 1)):
                first = number % 2 == 0
                after = sandboxed(decoder, images[kind], size) if first else None
                before = peers.run(kind, size)
                after = after or sandboxed(decoder, images[kind], size)
                seen.setdefault((kind, count), []).append((before, after))
        version = decoder.decode(images["jpeg"][0]).decoder
    peers.close()
    return version


def summary(pairs: list[tuple[Pace, Pace]]) -> dict[str, float]:
    """Medians over the rounds, and of the rounds' ratios."""
    return {
        "in_process": round(statistics.median(before.rate for before, _ in pairs), 1),
        "sandbox": round(statistics.median(after.rate for _, after in pairs), 1),
        "ratio": round(statistics.median(after.rate / before.rate for before, after in pairs), 3),
        "cpu_ms_in_process": round(statistics.median(before.cpu_ms for before, _ in pairs), 2),
        "cpu_ms_sandbox": round(statistics.median(after.cpu_ms for _, after in pairs), 2),
    }


def main() -> None:
    """Run the comparison and print the table and the RESULT line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1024, help="pixels a side")
    parser.add_argument("--sittings", type=int, default=4, help="times with fresh processes")
    parser.add_argument(
        "--rounds", type=int, default=2, help="alternations a sitting and row, JPEG thrice"
    )
    options = parser.parse_args()
    images = {
        kind: [encode(picture(options.size, seed), kind) for seed in range(_DISTINCT)]
        for kind in FORMATS
    }
    counts = [1, 2] if len(os.sched_getaffinity(0)) > 1 else [1]
    seen: Seen = {}
    version = ""
    for _ in range(options.sittings):
        for count in counts:
            version = sitting(count, images, options.rounds, seen)
    rows = {
        case: summary(pairs) for case, pairs in sorted(seen.items(), key=lambda item: item[0][1])
    }
    _print(rows, options.size, images, version)


def _print(
    rows: dict[tuple[str, int], dict[str, float]],
    size: int,
    images: dict[str, list[bytes]],
    version: str,
) -> None:
    print(f"{size}x{size} px; {version}")
    print("                        images/s                       CPU ms an image")
    print("processes  format    KiB   in process  sandbox  ratio   in process  sandbox")
    for (kind, count), row in rows.items():
        kib = statistics.mean(len(data) for data in images[kind]) / 1024
        print(
            f"{count:>9}  {kind:<6}{kib:>7.0f}{row['in_process']:>13.1f}{row['sandbox']:>9.1f}"
            f"{row['ratio']:>7.3f}{row['cpu_ms_in_process']:>13.2f}{row['cpu_ms_sandbox']:>9.2f}"
        )
    jpeg = {count: row for (kind, count), row in rows.items() if kind == "jpeg"}
    result = {
        "sandbox_vs_in_process": min(row["ratio"] for row in jpeg.values()),
        "images_per_s": jpeg[max(jpeg)]["sandbox"],
        "by_format": {f"{kind}_{count}": row for (kind, count), row in rows.items()},
    }
    print(f"RESULT {json.dumps(result)}")


if __name__ == "__main__":
    main()
