"""The `@paper` packs give the published answers on hand-made pictures: oracle and CPU kernel alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from physgauge.rules_kernel import (
    CATEGORIES,
    RuleArrays,
    compile_pack,
    load_pack,
    reference,
    rule_scores,
    shipped_packs,
)
from tests.kernels.paper_scenes import BROKEN, CLEAN, COUPE, HOUND, JET, KEPT
from tests.kernels.scenes import Scene, arrays
from tests.kernels.test_oracle_agrees import assert_alike

PACKS = {name: load_pack(f"{name}@paper") for name in ("aircraft", "car", "animal")}
IDS = {
    "aircraft": "P1 P2 P3 P4 P5 S1 S2 S3 S4 R1 R2 R3 C1 C2",
    "car": "P1 P2 P3 S1 S2 S3 S4 R1 R2 R3 C1 C2",
    "animal": "P1 P2 P3 P4 S1 S2 S3 S4 R1 R2 R3 R4 C1 C2",
}


def outcomes(name: str, *scenes: Scene) -> RuleArrays:
    return reference.evaluate(PACKS[name], *arrays(PACKS[name], list(scenes)))


def status(name: str, rule: str, scene: Scene) -> int:
    return int(outcomes(name, scene).status[0, PACKS[name].rule_ids.index(rule)])


def test_the_published_packs_are_shipped_and_complete() -> None:
    assert {f"{name}@paper" for name in PACKS} <= set(shipped_packs())
    for name, pack in PACKS.items():
        assert (pack.name, pack.domain) == (f"{name}@paper", name)
        assert pack.components == load_pack(name).components
        assert " ".join(pack.rule_ids) == IDS[name]
        assert pack.weights.tolist() == [0.35, 0.25, 0.25, 0.15]
        assert pack.min_score == 0.5
        assert {rule.category for rule in pack.rules} == set(CATEGORIES)
        assert {rule.weight for rule in pack.rules} == {1.0}
        assert all(rule.views is None for rule in pack.rules)
        assert {rule.missing for rule in pack.rules} == {"violated"}
        assert not pack.hidden.any()


@pytest.mark.parametrize(("name", "scene"), CLEAN)
def test_a_right_picture_keeps_every_rule(name: str, scene: Scene) -> None:
    assert outcomes(name, scene).status[0].tolist() == [1] * len(PACKS[name].rules)


@pytest.mark.parametrize(
    ("name", "rule", "scene"), [(n, r, s) for n, c in BROKEN.items() for r, s in c]
)
def test_a_wrong_picture_breaks_the_rule(name: str, rule: str, scene: Scene) -> None:
    assert status(name, rule, scene) == 0


def test_every_rule_has_a_picture_that_breaks_it() -> None:
    for name, cases in BROKEN.items():
        assert " ".join(dict.fromkeys(rule for rule, _ in cases)) == IDS[name]


@pytest.mark.parametrize(
    ("name", "rule", "scene"), [(n, r, s) for n, c in KEPT.items() for r, s in c]
)
def test_an_odd_picture_keeps_the_rule(name: str, rule: str, scene: Scene) -> None:
    assert status(name, rule, scene) == 1


@pytest.mark.parametrize("name", PACKS)
def test_the_kernel_gives_the_same_answers(name: str) -> None:
    pack = PACKS[name]
    scenes = [s for n, s in CLEAN if n == name] + [s for _, s in (*BROKEN[name], *KEPT[name])]
    boxes, seen = arrays(pack, scenes)
    assert_alike(
        pack, compile_pack(pack).evaluate(boxes, seen), reference.evaluate(pack, boxes, seen)
    )


@pytest.mark.parametrize(("name", "scene"), [("aircraft", JET), ("car", COUPE), ("animal", HOUND)])
def test_without_a_caption_the_category_drops_out(name: str, scene: Scene) -> None:
    pack, got = PACKS[name], outcomes(name, replace(scene, tags=()))
    for rule, value in zip(pack.rules, got.status[0], strict=True):
        assert value == (-1 if rule.category == "caption" else 1), rule.id
    scores = rule_scores(got.status, pack.category_index, pack.weights, pack.minimum_rules)
    assert scores.s_rules.tolist() == [100.0]
    assert scores.weights[0].tolist() == pytest.approx([0.35 / 0.85, 0.25 / 0.85, 0.25 / 0.85, 0])


def test_the_score_is_the_weighted_sum_of_shares() -> None:
    pack, got = PACKS["aircraft"], outcomes("aircraft", JET.without("engine"))
    broken = [r.id for r, s in zip(pack.rules, got.status[0], strict=True) if s == 0]
    assert broken == ["P3", "R3", "C1"]
    scores = rule_scores(got.status, pack.category_index, pack.weights, pack.minimum_rules)
    want = 100 * (0.35 * 4 / 5 + 0.25 + 0.25 * 2 / 3 + 0.15 / 2)
    np.testing.assert_allclose(scores.s_rules, [want])


def test_measures_and_boxes_say_what_is_wrong() -> None:
    pack = PACKS["aircraft"]
    got = outcomes(
        "aircraft", JET.moved("tail", -130, 0), JET.grown("engine", 1.5, only_first=True)
    )
    s3, p5 = pack.rule_ids.index("S3"), pack.rule_ids.index("P5")
    assert got.measured[0, s3] == 430
    assert got.witness[0, s3].tolist() == [1, -1]
    assert pack.rules[s3].bound == "> 0.7 * W"
    assert got.measured[1, p5] == 90
    assert got.witness[1, p5, 0] - len(JET.boxes) == 4
