"""Skin, coats, bodywork and vessels of a material that they never have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.cover import covered, tufts, with_texture
from benchmarks.scenes.pairs.pick import is_body, is_skin, pixels_per_unit, shown, words_of
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.things.materials import texture
from benchmarks.scenes.pairs.world import Thing, World

_TWIN: Final = "The same one of its natural material; clothes and things with patterns are in both."

_SAYS: Final = {
    "brick": "brick", "stone": "stone", "tiles": "tiles", "wood": "wood", "planks": "planks",
    "knit": "knitted wool", "metal": "metal", "rust": "rusty iron", "leopard": "leopard's fur",
    "skin": "a reptile's scales", "grass": "grass",
}  # fmt: skip


def _living(world: World, thing: Thing) -> bool:
    return bool(thing.tags & {"person", "animal", "bird"}) and shown(world, thing, 60, 0.25)


def _person(world: World, thing: Thing) -> bool:
    return "person" in thing.tags and shown(world, thing, 60, 0.25)


_NO_SKIN: Final = ("block", "cylinder", "bicycle", "tricycle", "wooden crate", "crate of fruit", "rock",
                   "cardboard box", "basket", "book")  # fmt: skip
"""Kinds without a body to cover, or of which anything may be made."""


def _hard(world: World, thing: Thing) -> bool:
    """Lifeless things that never have a coat: no furniture, nothing soft, nothing that grows."""
    no = {"living", "person", "animal", "bird", "plant", "soft", "furniture", "building", "flame",
          "ice", "transparent", "screen", "mirror", "worn", "ball", "domino", "sign",
          "hangs"}  # fmt: skip
    yes = {"rigid", "vehicle", "car", "aircraft", "boat", "vessel", "tool", "food", "lamp"}
    if not thing.tags & yes or thing.tags & no or thing.kind in _NO_SKIN:
        return False
    return shown(world, thing, 32)


def _machine(world: World, thing: Thing) -> bool:
    return bool(thing.tags & {"vehicle", "car", "aircraft", "food", "boat"}) and _hard(world, thing)


def _where(thing: Thing) -> Callable[..., bool]:
    return is_skin(thing) if thing.tags & {"person", "animal", "bird"} else is_body(thing)


def _put(world: World, thing: Thing, material: str, rng: Generator) -> Planted | None:
    """A texture on the thing, about nine bands of it on 70 px."""
    name = f"surface.{material}"
    shiny = 0.8 if material == "metal" else 0.03
    span = 70 / pixels_per_unit(world, thing)
    size = float(thing.size.max())
    tile = float(np.clip(span, 0.08 * size, 0.7 * size)) * float(rng.uniform(0.85, 1.2))
    new = covered(thing, _where(thing), Paint((1, 1, 1), name, specular=shiny), tile)
    violated = with_texture(world.changed(new), name, _vivid(texture(material, rng)))
    if violated is None:
        return None
    whose = "skin" if "person" in thing.tags else "surface"
    return Planted(
        violated, world, (thing.key,), f"the {words_of(thing)}'s {whose} is {_SAYS[material]}"
    )


def _vivid(pixels: U8) -> U8:
    """With more contrast: grain and joints must be told from a shaded skin."""
    x = pixels.astype(float)
    mean = x.mean((0, 1))
    vivid: U8 = np.clip(mean + (x - mean) * 1.5, 0, 255).astype(np.uint8)
    return vivid


def _one_of(rng: Generator, *names: str) -> str:
    return str(rng.choice(list(names)))


@recipe(
    "texture_surface",
    "masonry_skin",
    fits=_living,
    planted="Skin or coat of brick, rough stone or tiles; eyes, hair and clothes stay as they are.",
    twin=_TWIN,
)
def masonry_skin(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _put(world, thing, _one_of(rng, "brick", "brick", "stone", "tiles"), rng)


@recipe(
    "texture_surface",
    "timber_skin",
    fits=_living,
    planted="Skin or coat of grained wood or of planks.",
    twin=_TWIN,
)
def timber_skin(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _put(world, thing, _one_of(rng, "wood", "planks"), rng)


@recipe(
    "texture_surface",
    "knitted",
    fits=lambda w, t: _living(w, t) or _machine(w, t),
    planted="Skin, coat, bodywork or food of knitted wool.",
    twin=_TWIN,
)
def knitted(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _put(world, thing, "knit", rng)


@recipe(
    "texture_surface",
    "pelt_or_scales",
    fits=lambda w, t: _person(w, t) or _machine(w, t),
    planted="A leopard's fur or a reptile's scales on a person's skin, on bodywork or on food.",
    twin=_TWIN,
)
def pelt_or_scales(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _put(world, thing, _one_of(rng, "leopard", "skin"), rng)


@recipe(
    "texture_surface",
    "walled_bodywork",
    fits=_machine,
    planted="A vehicle's bodywork, or food, of brick, stone, planks or tiles.",
    twin=_TWIN,
)
def walled_bodywork(world: World, thing: Thing, rng: Generator) -> Planted | None:
    return _put(world, thing, _one_of(rng, "brick", "stone", "planks", "tiles"), rng)


def _strands(
    world: World, thing: Thing, colours: list[tuple[float, float, float]], thick: float,
    droop: float, rng: Generator, what: str,
) -> Planted:  # fmt: skip
    """Strands of 7 px at least, on a ground of their own colour."""
    wanted = _where(thing)
    length = max(0.15 * float(np.cbrt(thing.size.prod())), 7 / pixels_per_unit(world, thing))
    below = covered(thing, wanted, Paint(_darker(colours[0]), specular=0.0), 1.0)
    hair = tufts(thing, wanted, colours, length, thick, droop, 2100, rng)
    new = replace(below, parts=(*below.parts, hair))
    return Planted(
        world.changed(new), world, (thing.key,), f"the {words_of(thing)} is covered in {what}"
    )


def _darker(rgb: tuple[float, float, float]) -> tuple[float, float, float]:
    return (rgb[0] * 0.75, rgb[1] * 0.75, rgb[2] * 0.75)


def _shades(rgb: F64, rng: Generator) -> list[tuple[float, float, float]]:
    """Three shades of a colour."""
    shades = [np.clip(rgb * k * rng.uniform(0.9, 1.1), 0, 1) for k in (1.0, 0.72, 1.25)]
    return [(float(c[0]), float(c[1]), float(c[2])) for c in shades]


_FURS: Final = ((0.45, 0.28, 0.14), (0.75, 0.58, 0.36), (0.2, 0.18, 0.17), (0.88, 0.85, 0.78),
                (0.6, 0.3, 0.12))  # fmt: skip


@recipe(
    "texture_surface",
    "furry",
    fits=_hard,
    planted="Shaggy fur, hair by hair, on a vehicle, a vessel, a tool or food.",
    twin=_TWIN,
)
def furry(world: World, thing: Thing, rng: Generator) -> Planted | None:
    fur = np.array(_FURS[rng.integers(len(_FURS))])
    return _strands(world, thing, _shades(fur, rng), 0.055, 0.7, rng, "fur")


@recipe(
    "texture_surface",
    "overgrown",
    fits=lambda w, t: _living(w, t) or _hard(w, t),
    planted="Blades of grass grow from skin, coat, bodywork or a vessel.",
    twin=_TWIN,
    held_out=True,
)
def overgrown(world: World, thing: Thing, rng: Generator) -> Planted | None:
    green = np.array([0.27, 0.52, 0.14]) * rng.uniform(0.8, 1.2)
    return _strands(world, thing, _shades(green, rng), 0.09, -0.9, rng, "grass")
