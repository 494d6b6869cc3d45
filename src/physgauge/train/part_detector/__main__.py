"""``python -m physgauge.train.part_detector``: train, export and evaluate the embedded part detector."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from physgauge.config import DetectorSettings

FOLDER = click.Path(path_type=Path)


@click.group(help=__doc__)
def main() -> None:
    """Command group."""


@main.command()
@click.option(
    "--data", multiple=True, required=True, type=FOLDER, help="Data set folder; may be repeated."
)
@click.option("--validation", required=True, type=FOLDER, help="Data set folder for checks.")
@click.option("--out", required=True, type=FOLDER, help="Folder of the run.")
@click.option("--steps", default=8000, show_default=True, type=click.IntRange(1))
@click.option(
    "--minutes", default=0.0, show_default=True, help="Time budget of the schedule; 0 = none."
)
@click.option("--batch-size", default=24, show_default=True, type=click.IntRange(1))
@click.option("--size", default=320, show_default=True, type=click.IntRange(64))
@click.option("--rate", default=2e-3, show_default=True, help="Peak learning rate.")
@click.option("--final-rate", default=2e-5, show_default=True, help="Learning rate at the end.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--plain-share", default=0.3, show_default=True, help="Inputs framed as at inference."
)
@click.option("--processes", default=2, show_default=True, type=click.IntRange(1))
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(0), help="Per process."
)
@click.option("--check-images", default=300, show_default=True, help="Validation images per check.")
@click.option("--check-every", default=500, show_default=True, help="Steps between checks.")
@click.option("--warm-start", type=FOLDER, help="last.pt of another run to begin with.")
def train(
    data: tuple[Path, ...], validation: Path, out: Path, check_images: int, warm_start: Path | None,
    **options: Any,
) -> None:  # fmt: skip
    """Train; goes on from the run folder's checkpoint if there is one."""
    from physgauge.train.part_detector.loop import Work
    from physgauge.train.part_detector.parallel import launch
    from physgauge.train.part_detector.schedule import TrainConfig

    config = TrainConfig(**options)
    if config.batch_size % config.processes:
        raise click.UsageError(
            f"--batch-size: expected a multiple of --processes ({config.processes}), "
            f"got {config.batch_size}"
        )
    out.mkdir(parents=True, exist_ok=True)
    launch(Work(data, validation, out, check_images, warm_start, config), config.processes, out)


@main.command()
@click.option(
    "--run", "folder", required=True, type=click.Path(path_type=Path), help="Folder of the run."
)
@click.option(
    "--validation",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Data set folder to calibrate on; may be repeated.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The .onnx file to write."
)
@click.option("--version", default="1", show_default=True)
@click.option("--nms-iou", default=0.6, show_default=True)
@click.option("--size", default=320, show_default=True)
@click.option("--images", default=0, help="Validation images to use; 0 = all.")
@click.option("--note", default="", help="One line about data and seeds, kept in the file.")
@click.option(
    "--weights", type=click.Path(path_type=Path), help="Also write weights to train on from."
)
def export(
    folder: Path, validation: tuple[Path, ...], out: Path, version: str, nms_iou: float, size: int,
    images: int, note: str, weights: Path | None,
) -> None:  # fmt: skip
    """Calibrate a run on the validation set and write the ONNX file."""
    from physgauge.ensemble.detect import OnnxDetector
    from physgauge.train.part_detector import calibrate, evaluate
    from physgauge.train.part_detector.export import Calibration
    from physgauge.train.part_detector.loop import Run
    from physgauge.train.part_detector.records import read_folders
    from physgauge.train.part_detector.schedule import TrainConfig

    run = Run(folder, TrainConfig(steps=1, size=size))
    if not run.resume():
        raise click.ClickException(f"{folder}: expected a run with last.pt, got none")
    samples = read_folders(validation)[: images or None]
    run.export(out, Calibration.identity(), version, {})
    raw = OnnxDetector(out, DetectorSettings(name="raw", model=str(out)), 2)
    judged = evaluate.judge(raw, samples, nms_iou)
    fitted = calibrate.fit(judged.every)
    floor = calibrate.floor_of_evidence(judged, fitted)
    fitted = replace(fitted, evidence=floor)
    training = {
        "steps": run.step,
        "note": note,
        "calibration_images": len(samples),
        "nms_iou": nms_iou,
        "evidence_floor": round(floor, 3),
    }
    run.export(out, fitted, version, training)
    if weights:
        run.save_weights(weights)
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
