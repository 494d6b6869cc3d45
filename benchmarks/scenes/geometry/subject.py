"""Subjects: named parts made of painted meshes, and the edits that planting needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from .mesh import F64, Mesh


@dataclass(frozen=True, slots=True)
class Paint:
    """Surface of a piece; texture coordinates are planar: ``(v @ plane) * scale + shift``."""

    rgb: tuple[float, float, float]
    texture: str | None = None
    """Name of a texture of the image, or None for the plain colour."""
    plane: str = "xz"
    """Which two axes span the texture."""
    scale: tuple[float, float] = (1.0, 1.0)
    shift: tuple[float, float] = (0.0, 0.0)
    specular: float = 0.2
    shininess: float = 0.3
    emission: float = 0.0
    alpha: float = 1.0
    """0..1; less than 1 is transparent."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One painted mesh; `uv` [n, 2] is fixed when the piece is made, so it travels with it."""

    mesh: Mesh
    paint: Paint
    uv: F64

    @staticmethod
    def make(mesh: Mesh, paint: Paint) -> Piece:
        """A piece with the planar texture coordinates of its paint."""
        axes = ["xyz".index(a) for a in paint.plane]
        uv = mesh.verts[:, axes] * np.asarray(paint.scale) + np.asarray(paint.shift)
        return Piece(mesh, paint, uv)


@dataclass(frozen=True, slots=True)
class Part:
    """A component of the subject, or (``cls is None``) something that carries no class."""

    key: str
    """Unique in the subject, for example ``wing.left``."""
    cls: str | None
    """``domain.component`` or None."""
    pieces: tuple[Piece, ...]
    owner: str | None = None
    """Key of the part it hangs on; it moves and goes with it."""
    joins: str | None = None
    """Key of the part whose box also covers this part (eyes, nose and beak belong to the head's box)."""
    side: str = "middle"
    """left, right or middle."""
    place: str = ""
    """front, rear, upper ...: what distinguishes it among its kind."""
    pivot: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where it is attached."""
    planted: bool = False

    @property
    def centre(self) -> F64:
        """Middle of the part's bounding box."""
        v = self.verts()
        middle: F64 = (v.min(0) + v.max(0)) / 2
        return middle

    def verts(self) -> F64:
        """All vertices, [n, 3]."""
        return np.concatenate([p.mesh.verts for p in self.pieces])

    def transformed(self, linear: ArrayLike, shift: ArrayLike) -> Part:
        """The part under ``v -> linear @ v + shift``."""
        pieces = tuple(replace(p, mesh=p.mesh.transformed(linear, shift)) for p in self.pieces)
        pivot = np.asarray(linear, float) @ np.asarray(self.pivot) + np.asarray(shift, float)
        return replace(
            self, pieces=pieces, pivot=(float(pivot[0]), float(pivot[1]), float(pivot[2]))
        )

    def about(self, linear: ArrayLike, origin: ArrayLike, shift: ArrayLike = (0, 0, 0)) -> Part:
        """The part transformed about the point `origin`, then shifted."""
        o = np.asarray(origin, float)
        return self.transformed(
            linear, o - np.asarray(linear, float) @ o + np.asarray(shift, float)
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """An aircraft, a car, an animal, or a scene object without classes."""

    domain: str
    subtype: str
    parts: tuple[Part, ...]
    anchors: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    """Named points for planting: back, belly, nose, rump, roof ..."""
    facts: dict[str, float] = field(default_factory=dict)
    """Numbers that planting needs, such as the fuselage's radius."""
    textures: dict[str, np.ndarray] = field(default_factory=dict)
    """uint8 images by name for the paints."""

    def verts(self) -> F64:
        """All vertices, [n, 3]."""
        return np.concatenate([p.verts() for p in self.parts])

    def find(self, cls: str, **tags: str) -> list[Part]:
        """Parts of a component name (without domain) whose tags match."""
        return [
            p
            for p in self.parts
            if p.cls is not None
            and p.cls.split(".")[1] == cls
            and all(getattr(p, k) == v for k, v in tags.items())
        ]

    def get(self, key: str) -> Part:
        """The part of that key; KeyError when there is none."""
        for p in self.parts:
            if p.key == key:
                return p
        raise KeyError(f"{self.subtype} has no part {key!r}")

    def family(self, key: str) -> list[Part]:
        """The part and everything that hangs on it."""
        out, queue = [], [key]
        while queue:
            k = queue.pop()
            out.append(self.get(k))
            queue += [p.key for p in self.parts if p.owner == k]
        return out

    def without(self, keys: Iterable[str]) -> Subject:
        """The subject lacking these parts and what hangs on them."""
        gone = {p.key for k in keys for p in self.family(k)}
        return replace(self, parts=tuple(p for p in self.parts if p.key not in gone))

    def plus(self, parts: Iterable[Part]) -> Subject:
        """The subject with more parts."""
        return replace(self, parts=(*self.parts, *parts))

    def edited(self, key: str, edit: Callable[[Part], Part]) -> Subject:
        """The subject with the part and what hangs on it changed and marked as planted."""
        keys = {p.key for p in self.family(key)}
        parts = tuple(replace(edit(p), planted=True) if p.key in keys else p for p in self.parts)
        return replace(self, parts=parts)

    def copied(self, key: str, edit: Callable[[Part], Part], suffix: str) -> Subject:
        """The subject with a changed second copy of the part (and what hangs on it), planted."""
        family = self.family(key)
        keys = {p.key for p in family}
        copies = [
            replace(
                edit(p),
                key=p.key + suffix,
                owner=p.owner + suffix if p.owner in keys and p.owner else p.owner,
                joins=p.joins + suffix if p.joins in keys and p.joins else p.joins,
                planted=True,
            )
            for p in family
        ]
        return self.plus(copies)
