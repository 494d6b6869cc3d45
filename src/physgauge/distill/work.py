"""The whole of `physgauge distill`: rows -> training -> file -> report."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from physgauge.distill import plots
from physgauge.distill.backbones import make_student
from physgauge.distill.report import agreement, scores
from physgauge.distill.rows import Taught, read_taught
from physgauge.ensemble.judge.student.network import Said, StudentNetwork
from physgauge.ensemble.judge.student.settings import StudentSettings
from physgauge.errors import ConfigError
from physgauge.train.part_detector.parallel import launch
from physgauge.train.part_detector.schedule import TrainConfig
from physgauge.train.student.cache import pixels, read
from physgauge.train.student.finish import Asked, finish
from physgauge.train.student.loop import Data, Run, Work
from physgauge.train.student.metrics import Answers, reliability
from physgauge.train.student.records import Records

LEAST = 24
"""Images without which nothing can be trained, calibrated and reported."""
REPORT = "report.json"


@dataclass(frozen=True)
class Order:
    """What is to be distilled, and how."""

    folders: tuple[Path, ...]
    images: Path | None
    output: Path
    run: Path
    """Folder of the run: checkpoints, cached images, report."""
    backbone: str
    frozen: bool
    aside: float
    """Share kept for the limits and temperatures; as much again for the report."""
    false_rejection: float
    config: TrainConfig
    init: Path | None = None


@dataclass(frozen=True)
class Parts:
    """Images by what they are for."""

    training: Records
    calibration: Records
    held_out: Records


def parts_of(records: Records, share: float) -> Parts:
    """The same parts in every call.

    Raises:
        ConfigError: too few images.
    """
    if len(records) < LEAST:
        raise ConfigError(
            f"distill: expected answers about at least {LEAST} images, got {len(records)}"
        )
    rest, held_out = records.parted(share, seed=11)
    training, calibration = rest.parted(share / (1 - share), seed=12)
    return Parts(training, calibration, held_out)


@dataclass(frozen=True)
class Load:
    """What a run trains on; picklable for its processes."""

    order: Order

    def __call__(self) -> tuple[Data, Data | None]:
        order = self.order
        parts = parts_of(read_taught(order.folders, order.images).records, order.aside)
        return data(parts.training, order), None


def data(records: Records, order: Order) -> Data:
    """With pixels."""
    return Data(records, pixels(records.files, 320, order.run / "cache"))


def distill(order: Order) -> dict[str, Any]:
    """Train (or go on), write the ONNX file and the report; the report comes back.

    Raises:
        ConfigError: nothing to learn from, or settings that do not fit.
        EnvironmentProblem: a package that the backbone needs is missing.
    """
    taught = read_taught(order.folders, order.images)
    parts = parts_of(taught.records, order.aside)
    make = partial(make_student, order.backbone, taught.probes, order.frozen)
    order.run.mkdir(parents=True, exist_ok=True)
    load = Load(order)
    load()  # the cache is written once, before the processes share it
    launch(
        Work(order.run, order.config, load, make, order.init, taught.probes),
        order.config.processes,
        order.run,
    )
    run = Run(order.run, order.config, make(), probes=taught.probes)
    run.resume()
    training, calibration = (data(one, order) for one in (parts.training, parts.calibration))
    about = f"distilled from {', '.join(taught.teachers)}; backbone {order.backbone}"
    asked = Asked(order.false_rejection, "distilled", about, _probe_set(taught))
    figures = finish(run, training, calibration, order.output, asked)
    return report(order, taught, parts.held_out, figures)


def _probe_set(taught: Taught) -> dict[str, Any]:
    """Of "name-version-hash", as rows call it."""
    name, _, rest = taught.probe_versions[0].rpartition("-")[0].rpartition("-")
    return {"name": name or "unknown", "version": rest or "unknown"}


def report(
    order: Order, taught: Taught, held_out: Records, figures: dict[str, Any]
) -> dict[str, Any]:
    """Agreement with the teacher on images nothing was learned from, as JSON and pictures."""
    student = answers(order.output, held_out)
    agreed = agreement(student, held_out.targets, taught.probes)
    per = {name: one["pearson"] for name, one in agreed["per_category"].items()}
    told = ~np.isnan(student.eligible)
    table = reliability(student.yes[told], held_out.targets.yes[told])
    drawn = plots.write_all(
        order.run, scores(student, held_out.targets), table, per, taught.teachers
    )
    found = {
        "student": str(order.output), "backbone": order.backbone, "teachers": list(taught.teachers),
        "probe_versions": list(taught.probe_versions), "rows_left_out": taught.left_out,
        "trained_on": len(taught.records) - len(held_out), "held_out": agreed,
        "pictures": drawn, "file": {k: v for k, v in figures.items() if k != "reliability"},
    }  # fmt: skip
    (order.run / REPORT).write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    return found


def answers(model: Path, records: Records) -> Answers:
    """What the file says of images, through what the judge uses; NaN where it declines."""
    network = StudentNetwork(model, StudentSettings(model=str(model)))
    said: list[Said] = []
    for file in records.files:
        said += network.answer([read(file)])
    declined = np.array([one.known < network.contract.known_from for one in said])

    def kept(values: Any) -> Any:
        array = np.array(values, np.float64)
        array[declined] = np.nan
        return array

    return Answers(
        kept([one.eligible for one in said]),
        kept([one.yes for one in said]),
        kept([one.major for one in said]),
    )
