"""Surroundings: sky or picture behind, ground, props, light."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64
from benchmarks.scenes.geometry.solids import prism
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import U8, hue
from benchmarks.scenes.render import Light

from .props import scatter
from .textures import ground_texture, picture, sky

RGB = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Parts without class, and the light they are seen in."""

    parts: list[Part]
    lights: list[Light]
    textures: dict[str, U8] = field(default_factory=dict)


def lights(rng: Generator, camera: Camera) -> list[Light]:
    """A sun (mostly with shadow) and a fill light that carries the ambient."""
    away = np.deg2rad(camera.azimuth + float(rng.uniform(-130, 130)))
    high = np.deg2rad(float(rng.uniform(22, 78)))
    sun = -np.array([np.cos(high) * np.cos(away), np.cos(high) * np.sin(away), np.sin(high)])
    strength = float(rng.uniform(0.5, 0.85))
    tint = 1 + np.array([1, 0.2, -1]) * float(rng.uniform(-0.08, 0.12))
    ambient = float(rng.uniform(0.32, 0.55))
    cool = 1 + np.array([-1, 0, 1]) * float(rng.uniform(-0.06, 0.1))
    fill = -np.array([np.cos(away + 2.2), np.sin(away + 2.2), 0.9])
    d, a = np.clip(strength * tint, 0, 1), np.clip(ambient * cool, 0, 1)
    side = float(rng.uniform(0.1, 0.35))
    return [
        Light(
            sun,
            (float(d[0]), float(d[1]), float(d[2])),
            (0.0, 0.0, 0.0),
            float(rng.uniform(0.1, 0.6)),
            bool(rng.random() < 0.85),
        ),
        Light(
            fill / np.linalg.norm(fill),
            (side, side, side),
            (float(a[0]), float(a[1]), float(a[2])),
            0.0,
            False,
        ),
    ]


def backdrop(camera: Camera, depth: float = 70.0) -> Part:
    """A self-luminous picture behind everything, turned to the camera; it throws no shadow."""
    half = depth * camera.tan * 1.02
    centre = (
        camera.pos
        + camera.forward * depth
        + camera.right * camera.shift[0] * depth * camera.tan
        + camera.up * camera.shift[1] * depth * camera.tan
    )
    quad = [
        centre + camera.right * x * half + camera.up * y * half
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    mesh = prism([q + camera.forward * 0.5 for q in quad], quad)
    uv = (
        np.stack([(mesh.verts - centre) @ camera.right, -((mesh.verts - centre) @ camera.up)], -1)
        / (2 * half)
        + 0.5
    )
    # Normals down and away from every light: only the emission shows.
    dark = np.broadcast_to(np.array([0.0, 0.0, -1.0]), mesh.normals.shape)
    mesh = type(mesh)(mesh.verts, np.ascontiguousarray(dark), mesh.faces, mesh.ring, mesh.ring_rows)
    return Part(
        "backdrop",
        None,
        (Piece(mesh, Paint((1, 1, 1), "backdrop", specular=0.0, emission=0.55), uv),),
    )


def ground(
    z: float, scale: float = 1.0, shift: tuple[float, float] = (0.0, 0.0), plain: RGB | None = None
) -> Part:
    """A large floor at height z."""
    r = 60.0
    mesh = prism(
        [(-r, -r, z - 0.5), (r, -r, z - 0.5), (r, r, z - 0.5), (-r, r, z - 0.5)],
        [(-r, -r, z), (r, -r, z), (r, r, z), (-r, r, z)],
    )
    paint = Paint(
        plain or (1, 1, 1), None if plain else "ground", "xy", (scale, scale), shift, specular=0.0
    )
    return Part("backdrop.ground", None, (Piece.make(mesh, paint),))


def wall(
    rng: Generator, camera: Camera, centre: F64, distance: float, plain: RGB | None = None
) -> Part:
    """A wall behind the subject, roughly facing the camera."""
    a = np.deg2rad(camera.azimuth + 180 + float(rng.uniform(-18, 18)))
    out = np.array([np.cos(a), np.sin(a), 0.0])
    side = np.array([-out[1], out[0], 0.0])
    c = centre + out * distance
    quad = [
        c + side * x * 40 + np.array([0, 0, z])
        for x, z in ((-1, -2.0), (1, -2.0), (1, 30.0), (-1, 30.0))
    ]
    mesh = prism(quad, [q + out * 0.3 for q in quad])
    paint = Paint(
        plain or (1, 1, 1),
        None if plain else "wall",
        "xz" if abs(side[0]) > 0.5 else "yz",
        (0.4, 0.4),
        specular=0.0,
    )
    return Part("backdrop.wall", None, (Piece.make(mesh, paint),))


def surroundings(rng: Generator, camera: Camera, floor: float | None, domain: str) -> Surroundings:
    """Sky, picture, studio, room or open ground; `floor`: height of the ground, None in the air."""
    textures: dict[str, U8] = {}
    parts: list[Part] = []
    shift = (float(rng.random()), float(rng.random()))
    if floor is None:
        open_sky = rng.random() < (0.7 if domain == "aircraft" else 0.3)
        textures["backdrop"] = sky(rng) if open_sky else picture(rng)
        if domain == "aircraft" and rng.random() < 0.3 and camera.elevation > 8:
            textures["ground"] = ground_texture(rng, False)
            parts.append(ground(-float(rng.uniform(3, 9)), float(rng.uniform(0.1, 0.4)), shift))
        return Surroundings([backdrop(camera), *parts], lights(rng, camera), textures)
    style = rng.random()
    textures["backdrop"] = sky(rng) if rng.random() < 0.55 else picture(rng)
    parts.append(backdrop(camera))
    if style < 0.14:  # studio: one colour
        colour = hue(rng, (0.0, 0.5), (0.35, 0.95))
        parts += [
            ground(floor, 1.0, shift, colour),
            wall(rng, camera, np.zeros(3), float(rng.uniform(2.2, 5)), colour),
        ]
        return Surroundings(parts, lights(rng, camera), textures)
    textures["ground"] = ground_texture(rng, road=domain != "animal" and rng.random() < 0.6)
    parts.append(
        ground(
            floor,
            float(rng.uniform(0.15, 0.6)) if domain == "animal" else float(rng.uniform(0.12, 0.3)),
            shift,
        )
    )
    if style < 0.32:  # room or yard wall
        textures["wall"] = picture(rng) if rng.random() < 0.6 else ground_texture(rng, False)
        parts.append(wall(rng, camera, np.zeros(3), float(rng.uniform(2.2, 6))))
    elif rng.random() < 0.6:
        parts += scatter(rng, camera, floor, int(rng.integers(1, 7)))
    return Surroundings(parts, lights(rng, camera), textures)
