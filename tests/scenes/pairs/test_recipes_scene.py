"""Recipes of the scene level: relative scale, depth order, region continuity."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import SeedSequence

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import box, ellipsoid
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.draw import draw, lit_by
from benchmarks.scenes.pairs.order import cut, left_of, over, through
from benchmarks.scenes.pairs.pair import Drawn, attempt
from benchmarks.scenes.pairs.pool import Shared
from benchmarks.scenes.pairs.registry import BASES, RECIPES, Recipe, Severity, load, recipes_of
from benchmarks.scenes.pairs.seam import Seam, seam_at
from benchmarks.scenes.render import Stage

load()

_CATEGORIES = ("relative_scale", "depth_order_occlusion", "region_continuity")
_RECIPES = [one.name for category in _CATEGORIES for one in recipes_of(category)]
_BASES = (
    "street",
    "kitchen_counter",
    "picnic",
    "office_desk",
    "living_room",
    "farmyard",
    "ball_court",
)


@pytest.mark.parametrize("category", _CATEGORIES)
def test_each_category_has_recipes_to_train_on_and_one_held_out(category: str) -> None:
    assert len(recipes_of(category)) >= 4
    assert len(recipes_of(category, held_out=True)) >= 1


def _some(stage: Stage, recipe: Recipe, severity: Severity, wanted: int) -> list[Drawn]:
    """Evident pairs, each on another base."""
    found: list[Drawn] = []
    for k in range(48):
        name = _BASES[k % len(_BASES)]
        if len(found) == wanted:
            break
        if name in {one.base.name for one in found}:
            continue
        rng = np.random.default_rng(SeedSequence([31, k]))
        world = BASES[name].make(rng)
        targets = recipe.targets(world, severity)
        if targets:
            at = targets[int(rng.integers(len(targets)))]
            got = attempt(stage, rng, BASES[name], Shared.of(stage, world), recipe, severity, at)
            if not isinstance(got, str):
                assert at.subject is (severity == "major")
                found.append(got)
    return found


@pytest.mark.parametrize("name", _RECIPES)
def test_a_recipe_plants_on_two_bases_and_leaves_the_twin_clean(name: str, stage: Stage) -> None:
    found = _some(stage, RECIPES[name], "major", 1) + _some(stage, RECIPES[name], "minor", 2)
    assert len({one.base.name for one in found}) >= 2, f"evident on {[o.base.name for o in found]}"
    for one in found:
        shared = one.planted.violated.effects[: len(one.planted.clean.effects)]
        assert one.planted.clean.effects == shared, "the twin has an effect of its own"
        again = draw(stage, one.planted.clean, one.lit)
        assert (again.pixels == one.clean).all()
        assert one.evidence.mask.any()


def test_a_changed_size_leaves_the_foot_where_it_was(stage: Stage) -> None:
    for one in _some(stage, RECIPES["giant_object"], "minor", 2):
        key = one.planted.where[0]
        wrong, right = one.planted.violated.thing(key), one.planted.clean.thing(key)
        assert wrong.low[2] == pytest.approx(right.low[2], abs=1e-6)
        assert wrong.size.max() > 1.9 * right.size.max()


def test_over_puts_the_farther_thing_in_front(stage: Stage) -> None:
    one = _some(stage, RECIPES["order_reversed"], "minor", 1)[0]
    far, near = one.planted.where
    lit = lit_by(one.planted.clean, one.planted.violated)
    clean = draw(stage, one.planted.clean, lit)
    violated = draw(stage, one.planted.clean.after(over(near, far)), lit)
    gained = violated.mask(far) & ~clean.mask(far)
    assert gained.any()
    assert clean.mask(near)[gained].mean() > 0.9
    # All that differs lies on the nearer thing or at its rim.
    differs = (clean.pixels != violated.pixels).any(-1)
    rim = np.pad(clean.mask(near), 3)
    around = np.zeros_like(differs)
    for dy in range(7):
        for dx in range(7):
            around |= rim[dy : dy + len(differs), dx : dx + len(differs)]
    assert not (differs & ~around).any()


def test_a_cut_solid_has_what_is_on_one_side() -> None:
    for mesh in (box((0, 0, 0), (2, 2, 2)), ellipsoid((0, 0, 0), (1, 1, 1))):
        piece = Piece.make(mesh, Paint((1, 0, 0)))
        normal, origin = np.array([1.0, 0.3, 0.0]) / np.hypot(1, 0.3), np.array([0.2, 0, 0])
        part = Part("body", None, (piece,))
        sides = [cut((part,), s * normal, origin) for s in (1, -1)]
        areas = []
        for s, parts in zip((1, -1), sides, strict=True):
            verts = parts[0].verts()
            assert (s * (verts - origin) @ normal).min() > -1e-9
            areas.append(_area(parts[0].pieces[0].mesh))
        assert sum(areas) == pytest.approx(_area(mesh))
    assert cut((part,), normal, np.array([9.0, 0, 0])) == ()


def _area(mesh: Mesh) -> float:
    corners = mesh.verts[mesh.faces]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return float(np.linalg.norm(sides, axis=1).sum() / 2)


def test_planes_through_the_camera_are_lines_of_the_picture() -> None:
    world = BASES["street"].make(np.random.default_rng(2))
    camera = world.camera
    line = ((0.2, 0.1), (0.7, 0.9))
    normal = through(camera, *line)
    points = np.concatenate([one.verts() for one in world.things])
    depth = (points - camera.pos) @ camera.forward
    px = camera.project(points, 1, 1)
    side = (points - camera.pos) @ normal
    (ax, ay), (bx, by) = line
    away = (px[:, 0] - ax) * (by - ay) - (px[:, 1] - ay) * (bx - ax)
    clear = (depth > 0.1) & (np.abs(away) > 1e-3)
    signs = np.sign(side[clear]) * np.sign(away[clear])
    assert abs(signs.sum()) == clear.sum()
    share = left_of(line, 40)
    assert share.min() == 0
    assert share.max() == 1


def test_an_asides_seam_spares_the_subjects() -> None:
    world = BASES["street"].make(np.random.default_rng(3))
    aside = next(one for one in world.things if not one.subject)
    seam = seam_at(world, aside, np.random.default_rng(0), curved=False)
    assert isinstance(seam, Seam)
    middle = np.mean([one.centre for one in world.things if one.subject], 0)
    x, y = world.camera.project(middle[None], 64, 64)[0].clip(0, 63).astype(int)
    own = world.camera.project(aside.centre[None], 64, 64)[0].clip(0, 63).astype(int)
    away = seam.away(64)
    assert away[y, x] < away[own[1], own[0]] + 1e-6
