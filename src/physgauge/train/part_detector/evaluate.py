"""An ONNX detector against a data set: what the training loop, the benchmark and the card report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from physgauge.ensemble.detect import OnnxDetector
from physgauge.rules_kernel.fusion import nms
from physgauge.train.part_detector import metrics
from physgauge.train.part_detector.records import NONE_DOMAIN, Sample
from physgauge.types import F32, PART_CLASSES

MIN_SIZE_PX = 10.0
"""Parts smaller than this are ignore regions."""
FLOOR = 0.02
"""Detections below this score are not judged."""


@dataclass(frozen=True)
class Judged:
    """Everything a report needs; N images."""

    by_area: list[metrics.ClassCurve]
    """Per class, parts with sqrt(area) >= 10 px."""
    by_side: list[metrics.ClassCurve]
    """Per class, parts whose shorter side is >= 10 px."""
    every: list[metrics.ClassCurve]
    """Per class, parts of every size."""
    domain: NDArray[np.int64]
    """[N] true domain index (NONE_DOMAIN for none)."""
    domain_p: F32
    """[N, D+1]."""
    view: NDArray[np.int64]
    """[N] true view, 0 unknown."""
    view_p: F32
    """[N, V]."""
    best: F32
    """[N, C] best score of each class in the image; 0 where none was found."""

    def accepted(self, least: float) -> NDArray[np.int64]:
        """[N] the domain that the image is taken for: none unless a domain reaches `least`."""
        best = self.domain_p[:, :-1].argmax(1)
        sure = self.domain_p[np.arange(len(best)), best] >= least
        return np.where(sure, best, NONE_DOMAIN)

    def domain_accuracy(self, least: float) -> float:
        """Share of images with the right domain or the right rejection."""
        return float((self.accepted(least) == self.domain).mean())

    def view_accuracy(self) -> float:
        """Share of images of known view whose view is right."""
        known = self.view > 0
        return (
            float((self.view_p.argmax(1) == self.view)[known].mean())
            if known.any()
            else float("nan")
        )


def judge(
    detector: OnnxDetector, samples: Sequence[Sample], nms_iou: float, batch: int = 8
) -> Judged:
    """Run a detector of our 30 classes over samples and judge what it finds."""
    found: list[metrics.Found] = []
    domain_p, view_p, best = [], [], []
    for start in range(0, len(samples), batch):
        images = [pixels(s) for s in samples[start : start + batch]]
        d = detector.detect(images, min_score=FLOOR)
        b = d.boxes
        keep = nms(b.xyxy, b.score, b.label, b.offsets, nms_iou)
        for i in range(len(images)):
            rows = np.flatnonzero(keep[b.of(i)]) + b.offsets[i]
            best.append(_best(b.label[rows], b.score[rows]))
            found.append(metrics.Found(b.xyxy[rows], b.score[rows], b.label[rows].astype(np.int64)))
        domain_p.append(d.domain_p)
        view_p.append(d.view_p)
    return Judged(
        by_area=metrics.curves(
            [truth_of(s) for s in samples], found, len(PART_CLASSES), MIN_SIZE_PX
        ),
        by_side=metrics.curves(
            [truth_of(s, True) for s in samples], found, len(PART_CLASSES), MIN_SIZE_PX
        ),
        every=metrics.curves([truth_of(s, least=0) for s in samples], found, len(PART_CLASSES), 0),
        domain=np.array([s.domain for s in samples]),
        domain_p=np.concatenate(domain_p),
        view=np.array([s.view for s in samples]),
        view_p=np.concatenate(view_p),
        best=np.stack(best),
    )


def _best(label: NDArray[np.int16], score: F32) -> F32:
    best = np.zeros(len(PART_CLASSES), np.float32)
    np.maximum.at(best, label, score)
    return best


def pixels(sample: Sample) -> NDArray[np.uint8]:
    """The image of a sample, [H, W, 3]."""
    with Image.open(sample.path) as file:
        return np.asarray(file.convert("RGB"))


def truth_of(sample: Sample, by_side: bool = False, least: float = MIN_SIZE_PX) -> metrics.Truth:
    """Truth with parts under `least` px (sqrt of area, or shorter side) ignored."""
    sides = sample.xyxy[:, 2:] - sample.xyxy[:, :2]
    size = sides.min(1, initial=np.inf) if by_side else np.sqrt(sides.prod(1))
    return metrics.Truth(sample.xyxy, sample.label, np.asarray(size < least, np.bool_))


def summary(judged: Judged, min_domain_p: float, threshold: float = 0.5) -> dict[str, float]:
    """The figures in one line."""
    at = [c.at(threshold) for c in judged.by_area if c.truths]
    return {
        "map50": metrics.mean_ap(judged.by_area),
        "map50_shorter_side": metrics.mean_ap(judged.by_side),
        "precision": _mean([p for p, _ in at if not np.isnan(p)]),
        "recall": _mean([r for _, r in at]),
        "domain_accuracy": judged.domain_accuracy(min_domain_p),
        "view_accuracy": judged.view_accuracy(),
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def per_class(judged: Judged, threshold: float = 0.5) -> list[dict[str, float | str | int]]:
    """One row a class: name, truths, AP, precision and recall at the threshold, best threshold."""
    rows: list[dict[str, float | str | int]] = []
    for name, curve in zip(PART_CLASSES, judged.by_area, strict=True):
        precision, recall = curve.at(threshold)
        rows.append(
            {
                "class": name, "truths": curve.truths, "ap50": curve.average_precision(),
                "precision": precision, "recall": recall, "best_threshold": curve.best_threshold(),
            }
        )  # fmt: skip
    return rows


def table(judged: Judged, threshold: float = 0.5) -> str:
    """The per-class figures as a Markdown table."""
    lines = [
        "| class | parts | AP50 | precision | recall | best threshold |",
        "|---|---|---|---|---|---|",
    ]
    for row in per_class(judged, threshold):
        figures = [row["ap50"], row["precision"], row["recall"], row["best_threshold"]]
        cells = " | ".join(f"{value:.3f}" for value in figures)
        lines.append(f"| {row['class']} | {row['truths']} | {cells} |")
    return "\n".join(lines)
