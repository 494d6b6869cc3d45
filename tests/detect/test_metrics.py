"""Average precision against COCO's own code, and the pieces by hand."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

from physgauge.train.part_detector import metrics
from physgauge.train.part_detector.metrics import ClassCurve, Found, Truth

CLASSES = 3


def scene(rng: np.random.Generator) -> tuple[Truth, Found]:
    """Random truth, and detections that are jittered, missed, doubled or made up."""
    n = int(rng.integers(0, 8))
    corner = rng.uniform(0, 200, (n, 2))
    boxes = np.hstack([corner, corner + rng.uniform(4, 60, (n, 2))]).astype(np.float32)
    label = rng.integers(0, CLASSES, n)
    small = np.sqrt((boxes[:, 2:] - boxes[:, :2]).prod(1)) < 10
    again = rng.integers(0, max(n, 1), int(rng.integers(0, 12)) if n else 0)
    jittered = boxes[again] + rng.normal(0, 2, (len(again), 4)).astype(np.float32)
    start = rng.uniform(0, 200, (3, 2))
    made_up = np.hstack([start, start + rng.uniform(3, 40, (3, 2))]).astype(np.float32)
    xyxy = np.concatenate([jittered, made_up])
    xyxy[:, 2:] = np.maximum(xyxy[:, 2:], xyxy[:, :2] + 1)
    labels = np.concatenate([label[again], rng.integers(0, CLASSES, 3)])
    score = rng.permutation(np.linspace(0.05, 0.95, len(xyxy))).astype(np.float32)
    return Truth(boxes, label, small), Found(xyxy, score, labels)


def test_average_precision_is_coco_s() -> None:
    coco_api = pytest.importorskip("pycocotools.coco", reason="pycocotools is in the extra eval")
    from pycocotools.cocoeval import COCOeval

    rng = np.random.default_rng(5)
    scenes = [scene(rng) for _ in range(40)]
    ours = metrics.mean_ap(
        metrics.curves([t for t, _ in scenes], [f for _, f in scenes], CLASSES, 10)
    )
    truth: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for image, (t, f) in enumerate(scenes, 1):
        for box, label in zip(t.xyxy.tolist(), t.label.tolist(), strict=True):
            w, h = box[2] - box[0], box[3] - box[1]
            truth.append({"id": len(truth) + 1, "image_id": image, "category_id": label + 1, "iscrowd": 0,
                          "bbox": [box[0], box[1], w, h], "area": w * h})  # fmt: skip
        for box, label, score in zip(
            f.xyxy.tolist(), f.label.tolist(), f.score.tolist(), strict=True
        ):
            found.append({"image_id": image, "category_id": label + 1, "score": score,
                          "bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]]})  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        coco = coco_api.COCO()
        coco.dataset = {
            "info": {}, "images": [{"id": i} for i in range(1, 41)], "annotations": truth,
            "categories": [{"id": i + 1} for i in range(CLASSES)],
        }  # fmt: skip
        coco.createIndex()
        judge = COCOeval(coco, coco.loadRes(found), "bbox")
        judge.params.iouThrs = np.array([0.5])
        judge.params.areaRng, judge.params.areaRngLbl = [[100.0, 1e10]], ["all"]
        judge.evaluate()
        judge.accumulate()
    assert ours == pytest.approx(float(judge.eval["precision"][0, :, :, 0, -1].mean()), abs=1e-9)
    assert 0.2 < ours < 0.9, "the comparison must have something to compare"


def curve(scores: list[float], right: list[bool], truths: int) -> ClassCurve:
    return ClassCurve(scores, right, truths)


def test_precision_and_recall_at_a_threshold() -> None:
    c = curve([0.9, 0.8, 0.6, 0.3], [True, False, True, True], 5)
    assert c.at(0.5) == pytest.approx((2 / 3, 2 / 5))
    assert np.isnan(c.at(0.95)[0])


def test_best_threshold_is_between_the_last_kept_and_the_next() -> None:
    c = curve([0.9, 0.8, 0.4, 0.3], [True, True, False, False], 2)
    assert c.best_threshold() == pytest.approx(0.6)


def test_best_threshold_keeps_or_drops_ties_together() -> None:
    # Dropping the ties gives F1 = 2/4; keeping all three 2 * 3 / 7; keeping only the first is no choice.
    c = curve([0.9, 0.5, 0.5, 0.5], [True, True, True, False], 3)
    assert c.best_threshold() == pytest.approx(0.25)


def test_a_detection_on_ignored_truth_is_neither_right_nor_wrong() -> None:
    box = np.array([[0, 0, 20, 20]], np.float32)
    truth = Truth(box, np.array([0]), np.array([True]))
    judged = metrics.curves(
        [truth], [Found(box, np.array([0.9], np.float32), np.array([0]))], 1, 10
    )
    assert judged[0].score == []
    assert judged[0].truths == 0
