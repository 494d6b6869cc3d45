"""Pair sets are read, twins meet in batches, the loss falls, and a run goes on where it stopped."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from physgauge.errors import ConfigError
from physgauge.train.part_detector.dataset import Share
from physgauge.train.student import augment, draws
from physgauge.train.student.answering import Logits, sigmoid
from physgauge.train.student.calibrate import LEAST_SCALE, fit
from physgauge.train.student.layout import probe_ids
from physgauge.train.student.loading import Pairs
from physgauge.train.student.loop import Run
from physgauge.train.student.loss import LossConfig, losses
from physgauge.train.student.metrics import auroc, pairs_of, reliability
from physgauge.train.student.model import Raw, area_weights
from physgauge.train.student.records import read_pairs
from tests.student.conftest import CONFIG, STEPS

LETTERING = probe_ids().index("symbolic_content")


def test_a_pair_set_is_read(pairs: Path) -> None:
    records = read_pairs([pairs, pairs], probe_ids())
    t = records.targets
    assert len(records) == 2 * 84
    assert len(np.unique(records.pair[records.pair >= 0])) == 72  # the same numbers, other folders
    violated, clean = pairs_of(records).T
    assert (t.yes[violated].sum(1) == 1).all()
    assert (t.yes[clean] == 0).all()
    assert (t.about[violated] == t.about[clean]).all()
    assert t.where[violated].any((1, 2)).all()
    assert not t.where[clean].any()
    other = t.eligible == 0
    assert np.isnan(t.yes[other]).all()
    assert (t.family[other] >= 0).all()
    assert not np.isnan(t.major[violated, t.about[violated]]).any()
    assert np.isnan(t.major[clean]).all()


def test_parts_keep_twins_together(pairs: Path) -> None:
    kept, aside = read_pairs([pairs], probe_ids()).parted(0.3, seed=0)
    assert not set(kept.pair[kept.pair >= 0]) & set(aside.pair[aside.pair >= 0])
    assert len(kept) + len(aside) == 84
    assert 10 < len(aside) < 45


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pair_category": ["weather"]}, "pair_category: expected a known one, got 'weather'"),
        ({"family": ["map"], "eligible": [False]}, "family: expected a known one, got 'map'"),
        ({"mask": None}, "expected the columns of a pair set, got none of the name 'mask'"),
    ],
)  # fmt: skip
def test_a_wrong_set_says_what_is_wrong(
    pairs: Path, tmp_path: Path, change: dict[str, list[object] | None], message: str
) -> None:
    table = pq.read_table(pairs / "truth.parquet").slice(0, 1)
    for name, values in change.items():
        at = table.column_names.index(name)
        table = table.remove_column(at)
        if values is not None:
            table = table.append_column(name, pa.array(values))
    pq.write_table(table, tmp_path / "truth.parquet")
    with pytest.raises(ConfigError, match=message):
        read_pairs([tmp_path], probe_ids())
    with pytest.raises(ConfigError, match=r"expected a pair set with truth.parquet, got none"):
        read_pairs([tmp_path / "nothing"], probe_ids())


def test_twins_meet_in_every_batch_and_get_one_view(loaded: Pairs) -> None:
    data = loaded()[0]
    drawn = draws.Draws(data.pixels, data.records, 5, 0.0, LETTERING, 320)
    one = next(iter(draws.batches(drawn, Share(16), 0, 1, 0)))
    again = next(iter(draws.batches(drawn, Share(16), 0, 1, 0)))
    assert torch.equal(one.images, again.images)
    assert len(one.images) == 16
    assert len(one.twins) >= 3
    for violated, clean in one.twins.tolist():
        assert one.about[violated] == one.about[clean] >= 0
        category = int(one.about[violated])
        if not one.yes[violated, category].isnan():
            assert one.yes[violated, category] == 1
            assert one.yes[clean, category] == 0
        # The same window and the same colours: they differ where the violation is, and hardly elsewhere.
        mask = one.where[violated].repeat_interleave(20, 0).repeat_interleave(20, 1) > 0
        apart = (one.images[violated].int() - one.images[clean].int()).abs().sum(2)
        assert apart[mask].float().mean() > 60
        assert apart[~mask].float().mean() < 12
    seen = {int(i) for k in range(drawn.count) for i in drawn.unit(k)}
    assert seen == set(range(len(data.records)))  # an epoch shows every image


def test_worker_processes_map_the_pixels_again(loaded: Pairs) -> None:
    data = loaded()[0]
    assert isinstance(data.pixels, np.memmap)
    drawn = draws.Draws(data.pixels, data.records, 5, 0.0, LETTERING, 320)
    sent = pickle.dumps(drawn)
    assert len(sent) < data.pixels.nbytes / 10
    images, again = drawn[3][0], pickle.loads(sent)[3][0]
    assert all(np.array_equal(a, b) for a, b in zip(images, again, strict=True))


def test_lettering_is_never_learned_from_a_mirror(loaded: Pairs) -> None:
    data = loaded()[0]
    drawn = draws.Draws(data.pixels, data.records, 6, 1.0, LETTERING, 320)
    hidden = total = 0
    for k in range(drawn.count):
        _, targets, _ = drawn[k]
        for i in range(2):
            eligible = targets.eligible[i] == 1
            if targets.about[i] == LETTERING:
                assert not np.isnan(targets.yes[i, LETTERING])
            elif eligible:
                hidden += bool(np.isnan(targets.yes[i, LETTERING]))
                total += 1
    assert 0.3 < hidden / total < 0.7


def test_a_window_moves_the_mask_with_the_picture() -> None:
    image = np.zeros((320, 320, 3), np.uint8)
    image[200:240, 60:100] = 255
    mask = np.zeros((16, 16), np.uint8)
    mask[10:12, 3:5] = 255
    view = augment.View(flip=True, window=(0.0, 0.2, 0.8, 1.0), colours=None)
    moved, where = view.pixels(image, 320), view.where(mask)
    light = moved[..., 0].reshape(16, 20, 16, 20).mean((1, 3))
    assert np.abs(light - where).max() < 40
    assert where.argmax() // 16 == int((220 / 320 - 0.2) / 0.8 * 16)


def test_a_crop_never_loses_a_violation() -> None:
    mask = np.zeros((16, 16), np.uint8)
    mask[:, 15] = 255
    rng = np.random.default_rng(0)
    windows = [augment.draw(rng, mask, 0.0).window for _ in range(300)]
    assert all(w is None or w[2] > 0.95 for w in windows)
    assert any(w is not None for w in windows)


def test_a_close_look_is_as_large_as_at_inference_and_knows_what_it_shows(loaded: Pairs) -> None:
    data = loaded()[0]
    drawn = draws.Draws(data.pixels, data.records, 5, 0.0, None, 160, close=1.0)
    shown = lost = 0
    for k in range(2 * drawn.count):
        images, targets, twins = drawn[k]
        assert all(image.shape == (160, 160, 3) for image in images)
        violated = bool((np.nan_to_num(targets.yes[0]) >= 0.5).any())
        placed = bool(data.records.targets.where[drawn.unit(k)[0]].any())
        if not placed or targets.about[0] < 0:
            continue
        shown, lost = shown + violated, lost + (not violated)
        assert twins == violated == bool(targets.where[0].any())
        # Out of view, both twins are clean, and look alike.
        if not violated:
            assert not np.isnan(targets.yes[0]).any()
            assert np.isnan(targets.major[0]).all()
            assert np.abs(images[0].astype(int) - images[1]).mean() < 12
    assert shown > 3 * lost > 0
    rng, mask = np.random.default_rng(0), np.zeros((16, 16), np.uint8)
    mask[3, 12] = 255
    views = [augment.draw(rng, mask, 0.0, 1.0, 0.5) for _ in range(300)]
    sides = [v.window[2] - v.window[0] for v in views if v.window is not None]
    assert 0.35 < min(sides) < 0.4
    assert 0.65 < max(sides) < 0.72
    assert all(v.shows(mask) <= augment.LOST or v.shows(mask) >= augment.KEPT for v in views)


def test_area_weights_average() -> None:
    weights = area_weights(20, 16)
    assert torch.allclose(weights.sum(1), torch.ones(16))
    assert torch.allclose(weights[0, :3], torch.tensor([0.8, 0.2, 0.0]))
    assert torch.allclose(area_weights(16, 16), torch.eye(16))


def test_what_is_unknown_costs_nothing(loaded: Pairs) -> None:
    data = loaded()[0]
    drawn = draws.Draws(data.pixels, data.records, 5, 1.0, None, 320)
    batch = next(iter(draws.batches(drawn, Share(36), 0, 1, 0)))
    blank = replace(
        batch,
        eligible=torch.full_like(batch.eligible, float("nan")),
        yes=torch.full_like(batch.yes, float("nan")),
        major=torch.full_like(batch.major, float("nan")),
        family=torch.full_like(batch.family, -1),
        twins=batch.twins[:0],
    )
    leaves = [
        torch.randn(shape, requires_grad=True)
        for shape in ((36,), (36, 18), (36, 18), (36, 18, 16, 16), (36, 6))
    ]
    eligible, yes, major, where, family = leaves
    raw = Raw(eligible, yes, major, where, family, torch.zeros(36, 4))
    none = losses(raw, blank, LossConfig())
    assert {name: float(value.detach()) for name, value in none.items() if value != 0} == {}
    total = torch.stack(list(losses(raw, batch, LossConfig()).values())).sum()
    torch.autograd.backward([total])
    assert all(leaf.grad is not None and float(leaf.grad.abs().sum()) > 0 for leaf in leaves)


def test_the_loss_falls(trained: Run, loaded: Pairs) -> None:
    data = loaded()[0]
    drawn = draws.Draws(data.pixels, data.records, 9, 1.0, None, 320)
    batch = next(iter(draws.batches(drawn, Share(24), 0, 1, 0)))

    @torch.no_grad()
    def cost(run: Run) -> float:  # by the batch's own statistics: the running ones are slow
        terms = losses(copy.deepcopy(run.net).train()(batch.images), batch, LossConfig())
        return float(torch.stack(list(terms.values())).sum())

    fresh = Run(trained.out / "fresh", CONFIG)
    assert cost(trained) < 0.8 * cost(fresh)
    assert trained.step == STEPS


def test_a_run_goes_on_where_it_stopped(
    trained: Run, loaded: Pairs, capfd: pytest.CaptureFixture[str]
) -> None:
    again = Run(trained.out, replace(CONFIG, steps=STEPS + 2))
    assert again.resume()
    assert again.step == STEPS
    again.out = trained.out / "again"
    again.out.mkdir(exist_ok=True)
    again.train(loaded()[0], loaded()[1])
    last = json.loads((again.out / "log.jsonl").read_text().splitlines()[-1])
    assert last["step"] == STEPS + 2
    assert set(last["check"]) >= {"auroc", "pair_accuracy", "eligibility", "ece"}
    (again.out / "last.pt").write_bytes(b"nothing")
    with pytest.raises(ConfigError, match="expected a checkpoint of this network"):
        again.resume()
    torch.save({"mean": {"x": torch.zeros(1)}}, again.out / "other.pt")
    with pytest.raises(ConfigError, match="expected weights that fit this network, got none"):
        again.begin_with(again.out / "other.pt")


def test_calibration_makes_shares_come_true(pairs: Path) -> None:
    rng = np.random.default_rng(0)
    records = read_pairs([pairs] * 20, probe_ids())
    t, n = records.targets, len(records)
    truth = rng.normal(-3, 1.5, (n, 18))
    t = replace(
        t,
        yes=(rng.random((n, 18)) < sigmoid(truth)).astype(np.float32),
        eligible=np.ones(n, np.float32),
    )
    raw = Logits(
        np.full(n, -4, np.float32), (4 * truth + 2).astype(np.float32), np.zeros((n, 18), np.float32),
        np.zeros((n, 6), np.float32), np.zeros((n, 18, 16, 16), np.float32), np.zeros((n, 4), np.float32),
    )  # fmt: skip
    fitted = fit(raw, t)
    assert np.allclose(fitted.yes[:, 0], 0.25, atol=0.06)
    assert reliability(fitted.answers(raw).yes, t.yes).ece < 0.01
    assert reliability(sigmoid(raw.yes), t.yes).ece > 0.03
    # A head that knows nothing says the share, and its order is never turned round.
    assert fitted.eligible[0] >= LEAST_SCALE
    assert fitted.answers(raw).eligible.mean() > 0.9


def test_auroc_and_reliability() -> None:
    assert auroc(np.array([3.0, 2, 2]), np.array([1.0, 2])) == pytest.approx(5 / 6)
    assert auroc(np.array([]), np.array([1.0])) is None
    table = reliability(np.array([0.05, 0.95, 0.95, 0.5]), np.array([0, 1, 0, np.nan]))
    assert table.count.sum() == 3
    assert table.ece == pytest.approx((0.05 + 2 * 0.45) / 3)
