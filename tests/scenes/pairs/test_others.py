"""Pictures that are not eligible, and stylised looks."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from benchmarks.scenes.blank import some_subject
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.others.photos import lend
from benchmarks.scenes.pairs.registry import FAMILIES, OTHERS, load, others_of
from benchmarks.scenes.pairs.styles import STYLES, stylise
from benchmarks.scenes.render import Stage

load()

_SIZE = 96
_PROBES = Path(__file__).parents[3] / "ensemble/judge/terravis/terravis.toml"


def test_families_are_those_of_the_probes() -> None:
    families = [one["id"] for one in tomllib.loads(_PROBES.read_text())["family"]]
    assert list(FAMILIES) == families


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_kinds_to_train_on_and_one_held_out(family: str) -> None:
    assert len(others_of(family, held_out=False)) >= 4
    assert 1 <= len(others_of(family, held_out=True)) <= 2


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_pictures_vary_and_depend_on_the_generator_only(name: str, stage: Stage) -> None:
    lend(stage)
    make = OTHERS[name].make
    pictures = [make(np.random.default_rng([5, k]), _SIZE) for k in range(10)]
    for one in pictures:
        assert one.shape == (_SIZE, _SIZE, 3)
        assert one.dtype == np.uint8
        assert one.std() > 2.0, "a picture of one colour"
    assert len({one.tobytes() for one in pictures}) == 10
    apart = [np.abs(a.astype(int) - b).mean() for a, b in itertools.pairwise(pictures)]
    assert np.median(apart) > 12, "all alike"
    again = make(np.random.default_rng([5, 3]), _SIZE)
    assert (again == pictures[3]).all()


@pytest.fixture(scope="module")
def scene(stage: Stage) -> U8:
    return some_subject(stage, np.random.default_rng(4))


@pytest.mark.parametrize("name", sorted(STYLES))
def test_a_style_is_the_same_on_twins_and_leaves_a_change_visible(name: str, scene: U8) -> None:
    twin = scene.copy()
    size = scene.shape[0]
    low, high = size // 3, size // 3 + size // 8
    patch = twin[low:high, low:high]
    patch[:] = np.where(patch.mean() > 110, 20, 235)
    a = STYLES[name](np.random.default_rng(8), scene)
    b = STYLES[name](np.random.default_rng(8), twin)
    assert a.shape == scene.shape
    assert a.dtype == np.uint8
    assert (a == STYLES[name](np.random.default_rng(8), scene)).all()
    delta = np.abs(a.astype(int) - b).max(-1)
    inside = np.zeros_like(delta, bool)
    inside[low:high, low:high] = True
    wide = np.zeros_like(inside)
    wide[low - 14 : high + 14, low - 14 : high + 14] = True
    assert (delta[inside] > 24).mean() > 0.4, "the style hides a change"
    assert (delta[~wide] == 0).all(), "a change alters the style elsewhere"


def test_styles_are_drawn_by_name(scene: U8) -> None:
    names = {stylise(np.random.default_rng(k), scene[:64, :64])[0] for k in range(60)}
    assert names == set(STYLES)
