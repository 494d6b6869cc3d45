"""The pictures of docs/packs.md: each shows a disagreement that is there, and the page links to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.flavours import judge, packs
from benchmarks.flavours_pictures import CASES, TRUTH, WIDTH, Case, changed, scenes

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PAGE = (PICTURES.parent / "packs.md").read_text(encoding="utf-8")
SCENES = scenes(PICTURES)
OURS, PAPER = packs(""), packs("@paper")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_the_flavours_disagree_as_the_picture_says(case: Case) -> None:
    shot = changed(SCENES[case.scene], case.change)
    ours, paper = judge(OURS[shot.domain], shot), judge(PAPER[shot.domain], shot)
    rules = case.rules.split()
    if case.flavour == "ours":
        assert set(rules) <= set(ours.broken)
        assert paper.broken == []
    elif case.flavour == "neither":
        assert [paper.status[rule] for rule in rules] == [1] * len(rules)
        assert ours.broken
    else:
        assert set(rules) <= set(paper.broken)
        # Nothing is wrong with the thing, or what is wrong is something else.
        assert shot.violated or ours.broken == []
        assert case.change or not shot.violated


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_the_picture_is_small_and_linked(case: Case) -> None:
    path = PICTURES / f"{case.file}.jpg"
    with Image.open(path) as picture:
        assert picture.width == WIDTH <= 400
    assert path.stat().st_size < 60_000
    lines = [line for line in PAGE.split("\n") if f"(pictures/{case.file}.jpg)" in line]
    assert lines
    named = set(re.findall(r"\b[PSRC]\d+\b", PAGE))
    if case.flavour != "ours":
        assert set(case.rules.split()) <= named


def test_no_picture_is_left_over() -> None:
    names = {path.name for path in PICTURES.iterdir()}
    assert names == {f"{case.file}.jpg" for case in CASES} | {TRUTH}
