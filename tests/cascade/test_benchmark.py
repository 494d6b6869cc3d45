"""The cascade's benchmark: other pairs than those it is fitted on, and figures that add up."""

from __future__ import annotations

from pathlib import Path

from benchmarks.cascade import Seen, cascade, result, sets
from physgauge import wire
from physgauge.config import load_profile
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.evaluate.cascade_fit import Fit
from tests.selftest.shared import truth, written

FIT = Fit(Bands(0.6, 0.2, 0.9), 400, 380, 1, 0.009, 100, {}, {})


def said(low: float, mode: str) -> wire.TerraVis:
    eligible = wire.Eligible(answer=True, outcome="answered")
    return wire.TerraVis(status="ok", mode=mode, low=low, high=low, score=low, eligible=eligible)


def test_pairs_are_fitted_on_or_tried_on(tmp_path: Path) -> None:
    folder = written(tmp_path / "set", truth(8, 3))
    one, two = sets(folder, None)
    assert {p.pair for p in one.pictures} & {p.pair for p in two.pictures} <= {None}
    assert not {p.image_id for p in one.pictures} & {p.image_id for p in two.pictures}
    assert len(one.pictures) + len(two.pictures) == 19
    assert (one.pairs, two.pairs) == (4, 4)
    assert sets(folder, folder)[0].pictures == sets(folder, folder)[1].pictures


def test_figures() -> None:
    both = Seen(
        [said(1.0, "cascade:first"), said(0.3, "cascade:second"), said(0.3, "cascade:first")],
        [],
        1.5,
    )
    single = Seen([said(1.0, "x"), said(0.3, "x"), said(0.9, "x")], [], 6.0)
    made = result(both, single, FIT, 0.6)
    assert made["disagreement"] == 0.33333
    assert made["share"] == 0.3333
    assert made["images_per_s"] == 2.0
    assert made["ratio"] == 4.0
    assert made["promise"] == {"bound": 0.009, "images": 380, "second_share": 0.25}


def test_the_cascade_is_the_seconds_profile_with_the_first_before_it() -> None:
    tiny = load_profile("onepass-tiny")
    made = cascade(tiny, tiny, FIT).profile
    assert made.cascade is not None
    assert made.judge == tiny.profile.judge
    assert made.cascade.first.onepass["model"] == "tiny:smolvlm"
    assert (made.cascade.low, made.cascade.gate, made.cascade.high) == (0.2, 0.6, 0.9)
    assert made.observers == []
