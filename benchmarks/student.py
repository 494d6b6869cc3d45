"""``python -m benchmarks.student --seed S``: the student judge on pairs that it was never trained on.

Renders held-out pairs (docs/pairs.md: every base is new to the student, half of the recipes are) and
images that are not eligible, runs the ONNX file through the judge as a pipeline would, and prints one
line ``RESULT {json}``: AUROC of the expected score (violated against clean), pairs in the right order,
AUROC of each category, eligibility, calibration, rank correlation of both scores with what was planted
(clean 0, minor 1, major 2) with bootstrap intervals, time on one core, and how many images it declined.

Images that it declines have no numbers: they are left out of ranks and calibration, and count as wrong in
eligibility and in pair accuracy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import photographs
from physgauge import wire
from physgauge.config import LoadedProfile, Profile, shipped_profiles
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.terravis.result import terravis_of
from physgauge.evaluate.bootstrap import of_pairs
from physgauge.evaluate.ranks import spearman
from physgauge.judge_settings import JudgeSettings
from physgauge.train.student.cache import read
from physgauge.train.student.layout import probe_ids
from physgauge.train.student.metrics import auroc, category_auroc, pairs_of, reliability
from physgauge.train.student.records import Records, read_pairs
from physgauge.types import F64, U8, Bools

MODEL = shipped_profiles() / "models" / "student.onnx"
RESAMPLES = 500
NOISES = 20


@dataclass(frozen=True)
class Seen:
    """What the judge said of N images; NaN where it declined."""

    eligible: F64
    """[N]."""
    yes: F64
    """[N, Q]."""
    major: F64
    """[N, Q]."""
    soft: F64
    """[N] expected score of the violations, whether the image counts as eligible or not."""
    hard: F64
    declined: Bools
    """[N]."""

    def of(self, rows: NDArray[np.int64]) -> Seen:
        """Of some images."""
        return Seen(
            self.eligible[rows], self.yes[rows], self.major[rows], self.soft[rows], self.hard[rows],
            self.declined[rows],
        )  # fmt: skip


def judge_of(model: Path, batch: int = 4) -> Looking:
    """The student of a file as a look stage."""
    settings = JudgeSettings(
        engine="student", student={"model": str(model.resolve()), "batch": batch}
    )
    loaded = LoadedProfile(profile=Profile(name="student", judge=settings), folder=Path.cwd())
    looking = Looking.of(loaded)
    assert looking is not None
    return looking


def look(looking: Looking, images: Sequence[U8]) -> list[wire.TerraVis]:
    """What the judge says of images."""
    looks = [future.result() for future in [looking.begin(image) for image in images]]
    return terravis_of(looks, looking.card.counting)


def seen(looking: Looking, files: Sequence[Path]) -> Seen:
    """What it says of image files, as numbers."""
    said: list[wire.TerraVis] = []
    for start in range(0, len(files), 32):
        said += look(looking, [read(file) for file in files[start : start + 32]])

    def number(value: float | None) -> float:
        return np.nan if value is None else value

    yes = np.array([[number(a.p_yes) for a in one.answers.values()] for one in said])
    major = np.array([[number(a.p_major) for a in one.answers.values()] for one in said])
    kept = major * np.exp(-1.0) + (1 - major) * np.exp(-0.5)
    grave, found = major >= 0.5, yes >= 0.5
    hard = np.exp(-((found & grave).sum(1) + 0.5 * (found & ~grave).sum(1)).astype(float))
    declined = np.array([one.abstained is not None for one in said])
    return Seen(
        eligible=np.array([number(one.eligible.p if one.eligible else None) for one in said]),
        yes=yes,
        major=major,
        soft=np.prod(1 - yes * (1 - kept), axis=1),
        hard=np.where(declined, np.nan, hard),
        declined=declined,
    )


def figures(s: Seen, records: Records, seed: int) -> dict[str, Any]:
    """All figures of a set of pairs."""
    t = records.targets
    violated, clean = pairs_of(records).T
    answered = np.flatnonzero(~s.declined)
    told, kept = s.of(answered), records.of(answered)
    grave = np.where(np.nansum(t.major, axis=1) > 0, 2.0, 1.0) * (t.yes == 1).any(1)
    counts = np.flatnonzero(~s.declined & (t.eligible == 1))
    within = ~s.declined[violated] & ~s.declined[clean]
    right = within & (s.soft[clean] > s.soft[violated])
    any_p = 1 - np.prod(1 - told.yes, axis=1)
    any_true = np.where(kept.targets.eligible == 1, (kept.targets.yes == 1).any(1), np.nan)
    known = ~np.isnan(t.major[answered])
    return {
        "images": len(records), "pairs": len(violated), "declined": int(s.declined.sum()),
        "auroc": auroc(-_numbers(s.soft[violated]), -_numbers(s.soft[clean])),
        "pair_accuracy": _share(right),
        "per_category": {
            name: category_auroc(told.yes, kept, k) for k, name in enumerate(probe_ids())
        },
        "own_pair_accuracy": _own(s, records, violated, clean),
        "eligibility": float(((s.eligible >= 0.5) == (t.eligible == 1))[~np.isnan(t.eligible)].mean()),
        "severity": _share(((told.major >= 0.5) == (t.major[answered] >= 0.5))[known]),
        "ece": reliability(told.yes, kept.targets.yes).ece,
        "ece_any": reliability(any_p, any_true).ece,
        "ece_eligible": reliability(told.eligible, kept.targets.eligible).ece,
        "spearman_soft": _ranked(-s.soft[counts], grave[counts], seed),
        "spearman_hard": _ranked(-s.hard[counts], grave[counts], seed),
        "spearman_soft_minus_hard": _apart(s, counts, grave, seed),
    }  # fmt: skip


def _numbers(values: F64) -> F64:
    kept: F64 = values[~np.isnan(values)]
    return kept


def _own(
    s: Seen, records: Records, violated: NDArray[np.int64], clean: NDArray[np.int64]
) -> float | None:
    """Pairs whose own category is surer in the violated twin."""
    about = records.targets.about[violated]
    good = s.yes[violated, about] > s.yes[clean, about]  # a NaN is above nothing
    return _share(good)


def _share(flags: Bools) -> float | None:
    return float(flags.mean()) if flags.size else None


def _ranked(score: F64, grave: F64, seed: int) -> dict[str, Any]:
    span = of_pairs(spearman, score, grave, RESAMPLES, seed)
    return {"rho": spearman(score, grave), "low": span and span.low, "high": span and span.high}


def _apart(s: Seen, rows: NDArray[np.int64], grave: F64, seed: int) -> dict[str, Any]:
    """How much better the expected score ranks, over the same draws."""
    place = np.arange(len(rows)).astype(float)

    def apart(draw: F64, _: F64) -> float | None:
        some = rows[draw.astype(int)]
        soft, hard = (spearman(-x[some], grave[some]) for x in (s.soft, s.hard))
        return None if soft is None or hard is None else soft - hard

    span = of_pairs(apart, place, place, RESAMPLES, seed)
    return {"rho": apart(place, place), "low": span and span.low, "high": span and span.high}


def strangers(looking: Looking) -> dict[str, Any]:
    """Photographs and noise: on none of them may it be sure."""
    photos = photographs.load()
    rng = np.random.default_rng(20)
    noise = [_noise(rng, k) for k in range(NOISES)]
    shown = look(looking, [image for _, image in photos])
    return {
        "photographs": len(photos),
        "photographs_declined": sum(one.abstained is not None for one in shown),
        "taken_for_known": [
            name for (name, _), one in zip(photos, shown, strict=True) if one.abstained is None
        ],
        "noise": NOISES,
        "noise_declined": sum(one.abstained is not None for one in look(looking, noise)),
    }


def _noise(rng: np.random.Generator, k: int) -> U8:
    """Even, normal, coarse and grey noise of several sizes."""
    side, block = int(rng.integers(200, 700)), (1, 1, 3, 9)[k % 4]
    n = -(-side // block)
    field = rng.uniform(0, 255, (n, n, 3)) if k % 2 else rng.normal(128, 50, (n, n, 1))
    full = np.clip(field, 0, 255).repeat(block, 0).repeat(block, 1)[:side, :side]
    return np.ascontiguousarray(np.broadcast_to(full, (side, side, 3)).astype(np.uint8))


def timing(looking: Looking, files: Sequence[Path], count: int = 40) -> float:
    """Milliseconds of processor time an image, decoding left out."""
    images = [read(file) for file in files[:count]]
    look(looking, images[:4])
    start = time.process_time()
    look(looking, images)
    return 1000 * (time.process_time() - start) / len(images)


def parts(records: Records) -> dict[str, NDArray[np.int64]]:
    """Rows of pairs by what is new in them."""
    base, recipe = records.novel_base, records.novel_recipe
    chosen = {
        "novel_base_known_recipe": base & ~recipe,
        "known_base_novel_recipe": ~base & recipe,
        "novel_both": base & recipe,
    }
    paired = records.pair >= 0
    return {
        name: np.flatnonzero(rows & paired)
        for name, rows in chosen.items()
        if (rows & paired).any()
    }


def main(argv: list[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.student", description=__doc__)
    parser.add_argument("--seed", type=int, default=9001, help="seed of the pairs")
    parser.add_argument("--count", type=int, default=360, help="number of pairs")
    parser.add_argument("--data", type=Path, help="use this pair set instead of rendering one")
    parser.add_argument("--model", type=Path, default=MODEL, help="the student's .onnx file")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.data or Path(scratch) / "pairs"
        if args.data is None:
            make = [sys.executable, "-m", "benchmarks.scenes", "pairs", "--count", str(args.count)]
            made = [*make, "--seed", str(args.seed), "--split", "held_out", "--out", str(folder)]
            subprocess.run(made, check=True)
        records = read_pairs([folder], probe_ids())
        with judge_of(args.model) as looking:
            s = seen(looking, records.files)
            result = {
                "model": looking.card.name, "bytes": args.model.stat().st_size, "seed": args.seed,
                **figures(s, records, args.seed),
                **{
                    name: figures(s.of(rows), records.of(rows), args.seed)
                    for name, rows in parts(records).items()
                },
                "strangers": strangers(looking),
                "ms_per_image": timing(looking, records.files),
            }  # fmt: skip
    print("RESULT " + json.dumps(_short(result)))


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, (float, np.floating)):
        return None if np.isnan(value) else round(float(value), 4)
    return value


if __name__ == "__main__":
    main()
