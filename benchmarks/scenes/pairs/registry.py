"""Which base scenes and which violations there are; modules of `bases/` and `recipes/` add theirs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from benchmarks.scenes.paints import U8

from .world import Thing, World

CATEGORIES: Final = (
    "object_identity", "structural_distortion", "biological_anatomy", "nonbiological_structure",
    "texture_surface", "symbolic_content", "object_context", "contact_state", "support_stability",
    "dynamic_response", "medium_interaction", "optical_effect", "energy_source", "thermal_response",
    "behavior_event", "relative_scale", "depth_order_occlusion", "region_continuity",
)  # fmt: skip
"""Ids of the shipped probes, in their order (a test holds them to the probe file)."""

Severity = Literal["major", "minor"]

FAMILIES: Final = ("abstract", "symbol", "infographic", "interface", "layout", "microscopic")
"""What a picture is that is not eligible (a test holds them to the probe file)."""


@dataclass(frozen=True, slots=True)
class Base:
    """A base scene."""

    name: str
    make: Callable[[Generator], World]
    held_out: bool
    """Never trained on."""
    says: str
    """What it shows, for docs/pairs.md."""


@dataclass(frozen=True, slots=True)
class Planted:
    """What a recipe has done."""

    violated: World
    clean: World
    """The twin; the given world, or a version of it that differs in nothing but the violation."""
    where: tuple[str, ...]
    """Keys of the things that it is seen at, in either world; empty: wherever the pictures differ."""
    detail: str
    """One sentence: what is wrong."""
    mark: Callable[[int], NDArray[np.bool_]] | None = None
    """Where to look for it in a picture of that side, [S, S]: a seam is seen where it runs, not in all
    that differs beyond it. None: everywhere."""


Plant = Callable[[World, Thing, Generator], Planted | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to violate a category."""

    category: str
    name: str
    plant: Plant
    """Violate it at a thing; None where the draw does not work there."""
    fits: Callable[[World, Thing], bool]
    """Whether it can be tried at a thing of a world."""
    held_out: bool
    """Never trained on."""
    planted: str
    """What is planted and how, for docs/pairs.md."""
    twin: str
    """What the clean twin shows."""

    def targets(self, world: World, severity: Severity) -> list[Thing]:
        """Where it can be tried: at subjects (major) or at the others (minor)."""
        wanted = severity == "major"
        return [t for t in world.things if t.subject is wanted and self.fits(world, t)]


@dataclass(frozen=True, slots=True)
class Other:
    """A kind of picture that is not eligible."""

    family: str
    name: str
    make: Callable[[Generator, int], U8]
    """Draws one, uint8 [size, size, 3]."""
    held_out: bool
    """Never trained on."""


BASES: Final[dict[str, Base]] = {}
RECIPES: Final[dict[str, Recipe]] = {}
OTHERS: Final[dict[str, Other]] = {}


def base(
    name: str, says: str, *, held_out: bool = False
) -> Callable[[Callable[[Generator], World]], Callable[[Generator], World]]:
    """Registers a base scene."""

    def add(make: Callable[[Generator], World]) -> Callable[[Generator], World]:
        if name in BASES:
            raise ValueError(f"base {name!r} is registered twice")
        BASES[name] = Base(name, make, held_out, says)
        return make

    return add


def recipe(
    category: str,
    name: str,
    *,
    fits: Callable[[World, Thing], bool],
    planted: str,
    twin: str,
    held_out: bool = False,
) -> Callable[[Plant], Plant]:
    """Registers a violation; `name` is unique among all."""
    if category not in CATEGORIES:
        raise ValueError(f"expected one of {CATEGORIES}, got {category!r}")

    def add(plant: Plant) -> Plant:
        if name in RECIPES:
            raise ValueError(f"recipe {name!r} is registered twice")
        RECIPES[name] = Recipe(category, name, plant, fits, held_out, planted, twin)
        return plant

    return add


def other(
    family: str, name: str, *, held_out: bool = False
) -> Callable[[Callable[[Generator, int], U8]], Callable[[Generator, int], U8]]:
    """Registers a kind of picture that is not eligible; `name` is unique among all."""
    if family not in FAMILIES:
        raise ValueError(f"expected one of {FAMILIES}, got {family!r}")

    def add(make: Callable[[Generator, int], U8]) -> Callable[[Generator, int], U8]:
        if name in OTHERS:
            raise ValueError(f"other {name!r} is registered twice")
        OTHERS[name] = Other(family, name, make, held_out)
        return make

    return add


def load() -> None:
    """Import all modules of `bases`, `recipes` and `others`, in the order of their names."""
    for package in ("bases", "recipes", "others"):
        module = importlib.import_module(f"{__package__}.{package}")
        for found in sorted(pkgutil.iter_modules(module.__path__), key=lambda m: m.name):
            importlib.import_module(f"{module.__name__}.{found.name}")


def recipes_of(category: str, *, held_out: bool | None = None) -> Sequence[Recipe]:
    """The recipes of a category, in the order of their names."""
    found = [r for r in RECIPES.values() if r.category == category]
    return sorted(
        (r for r in found if held_out is None or r.held_out == held_out), key=lambda r: r.name
    )


def others_of(family: str, *, held_out: bool | None = None) -> Sequence[Other]:
    """The pictures of a family that is not eligible, in the order of their names."""
    found = [o for o in OTHERS.values() if o.family == family]
    return sorted(
        (o for o in found if held_out is None or o.held_out == held_out), key=lambda o: o.name
    )
