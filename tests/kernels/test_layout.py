"""Layout kernels against plain Python, and what a layout model refuses."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import RuleError
from physgauge.rules_kernel.layout import FEATURES, LayoutModel, pair_features, usual
from physgauge.rules_kernel.layout.loops import BEYOND_IMAGE, BEYOND_PAIR, LEAST, MIN_BOXES

C, V, K, F, Q = 3, 2, 2, len(FEATURES), 5
Box = tuple[int, float, float, float, float]


def model(seed: int = 0) -> LayoutModel:
    """Random densities for all pairs but one, which nobody has seen."""
    rng = np.random.default_rng(seed)
    rows = V * C * C
    pair = np.arange(rows).reshape(V, C, C)
    pair[1, 2, 2] = -1
    weight = np.log(rng.dirichlet(np.ones(K), rows)) - F / 2 * math.log(2 * math.pi)
    weight[0, 1] = -np.inf
    return LayoutModel(
        ("a", "b", "c"), ("unknown", "side"), pair, weight, rng.normal(size=(rows, K, F)),
        np.triu(rng.normal(size=(rows, K, F, F))), np.log([0.01, 0.1, 0.3, 0.7, 1.0]),
        np.sort(rng.normal(-20, 9, (rows, Q)), axis=1), np.sort(rng.normal(-2, 1, (V, Q)), axis=1),
    )  # fmt: skip


def packed(*images: list[Box]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    every = [box for image in images for box in image]
    return (
        np.array([b[1:] for b in every], np.float32).reshape(-1, 4),
        np.array([b[0] for b in every], np.int16),
        np.cumsum([0, *map(len, images)]).astype(np.int64),
    )


def plain_tail(value: float, tail: list[float], log_p: list[float], beyond: float) -> float:
    if value >= tail[-1]:
        return 0.0
    if value <= tail[0]:
        return log_p[0] + beyond * (value - tail[0])
    return float(np.interp(value, tail, log_p))


def plain_usual(m: LayoutModel, image: list[Box], view: int) -> float:
    """One image's log_p, straight from the definitions."""
    known = [b for b in image if 0 <= b[0] < len(m.components)]
    if len(known) < MIN_BOXES:
        return math.nan
    box = np.array([b[1:] for b in known], float)
    size = math.hypot(box[:, 2].max() - box[:, 0].min(), box[:, 3].max() - box[:, 1].min())
    if size == 0:
        return math.nan
    least = []
    for n, (label, x0, y0, x1, y1) in enumerate(known):
        for c in range(len(m.components)):
            others = [b[1:] for k, b in enumerate(known) if b[0] == c and k != n]
            row = m.pair[view, label, c]
            if not others or row < 0:
                continue
            o = np.array(others, float)
            u0, v0, u1, v1 = o[:, 0].min(), o[:, 1].min(), o[:, 2].max(), o[:, 3].max()
            x = np.array(
                [
                    abs((x0 + x1) / 2 - (u0 + u1) / 2) / size,
                    ((y0 + y1) / 2 - (v0 + v1) / 2) / size,
                    math.log(max((x1 - x0) / size, LEAST)),
                    math.log(max((y1 - y0) / size, LEAST)),
                    math.log(max(math.hypot(u1 - u0, v1 - v0) / size, LEAST)),
                ]
            )
            parts = [
                m.log_weight[row, k] - np.sum(((x - m.mean[row, k]) @ m.whiten[row, k]) ** 2) / 2
                for k in range(m.mean.shape[1])
            ]
            density = float(np.logaddexp.reduce(parts))
            least.append(plain_tail(density, list(m.pair_tail[row]), list(m.log_tail), BEYOND_PAIR))
    if not least:
        return math.nan
    return plain_tail(min(least), list(m.image_tail[view]), list(m.log_tail), BEYOND_IMAGE)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x0, y0 = draw(st.integers(0, 200)), draw(st.integers(0, 200))
    w, h = draw(st.integers(0, 90)), draw(st.integers(0, 90))
    return (draw(st.integers(-1, C)), x0, y0, x0 + w, y0 + h)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(boxes(), max_size=7), max_size=4), st.integers(0, 9), st.data())
def test_kernel_is_the_definition(images: list[list[Box]], seed: int, data: st.DataObject) -> None:
    m = model(seed)
    view = data.draw(st.lists(st.integers(0, V - 1), min_size=len(images), max_size=len(images)))
    got = usual(m, *packed(*images), np.array(view, np.int8)).log_p
    expected = [plain_usual(m, image, v) for image, v in zip(images, view, strict=True)]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(boxes(), min_size=3, max_size=7), st.randoms())
def test_order_mirror_and_size_change_nothing(image: list[Box], random: object) -> None:
    m, view = model(), np.zeros(1, np.int8)
    here = usual(m, *packed(image), view)
    mirrored: list[Box] = [(c, 512 - x1, y0, 512 - x0, y1) for c, x0, y0, x1, y1 in image]
    doubled: list[Box] = [(c, 2 * x0, 2 * y0, 2 * x1, 2 * y1) for c, x0, y0, x1, y1 in image]
    for other in (mirrored, doubled, image[::-1]):
        np.testing.assert_array_equal(here.log_p, usual(m, *packed(other), view).log_p)


def test_the_strangest_pair_is_named() -> None:
    image: list[Box] = [(0, 0, 0, 40, 40), (1, 50, 0, 90, 40), (2, 0, 50, 40, 90)]
    m = model()
    found = usual(m, *packed(image, image[:2]), np.zeros(2, np.int8))
    n, c = found.pair[0]
    row = m.pair[0, image[n][0], c]
    rest = replace(m, pair=np.where(m.pair == row, -1, m.pair))
    assert usual(rest, *packed(image), np.zeros(1, np.int8)).log_p[0] > found.log_p[0]
    assert math.isnan(found.log_p[1])
    assert found.pair[1].tolist() == [-1, -1]


def test_table_of_pairs() -> None:
    table = pair_features(
        *packed([(0, 0, 0, 30, 40), (1, 30, 0, 60, 40), (1, 0, 40, 30, 80), (7, 0, 0, 9, 9)], []), C
    )
    assert table.image.tolist() == [0] * 5
    assert list(zip(table.part.tolist(), table.other.tolist(), strict=True)) == [
        (0, 1), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    # Part 0 beside the hull 0..60 x 0..80 of both others; the whole measures 100 px.
    expected = [0.15, -0.2, math.log(0.3), math.log(0.4), math.log(1.0)]
    np.testing.assert_allclose(table.features[0], expected, atol=1e-12)


def test_saved_and_read_again(tmp_path: Path) -> None:
    model().save(tmp_path / "m.npz")
    model().save(tmp_path / "n.npz")
    assert (tmp_path / "m.npz").read_bytes() == (tmp_path / "n.npz").read_bytes()
    again = LayoutModel.load(tmp_path / "m.npz")
    assert again.components == ("a", "b", "c")
    np.testing.assert_array_equal(again.pair, model().pair)
    np.testing.assert_allclose(again.mean, model().mean, rtol=1e-6)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"not a zip at all" * 20,
        lambda data: data.replace(b"head.npy", b"tail.npy"),
        # Members that a zip reader of version 14.8 is needed for.
        lambda data: re.sub(rb"(?s)(PK\x01\x02..).", lambda found: found[1] + b"\x94", data),
    ],
)
def test_what_is_no_model_is_said(tmp_path: Path, spoil: object) -> None:
    model().save(tmp_path / "m.npz")
    bad = tmp_path / "bad.npz"
    bad.write_bytes(spoil((tmp_path / "m.npz").read_bytes()))  # type: ignore[operator]
    with pytest.raises(RuleError, match="expected a layout model"):
        LayoutModel.load(bad)


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", head=np.array([{"a": 1}], dtype=object))
    with pytest.raises(RuleError, match="expected a layout model"):
        LayoutModel.load(tmp_path / "m.npz")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pair", np.zeros((V, C, C + 1), np.int64)),
        ("pair", np.full((V, C, C), V * C * C, np.int64)),
        ("mean", np.full((V * C * C, K, F), np.nan)),
        ("log_weight", np.full((V * C * C, K), -np.inf)),
        ("log_tail", np.log([0.5, 0.1, 0.2, 0.7, 1.0])),
        ("log_tail", np.array(0.0)),
        ("image_tail", np.zeros((V, Q + 1))),
        ("image_tail", np.tile(np.arange(Q)[::-1], (V, 1))),
        ("pair_tail", np.tile(np.arange(Q)[::-1], (V * C * C, 1))),
    ],
)
def test_arrays_that_do_not_fit_are_named(name: str, value: np.ndarray) -> None:
    with pytest.raises(RuleError, match=f"layout: {name}"):
        replace(model(), **{name: value})  # type: ignore[arg-type]


def test_more_pairs_than_two_bytes_count(tmp_path: Path) -> None:
    c = 182
    names, rows = tuple(f"c{i}" for i in range(c)), c * c
    one = np.zeros((rows, 1, F))
    many = LayoutModel(
        names, ("unknown",), np.arange(rows).reshape(1, c, c), np.zeros((rows, 1)), one,
        np.zeros((rows, 1, F, F)), np.array([-1.0, 0.0]), np.zeros((rows, 2)), np.zeros((1, 2)),
    )  # fmt: skip
    many.save(tmp_path / "m.npz")
    np.testing.assert_array_equal(LayoutModel.load(tmp_path / "m.npz").pair, many.pair)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"view": np.array([V], np.int8)}, f"view of image 0.*0 to {V - 1}.*{V}"),
        ({"view": np.array([-1], np.int8)}, "view of image 0"),
        ({"view": np.zeros(2, np.int8)}, "view has the wrong type or shape"),
        ({"label": np.array([0, 1, 65537])}, "label has the wrong type"),
        ({"offsets": np.array([0, 4])}, "xyxy has the wrong type or shape"),
        ({"offsets": np.array([1, 3])}, "offsets must start at 0"),
        (
            {"xyxy": np.array([[0, 0, 9, 9], [0, 0, 9, np.nan], [9, 9, 20, 20]], np.float32)},
            "box 1",
        ),
        ({"xyxy": np.zeros((3, 4))}, "xyxy has the wrong type"),
    ],
)
def test_arrays_that_break_the_contract_are_refused(
    change: dict[str, np.ndarray], words: str
) -> None:
    xyxy, label, offsets = packed([(0, 0, 0, 9, 9), (1, 9, 0, 20, 9), (2, 9, 9, 20, 20)])
    good = {"xyxy": xyxy, "label": label, "offsets": offsets, "view": np.zeros(1, np.int8)}
    with pytest.raises(RuleError, match=words):
        usual(model(), **{**good, **change})
    rest = {name: value for name, value in {**good, **change}.items() if name != "view"}
    if "view" not in change:
        with pytest.raises(RuleError, match=words):
            pair_features(**rest, components=C)
