"""The usual arrangement scores above the unusual one, within the valid band, and the row says which pair."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from physgauge import wire
from physgauge.clients.boxes import BoxRecord, PartBox
from physgauge.config import LoadedProfile, check, load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.rules_kernel import load_pack
from physgauge.rules_kernel.layout import LayoutModel
from physgauge.train.part_layout.fit import Layouts, fit
from physgauge.types import VIEWS

CAR: Sequence[tuple[str, tuple[float, ...]]] = (  # a sedan from the side
    ("wheel", (60, 190, 110, 240)), ("wheel", (230, 190, 280, 240)), ("bonnet", (20, 140, 100, 170)),
    ("windshield", (95, 100, 135, 140)), ("roof", (120, 90, 230, 105)), ("door", (120, 140, 175, 215)),
    ("door", (175, 140, 230, 215)), ("side_window", (125, 105, 175, 140)),
    ("side_window", (178, 105, 228, 140)), ("fender", (60, 150, 118, 200)),
    ("bumper", (10, 190, 40, 215)),
)  # fmt: skip


def record(moved: float = 0.0) -> BoxRecord:
    """The sedan; its bonnet `moved` px to the right."""
    boxes = [
        PartBox(
            label=f"car.{name}",
            box=[x + moved * (name == "bonnet" and k % 2 == 0) for k, x in enumerate(box)],
        )
        for name, box in CAR
    ]
    return BoxRecord(
        image_id="a", width=320, height=320, caption="a sedan", domain="car", view="side", boxes=boxes
    )  # fmt: skip


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fitted on sedans that differ by a few px."""
    rng = np.random.default_rng(5)
    pictures, components = 900, load_pack("car").components[:-1]
    boxes = np.array([box for _, box in CAR], np.float32)
    jitter = rng.normal(0, 2, (pictures, *boxes.shape)).astype(np.float32)
    layouts = Layouts(
        (boxes + jitter).reshape(-1, 4),
        np.tile(np.array([components.index(name) for name, _ in CAR], np.int16), pictures),
        np.arange(pictures + 1, dtype=np.int64) * len(CAR),
        np.full(pictures, VIEWS.index("side"), np.int8),
    )
    path = tmp_path_factory.mktemp("layout") / "car.npz"
    fit(layouts, components, VIEWS, gaussians=2, seed=1).save(path)
    return path


def profile(layouts: dict[str, str]) -> LoadedProfile:
    loaded = load_profile("tiny")
    return msgspec.structs.replace(
        loaded, profile=msgspec.structs.replace(loaded.profile, layouts=layouts)
    )


def score(layouts: dict[str, str], *records: BoxRecord, pack: str = "car") -> list[wire.Row]:
    options = Options(threads=1, packs=(pack,))
    with Pipeline(profile(layouts), options, detect=False) as pipeline:
        return list(pipeline.score_boxes(records, "test"))


def pcmde(row: wire.Row) -> wire.Pcmde:
    assert row.pcmde is not None
    return row.pcmde


def test_unusual_scores_less_but_stays_valid(model_file: Path) -> None:
    usual, odd = map(pcmde, score({"car": str(model_file)}, record(), record(moved=30)))
    assert usual.s_rules == odd.s_rules == 100
    assert usual.s_llm is not None
    assert odd.s_llm is not None
    assert 86 <= odd.s_llm < 92 < usual.s_llm <= 100
    assert odd.explanation is not None
    assert usual.explanation is not None
    assert "Unusual: a bonnet beside" in odd.explanation or "beside the bonnet" in odd.explanation
    assert "Unusual" not in usual.explanation
    assert odd.diagnostics.spatial == []
    assert "2. Are the spatial relations right for the type? Yes." in odd.explanation


def test_without_a_model_nothing_is_unusual(model_file: Path) -> None:
    usual, odd = score({}, record(), record(moved=30))
    assert pcmde(usual).s_llm == pcmde(odd).s_llm
    assert "Unusual" not in str(pcmde(odd).explanation)
    assert odd.provenance.models == {}
    (row,) = score({"car": str(model_file)}, record(moved=30))
    assert list(row.provenance.models) == ["layout_car"]


def test_published_packs_know_no_layout(model_file: Path) -> None:
    (plain,) = score({}, record(moved=30), pack="car@paper")
    (row,) = score({"car": str(model_file)}, record(moved=30), pack="car@paper")
    assert row.pcmde == plain.pcmde
    assert row.provenance.models == {}


def test_probabilities_hold_for_new_pictures(model_file: Path) -> None:
    """One in ten faultless pictures is as strange as one in ten."""
    from physgauge.rules_kernel.layout import usual

    rng = np.random.default_rng(6)
    model = LayoutModel.load(model_file)
    boxes = np.array([box for _, box in CAR], np.float32)
    label = np.array([model.components.index(name) for name, _ in CAR], np.int16)
    new = (boxes + rng.normal(0, 2, (800, *boxes.shape))).astype(np.float32)
    offsets = np.arange(801, dtype=np.int64) * len(CAR)
    view = np.full(800, VIEWS.index("side"), np.int8)
    p = np.exp(usual(model, new.reshape(-1, 4), np.tile(label, 800), offsets, view).log_p)
    assert 0.05 < (p <= 0.1).mean() < 0.17
    assert 0.40 < (p <= 0.5).mean() < 0.60


def test_rarer_than_was_seen_goes_on_along_the_assumed_slope(model_file: Path) -> None:
    """225 pictures say nothing of 1 in 1,000: the tables' first values are below all that was seen."""
    from physgauge.rules_kernel.layout.loops import BEYOND_IMAGE, BEYOND_PAIR

    model = LayoutModel.load(model_file)
    step = np.diff(model.log_tail[:2])
    np.testing.assert_allclose(
        np.diff(model.pair_tail[:, :2])[:, 0], step[0] / BEYOND_PAIR, rtol=1e-3
    )
    side = model.image_tail[VIEWS.index("side"), :2]
    np.testing.assert_allclose(np.diff(side), step / BEYOND_IMAGE, rtol=1e-3)


def test_layouts_of_no_domain_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"layouts: expected a domain of .*car.*, got 'cars'"):
        check(profile({"cars": "car.npz"}).profile, "p")


def test_wrong_models_are_refused(model_file: Path, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"layouts\.car: .*missing\.npz cannot be read"):
        score({"car": str(tmp_path / "missing.npz")}, record())
    with pytest.raises(
        ConfigError, match=r"layouts\.animal: expected components of the pack animal"
    ):
        score({"animal": str(model_file)}, record())
    (tmp_path / "text.npz").write_text("no model")
    with pytest.raises(ConfigError, match=r"layouts\.car: .*expected a layout model"):
        score({"car": str(tmp_path / "text.npz")}, record())
