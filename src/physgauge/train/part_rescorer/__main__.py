"""``python -m physgauge.train.part_rescorer``: fit the rescorer of a profile's detector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from physgauge.config import load_profile
from physgauge.ensemble.detect import OnnxDetector
from physgauge.train.part_detector.records import read_folders
from physgauge.train.part_rescorer import fit
from physgauge.train.part_rescorer.data import candidates

PATH = click.Path(path_type=Path)


@click.command(help=__doc__)
@click.option("--profile", default="tiny", show_default=True, help="Its first detector is used.")
@click.option("--model", type=PATH, help="This ONNX file instead of the profile's.")
@click.option(
    "--data", multiple=True, required=True, type=PATH,
    help="Folder of rendered scenes that the detector was not trained on; may be repeated.",
)  # fmt: skip
@click.option("--out", required=True, type=PATH, help="The .onnx file to write.")
@click.option("--trees", default=300, show_default=True, type=click.IntRange(1))
@click.option(
    "--held-out", default=0.2, show_default=True, type=click.FloatRange(0.01, 0.9),
    help="Share of the images that the printed figures are about; the file uses all.",
)  # fmt: skip
@click.option("--threads", default=2, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(
    profile: str, model: Path | None, data: tuple[Path, ...], out: Path, trees: int, held_out: float,
    threads: int, seed: int,
) -> None:  # fmt: skip
    """Fit, judge on held-out images, fit on all, write."""
    loaded = load_profile(profile)
    settings = loaded.profile.detectors[0]
    path = model or loaded.path(settings.model)
    detector = OnnxDetector(path, settings, threads)
    found = candidates(detector, read_folders(data))
    images = int(found.image.max(initial=0)) + 1
    held = np.random.default_rng(seed).random(images)[found.image] < held_out
    trial = fit.trees(found, ~held, count=trees, seed=seed)
    p = trial.predict_proba(found.features[held])[:, 1]
    right, before = found.right[held], found.score[held].astype(np.float64)
    unsure = (before > 0.04) & (before < 0.96)
    figures: dict[str, Any] = {
        "images": images, "candidates": len(found.right), "held_out": int(held.sum()),
        "log_loss_before": fit.log_loss(before, right),
        "log_loss_after": fit.log_loss(p, right),
        "unsure": int(unsure.sum()),
        "unsure_log_loss_before": fit.log_loss(before[unsure], right[unsure]),
        "unsure_log_loss_after": fit.log_loss(p[unsure], right[unsure]),
    }  # fmt: skip
    facts = {"trees": trees, "seed": seed, "images": images}
    whole = fit.trees(found, np.ones(len(held), np.bool_), count=trees, seed=seed)
    fit.export(whole, detector, out, facts)
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}
    print(json.dumps({**rounded, "bytes": out.stat().st_size}))


if __name__ == "__main__":
    main()
