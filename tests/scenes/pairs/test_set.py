"""Sets of pairs: format, balance, that nothing but the violation differs, and that draws repeat."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from scipy import ndimage

from benchmarks.scenes.__main__ import main
from benchmarks.scenes.pairs import pair as pairs
from benchmarks.scenes.pairs.dataset import Order, make_set
from benchmarks.scenes.pairs.draw import draw
from benchmarks.scenes.pairs.evidence import CHANGED, LEAST, MOST, SPILL
from benchmarks.scenes.pairs.pair import Split, make_pair
from benchmarks.scenes.pairs.pool import Pool
from benchmarks.scenes.pairs.registry import (
    BASES,
    CATEGORIES,
    FAMILIES,
    OTHERS,
    RECIPES,
    load,
    recipes_of,
)
from benchmarks.scenes.pairs.table import PAGE, filled
from benchmarks.scenes.pairs.truth import schema
from benchmarks.scenes.render import Stage
from physgauge.errors import ConfigError

SIZE = 192

Row = dict[str, Any]


@pytest.fixture(scope="module", params=["train", "held_out"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Order:
    """A pair of each of some categories, and others."""
    out = tmp_path_factory.mktemp("pairs") / request.param
    some = CATEGORIES[::3]
    order = Order(len(some), 5, out, SIZE, workers=1, split=request.param, categories=some)
    result = make_set(order, quiet=True)
    assert result["errors"] == {}
    return order


def rows(order: Order) -> list[Row]:
    found: list[Row] = pq.read_table(order.out / "truth.parquet").to_pylist()
    return found


def test_the_table_says_what_the_images_are(written: Order) -> None:
    table = rows(written)
    assert pq.read_schema(written.out / "truth.parquet").equals(schema())
    assert [row["index"] for row in table] == list(range(len(table)))
    assert sum(row["twin"] == "other" for row in table) == written.others_before(written.count) == 2
    files = sorted(path.name for path in (written.out / "images").iterdir())
    assert files == [row["file"].removeprefix("images/") for row in table]
    for row in table:
        with Image.open(written.out / row["file"]) as image:
            assert (image.format, image.size) == ("JPEG", (row["width"], row["height"]))
        assert row["width"] == SIZE
        assert row["split"] == written.split
        assert row["eligible"] is (row["twin"] != "other")
        violated = row["twin"] == "violated"
        for name in ("category", "severity", "x0", "y0", "x1", "y1", "mask"):
            assert (row[name] is not None) is violated, name
        assert (row["family"] in FAMILIES) is (row["twin"] == "other")
    assert Counter(r["category"] for r in table if r["category"]) == dict.fromkeys(
        CATEGORIES[::3], 1
    )


def test_twins_stand_next_to_each_other_and_share_what_they_share(written: Order) -> None:
    table = [row for row in rows(written) if row["twin"] != "other"]
    for violated, clean in zip(table[::2], table[1::2], strict=True):
        assert (violated["twin"], clean["twin"]) == ("violated", "clean")
        assert clean["index"] == violated["index"] + 1
        shared = ("pair", "base", "recipe", "pair_category", "pair_severity", "style", "eligible")
        assert all(violated[k] == clean[k] for k in (*shared, "novel_base", "novel_recipe"))
        assert (violated["category"], violated["severity"]) == (
            clean["pair_category"],
            clean["pair_severity"],
        )
        files = [(written.out / row["file"]).read_bytes() for row in (violated, clean)]
        assert files[0] != files[1]
        assert clean["detail"] is None
        assert violated["detail"]


def test_boxes_and_masks_lie_on_each_other(written: Order) -> None:
    for row in rows(written):
        if row["twin"] != "violated":
            continue
        cells = np.frombuffer(row["mask"], np.uint8).reshape(16, 16)
        ys, xs = np.nonzero(cells)
        side = SIZE / 16
        assert 0 <= row["x0"] < row["x1"] <= SIZE
        assert 0 <= row["y0"] < row["y1"] <= SIZE
        assert xs.min() == row["x0"] // side
        assert ys.min() == row["y0"] // side
        assert xs.max() == (row["x1"] - 0.5) // side
        assert ys.max() == (row["y1"] - 0.5) // side


def test_splits_keep_held_out_things_apart(written: Order) -> None:
    for row in rows(written):
        if row["twin"] == "other":
            assert OTHERS[row["detail"]].held_out is (written.split == "held_out")
            assert OTHERS[row["detail"]].family == row["family"]
            continue
        assert BASES[row["base"]].held_out is (written.split == "held_out") is row["novel_base"]
        assert RECIPES[row["recipe"]].held_out is row["novel_recipe"]
        assert RECIPES[row["recipe"]].category == row["pair_category"]
        assert written.split == "held_out" or not row["novel_recipe"]


@pytest.fixture(scope="module")
def small() -> Any:
    load()
    stage = Stage(SIZE)
    yield Pool(stage)
    stage.close()


def test_far_from_what_differs_the_finished_twins_are_the_same(small: Pool) -> None:
    kept = 0
    for k in range(6):
        made = make_pair(small, 3, k, CATEGORIES[(0, 2, 8, 10, 15, 11)[k]], "train")
        if made.style != "none":
            continue
        raw = np.abs(made.drawn.clean.astype(int) - made.drawn.violated).max(-1) > 0
        images = [np.asarray(Image.open(_bytes(data)), int) for data in (made.clean, made.violated)]
        # A block of JPEG is 16 wide and blur reaches a few pixels: beyond, not a level may differ.
        far = ~ndimage.binary_dilation(raw, np.ones((3, 3)), iterations=24)
        assert (images[0] == images[1]).all(-1)[far].all()
        kept += bool(far.any())
        assert (images[0] != images[1]).any()
    assert kept >= 2


def _bytes(data: bytes) -> Any:
    import io

    return io.BytesIO(data)


@pytest.mark.parametrize("split", ["train", "held_out"])
def test_a_pair_depends_on_seed_and_index_only(small: Pool, split: Split) -> None:
    first = make_pair(small, 9, 4, "optical_effect", split)
    other = make_pair(small, 9, 5, "optical_effect", split)
    again = make_pair(small, 9, 4, "optical_effect", split)
    assert (first.clean, first.violated) == (again.clean, again.violated)
    assert first.clean != first.violated
    assert first.violated != other.violated


def test_sets_are_the_same_with_more_workers_and_more_pairs(tmp_path: Path) -> None:
    few = Order(2, 5, tmp_path / "few", 96, workers=1, split="held_out")
    make_set(few, quiet=True)
    many = replace(few, count=5, workers=2, out=tmp_path / "many")
    make_set(many, quiet=True)
    table = rows(few)
    assert rows(many)[: len(table)] == table
    for row in table:
        assert (few.out / row["file"]).read_bytes() == (many.out / row["file"]).read_bytes()


def test_styled_pairs_are_styled_alike(small: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "STYLED", 1.0)
    made = make_pair(small, 4, 0, "support_stability", "train")
    assert made.style != "none"
    images = [np.asarray(Image.open(_bytes(data)), int) for data in (made.clean, made.violated)]
    raw = np.abs(made.drawn.clean.astype(int) - made.drawn.violated).max(-1) > 0
    far = ~ndimage.binary_dilation(raw, np.ones((3, 3)), iterations=40)
    assert far.any()
    assert np.abs(images[0] - images[1])[far].mean() < 3


def test_every_category_has_what_the_issue_asks_for() -> None:
    load()
    assert sum(not b.held_out for b in BASES.values()) >= 10
    assert sum(b.held_out for b in BASES.values()) >= 4
    for category in CATEGORIES:
        assert len(recipes_of(category, held_out=False)) >= 3, category
        assert len(recipes_of(category, held_out=True)) >= 1, category


def test_the_page_has_the_registrys_tables() -> None:
    load()
    page = PAGE.read_text()
    assert filled(page) == page, "run: python -m benchmarks.scenes pairs-table"
    for name in (*BASES, *RECIPES, *OTHERS):
        assert f"`{name}`" in page


def test_the_page_says_the_thresholds() -> None:
    page = " ".join(PAGE.read_text().split())
    for text in (
        f"at least {LEAST:.1%} of the image (307 px at 320 x 320) differ by {CHANGED} of 255",
        f"at most {MOST:.0%} do",
        f"at most {SPILL:.0%} of what differs",
        f"stylised ({pairs.STYLED:.0%} of the pairs)",
    ):
        assert text.replace("%", " %") in page
    assert round(LEAST * 320 * 320) == 307


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("count", 0, "--count: expected 1 to"),
        ("size", 32, "--size: expected 64 to 2048, got 32"),
        ("split", "test", "--split: expected one of train, held_out, got 'test'"),
        ("others", 0.95, "--others: expected 0 to 0.9"),
        ("categories", ("nonsense",), "--categories: expected some of .* got"),
        ("categories", (), "--categories: expected some of"),
    ],
)
def test_bad_orders_are_refused(tmp_path: Path, field: str, value: Any, message: str) -> None:
    good = Order(1, 0, tmp_path / "x")
    good.check()
    with pytest.raises(ConfigError, match=message):
        replace(good, **{field: value}).check()


def test_the_command_refuses_a_folder_in_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["pairs", "--count", "1", "--seed", "0", "--out", str(tmp_path)]) == 2
    assert "--out: expected a new or empty folder" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "held_out"])
def test_a_set_of_all_categories_is_made_without_errors(tmp_path: Path, split: Split) -> None:
    """`pytest -m slow tests/scenes/pairs/test_set.py`: 4 to 8 minutes with the next one."""
    result = make_set(Order(2 * len(CATEGORIES), 6, tmp_path / "all", 320, split=split), quiet=True)
    assert result["errors"] == {}
    planted = [row for row in rows(Order(1, 0, tmp_path / "all")) if row["category"]]
    assert Counter(row["category"] for row in planted) == dict.fromkeys(CATEGORIES, 2)


@pytest.mark.slow
def test_every_recipe_gives_an_evident_pair_of_each_split_it_is_for(small: Pool) -> None:
    lacking = []
    for name, recipe in sorted(RECIPES.items()):
        splits: tuple[Split, ...] = ("held_out",) if recipe.held_out else ("train", "held_out")
        for split in splits:
            log, place = pairs.Log(), pairs.Place(small, 1, split, 0)
            if pairs._try_recipe(np.random.default_rng(1), recipe, place, log, True) is None:
                lacking.append((name, split, log.reasons.most_common(3)))
            assert not log.errors
    assert not lacking


def test_worlds_are_shared_within_a_block_and_nowhere_else(small: Pool) -> None:
    def world(block: int, number: int, seed: int = 3, split: int = 0) -> Any:
        shared = small.get(seed, split, block, "block_tower", number).world
        return [one.verts().tolist() for one in shared.things]

    first = world(0, 0)
    kept = small.get(3, 0, 0, "block_tower", 0)
    assert small.get(3, 0, 0, "block_tower", 0) is kept
    others = [world(0, 1), world(1, 0), world(0, 0, seed=4), world(0, 0, split=1)]
    assert all(one != first for one in others)
    assert small.get(3, 0, 0, "block_tower", 0) is not kept, "an earlier block is forgotten"
    assert world(0, 0) == first


def test_a_shared_clean_picture_is_the_one_that_would_be_drawn(small: Pool) -> None:
    for k in (0, 3):
        drawn = make_pair(small, 6, k, CATEGORIES[k], "train").drawn
        small.stage.clear()
        for world, pixels in (
            (drawn.planted.clean, drawn.clean),
            (drawn.planted.violated, drawn.violated),
        ):
            assert (draw(small.stage, world, drawn.lit).pixels == pixels).all()
