"""Pictures of several subjects: whose each part is, what the caption says, where they stand."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.scenes.dataset import Order, make
from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.specifications.load import load_specification
from physgauge.ensemble.subjects.told import Told
from physgauge.errors import ConfigError
from physgauge.types import DOMAINS

COUNT = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("several") / "one"
    make(Order("all", COUNT, 7, out, size=192, workers=1, subjects=3), quiet=True)
    return out


def rows(folder: Path) -> list[dict[str, Any]]:
    return list(pq.read_table(folder / "truth.parquet").to_pylist())


def test_same_seed_same_bytes_whatever_workers(made: Path, tmp_path: Path) -> None:
    make(Order("all", 4, 7, tmp_path / "x", size=192, workers=2, subjects=3), quiet=True)
    for i in range(4):
        name = f"images/{i:06d}.jpg"
        assert (tmp_path / "x" / name).read_bytes() == (made / name).read_bytes()
    assert rows(tmp_path / "x") == rows(made)[:4]


def test_every_part_is_a_subjects_and_at_most_one_is_violated(made: Path) -> None:
    seen_mixed = seen_violated = False
    for row in rows(made):
        subjects = row["subjects"]
        assert 2 <= len(subjects) <= 3
        assert {p["subject"] for p in row["parts"]} == set(range(len(subjects)))
        violated = [k for k, s in enumerate(subjects) if s["violated"]]
        assert len(violated) == row["violated"]
        for part in row["parts"]:
            own = subjects[part["subject"]]["domain"]
            assert part["planted"] or part["cls"].startswith(own)
            assert not part["planted"] or [part["subject"]] == violated
        seen_violated |= bool(violated)
        seen_mixed |= len({s["domain"] for s in subjects}) > 1
    assert seen_mixed
    assert seen_violated


def test_apart_means_that_boxes_leave_a_gap(made: Path) -> None:
    checked = 0
    for row in rows(made):
        if row["arrangement"] != "apart":
            continue
        hulls = []
        for k in range(len(row["subjects"])):
            own = [p for p in row["parts"] if p["subject"] == k]
            box = np.array([[p[s] for s in ("x0", "y0", "x1", "y1")] for p in own])
            hulls.append((*box[:, :2].min(0), *box[:, 2:].max(0)))
        for (ax0, ay0, ax1, ay1), (bx0, by0, _, by1) in pairwise(hulls):
            assert bx0 > ax1 or by0 > ay1 or ay0 > by1
            checked += 1
            assert ax0 <= bx0
    assert checked


def test_captions_name_the_subjects(made: Path) -> None:
    parser = CaptionParser([load_specification(domain) for domain in DOMAINS])
    for row in rows(made):
        for domain in DOMAINS:
            number = sum(s["domain"] == domain for s in row["subjects"])
            told = Told.of(parser.parse(row["caption"], domain))
            assert (told.number or 0) == number, row["caption"]


def test_what_cannot_be_made_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--subjects: expected 1 to 3, got 4"):
        Order("all", 1, 1, tmp_path / "x", subjects=4).check()
    with pytest.raises(ConfigError, match="expected a domain that has subjects"):
        Order("none", 1, 1, tmp_path / "x", subjects=2).check()
