"""Surroundings: sky or picture behind, ground, props, light."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from .camera import Camera
from .mesh import F64, prism
from .noise import field01
from .paints import TEX, U8, grey, hue, to_u8
from .props import scatter
from .render import Light
from .subject import Paint, Part, Piece

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
        Light(sun, (float(d[0]), float(d[1]), float(d[2])), (0.0, 0.0, 0.0), float(rng.uniform(0.1, 0.6)), bool(rng.random() < 0.85)),
        Light(fill / np.linalg.norm(fill), (side, side, side), (float(a[0]), float(a[1]), float(a[2])), 0.0, False),
    ]


def gradient(top: F64, bottom: F64) -> F64:
    """A vertical gradient [256, 256, 3]; row 0 is the top."""
    t = np.linspace(0, 1, TEX)[:, None, None]
    return np.broadcast_to(top * (1 - t) + bottom * t, (TEX, TEX, 3)).copy()


def sky(rng: Generator) -> U8:
    """A sky: blue, grey, dusk or night, with or without clouds."""
    style = rng.integers(5)
    if style <= 1:
        top, bottom = np.array([0.2, 0.42, 0.8]), np.array([0.72, 0.84, 0.95])
    elif style == 2:
        top, bottom = np.array(grey(rng, 0.55, 0.8)), np.array(grey(rng, 0.75, 0.95))
    elif style == 3:
        top, bottom = np.array([0.22, 0.24, 0.45]), np.array([0.95, 0.6, 0.35])
    else:
        top, bottom = np.array(hue(rng, (0.1, 0.6), (0.3, 0.9))), np.array(hue(rng, (0.05, 0.4), (0.6, 1.0)))
    rgb = gradient(top * rng.uniform(0.8, 1.1), bottom * rng.uniform(0.85, 1.05))
    if rng.random() < 0.65:
        cover = np.clip((field01(rng, float(rng.choice([1.5, 2.0, 2.6]))) - rng.uniform(0.3, 0.7)) * rng.uniform(0.8, 2.5), 0, 1)[:, :, None]
        rgb = rgb * (1 - cover) + np.array(grey(rng, 0.8, 1.0)) * cover
    return to_u8(rgb)


def picture(rng: Generator) -> U8:
    """A random picture: 1/f noise in colours, blurred blobs, or a plain gradient."""
    style = rng.integers(4)
    if style == 0:
        rgb = np.stack([field01(rng, 1.5) for _ in range(3)], -1) * rng.uniform(0.3, 0.9) + rng.uniform(0, 0.3)
    elif style == 1:
        f, g = field01(rng, 2.0)[:, :, None], field01(rng, 2.6)[:, :, None]
        rgb = np.array(hue(rng)) * f + np.array(hue(rng)) * (1 - f)
        rgb = rgb * (1 - g * 0.6) + np.array(hue(rng)) * g * 0.6
    elif style == 2:
        rgb = gradient(np.array(hue(rng, (0, 0.6))), np.array(hue(rng, (0, 0.6))))
        if rng.random() < 0.5:
            rgb = rgb.transpose(1, 0, 2)
    else:
        f = np.floor(field01(rng, 2.6) * rng.integers(3, 7)) / 5
        rgb = np.array(hue(rng, (0.1, 0.6))) * f[:, :, None] + np.array(hue(rng, (0.1, 0.6))) * (1 - f[:, :, None])
    if rng.random() < 0.5:
        rgb = rgb * (0.85 + 0.3 * field01(rng, 0.6)[:, :, None])
    return to_u8(rgb)


def ground_texture(rng: Generator, road: bool) -> U8:
    """Grass, asphalt, sand, tiles, planks or checks; a road has lines along x."""
    style = 1 if road else int(rng.integers(6))
    noise = field01(rng, float(rng.choice([0.6, 1.0, 1.5])))[:, :, None]
    if style == 0:
        base = np.array([0.25, 0.42, 0.16]) * rng.uniform(0.7, 1.3)
    elif style == 1:
        base = np.array(grey(rng, 0.25, 0.55))
    elif style == 2:
        base = np.array([0.76, 0.66, 0.48]) * rng.uniform(0.75, 1.15)
    else:
        base = np.array(hue(rng, (0.05, 0.5), (0.3, 0.85)))
    rgb = base * (0.75 + rng.uniform(0.1, 0.5) * noise)
    y = np.arange(TEX)
    if road:
        if rng.random() < 0.75:
            mark = np.array([0.92, 0.92, 0.88]) if rng.random() < 0.7 else np.array([0.85, 0.7, 0.1])
            rgb[(y > 18) & (y < 25)] = mark
            if rng.random() < 0.6:
                dash = np.arange(TEX) % 128 < 70
                rgb[np.ix_((y > 140) & (y < 147), dash)] = mark
    elif style == 3:
        cell = int(rng.choice([32, 64]))
        checks = ((y[:, None] // cell + y[None] // cell) % 2).astype(bool)
        rgb[checks] *= rng.uniform(0.6, 0.9)
    elif style == 4:
        cell = int(rng.choice([32, 64]))
        rgb[y % cell < 2] *= 0.6
        rgb[:, y % cell < 2] *= 0.6
    elif style == 5:
        rgb[y % 32 < 2] *= 0.55
        rgb *= (0.85 + 0.3 * ((y // 32 * 7919) % 13 / 13))[:, None, None]
    return to_u8(rgb)


def backdrop(camera: Camera, depth: float = 70.0) -> Part:
    """A self-luminous picture behind everything, turned to the camera; it throws no shadow."""
    half = depth * camera.tan * 1.02
    centre = camera.pos + camera.forward * depth + camera.right * camera.shift[0] * depth * camera.tan + camera.up * camera.shift[1] * depth * camera.tan
    quad = [centre + camera.right * x * half + camera.up * y * half for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh = prism([q + camera.forward * 0.5 for q in quad], quad)
    uv = np.stack([(mesh.verts - centre) @ camera.right, -((mesh.verts - centre) @ camera.up)], -1) / (2 * half) + 0.5
    # Normals down and away from every light: only the emission shows.
    dark = np.broadcast_to(np.array([0.0, 0.0, -1.0]), mesh.normals.shape)
    mesh = type(mesh)(mesh.verts, np.ascontiguousarray(dark), mesh.faces, mesh.ring, mesh.ring_rows)
    return Part("backdrop", None, (Piece(mesh, Paint((1, 1, 1), "backdrop", specular=0.0, emission=0.55), uv),))


def ground(z: float, scale: float = 1.0, shift: tuple[float, float] = (0.0, 0.0), plain: RGB | None = None) -> Part:
    """A large floor at height z."""
    r = 60.0
    mesh = prism([(-r, -r, z - 0.5), (r, -r, z - 0.5), (r, r, z - 0.5), (-r, r, z - 0.5)], [(-r, -r, z), (r, -r, z), (r, r, z), (-r, r, z)])
    paint = Paint(plain or (1, 1, 1), None if plain else "ground", "xy", (scale, scale), shift, specular=0.0)
    return Part("backdrop.ground", None, (Piece.make(mesh, paint),))


def wall(rng: Generator, camera: Camera, centre: F64, distance: float, plain: RGB | None = None) -> Part:
    """A wall behind the subject, roughly facing the camera."""
    a = np.deg2rad(camera.azimuth + 180 + float(rng.uniform(-18, 18)))
    out = np.array([np.cos(a), np.sin(a), 0.0])
    side = np.array([-out[1], out[0], 0.0])
    c = centre + out * distance
    quad = [c + side * x * 40 + np.array([0, 0, z]) for x, z in ((-1, -2.0), (1, -2.0), (1, 30.0), (-1, 30.0))]
    mesh = prism(quad, [q + out * 0.3 for q in quad])
    paint = Paint(plain or (1, 1, 1), None if plain else "wall", "xz" if abs(side[0]) > 0.5 else "yz", (0.4, 0.4), specular=0.0)
    return Part("backdrop.wall", None, (Piece.make(mesh, paint),))


def surroundings(rng: Generator, camera: Camera, floor: float | None, domain: str) -> Surroundings:
    """Sky, picture, studio, room or open ground; `floor` is the height of the ground or None in the air."""
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
        parts += [ground(floor, 1.0, shift, colour), wall(rng, camera, np.zeros(3), float(rng.uniform(2.2, 5)), colour)]
        return Surroundings(parts, lights(rng, camera), textures)
    textures["ground"] = ground_texture(rng, road=domain != "animal" and rng.random() < 0.6)
    parts.append(ground(floor, float(rng.uniform(0.15, 0.6)) if domain == "animal" else float(rng.uniform(0.12, 0.3)), shift))
    if style < 0.32:  # room or yard wall
        textures["wall"] = picture(rng) if rng.random() < 0.6 else ground_texture(rng, False)
        parts.append(wall(rng, camera, np.zeros(3), float(rng.uniform(2.2, 6))))
    elif rng.random() < 0.6:
        parts += scatter(rng, camera, floor, int(rng.integers(1, 7)))
    return Surroundings(parts, lights(rng, camera), textures)
