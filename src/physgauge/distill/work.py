"""The whole of `physgauge distill`: rows -> training -> file -> report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from physgauge.distill.backbones import make_student
from physgauge.distill.order import Order
from physgauge.distill.report import write_report
from physgauge.distill.rows import Taught, read_taught
from physgauge.ensemble.judge.student.network import Said, StudentNetwork
from physgauge.ensemble.judge.student.settings import StudentSettings
from physgauge.errors import ConfigError
from physgauge.train.part_detector.parallel import launch
from physgauge.train.student.cache import pixels, read
from physgauge.train.student.finish import Asked, finish
from physgauge.train.student.loop import Data, Run, Work
from physgauge.train.student.metrics import Answers
from physgauge.train.student.records import Records

LEAST = 24
"""Images without which nothing can be trained, calibrated and reported."""


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
    return write_report(
        order, taught, parts.held_out, answers(order.output, parts.held_out), figures
    )


def _probe_set(taught: Taught) -> dict[str, Any]:
    """Of "name-version-hash", as rows call it."""
    name, _, rest = taught.probe_versions[0].rpartition("-")[0].rpartition("-")
    return {"name": name or "unknown", "version": rest or "unknown"}


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
