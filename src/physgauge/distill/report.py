"""How a student agrees with its teacher on images that it has not learned from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physgauge.distill import plots
from physgauge.distill.order import Order
from physgauge.distill.rows import Taught
from physgauge.evaluate.bootstrap import of_pairs
from physgauge.evaluate.ranks import spearman
from physgauge.train.student.metrics import Answers, auroc, reliability
from physgauge.train.student.records import Records, Targets
from physgauge.types import F64

RESAMPLES = 500
DECIDED_FROM = 0.5
REPORT = "report.json"


def agreement(student: Answers, teacher: Targets, probes: Sequence[str]) -> dict[str, Any]:
    """Correlation, ranks, decisions and calibration, by category; correlation of the scores.

    Args:
        student: N images, NaN where it declined.
        teacher: of the same images.
        probes: names of the categories.
    """
    mine, his = scores(student, teacher)
    span = of_pairs(spearman, mine, his, RESAMPLES, 0)
    each = {
        name: heads(student.yes[:, k], teacher.yes[:, k].astype(float))
        for k, name in enumerate(probes)
    }
    return {
        "images": len(teacher),
        "declined": int(np.isnan(student.eligible).sum()),
        "eligible": heads(student.eligible, teacher.eligible.astype(float)),
        "all_categories": heads(student.yes.ravel(), teacher.yes.ravel().astype(float)),
        "per_category": each,
        "severity": heads(student.major.ravel(), teacher.major.ravel().astype(float)),
        "score": {
            "images": len(mine),
            "pearson": pearson(mine, his),
            "spearman": spearman(mine, his),
            "spearman_low": span and span.low,
            "spearman_high": span and span.high,
            "mean_apart": float(np.abs(mine - his).mean()) if len(mine) else None,
        },
    }


def heads(p: NDArray[Any], q: NDArray[Any]) -> dict[str, Any]:
    """One kind of answer: the student's probabilities against the teacher's; NaN is left out.

    `ece` is against the teacher's probabilities, `auroc` against his decisions.
    """
    known = ~np.isnan(p) & ~np.isnan(q)
    p, q = p[known].astype(float), q[known].astype(float)
    yes = q >= DECIDED_FROM
    return {
        "answers": len(p),
        "teacher_yes": int(yes.sum()),
        "pearson": pearson(p, q),
        "spearman": spearman(p, q),
        "auroc": auroc(p[yes], p[~yes]),
        "same_decision": float(((p >= DECIDED_FROM) == yes).mean()) if len(p) else None,
        "ece": reliability(p, q).ece if len(p) else None,
    }


def pearson(a: F64, b: F64) -> float | None:
    """None where one of them is constant."""
    if len(a) < 3 or np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def scores(student: Answers, teacher: Targets) -> tuple[F64, F64]:
    """Expected scores of the images that both answered whole; what the teacher did not grade counts as
    major, as in rows (docs/terravis.md)."""
    his = Answers(
        teacher.eligible.astype(float), teacher.yes.astype(float),
        np.nan_to_num(teacher.major.astype(float), nan=1.0),
    )  # fmt: skip
    whole = ~(np.isnan(student.yes).any(1) | np.isnan(his.yes).any(1) | (teacher.eligible < 0.5))
    return student.soft[whole], his.soft[whole]


def write_report(
    order: Order, taught: Taught, held_out: Records, student: Answers, figures: dict[str, Any]
) -> dict[str, Any]:
    """Agreement with the teacher on images nothing was learned from, as JSON and pictures in the run's
    folder; it comes back.

    Args:
        order: of the run.
        taught: what was learned from.
        held_out: the images.
        student: what it says of them, NaN where it declined.
        figures: of its file.
    """
    agreed = agreement(student, held_out.targets, taught.probes)
    per = {name: one["pearson"] for name, one in agreed["per_category"].items()}
    told = ~np.isnan(student.eligible)
    table = reliability(student.yes[told], held_out.targets.yes[told])
    both = scores(student, held_out.targets)
    found = {
        "student": str(order.output), "backbone": order.backbone, "teachers": list(taught.teachers),
        "probe_versions": list(taught.probe_versions), "rows_left_out": taught.left_out,
        "trained_on": len(taught.records) - len(held_out), "held_out": agreed,
        "pictures": plots.write_all(order.run, both, table, per, taught.teachers),
        "file": {k: v for k, v in figures.items() if k != "reliability"},
    }  # fmt: skip
    (order.run / REPORT).write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    return found
