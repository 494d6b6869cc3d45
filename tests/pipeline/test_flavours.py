"""What docs/packs.md says about ours and the published rules holds on the example scenes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.flavours import (
    CHANGES,
    Shot,
    compare,
    doubled,
    judge,
    mirrored,
    packs,
    read_shots,
    widened,
)

SHOTS = {shot.name: shot for shot in read_shots()}
OURS, PAPER = packs(""), packs("@paper")


def changed(shot: Shot, other: Shot) -> dict[str, tuple[int, int]]:
    """Rules whose status differs between two pictures, by the published pack."""
    a, b = (judge(PAPER[s.domain], s).status for s in (shot, other))
    return {rule: (a[rule], b[rule]) for rule in a if a[rule] != b[rule]}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("aircraft_05", "P3 S2 S3 C1"), ("aircraft_03", "P5 R3"), ("car_03", "P2 S3 R2 S4"),
        ("car_05", "R2 S4 R3"), ("car_07", "P3 S2"), ("animal_03", "R4 S4"),
    ],
)  # fmt: skip
def test_published_rules_fire_on_right_pictures_and_ours_do_not(name: str, rules: str) -> None:
    shot = SHOTS[name]
    assert not shot.violated
    assert set(rules.split()) <= set(judge(PAPER[shot.domain], shot).broken)
    assert judge(OURS[shot.domain], shot).broken == []


def test_a_mirrored_example_breaks_other_published_rules() -> None:
    for name in ("aircraft_03", "aircraft_05", "aircraft_07"):
        shot = SHOTS[name]
        assert changed(shot, mirrored(shot)) == {"S2": (0, 1), "S3": (0, 1)}
    assert changed(SHOTS["aircraft_02"], mirrored(SHOTS["aircraft_02"])) == {
        "S2": (1, 0),
        "S3": (0, 1),
    }
    for name in ("aircraft_06", "aircraft_08"):
        assert changed(SHOTS[name], mirrored(SHOTS[name])) == {"S2": (1, 0)}


def test_a_larger_copy_breaks_the_published_50_px() -> None:
    hit = {n for n, s in SHOTS.items() if changed(s, doubled(s)) == {"S1": (1, 0)}}
    assert hit == {f"aircraft_0{k}" for k in (1, 2, 4, 6, 7)}


def test_more_background_breaks_published_car_rules() -> None:
    hit = {n: changed(s, widened(s)) for n, s in SHOTS.items()}
    assert {n: c for n, c in hit.items() if c} == {
        "car_01": {"S2": (1, 0)},
        "car_02": {"S2": (1, 0)},
        "car_06": {"S1": (1, 0)},
    }


@pytest.mark.parametrize("name", sorted(SHOTS))
def test_ours_change_for_nothing_that_is_not_in_the_thing(name: str) -> None:
    shot = SHOTS[name]
    before = judge(OURS[shot.domain], shot).status
    for how, change in CHANGES.items():
        after = judge(OURS[shot.domain], change(shot)).status
        if how == "widened":  # a border that cut the thing off is gone
            assert all({before[r], after[r]} != {0, 1} for r in before)
        else:
            assert after == before


def test_nothing_satisfies_every_published_rule_about_it() -> None:
    shot = SHOTS["animal_07"]
    gone = {"animal.leg", "animal.eye"}
    bare = replace(shot, parts=tuple(p for p in shot.parts if p[0] not in gone))
    paper = judge(PAPER["animal"], bare)
    assert [paper.status[r] for r in ("S1", "S2", "S3", "R1", "R2")] == [1] * 5
    assert paper.broken == ["P2"]
    assert paper.s_rules == pytest.approx(91.25)
    ours = judge(OURS["animal"], bare)
    assert [ours.status[r] for r in ("S1", "S6", "S7", "R1", "R2")] == [-1] * 5


def test_no_published_rule_sees_a_head_that_floats() -> None:
    assert judge(PAPER["animal"], SHOTS["animal_06"]).broken == []
    assert judge(OURS["animal"], SHOTS["animal_06"]).broken


def test_the_figures_of_the_page() -> None:
    got = compare(list(SHOTS.values()))
    page = (Path(__file__).parents[2] / "docs/packs.md").read_text(encoding="utf-8")
    ours, paper = got["ours"], got["paper"]
    for line in (
        f"| right pictures with a broken rule | {ours['right_with_a_broken_rule']} of 12 "
        f"| {paper['right_with_a_broken_rule']} of 12 |",
        f"| wrong pictures with a broken rule | {ours['wrong_with_a_broken_rule']} of 12 "
        f"| {paper['wrong_with_a_broken_rule']} of 12 |",
        f"| pictures with another answer when mirrored | {ours['mirrored']} | {paper['mirrored']} |",
        f"| ... when doubled in size | {ours['doubled']} | {paper['doubled']} |",
    ):
        assert line in page, line
