"""``python -m physgauge.train.part_detector``: train, export and evaluate the embedded part detector."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from physgauge.config import DetectorSettings


@click.group(help=__doc__)
def main() -> None:
    """Command group."""


@main.command()
@click.option(
    "--data",
    "data",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Data set folder; may be repeated.",
)
@click.option(
    "--validation",
    required=True,
    type=click.Path(path_type=Path),
    help="Data set folder for checks and calibration.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the run.")
@click.option("--steps", default=8000, show_default=True, type=click.IntRange(1))
@click.option(
    "--minutes", default=0.0, show_default=True, help="Wall-clock budget of the schedule; 0 = none."
)
@click.option("--batch-size", default=24, show_default=True, type=click.IntRange(1))
@click.option("--size", default=320, show_default=True, type=click.IntRange(64))
@click.option("--rate", default=2e-3, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--workers", default=2, show_default=True, type=click.IntRange(0))
@click.option("--threads", default=2, show_default=True, type=click.IntRange(1))
@click.option("--check-images", default=300, show_default=True, help="Validation images per check.")
@click.option("--check-every", default=500, show_default=True)
@click.option(
    "--warm-start", type=click.Path(path_type=Path), help="Checkpoint of another run to begin with."
)
def train(
    data: tuple[Path, ...], validation: Path, out: Path, steps: int, minutes: float, batch_size: int,
    size: int, rate: float, seed: int, workers: int, threads: int, check_images: int, check_every: int,
    warm_start: Path | None,
) -> None:  # fmt: skip
    """Train; goes on from the run folder's checkpoint if there is one."""
    from physgauge.train.part_detector.loop import Run, TrainConfig
    from physgauge.train.part_detector.records import read_folder, read_folders

    config = TrainConfig(
        steps=steps, minutes=minutes, batch_size=batch_size, size=size, rate=rate, seed=seed,
        workers=workers, threads=threads, check_every=check_every,
    )  # fmt: skip
    run = Run(out, config)
    if not run.resume() and warm_start is not None:
        run.warm_start(warm_start)
    samples = read_folders(data)
    held = read_folder(validation)[:check_images]
    run.log(config=asdict(config), images=len(samples), warm_start=str(warm_start or ""))
    run.train(samples, held)


@main.command()
@click.option(
    "--run", "folder", required=True, type=click.Path(path_type=Path), help="Folder of the run."
)
@click.option(
    "--validation",
    required=True,
    type=click.Path(path_type=Path),
    help="Data set folder to calibrate on.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The .onnx file to write."
)
@click.option("--version", default="1", show_default=True)
@click.option("--nms-iou", default=0.6, show_default=True)
@click.option("--size", default=320, show_default=True)
@click.option("--note", default="", help="One line about data and seeds, kept in the file.")
def export(
    folder: Path, validation: Path, out: Path, version: str, nms_iou: float, size: int, note: str
) -> None:
    """Calibrate a run on the validation set and write the ONNX file."""
    from physgauge.ensemble.detect import OnnxDetector
    from physgauge.train.part_detector import calibrate, evaluate
    from physgauge.train.part_detector.export import Calibration
    from physgauge.train.part_detector.loop import Run, TrainConfig
    from physgauge.train.part_detector.records import read_folder

    run = Run(folder, TrainConfig(steps=1, size=size))
    if not run.resume():
        raise click.ClickException(f"{folder}: expected a run with last.pt, got none")
    samples = read_folder(validation)
    run.export(out, Calibration.identity(), version, {})
    raw = OnnxDetector(out, DetectorSettings(name="raw", model=str(out)), 2)
    fitted = calibrate.fit(evaluate.judge(raw, samples, nms_iou).by_area)
    training = {
        "steps": run.step,
        "note": note,
        "calibration_images": len(samples),
        "nms_iou": nms_iou,
    }
    run.export(out, fitted, version, training)
    click.echo(f"{out}: {out.stat().st_size / 1e6:.2f} MB after {run.step} steps")


@main.command("evaluate")
@click.option("--model", required=True, type=click.Path(path_type=Path), help="The .onnx file.")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Data set folder.")
@click.option("--nms-iou", default=0.6, show_default=True)
@click.option("--min-domain-p", default=0.5, show_default=True)
@click.option("--threads", default=2, show_default=True)
@click.option("--count", default=0, help="First images only; 0 = all.")
def evaluate_command(
    model: Path, data: Path, nms_iou: float, min_domain_p: float, threads: int, count: int
) -> None:
    """Figures of an ONNX file on a data set: a table per class, then one line of JSON."""
    from physgauge.ensemble.detect import OnnxDetector
    from physgauge.train.part_detector import evaluate
    from physgauge.train.part_detector.records import read_folder

    detector = OnnxDetector(model, DetectorSettings(name=model.stem, model=str(model)), threads)
    samples = read_folder(data)
    judged = evaluate.judge(detector, samples[: count or None], nms_iou)
    click.echo(evaluate.table(judged))
    click.echo(json.dumps(evaluate.summary(judged, min_domain_p)))


if __name__ == "__main__":
    main()
