"""The shipped packs: what they catch, and that nothing depends on mirroring or scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import (
    CATEGORIES,
    VIEWS,
    Pack,
    load_pack,
    reference,
    rule_scores,
    shipped_packs,
)
from tests.kernels.scenes import AIRBUS, DOG, SCENES, SEDAN, Scene, arrays

PACKS = {name: load_pack(name) for name in ("aircraft", "car", "animal")}


def seen(scene: Scene, view: str, *tags: str) -> Scene:
    """A scene from another side, or with further tags."""
    return replace(scene, view=view, tags=(*scene.tags, *tags))


def violated(pack: Pack, scene: Scene) -> list[str]:
    """Ids of the rules that a scene breaks."""
    status = reference.evaluate(pack, *arrays(pack, [scene])).status[0]
    return [rule.id for rule, value in zip(pack.rules, status, strict=True) if value == 0]


def test_shipped_packs() -> None:
    assert {"aircraft", "animal", "car"} <= set(shipped_packs())
    for name, pack in PACKS.items():
        assert (pack.name, pack.domain, pack.components[-1]) == (name, name, "other")
        assert {rule.category for rule in pack.rules} == set(CATEGORIES)
        assert pack.weights.tolist() == [0.35, 0.25, 0.25, 0.15]
        assert len({rule.says for rule in pack.rules}) == len(pack.rules)
        assert all(rule.line for rule in pack.rules)


@pytest.mark.parametrize("name", PACKS)
def test_a_clean_scene_breaks_no_rule(name: str) -> None:
    pack = PACKS[name]
    boxes, seen = arrays(pack, [SCENES[name]])
    status = reference.evaluate(pack, boxes, seen).status
    assert violated(pack, SCENES[name]) == []
    scores = rule_scores(status, pack.category_index, pack.weights, pack.minimum_rules)
    assert scores.s_rules.tolist() == [100.0]
    assert not np.isnan(scores.s_category).any()


@pytest.mark.parametrize(
    ("name", "scene", "rule"),
    [
        ("aircraft", AIRBUS.without("wing"), "P4"),
        ("aircraft", AIRBUS.without("head"), "P1"),
        ("aircraft", AIRBUS.plus(*[("engine", 120 + 30 * k, 176, 140 + 30 * k, 190) for k in range(3)]), "C1"),
        ("aircraft", AIRBUS.plus(("other", 100, 100, 120, 120)), "P6"),
        ("aircraft", AIRBUS.moved("engine", 0, 80), "S1"),
        ("aircraft", AIRBUS.moved("tail", 200, 0), "S4"),
        ("aircraft", AIRBUS.moved("wing", 0, -80), "S2"),
        ("aircraft", AIRBUS.moved("tail_wing", 0, -60), "S12"),
        ("aircraft", AIRBUS.grown("engine", 3), "R2"),
        ("aircraft", AIRBUS.grown("head", 2), "R4"),
        ("aircraft", AIRBUS.grown("wing", 0.3), "R7"),
        ("car", SEDAN.without("wheel"), "P1"),
        ("car", SEDAN.without("roof"), "P4"),
        ("car", SEDAN.plus(("roof", 90, 100, 180, 135)), "P2"),
        ("car", SEDAN.plus(("wheel", 150, 240, 191, 274)), "S13"),
        ("car", SEDAN.plus(("other", 100, 100, 120, 120)), "P7"),
        ("car", SEDAN.moved("wheel", 0, -150), "S1"),
        ("car", SEDAN.moved("roof", 0, -70), "S2"),
        ("car", SEDAN.moved("headlight", -290, 10), "S4"),
        ("car", SEDAN.moved("grille", -180, -40), "S6"),
        ("car", SEDAN.moved("wheel", 0, 60), "S10"),
        ("car", SEDAN.grown("mirror", 5), "R4"),
        ("car", SEDAN.grown("wheel", 0.4, only_first=True), "R2"),
        ("car", SEDAN.grown("wheel", 3, only_first=True), "R3"),
        ("animal", DOG.without("head"), "P1"),
        ("animal", DOG.without("leg"), "P2"),
        ("animal", DOG.plus(("leg", 160, 150, 180, 235)), "C1"),
        ("animal", DOG.plus(("eye", 140, 140, 150, 150)), "S1"),
        ("animal", DOG.plus(("wing", 140, 90, 190, 130)), "P6"),
        ("animal", DOG.moved("head", -150, 40), "S9"),
        ("animal", DOG.moved("leg", 0, -110), "S6"),
        ("animal", DOG.moved("tail", -40, 0), "S14"),
        ("animal", DOG.moved("tail", 180, -40), "S12"),
        ("animal", DOG.moved("ear", -80, 0), "S3"),
        ("animal", DOG.grown("eye", 4), "R3"),
        ("animal", DOG.grown("nose", 4), "R4"),
        ("animal", DOG.grown("head", 2), "R5"),
        ("car", SEDAN.without("side_window"), "P10"),
        ("car", seen(SEDAN.moved("wheel", -50, -40), "front_quarter"), "S21"),
        ("car", SEDAN.moved("wheel", -50, -20), "S22"),
        ("car", SEDAN.moved("door", -60, 0), "S23"),
        ("car", SEDAN.plus(("door", 150, 150, 200, 200)), "S24"),
        ("car", SEDAN.plus(("door", 150, 150, 200, 200)), "S25"),
        ("car", seen(SEDAN.moved("bumper", 0, 60), "front_quarter"), "S26"),
        ("car", seen(SEDAN.grown("grille", 0.3), "front_quarter"), "R12"),
        ("car", SEDAN.without("bonnet"), "R13"),
        ("animal", seen(DOG, "side", "horned"), "P8"),
        ("animal", seen(DOG.without("tail"), "side", "canine"), "P9"),
        ("animal", DOG.moved("head", 0, -70), "S16"),
        ("animal", seen(DOG.moved("head", 0, -70), "front"), "S17"),
        ("animal", DOG.moved("head", 0, -70), "S21"),
        ("animal", seen(DOG.moved("head", 0, -150), "side", "bird", "flightless"), "S22"),
        ("animal", DOG.moved("head", -80, 120), "S23"),
        ("animal", seen(DOG.moved("tail", -40, 0), "front_quarter"), "S24"),
        ("animal", seen(DOG.moved("tail", 60, -110), "front"), "S25"),
        ("animal", seen(DOG.grown("ear", 2), "front", "livestock"), "R13"),
        ("animal", seen(DOG.grown("ear", 2), "side", "canine"), "R14"),
        ("animal", DOG.grown("leg", 4.5, only_first=True), "R15"),
        ("animal", DOG.grown("leg", 3.5, only_first=True), "R16"),
        ("animal", seen(DOG.grown("leg", 3, only_first=True), "rear", "bird"), "R17"),
        ("animal", seen(DOG.grown("tail", 4), "rear"), "R18"),
        ("animal", seen(DOG.grown("tail", 2), "side", "short_tail"), "R19"),
        ("animal", seen(DOG.grown("head", 2), "rear_quarter"), "R20"),
        ("animal", seen(DOG.grown("head", 2), "front", "flightless"), "R21"),
        ("animal", seen(DOG.plus(("horn", 230, 0, 310, 60)), "side", "livestock"), "R22"),
    ],
)  # fmt: skip
def test_what_is_planted_is_caught(name: str, scene: Scene, rule: str) -> None:
    assert rule in violated(PACKS[name], scene)


@pytest.mark.parametrize(
    ("name", "scene", "rule"),
    [
        ("car", SEDAN.without("fender"), "R13"),
        ("car", seen(SEDAN, "rear_quarter"), "S21"),
        ("car", SEDAN.moved("wheel", -50, 5), "S22"),
        ("car", SEDAN.moved("door", -15, 0), "S23"),
        ("animal", seen(DOG.without("tail"), "side", "canine", "short_tail"), "P9"),
        ("animal", seen(DOG.moved("head", 0, -70), "side", "long_neck"), "S21"),
        ("animal", DOG.moved("head", 30, 100), "S23"),
        ("animal", seen(DOG.moved("tail", 180, -40), "front"), "S25"),
        ("animal", seen(DOG.grown("ear", 2), "front"), "R13"),
        ("animal", DOG.grown("leg", 1.5, only_first=True), "R15"),
        ("animal", seen(DOG.grown("tail", 2), "side"), "R19"),
    ],
)  # fmt: skip
def test_what_is_natural_is_left_alone(name: str, scene: Scene, rule: str) -> None:
    assert rule not in violated(PACKS[name], scene)


def random_scene(pack: Pack, rng: np.random.Generator) -> Scene:
    """Boxes on whole px in a picture of whole px: mirroring and doubling are exact."""
    base = SCENES[pack.name]
    boxes = list(base.boxes) if rng.random() < 0.5 else []
    for _ in range(int(rng.integers(0, 12))):
        x, y = rng.integers(0, 280, 2).tolist()
        w, h = rng.integers(1, 90, 2).tolist()
        boxes.append((str(rng.choice(pack.components)), x, y, min(x + w, 320), min(y + h, 320)))
    kept = tuple(box for box in boxes if rng.random() < 0.85)
    tags = tuple(tag for tag in pack.tags if rng.random() < 0.5)
    return replace(base, boxes=kept, view=str(rng.choice(VIEWS)), tags=tags)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PACKS)))
def test_mirroring_and_scaling_change_no_status(seed: int, name: str) -> None:
    pack, rng = PACKS[name], np.random.default_rng(seed)
    scenes = [random_scene(pack, rng) for _ in range(4)]
    want = reference.evaluate(pack, *arrays(pack, scenes))
    for twins in ([s.mirrored() for s in scenes], [s.scaled(2) for s in scenes]):
        got = reference.evaluate(pack, *arrays(pack, twins))
        differ = {pack.rules[r].id for _, r in np.argwhere(got.status != want.status)}
        assert not differ
        np.testing.assert_array_equal(got.witness, want.witness)


@pytest.mark.parametrize("name", PACKS)
def test_a_score_alone_is_the_score_in_a_batch(name: str) -> None:
    pack, rng = PACKS[name], np.random.default_rng(5)
    scenes = [random_scene(pack, rng) for _ in range(12)]
    together = reference.evaluate(pack, *arrays(pack, scenes)).status
    alone = [reference.evaluate(pack, *arrays(pack, [scene])).status[0] for scene in scenes]
    np.testing.assert_array_equal(together, np.array(alone))


def test_expected_min_knows_what_a_view_hides() -> None:
    pack = PACKS["car"]
    four = np.full((3, len(pack.components)), 4, np.float32)
    view = np.array([VIEWS.index(v) for v in ("side", "front", "unknown")], np.int8)
    got = pack.expected_min(four, view)
    assert got[:, pack.label("wheel")].tolist() == [2, 0, 0]
    assert got[0, pack.label("bonnet")] == 4
    assert np.isnan(pack.expected_min(four * np.nan, view)).all()
