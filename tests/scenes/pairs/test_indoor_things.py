"""Household things: whole ones stand on z = 0; remaking one changes what is asked and nothing else."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest

from benchmarks.scenes.pairs.things import blocks, furniture, kitchen, lamps, signs
from benchmarks.scenes.pairs.things.kit import Maker, put
from benchmarks.scenes.pairs.things.lettering import board, glyph
from benchmarks.scenes.pairs.things.materials import MATERIALS, texture
from benchmarks.scenes.pairs.world import Thing

MODULES = ("blocks", "devices", "furniture", "kitchen", "lamps", "props", "signs", "tools")


def makers() -> dict[str, Maker]:
    found = {}
    for name in MODULES:
        module = importlib.import_module(f"benchmarks.scenes.pairs.things.{name}")
        for key, value in vars(module).items():
            if isinstance(value, Maker) and value.build.__module__ == module.__name__:
                found[key] = value
    return found


ALL = makers()


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def height_of(one: Thing) -> float:
    return float(one.size[2])


@pytest.mark.parametrize("name", sorted(ALL))
def test_made_whole(name: str) -> None:
    make = ALL[name]
    for seed in range(3):
        one = make(rng(seed), "it", at=(1.0, 2.0, 0.5), turn=30.0, scale=2.0)
        assert one.parts
        assert len({p.key for p in one.parts}) == len(one.parts)
        assert np.isfinite(one.verts()).all()
        if "stands" in one.tags and name != "stove":
            assert abs(float(one.low[2]) - 0.5) < 0.02, one.low
        again = one.remake() if one.remake else None
        assert again is not None
        np.testing.assert_allclose(again.verts(), one.verts(), atol=1e-12)


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_keyword_is_documented(name: str) -> None:
    make = ALL[name]
    for keyword in list(inspect.signature(make.build).parameters)[1:]:
        assert keyword in (make.build.__doc__ or "") or keyword in (
            "outlet", "cord", "socket", "lit", "size", "words", "garbled", "kind", "height", "stems",
        ), keyword  # fmt: skip


def test_normals_point_outwards() -> None:
    for make in (kitchen.pot, blocks.block, lamps.floor_lamp, kitchen.kettle):
        for part in make(rng()).parts:
            for piece in part.pieces:
                v, f = piece.mesh.verts, piece.mesh.faces
                flat = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
                along = (flat * piece.mesh.normals[f].sum(1)).sum(1)
                real = np.linalg.norm(flat, axis=1) > 1e-12
                assert (along[real] > 0).mean() > 0.97, part.key


def test_a_remade_thing_keeps_what_was_not_asked() -> None:
    chair = furniture.chair(rng(), "chair", at=(0.3, 0, 0), subject=True, rests_on="rug")
    assert chair.remake is not None
    broken = chair.remake(missing_leg=True)
    assert {p.key for p in chair.parts} - {p.key for p in broken.parts} == {"leg.0"}
    assert broken.subject
    assert broken.rests_on == "rug"
    same = {p.key: p for p in chair.parts}
    for part in broken.parts:
        np.testing.assert_array_equal(part.verts(), same[part.key].verts())
    assert broken.remake is not None
    mended = broken.remake(missing_leg=False)
    assert {p.key for p in mended.parts} == set(same)


def test_lamp_loses_its_cord_alone() -> None:
    lamp = lamps.desk_lamp(rng(), "lamp")
    assert lamp.remake is not None
    bare = lamp.remake(cord=False, socket=False)
    assert {p.key for p in lamp.parts} - {p.key for p in bare.parts} == {"cord", "outlet"}


def test_melted_ice_is_flat_and_no_ice() -> None:
    cubes = blocks.ice(rng(), count=3)
    assert cubes.remake is not None
    pool = cubes.remake(melted=True)
    assert height_of(pool) < 0.2 * height_of(cubes)
    assert "ice" in cubes.tags
    assert "ice" not in pool.tags


def test_garbled_letters_keep_the_layout() -> None:
    ink, paper = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    for seed, words in enumerate((("BAKERY",), ("OPEN", "NOW"), ("TICKETS",))):
        clean = board(words, 2.0, ink, paper, 0)
        broken = board(words, 2.0, ink, paper, 0, broken=rng(seed))
        inked = [np.argwhere(x[..., 0] < 128) for x in (clean, broken)]
        spread = [np.concatenate([x.min(0), x.max(0)]) for x in inked]
        assert np.abs(spread[0] - spread[1]).max() < 45
        assert 0.6 < len(inked[1]) / len(inked[0]) < 1.7
        differs = (np.abs(clean.astype(int) - broken) > 100).any(-1).sum()
        assert differs > 0.3 * len(inked[0])


def test_a_sign_carries_its_texture_under_its_own_key() -> None:
    sign = signs.wall_sign(rng(), "door_sign", words="EXIT")
    assert set(sign.facts["textures"]) == {"door_sign.face"}
    assert sign.facts["words"] == "EXIT"
    used = {q.paint.texture for p in sign.parts for q in p.pieces}
    assert "door_sign.face" in used
    assert sign.remake is not None
    other = sign.remake(garbled=True)
    assert not np.array_equal(
        other.facts["textures"]["door_sign.face"], sign.facts["textures"]["door_sign.face"]
    )


def test_put_brings_the_lettering_along() -> None:
    from benchmarks.scenes.pairs.bases import indoor_office

    world = indoor_office.office_desk(rng(1))
    sign = signs.wall_sign(rng(), "sign")
    world = world.without("sign").plus(sign).with_textures(sign.facts["textures"])
    assert sign.remake is not None
    changed = put(world, sign.remake(words="EXIT"))
    assert changed.thing("sign").facts["words"] == "EXIT"
    assert not np.array_equal(changed.textures["sign.face"], world.textures["sign.face"])


def test_no_glyph_is_empty() -> None:
    assert all(glyph(c, s).max() > 200 for c in "AMQ7&" for s in range(6))


@pytest.mark.parametrize("name", sorted(MATERIALS))
def test_materials_vary_and_wrap(name: str) -> None:
    a, b = texture(name, rng(1)), texture(name, rng(2))
    assert a.shape == (256, 256, 3)
    assert a.dtype == np.uint8
    assert not np.array_equal(a, b)
    assert a.std() > 1.5
