"""Signs, labels, book covers and dials whose letters and digits are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs import glyphs
from benchmarks.scenes.pairs.pick import words_of
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.world import Thing, World

_TWIN: Final = "The same sign, label or dial with real words or digits in the same type."
_LEAST: Final = 34.0
"""Px that lettering must be wide, and three tenths of that high, to be read at 320 px."""
_AREA: Final = 2000.0
"""Px of the frame that its box must cover, so that what differs of its ink can be evident."""


def _face(thing: Thing) -> str | None:
    """Name of the texture that carries its lettering."""
    own = thing.facts.get("textures", {})
    return next((name for name in own if name.endswith(".face")), None)


def _lettered(world: World, thing: Thing) -> bool:
    """Carries lettering that is large enough in the picture and seen from its front."""
    name = _face(thing)
    if name is None or "words" not in thing.facts or name not in world.textures:
        return False
    pieces = [q for p in thing.parts for q in p.pieces if q.paint.texture == name]
    if not pieces:
        return False
    verts = np.concatenate([q.mesh.verts for q in pieces])
    normal = np.concatenate([q.mesh.normals for q in pieces]).mean(0)
    case = next((p for p in thing.parts if p.key == "case"), None)
    if case is not None:
        # A dial is a disc that lies on its case: it has as much back as front.
        normal = (verts.min(0) + verts.max(0)) / 2 - case.centre
    seen = np.clip(world.camera.project(verts, 320, 320), 0, 320)
    width, height = np.ptp(seen, axis=0)
    towards = world.camera.pos - verts.mean(0)
    facing = float(normal @ towards) / float(
        np.linalg.norm(towards) * np.linalg.norm(normal) + 1e-9
    )
    large = width >= _LEAST and height >= 0.3 * _LEAST and width * height >= _AREA
    return bool(facing > 0.35 and large)


def _text(world: World, thing: Thing) -> bool:
    return thing.kind != "clock" and _lettered(world, thing)


def _with_face(world: World, thing: Thing, new: Thing, pixels: U8, detail: str) -> Planted:
    """The world with the thing remade and its lettering's texture exchanged, under another name."""
    old = _face(thing)
    name = f"{thing.key}.wrong"
    done: dict[Paint, Paint] = {}

    def repaint(paint: Paint) -> Paint:
        if paint.texture != old:
            return paint
        return done.setdefault(paint, replace(paint, texture=name))

    parts = tuple(
        replace(p, pieces=tuple(replace(q, paint=repaint(q.paint)) for q in p.pieces))
        for p in new.parts
    )
    kept = {k: v for k, v in world.textures.items() if k != old}
    violated = replace(world.changed(replace(new, parts=parts)), textures={**kept, name: pixels})
    return Planted(violated, world, (thing.key,), f"the {words_of(thing)} {detail}")


def _edited(world: World, thing: Thing, edit: Callable[[U8], U8], detail: str) -> Planted | None:
    name = _face(thing)
    if name is None:
        return None
    old = world.textures[name]
    new = edit(old)
    # Too little ink moved: a single "I" mirrored is an "I".
    if float((np.abs(new.astype(int) - old).max(-1) > 60).mean()) < 0.03:
        return None
    return _with_face(world, thing, thing, new, detail)


@recipe(
    "symbolic_content",
    "false_letters",
    fits=lambda w, t: _lettered(w, t) and t.remake is not None,
    planted="Letters or digits put together from halves of others, mirrored, with strokes too many; or "
    "a clock's numerals in no order.",
    twin=_TWIN,
)
def false_letters(world: World, thing: Thing, rng: Generator) -> Planted | None:
    name = _face(thing)
    if thing.remake is None or name is None:
        return None
    if thing.kind == "clock" and rng.random() < 0.4:
        new = thing.remake(numerals="shuffled")
        pixels = new.facts["textures"][name]
        return _with_face(world, thing, new, pixels, "has its numerals in no order")
    new = thing.remake(garbled=True)
    pixels = new.facts["textures"][name]
    return _with_face(world, thing, new, pixels, "carries false letters")


@recipe(
    "symbolic_content",
    "run_letters",
    fits=_lettered,
    planted="Letters or digits that flow into each other like wet ink; border and board are straight.",
    twin=_TWIN,
)
def run_letters(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _edited(
        world, thing, lambda pixels: glyphs.run(pixels, rng), "carries letters run together"
    )


@recipe(
    "symbolic_content",
    "mirrored_letters",
    fits=_lettered,
    planted="Lettering or a dial in mirror writing.",
    twin=_TWIN,
)
def mirrored_letters(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _edited(world, thing, glyphs.mirrored, "carries mirror writing")


@recipe(
    "symbolic_content",
    "tangled_letters",
    fits=_text,
    planted="Pieces of letters turned and set in each other's place.",
    twin=_TWIN,
)
def tangled_letters(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _edited(
        world, thing, lambda pixels: glyphs.tangled(pixels, rng), "carries pieces of letters"
    )


@recipe(
    "symbolic_content",
    "halved_letters",
    fits=_lettered,
    planted="The lower halves of all letters shifted against the upper ones; a dial stands on its head.",
    twin=_TWIN,
    held_out=True,
)
def halved_letters(world: World, thing: Thing, rng: Generator) -> Planted | None:
    if thing.kind == "clock":
        name = _face(thing)
        if name is None:
            return None
        return _edited(
            world,
            thing,
            lambda pixels: np.ascontiguousarray(pixels[::-1]),
            "has its dial upside down",
        )
    return _edited(
        world, thing, lambda pixels: glyphs.halved(pixels, rng), "carries letters cut in half"
    )
