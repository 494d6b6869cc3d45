"""Recipes of the object level: what they fit, that they plant, and that they touch nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

import numpy as np
import pytest
from numpy.random import SeedSequence

from benchmarks.scenes.geometry.solids import box
from benchmarks.scenes.geometry.subject import Paint, Piece
from benchmarks.scenes.pairs import glyphs, warp
from benchmarks.scenes.pairs.evidence import check_worlds
from benchmarks.scenes.pairs.registry import BASES, Planted, Recipe, load, recipes_of
from benchmarks.scenes.pairs.things.kitchen import mug
from benchmarks.scenes.pairs.things.lettering import board
from benchmarks.scenes.pairs.world import World

CATEGORIES: Final = (
    "object_identity", "structural_distortion", "biological_anatomy", "nonbiological_structure",
    "texture_surface", "symbolic_content", "object_context",
)  # fmt: skip
HELD_OUT: Final = {
    "object_identity": {"fish_tailed"},
    "structural_distortion": {"stirred"},
    "biological_anatomy": {"arms_elsewhere"},
    "nonbiological_structure": {"part_on_top"},
    "texture_surface": {"overgrown"},
    "symbolic_content": {"halved_letters"},
    "object_context": {"road_or_bathroom"},
}

load()
RECIPES = [r for category in CATEGORIES for r in recipes_of(category)]


@cache
def world_of(name: str, k: int) -> World:
    return BASES[name].make(np.random.default_rng(SeedSequence([9, k])))


def plants(recipe: Recipe, name: str) -> Iterator[tuple[str, World, Planted, bool]]:
    """What a recipe plants in three worlds of a base: base, world, result, whether major."""
    for k in range(3):
        world = world_of(name, k)
        for severity in ("major", "minor"):
            for at in recipe.targets(world, severity)[:3]:
                got = recipe.plant(world, at, np.random.default_rng(k))
                if got is not None:
                    yield name, world, got, severity == "major"


def planted(recipe: Recipe) -> Iterator[tuple[str, World, Planted, bool]]:
    """The first that it plants on each base that it fits; nothing is made before it is asked for."""
    for name in sorted(BASES):
        yield from islice(plants(recipe, name), 1)


@pytest.mark.parametrize("category", CATEGORIES)
def test_four_recipes_and_which_are_held_out(category: str) -> None:
    known = recipes_of(category)
    assert len(known) >= 4
    assert {r.name for r in known if r.held_out} == HELD_OUT[category]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.name)
def test_plants_on_two_bases_at_what_its_severity_says(recipe: Recipe) -> None:
    bases = set()
    for name, _, got, major in planted(recipe):
        bases.add(name)
        check_worlds(got)
        assert got.detail
        assert got.where
        keys = {one.key for one in (*got.clean.things, *got.violated.things)}
        assert set(got.where) <= keys
        aim = [one for w in (got.violated, got.clean) for one in w.things if one.key in got.where]
        assert {one.subject for one in aim} == {major}
        assert len(got.violated.textures) <= 8
        shown = {p.paint.texture for t in got.violated.things for q in t.parts for p in q.pieces}
        assert shown - {None} <= set(got.violated.textures)
        # What is not named stays the very same object, but for things that both twins change.
        old = {one.key: one for one in got.clean.things}
        rest = [one for one in got.violated.things if one.key not in got.where]
        assert all(old[one.key] is one for one in rest)
        differs = [one for one in got.violated.things if old.get(one.key) is not one]
        assert differs or got.violated.effects != got.clean.effects
        if len(bases) == 2:
            return
    assert len(bases) >= 2, f"{recipe.name} plants on {bases}"


def test_the_clean_world_is_left_as_it_was() -> None:
    """A recipe makes new things; it changes no mesh of the world that it was given."""
    for recipe in RECIPES[::5]:
        for _, world, _, _ in planted(recipe):
            before = [part.verts().copy() for one in world.things for part in one.parts]
            for at in recipe.targets(world, "minor")[:2] + recipe.targets(world, "major")[:1]:
                recipe.plant(world, at, np.random.default_rng(1))
            after = [part.verts() for one in world.things for part in one.parts]
            assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
            break


def test_refined_meshes_are_the_same_surface() -> None:
    piece = Piece.make(box((0, 0, 0), (1, 2, 0.5)), Paint((1, 1, 1)))
    fine = warp.refined(piece, 0.2)
    corners = fine.mesh.verts[fine.mesh.faces]
    assert np.linalg.norm(corners - np.roll(corners, 1, 1), axis=2).max() <= 0.2 + 1e-9

    def area_and_volume(mesh: object) -> tuple[float, float]:
        c = mesh.verts[mesh.faces]  # type: ignore[attr-defined]
        cross = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
        return float(np.linalg.norm(cross, axis=1).sum() / 2), float((c[:, 0] * cross).sum() / 6)

    assert area_and_volume(fine.mesh) == pytest.approx(area_and_volume(piece.mesh))
    assert area_and_volume(piece.mesh)[1] == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["melted", "twisted", "wavy", "arched", "drooping", "swirled"])
def test_deformed_normals_are_those_of_the_deformed_faces(name: str) -> None:
    rng = np.random.default_rng(4)
    thing = mug(rng, "mug")
    low, high = thing.low, thing.high
    x, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    field = {
        "melted": lambda: warp.melted(low, high, rng),
        "twisted": lambda: warp.twisted(low, high, 120.0, z),
        "wavy": lambda: warp.wavy(low, high, x, z, 2.0, 0.08, 0.3),
        "arched": lambda: warp.arched(low, high, 0, 50.0),
        "drooping": lambda: warp.drooping(low, high, x, 110.0),
        "swirled": lambda: warp.swirled(thing.centre, x, 0.1, 150.0),
    }[name]()
    new = warp.deformed(thing, field)
    agree = []
    for part in new.parts:
        for piece in part.pieces:
            c = piece.mesh.verts[piece.mesh.faces]
            face = np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])
            area = np.linalg.norm(face, axis=1)
            normal = piece.mesh.normals[piece.mesh.faces].mean(1)
            agree.append(((face * normal).sum(1) > 0)[area > np.quantile(area, 0.2)].mean())
    assert min(agree) > 0.95
    assert np.abs(new.verts().max(0) - high).max() > 0.005


def test_lettering_changes_within_its_rim_only() -> None:
    pixels = board(("WET PAINT",), 2.5, (0.1, 0.1, 0.1), (0.9, 0.9, 0.8), 1, border=True)
    rng = np.random.default_rng(3)
    for edit in (glyphs.run, glyphs.halved, glyphs.tangled):
        new = edit(pixels, rng)
        changed = np.abs(new.astype(int) - pixels).max(-1) > 60
        assert changed.mean() > 0.03
        assert not changed[[*range(9), *range(-9, 0)]].any()
        assert not changed[:, [*range(3), *range(-3, 0)]].any()
        # As much ink as before, give or take what overlaps: letters are moved, not wiped out.
        assert 0.6 < glyphs.inked(new).mean() / glyphs.inked(pixels).mean() < 1.6
