"""``python -m physgauge.train.student``: train, export and describe the student judge."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click

FOLDER = click.Path(path_type=Path)


@click.group(help=__doc__)
def main() -> None:
    """Command group."""


@main.command()
@click.option("--data", required=True, help="Pair set folders, separated by commas.")
@click.option("--val", "validation", help="Pair set folder for checks; default: a part of --data.")
@click.option("--out", required=True, type=FOLDER, help="Folder of the run.")
@click.option(
    "--aside", default=0.08, show_default=True, help="Share of --data kept for calibration."
)
@click.option("--steps", default=100000, show_default=True, type=click.IntRange(1))
@click.option("--minutes", default=0.0, show_default=True, help="Time budget; 0 = none.")
@click.option("--batch-size", default=32, show_default=True, type=click.IntRange(2))
@click.option("--size", default=320, show_default=True, type=click.IntRange(64))
@click.option("--rate", default=1.5e-3, show_default=True, help="Peak learning rate.")
@click.option("--final-rate", default=1.5e-5, show_default=True, help="Learning rate at the end.")
@click.option("--seed", default=1, show_default=True)
@click.option(
    "--plain-share", default=0.4, show_default=True, help="Inputs framed as at inference."
)
@click.option(
    "--close", default=0.0, show_default=True, help="Of the other inputs, close looks at a part."
)
@click.option("--average", default=0.997, show_default=True, help="Decay of the weight average.")
@click.option("--warmup", default=100, show_default=True, help="Steps of linear warm-up.")
@click.option("--processes", default=2, show_default=True, type=click.IntRange(1))
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(0), help="Per process."
)
@click.option("--check-images", default=400, show_default=True, help="Validation images per check.")
@click.option("--check-every", default=400, show_default=True, help="Steps between checks.")
@click.option("--save-every", default=100, show_default=True, help="Steps between checkpoints.")
@click.option("--init", type=FOLDER, help="Weights to begin with (docs/models/part_detector.pt).")
def train(
    data: str, validation: str | None, out: Path, aside: float, check_images: int, init: Path | None,
    **options: Any,
) -> None:  # fmt: skip
    """Train; goes on from the run folder's checkpoint if there is one."""
    from physgauge.train.part_detector.parallel import launch
    from physgauge.train.part_detector.schedule import TrainConfig
    from physgauge.train.student.loading import Pairs, folders_of
    from physgauge.train.student.loop import Work
    from physgauge.train.student.model import Student, StudentConfig

    config = TrainConfig(**options)
    if config.batch_size % (2 * config.processes):
        raise click.UsageError(
            f"--batch-size: expected a multiple of 2 --processes ({2 * config.processes}), "
            f"got {config.batch_size}"
        )
    load = Pairs(folders_of(data), folders_of(validation or ""), aside, check_images, out)
    load()  # the cache is written once, before the processes share it
    work = Work(out, config, load, partial(Student, StudentConfig(size=320)), init)
    launch(work, config.processes, out)


@main.command()
@click.option("--run", "folder", required=True, type=FOLDER, help="Folder of the run.")
@click.option("--data", required=True, help="The --data that it was trained with.")
@click.option(
    "--aside", default=0.08, show_default=True, help="The --aside that it was trained with."
)
@click.option("--out", required=True, type=FOLDER, help="The .onnx file to write.")
@click.option(
    "--false-rejection",
    default=0.02,
    show_default=True,
    help="Share of images kept aside that may count as unknown.",
)
@click.option("--version", default="1", show_default=True)
@click.option("--note", default="", help="One line about data and seeds, kept in the file.")
@click.option("--weights", type=FOLDER, help="Also write weights to train on from.")
def export(
    folder: Path, data: str, aside: float, out: Path, false_rejection: float, version: str, note: str,
    weights: Path | None,
) -> None:  # fmt: skip
    """Calibrate a run, learn what it does not know, and write the ONNX file."""
    from physgauge.train.part_detector.schedule import TrainConfig
    from physgauge.train.student.finish import Asked, finish
    from physgauge.train.student.layout import probe_set
    from physgauge.train.student.loading import Pairs, folders_of
    from physgauge.train.student.loop import Run

    run = Run(folder, TrainConfig(steps=1, threads=2))
    if not run.resume():
        raise click.ClickException(f"{folder}: expected a run with last.pt, got none")
    pairs = Pairs(folders_of(data), (), aside, 0, folder)
    training, kept = (pairs.data(part) for part in pairs.parts())
    figures = finish(run, training, kept, out, Asked(false_rejection, version, note, probe_set()))
    if weights:
        run.save_weights(weights)
    click.echo(json.dumps({k: v for k, v in figures.items() if k != "reliability"}))


@main.command()
@click.option("--model", required=True, type=FOLDER, help="The .onnx file.")
@click.option("--result", type=FOLDER, help="Output of python -m benchmarks.student.")
@click.option("--page", type=FOLDER, default=Path("docs/models/student.md"), show_default=True)
def card(model: Path, result: Path | None, page: Path) -> None:
    """Write the figures of a file, and of a benchmark of it, into its model card."""
    from physgauge.train.student.card import renew

    renew(page, model, result)


if __name__ == "__main__":
    main()
