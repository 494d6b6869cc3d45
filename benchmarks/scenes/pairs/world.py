"""What a picture of a pair shows, before it is drawn: things on a stage, light, water, mirrors, effects.

A world is a value: a recipe makes the violated world from the clean one by replacing things in it, and
both are drawn with the same camera. Units are metres-like scene units (a person is 1.7 high), z is up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.paints import U8
from benchmarks.scenes.render import Light

Tag = Literal[
    "living", "person", "animal", "bird", "plant", "vehicle", "aircraft", "car", "boat", "rigid",
    "soft", "stands", "hangs", "floats", "wheeled", "held", "worn", "furniture", "vessel",
    "food", "tool", "lamp", "sign", "screen", "hot", "cold", "ice", "flame", "ball", "stacked",
    "domino", "building", "mirror", "large", "small", "transparent", "moves",
]  # fmt: skip
"""What recipes may look for in a thing; a new one is added here."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of a world."""

    key: str
    """Unique in its world."""
    kind: str
    """What it is in one or two words: "mug", "person", "sedan"."""
    parts: tuple[Part, ...]
    """Placed: in world coordinates. Keys need be unique within the thing only."""
    subject: bool = False
    """Main subject, bearer of the main action or visual focus: a violation of it is major."""
    tags: frozenset[str] = frozenset()
    rests_on: str | None = None
    """Key of the thing it stands on; None: the ground, or nothing (`hangs`, `floats`)."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Named points ([3]) and numbers that recipes need: "head", "hand.left", "radius", "facing" ..."""
    remake: Callable[..., Thing] | None = None
    """The same individual otherwise: another pose, more fingers, other words (`what each maker says`);
    keywords only, the result is placed alike."""
    shadow: Thing | None = None
    """What its shadow is the shadow of, where that is not the thing itself (a violation)."""
    shadow_from: F64 | None = None
    """Direction [3] of the light that its shadow comes from, where that is not the world's sun."""
    reflected: Thing | None = None
    """What water and mirrors show of it, where that is not the thing itself."""
    casts: bool = True
    """Whether it has a shadow and reflections at all."""

    def verts(self) -> F64:
        """All vertices, [n, 3]."""
        return np.concatenate([part.verts() for part in self.parts])

    @property
    def low(self) -> F64:
        """Lower corner of its bounding box."""
        lowest: F64 = self.verts().min(0)
        return lowest

    @property
    def high(self) -> F64:
        """Upper corner of its bounding box."""
        highest: F64 = self.verts().max(0)
        return highest

    @property
    def centre(self) -> F64:
        """Middle of its bounding box."""
        middle: F64 = (self.low + self.high) / 2
        return middle

    @property
    def size(self) -> F64:
        """Sides of its bounding box."""
        sides: F64 = self.high - self.low
        return sides

    def about(self, linear: ArrayLike, origin: ArrayLike, shift: ArrayLike = (0, 0, 0)) -> Thing:
        """Transformed about `origin`, then shifted; points among the facts go along."""
        m, o, s = (np.asarray(x, float) for x in (linear, origin, shift))
        moved = {
            name: o + m @ (value - o) + s
            if isinstance(value, np.ndarray) and value.shape == (3,)
            else value
            for name, value in self.facts.items()
        }
        parts = tuple(part.about(m, o, s) for part in self.parts)
        remake = self.remake
        again = None if remake is None else (lambda **how: remake(**how).about(m, o, s))
        return replace(self, parts=parts, facts=moved, remake=again)

    def moved(self, shift: ArrayLike) -> Thing:
        """Somewhere else."""
        return self.about(np.eye(3), (0, 0, 0), shift)

    def scaled(self, by: float) -> Thing:
        """Larger or smaller, standing on the same spot."""
        return self.about(np.eye(3) * by, (self.centre[0], self.centre[1], self.low[2]))


@dataclass(frozen=True, slots=True)
class Water:
    """Still or slightly moving water; it reflects, and hides or tints what is below it."""

    level: float
    """Height."""
    polygon: tuple[tuple[float, float], ...]
    """Its shore seen from above, counter-clockwise, convex."""
    rgb: tuple[float, float, float]
    clear: float = 0.25
    """How much of what is below can be seen, 0..1."""
    reflects: float = 0.5
    """How much of what is above is mirrored, 0..1."""
    waves: float = 0.1
    """0 = a mirror."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """A rectangular mirror."""

    corners: tuple[tuple[float, float, float], ...]
    """Four, counter-clockwise as seen from its front."""
    reflects: float = 0.9


@dataclass(slots=True)
class Canvas:
    """A drawn picture that effects work on."""

    pixels: U8
    """[S, S, 3], changed in place or replaced."""
    index: NDArray[np.int32]
    """[S, S] what is seen there: position in `keys`, -1: the stage."""
    depth: NDArray[np.float32]
    """[S, S] distance from the camera along its axis, scene units."""
    keys: tuple[str, ...]
    """Keys of the world's things."""
    world: World
    render: Callable[[World], Canvas] | None = None
    """Draws a variant of the world without its effects, in the same light: for effects that compose
    pictures. The variant has no more textures than the world."""

    def mask(self, key: str) -> NDArray[np.bool_]:
        """Where a thing is seen."""
        found: NDArray[np.bool_] = self.index == self.keys.index(key)
        return found

    def project(self, points: ArrayLike) -> F64:
        """Pixel coordinates [..., 2] of points [..., 3] of the world."""
        size = self.pixels.shape[0]
        return self.world.camera.project(np.asarray(points, float), size, size)


Effect = Callable[[Canvas], None]
"""A change of the drawn picture (smear, seam, glow); draws nothing by chance: what it needs is bound when
it is made, so that both twins of a pair are changed alike where they are meant to be."""


@dataclass(frozen=True, slots=True)
class World:
    """A picture's content."""

    base: str
    """Name of the base scene."""
    camera: Camera
    sun: Light
    """The light that casts the shadows."""
    lights: tuple[Light, ...]
    """Others; they cast none."""
    things: tuple[Thing, ...]
    stage: tuple[Part, ...]
    """Ground, walls, backdrop, fixed furniture: what no recipe touches. Keys that start with "backdrop"
    cast no shadow."""
    textures: Mapping[str, U8]
    """At most 8, 256 x 256."""
    ground: float = 0.0
    """Height of the floor that things stand on."""
    water: Water | None = None
    mirror: Mirror | None = None
    place: str = "indoor"
    """indoor, street, nature, water, snow, sand, air, workshop, kitchen ...: what belongs here."""
    free: tuple[tuple[float, float, float], ...] = ()
    """Spots [x, y, z] where something more could stand in plain sight."""
    effects: tuple[Effect, ...] = ()
    """Applied in order after drawing."""

    def thing(self, key: str) -> Thing:
        """The thing of that key; KeyError when there is none."""
        for one in self.things:
            if one.key == key:
                return one
        raise KeyError(f"{self.base} has no {key!r}: {[t.key for t in self.things]}")

    def tagged(self, *tags: Tag) -> list[Thing]:
        """Things that have all of the tags."""
        return [one for one in self.things if one.tags >= set(tags)]

    def resting_on(self, key: str) -> list[Thing]:
        """Everything that stands on a thing, directly or not."""
        found = [one for one in self.things if one.rests_on == key]
        return found + [more for one in found for more in self.resting_on(one.key)]

    def changed(self, *things: Thing) -> World:
        """With things in place of those of the same keys."""
        new = {one.key: one for one in things}
        unknown = set(new) - {one.key for one in self.things}
        if unknown:
            raise KeyError(f"{self.base} has no {sorted(unknown)}")
        return replace(self, things=tuple(new.get(one.key, one) for one in self.things))

    def without(self, *keys: str) -> World:
        """Lacking things."""
        return replace(self, things=tuple(one for one in self.things if one.key not in keys))

    def plus(self, *things: Thing) -> World:
        """With more things."""
        return replace(self, things=(*self.things, *things))

    def after(self, *effects: Effect) -> World:
        """With more effects."""
        return replace(self, effects=(*self.effects, *effects))

    def with_textures(self, textures: Mapping[str, U8]) -> World:
        """With more textures."""
        return replace(self, textures={**self.textures, **textures})


def tags(*names: Tag) -> frozenset[str]:
    """A thing's tags.

    Raises:
        ValueError: one that is no `Tag`.
    """
    unknown = set(names) - set(get_args(Tag))
    if unknown:
        raise ValueError(f"expected tags among {get_args(Tag)}, got {sorted(unknown)}")
    return frozenset(names)


def boxed(things: Iterable[Thing]) -> tuple[F64, F64]:
    """Corners of the bounding box of several things."""
    verts = np.concatenate([one.verts() for one in things])
    return verts.min(0), verts.max(0)
