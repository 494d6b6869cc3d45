"""The example pictures through the whole pipeline: the same rows whatever the batch, the workers and the
threads, and the same outcomes for a mirrored or doubled picture."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from physgauge import wire
from physgauge.config import LoadedProfile, load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import U8, Item

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"


def captions() -> dict[str, str]:
    with (EXAMPLES / "captions.csv").open(encoding="utf-8", newline="") as file:
        return {line["file"]: line["caption"] for line in csv.DictReader(file)}


CAPTIONS = captions()
NAMES = sorted(CAPTIONS)


def pixels(name: str) -> U8:
    with Image.open(EXAMPLES / name) as image:
        return np.asarray(image.convert("RGB"))


def npy(rgb: U8) -> bytes:
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(rgb))
    return out.getvalue()


def item(name: str, data: bytes | None = None) -> Item:
    data = (EXAMPLES / name).read_bytes() if data is None else data
    return Item(name, data, name, CAPTIONS[name])


def profile(batch: int) -> LoadedProfile:
    loaded = load_profile("tiny")
    run = msgspec.structs.replace(loaded.profile.run, batch_size=batch)
    return msgspec.structs.replace(loaded, profile=msgspec.structs.replace(loaded.profile, run=run))


def score(items: list[Item], batch: int = 8, workers: int = 1, threads: int = 1) -> list[wire.Row]:
    with Pipeline(profile(batch), Options(workers=workers, threads=threads)) as pipeline:
        rows = [scored.row for scored in pipeline.score(items)]
    return [msgspec.structs.replace(row, cost=wire.Cost()) for row in rows]


@pytest.fixture(scope="module")
def rows() -> list[wire.Row]:
    return score([item(name) for name in NAMES])


def test_examples_have_verdicts_of_their_domain(rows: list[wire.Row]) -> None:
    assert [row.image_id for row in rows] == NAMES
    judged = [row for row in rows if row.pcmde.status == "ok"]
    # The detector may say that it sees too little; it must not take a car for an aircraft.
    assert len(judged) >= 22
    for row in judged:
        assert row.pcmde.domain == row.image_id.partition("_")[0]
        assert row.pcmde.verdict in ("PASS", "FAIL")
        assert row.pcmde.s_final is not None
        assert row.detections
    for row in rows:
        if row.pcmde.status != "ok":
            assert row.pcmde.status == "not_applicable"
            assert row.pcmde.reason
            assert row.pcmde.s_final is None


@pytest.mark.parametrize(("batch", "workers", "threads"), [(1, 1, 1), (5, 2, 2), (24, 3, 1)])
def test_batch_workers_and_threads_change_nothing(
    rows: list[wire.Row], batch: int, workers: int, threads: int
) -> None:
    assert score([item(name) for name in NAMES], batch, workers, threads) == rows


def outcomes(row: wire.Row) -> dict[str, str]:
    return {rule.id: rule.status for rule in row.pcmde.rules}


def test_mirrored_pictures_have_the_same_outcomes() -> None:
    plain = [npy(pixels(name)) for name in NAMES]
    mirrored = [npy(pixels(name)[:, ::-1]) for name in NAMES]
    there = score([item(n, d) for n, d in zip(NAMES, plain, strict=True)])
    back = score([item(n, d) for n, d in zip(NAMES, mirrored, strict=True)])
    for one, other in zip(there, back, strict=True):
        assert outcomes(one) == outcomes(other), one.image_id
        assert one.pcmde.s_final == pytest.approx(other.pcmde.s_final, abs=0.1)


def test_doubled_pictures_have_the_same_outcomes() -> None:
    plain = [npy(pixels(name)) for name in NAMES]
    doubled = [npy(pixels(name).repeat(2, axis=0).repeat(2, axis=1)) for name in NAMES]
    there = score([item(n, d) for n, d in zip(NAMES, plain, strict=True)])
    back = score([item(n, d) for n, d in zip(NAMES, doubled, strict=True)])
    for one, other in zip(there, back, strict=True):
        assert outcomes(one) == outcomes(other), one.image_id
        assert one.pcmde.s_final == pytest.approx(other.pcmde.s_final, abs=0.1)
