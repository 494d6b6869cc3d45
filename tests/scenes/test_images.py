"""What the images show: truth against an independent measurement, kinds, views, captions."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from benchmarks.scenes import captions
from benchmarks.scenes.compose import Shot, shoot
from benchmarks.scenes.geometry.camera import aim, draw_azimuth, view_of
from benchmarks.scenes.geometry.silhouette import outline
from benchmarks.scenes.measure import measure
from benchmarks.scenes.planting.evidence import least_shown
from benchmarks.scenes.planting.plant import KINDS
from benchmarks.scenes.render import Scene, Stage
from benchmarks.scenes.subjects import aircraft, animal, car
from benchmarks.scenes.subjects.aircraft_types import TYPES as AIRCRAFT
from benchmarks.scenes.subjects.animal_types import TYPES as ANIMALS
from benchmarks.scenes.subjects.car_types import TYPES as CARS
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS
from tests.scenes.conftest import Pool

BUILD = {"aircraft": aircraft.build, "car": car.build, "animal": animal.build}


@pytest.mark.parametrize("domain", DOMAINS)
def test_boxes_and_fractions_agree_with_drawing_each_part_alone(stage: Stage, domain: str) -> None:
    rng = np.random.default_rng(5)
    for azimuth in (40.0, 100.0):
        subject = BUILD[domain](rng, None)
        camera = aim(subject.verts(), azimuth, 12.0, 35.0, 0.0, 0.8, (0.0, 0.0))
        parts = list(subject.parts)
        stage.clear()
        seg = stage.segment(Scene(camera, (), parts))
        for seen in measure(parts, seg, camera):
            i = next(k for k, p in enumerate(parts) if p.key == seen.key)
            members = [i] + [k for k, p in enumerate(parts) if p.joins == seen.key]
            ys, xs = np.nonzero(np.isin(seg, np.array(members) + 1))
            assert seen.px == len(xs)
            if seen.px:
                assert seen.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
            alone = int((stage.segment(Scene(camera, (), parts), members) > 0).sum())
            if alone > 150:
                assert seen.alone == pytest.approx(alone, rel=0.15)
            assert 0 <= seen.fraction <= 1


def test_silhouette_counts_what_lies_outside_the_frame() -> None:
    subject = car.build(np.random.default_rng(1), "sedan")
    camera = aim(subject.verts(), 90.0, 5.0, 30.0, 0.0, 0.8, (0.0, 0.0))
    near = aim(subject.verts(), 90.0, 5.0, 30.0, 0.0, 1.6, (0.0, 0.0))
    door = [subject.get("door.left.front")]
    assert outline(door, near, 320)[0] > 3 * outline(door, camera, 320)[0]


@pytest.mark.parametrize("domain", DOMAINS)
def test_truth_is_well_formed(pool: Pool, domain: str) -> None:
    for shot in pool.clean[domain] + pool.violated[domain]:
        assert shot.view in VIEWS[1:]
        assert shot.azimuth is not None
        assert shot.view == view_of(shot.azimuth)
        for p in shot.parts:
            assert p.cls in PART_CLASSES
            x0, y0, x1, y1 = p.box
            assert min(x1 - x0, y1 - y0) >= 4
            assert p.px >= 12
            assert p.fraction >= 0.15
        keys = [(p.cls, p.instance) for p in shot.parts]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("domain", DOMAINS)
def test_clean_images_show_what_their_view_must(pool: Pool, domain: str) -> None:
    for shot in pool.clean[domain]:
        assert shot.kind is shot.planted_class is shot.detail is None
        assert not any(p.planted for p in shot.parts)
        assert all(p.cls.startswith(domain) for p in shot.parts)
        counts = Counter(p.cls for p in shot.parts)
        for component, n in least_shown(domain, str(shot.view)):
            assert counts[f"{domain}.{component}"] >= n, (shot.subtype, shot.view, component)


def test_clean_counts_stay_within_the_type(pool: Pool) -> None:
    for shot in pool.clean["aircraft"]:
        t = next(t for t in AIRCRAFT if t.subtype == shot.subtype)
        counts = Counter(p.cls for p in shot.parts)
        assert counts["aircraft.engine"] <= t.engines
        assert counts["aircraft.wing"] <= 2
        assert counts["aircraft.head"] <= 1
    for shot in pool.clean["animal"]:
        bird = next(t for t in ANIMALS if t.subtype == shot.subtype).bird
        counts = Counter(p.cls for p in shot.parts)
        assert counts["animal.leg"] <= (2 if bird else 4)
        assert bird or not counts["animal.wing"] + counts["animal.beak"]
    for shot in pool.clean["car"]:
        doors = next(t for t in CARS if t.subtype == shot.subtype).doors
        assert sum(p.cls == "car.door" for p in shot.parts) <= doors


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_kind_occurs_and_is_well_visible(pool: Pool, domain: str) -> None:
    assert {s.kind for s in pool.violated[domain]} == set(KINDS)
    for shot in pool.violated[domain]:
        assert shot.planted_class in PART_CLASSES
        assert shot.detail
        planted = [p for p in shot.parts if p.planted and p.cls == shot.planted_class]
        if shot.kind == "missing":
            assert not any(p.planted for p in shot.parts)
            continue
        best = max(planted, key=lambda p: p.fraction * p.px)
        assert best.fraction >= 0.5
        if shot.kind == "foreign":
            assert planted


def test_missing_parts_are_gone(pool: Pool) -> None:
    """All heads missing: no head box; all wings missing: no wing box."""
    for domain in DOMAINS:
        for shot in pool.violated[domain]:
            if shot.kind == "missing" and re.search(
                r"(both|all|the) .* (is|are) missing", shot.detail or ""
            ):
                left = [p for p in shot.parts if p.cls == shot.planted_class]
                some_remain = "side" in (shot.detail or "") or shot.planted_class in (
                    "animal.leg",
                    "car.bumper",
                    "car.wheel",
                )
                assert some_remain or not left, shot.detail


def test_none_images_have_no_parts(stage: Stage) -> None:
    texts = set()
    for i in range(10):
        shot = shoot(stage, 3, i, "none", 0.5, "jpeg")
        assert shot.domain == "none"
        assert shot.parts == ()
        assert shot.subtype is shot.view is shot.kind is None
        texts.add(shot.caption)
    assert len(texts) >= 4


def test_views_cover_left_and_right_and_every_label() -> None:
    rng = np.random.default_rng(0)
    angles = [draw_azimuth(rng) for _ in range(2000)]
    shares = Counter(view_of(a) for a in angles)
    assert set(shares) == set(VIEWS[1:])
    assert min(shares.values()) > 0.07 * len(angles)
    assert 0.45 < np.mean([a < 180 for a in angles]) < 0.55


@pytest.mark.parametrize(
    ("azimuth", "view"),
    [(0, "front"), (340, "front"), (21, "front_quarter"), (66, "side"), (-90, "side"), (294, "side"), (116, "rear_quarter"), (159, "rear_quarter"), (180, "rear"), (201, "rear_quarter")],
)  # fmt: skip
def test_view_label_follows_the_azimuth(azimuth: float, view: str) -> None:
    assert view_of(azimuth) == view


def test_captions_agree_with_the_type() -> None:
    words = {"two": 2, "three": 3, "four": 4}
    rng = np.random.default_rng(2)
    for t in AIRCRAFT:
        subject = aircraft.build(rng, t.subtype)
        assert len(subject.find("engine")) == t.engines
        for _ in range(30):
            text = captions.caption(rng, subject, on_ground=False)
            if m := re.search(r"(\w+) engines", text):
                assert words[m[1]] == t.engines
    for a in ANIMALS:
        subject = animal.build(rng, a.subtype)
        assert len(subject.find("leg")) == (2 if a.bird else 4)
        for _ in range(30):
            text = captions.caption(rng, subject, on_ground=True)
            if m := re.search(r"(\w+) legs", text):
                assert words[m[1]] == (2 if a.bird else 4)
    for c in CARS:
        subject = car.build(rng, c.subtype)
        assert len(subject.find("wheel")) == 4
        assert len(subject.find("door")) == c.doors


def test_a_violated_caption_never_tells(pool: Pool) -> None:
    telling = re.compile(r"missing|extra|second|foreign|float|too large|shrunk")
    shots: list[Shot] = [s for d in DOMAINS for s in pool.violated[d]]
    assert not any(telling.search(s.caption) for s in shots)
