"""`physgauge distill`: a student trained on another judge's stored answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physgauge.cli.options import Number
from physgauge.errors import ConfigError, EnvironmentProblem

if TYPE_CHECKING:
    from physgauge.train.part_detector.schedule import TrainConfig

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=FOLDER, metavar="DIR...")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The student: an .onnx file (for vlm: a folder).",
)
@click.option(
    "--images", type=FOLDER, metavar="ROOT", help="Where the rows' sources begin; default: here."
)
@click.option(
    "--run",
    type=FOLDER,
    metavar="DIR",
    help="Checkpoints, cached images, report; default: OUTPUT.run. The same command goes on from there.",
)
@click.option(
    "--backbone",
    default="small",
    show_default=True,
    metavar="KIND",
    help="small | hf:FOLDER | timm:FOLDER | vlm:FOLDER (docs/student.md).",
)
@click.option("--frozen", is_flag=True, help="Train the heads only, not the pretrained backbone.")
@click.option(
    "--minutes",
    type=Number(0, 100_000),
    default=30.0,
    show_default=True,
    help="Time for training; 0: by --steps alone.",
)
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Training steps at most.",
)
@click.option(
    "--batch", type=click.IntRange(2, 4096), default=32, show_default=True, help="Images in a step."
)
@click.option(
    "--rate",
    type=Number(0, 1, min_open=True),
    default=1e-3,
    show_default=True,
    help="Peak learning rate.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help="Training processes; default: one per core, at most 4.",
)
@click.option(
    "--aside",
    type=Number(0.02, 0.4),
    default=0.1,
    show_default=True,
    help="Share of the images for calibration, and as much again for the report.",
)
@click.option(
    "--false-rejection",
    type=Number(0, 0.5),
    default=0.02,
    show_default=True,
    help="Share of known images that may count as unknown.",
)
@click.option(
    "--init",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Weights to begin with.",
)
def distill(
    folders: tuple[Path, ...], output: Path, images: Path | None, run: Path | None, backbone: str,
    frozen: bool, processes: int | None, aside: float, false_rejection: float, init: Path | None,
    **options: Any,
) -> None:  # fmt: skip
    """Train a student on the rows that `physgauge score` has left in DIR..., whatever judge wrote them.

    Writes one ONNX file, and a report of how it agrees with its teacher on images held out.
    """
    _torch()
    from physgauge.distill.order import Order
    from physgauge.distill.report import REPORT
    from physgauge.distill.work import distill as work

    run = run or output.with_name(output.name + ".run")
    count = processes or min(4, os.cpu_count() or 1)
    order = Order(
        folders, images, output, run, backbone, frozen, aside, false_rejection,
        _config(count, **options), init,
    )  # fmt: skip
    if backbone.startswith("vlm:"):
        from physgauge.distill.vlm import distill_vlm

        found = distill_vlm(order)
    else:
        found = work(order)
    held = found["held_out"]
    score = held["score"]["spearman"]
    click.echo(
        f"{output}: agrees with {', '.join(found['teachers'])} on {held['images']} images held out: "
        f"same decision {_share(held['all_categories']['same_decision'])}, rank correlation of the score "
        f"{'undefined' if score is None else f'{score:.3f}'} ({run / REPORT})"
    )


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"


def _torch() -> None:
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise EnvironmentProblem(
            f"distill trains a network and needs {error.name}, which is not installed: "
            "pip install 'physgauge[train]'"
        ) from None


def _config(processes: int, batch: int, **options: Any) -> TrainConfig:
    from physgauge.train.part_detector.schedule import TrainConfig

    if batch % (2 * processes):
        raise ConfigError(
            f"--batch: expected a multiple of twice the processes ({2 * processes}), got {batch}"
        )
    # A single process is this one: a worker forked from it would inherit locks without their threads.
    workers = 1 if processes > 1 else 0
    # Small sets: an average over the last hundred steps, and framing as at inference half of the time.
    return TrainConfig(
        batch_size=batch,
        processes=processes,
        workers=workers,
        average=0.99,
        warmup=50,
        plain_share=0.5,
        **options,
    )
