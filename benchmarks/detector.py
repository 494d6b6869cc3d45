"""``python -m benchmarks.detector --seed S --count N``: the embedded part detector on fresh scenes.

Renders N scenes that it was never trained on, then measures: mAP50 over parts of at least 10 px (square
root of the area; the stricter reading, the shorter side, beside it), precision and recall at the working
threshold, accuracy of the domain (rejection included) and of the view, rejection of photographs of
neither kind (scikit-image, scikit-learn), and time per image on one core. Prints a table per class and
one line ``RESULT {json}``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import photographs
from benchmarks.scenes.dataset import Order, make
from physgauge import config
from physgauge.ensemble.detect import OnnxDetector
from physgauge.train.part_detector import evaluate, records

U8 = NDArray[np.uint8]


def main(argv: list[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detector", description=__doc__)
    parser.add_argument("--seed", type=int, default=3000, help="seed of the scenes")
    parser.add_argument("--count", type=int, default=400, help="number of scenes")
    parser.add_argument("--data", type=Path, help="use this data set instead of rendering one")
    parser.add_argument(
        "--profile", default="tiny", help="profile whose first detector is measured"
    )
    parser.add_argument(
        "--model", type=Path, help="use this ONNX file, without rescorer, instead of the profile's"
    )
    args = parser.parse_args(argv)
    loaded = config.load_profile(args.profile)
    settings = loaded.profile.detectors[0]
    model = args.model or loaded.path(settings.model)
    # A rescorer knows the boxes of one model only.
    rescorer = loaded.path(settings.rescorer) if settings.rescorer and not args.model else None
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.data or Path(scratch) / "scenes"
        if args.data is None:
            make(Order("all", args.count, args.seed, folder), quiet=True)
        samples = records.read_folder(folder)
        result = measure(OnnxDetector(model, settings, 2, rescorer), loaded.profile.fuse, samples)
        wall, cpu = image_times_s(OnnxDetector(model, settings, 1, rescorer), samples)
    result["ms_per_image_one_core"] = float(np.median(wall)) * 1e3
    result["cpu_ms_per_image"] = float(np.median(cpu)) * 1e3
    result["model_mb"] = model.stat().st_size / 1e6
    result["images"] = len(samples)
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in result.items()}
    print("RESULT " + json.dumps(rounded))


def measure(
    detector: OnnxDetector, fuse: config.FuseSettings, samples: list[records.Sample]
) -> dict[str, float | int | list[str]]:
    """Prints the table and returns the figures, photographs included."""
    judged = evaluate.judge(detector, samples, fuse.nms_iou)
    print(evaluate.table(judged, detector.settings.min_score))
    result: dict[str, float | int | list[str]] = {
        **evaluate.summary(judged, fuse.min_domain_p, detector.settings.min_score)
    }
    taken = [
        name for name, image in photographs.load() if _accepted(detector, image, fuse.min_domain_p)
    ]
    result["photographs"] = len(photographs.load())
    result["photographs_taken_for_a_domain"] = taken
    return result


def _accepted(detector: OnnxDetector, image: U8, least: float) -> bool:
    return bool(detector.detect([image]).domain_p[0, :-1].max() >= least)


def image_times_s(
    detector: OnnxDetector, samples: list[records.Sample], count: int = 60
) -> tuple[list[float], list[float]]:
    """Wall-clock and processor seconds per image, one image a call, letterbox and boxes included
    (decoding is not). On a machine that others use too, only the processor time means something."""
    images = [evaluate.pixels(s) for s in samples[:count]]
    for image in images[:5]:
        detector.detect([image])
    wall, cpu = [], []
    for image in images:
        start, used = time.perf_counter(), time.process_time()
        detector.detect([image])
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
    return wall, cpu


if __name__ == "__main__":
    main()
