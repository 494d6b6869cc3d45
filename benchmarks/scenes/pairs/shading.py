"""Who casts which shadow, and what water and mirrors show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.scenes.geometry.camera import Camera
from benchmarks.scenes.geometry.mesh import F64, Mesh, unit
from benchmarks.scenes.geometry.solids import prism
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.paints import U8
from benchmarks.scenes.render import Scene, Stage

from .world import Mirror, Thing, Water, World


@dataclass(frozen=True, slots=True)
class Cast:
    """A world's parts by what their shadows do."""

    parts: tuple[Part, ...]
    """Shown: those of the things, then the stage's."""
    owners: tuple[int, ...]
    """Of each part: position of its thing, or -1."""
    shadowless: tuple[int, ...]
    """Indices of shown parts that cast nothing."""
    ghosts: tuple[Part, ...]
    """Not shown; they only cast."""


def casting(world: World, mirrored: bool = False) -> Cast:
    """Which parts are shown and which cast; `mirrored`: as water and mirrors show them."""
    parts: list[Part] = []
    owners: list[int] = []
    quiet: list[int] = []
    ghosts: list[Part] = []
    for k, thing in enumerate(world.things):
        if mirrored and not thing.casts:
            continue
        shown = thing.reflected or thing if mirrored else thing
        ghost = _ghost(thing, world)
        if ghost is not None:
            ghosts += ghost.parts
        if ghost is not None or not thing.casts:
            quiet += range(len(parts), len(parts) + len(shown.parts))
        parts += shown.parts
        owners += [k] * len(shown.parts)
    parts += world.stage
    owners += [-1] * len(world.stage)
    return Cast(tuple(parts), tuple(owners), tuple(quiet), tuple(ghosts))


def _ghost(thing: Thing, world: World) -> Thing | None:
    """What casts in a thing's place, or None where it casts its own shadow."""
    if not thing.casts or (thing.shadow is None and thing.shadow_from is None):
        return None
    caster = thing.shadow or thing
    if thing.shadow_from is None:
        return caster
    # Sheared about the ground, the caster throws under the sun the shadow of the other light.
    sun, other = world.sun.direction, np.asarray(thing.shadow_from, float)
    lean = sun[:2] / sun[2] - other[:2] / other[2]
    shear = np.eye(3)
    shear[:2, 2] = lean
    base = next((t.high[2] for t in world.things if t.key == thing.rests_on), world.ground)
    return caster.about(shear, (0.0, 0.0, float(base)))


def water_part(water: Water) -> Part:
    """The surface as geometry."""
    z = water.level
    low = [(x, y, z - 0.01) for x, y in water.polygon]
    high = [(x, y, z) for x, y in water.polygon]
    paint = Paint(water.rgb, specular=0.2, shininess=0.6, alpha=1.0 - water.clear)
    return Part("backdrop.water", None, (Piece.make(prism(low, high), paint),))


def mirror_part(mirror: Mirror) -> Part:
    """The glass as geometry, a thin plate behind its front."""
    corners = np.asarray(mirror.corners, float)
    _, normal = _mirror_plane(mirror)
    mesh = prism(list(corners - 0.004 * normal), list(corners))
    return Part("backdrop.mirror", None, (Piece.make(mesh, Paint((0.55, 0.57, 0.58))),))


def _mirror_plane(mirror: Mirror) -> tuple[F64, F64]:
    c = np.asarray(mirror.corners, float)
    return c[0], unit(np.cross(c[1] - c[0], c[2] - c[0]))


def _plane(world: World, key: str) -> tuple[F64, F64]:
    """A point of the surface and its normal towards what is reflected."""
    if key == "backdrop.water":
        assert world.water is not None
        return np.array([0.0, 0.0, world.water.level]), np.array([0.0, 0.0, 1.0])
    assert world.mirror is not None
    return _mirror_plane(world.mirror)


def mirrored(camera: Camera, point: F64, normal: F64) -> Camera:
    """The camera behind the surface; its picture, left for right, is the surface's.

    A reflection turns right-handed axes left-handed; the turned picture makes up for it.
    """
    flip = np.eye(3) - 2 * np.outer(normal, normal)
    forward, up = flip @ camera.forward, flip @ camera.up
    return replace(
        camera,
        pos=point + flip @ (camera.pos - point),
        forward=forward,
        up=up,
        right=-(flip @ camera.right),
        shift=(-camera.shift[0], camera.shift[1]),
    )


def _before(part: Part, point: F64, normal: F64) -> Part | None:
    """What of a part lies before a plane: cut there, or None."""
    heights = [(piece.mesh.verts - point) @ normal for piece in part.pieces]
    if min(float(h.min()) for h in heights) >= 0:
        return part
    pieces = []
    for piece, h in zip(part.pieces, heights, strict=True):
        if h.max() <= 1e-6:
            continue
        mesh = piece.mesh
        keep = (h[mesh.faces] > 1e-6).any(1)
        verts = mesh.verts + np.outer(np.maximum(-h, 0.0), normal)
        cut = Mesh(verts, mesh.normals, np.ascontiguousarray(mesh.faces[keep]), 0, 0)
        pieces.append(replace(piece, mesh=cut))
    return replace(part, pieces=tuple(pieces)) if pieces else None


def _cut(cast: Cast, point: F64, normal: F64) -> Cast:
    """The parts before a plane."""
    parts: list[Part] = []
    owners: list[int] = []
    quiet: list[int] = []
    for i, (part, owner) in enumerate(zip(cast.parts, cast.owners, strict=True)):
        kept = None if part.key == "backdrop" else _before(part, point, normal)
        if kept is None:
            continue
        if i in cast.shadowless:
            quiet.append(len(parts))
        parts.append(kept)
        owners.append(owner)
    ghosts = _all_before(cast.ghosts, point, normal)
    return Cast(tuple(parts), tuple(owners), tuple(quiet), ghosts)


def _all_before(parts: Iterable[Part], point: F64, normal: F64) -> tuple[Part, ...]:
    kept = (_before(part, point, normal) for part in parts)
    return tuple(part for part in kept if part is not None)


def _rays(camera: Camera, size: int) -> F64:
    """Directions [S, S, 3] of the pixels' middles, of length 1 along the camera's axis."""
    c = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = c[None, :] + camera.shift[0], -c[:, None] + camera.shift[1]
    return (
        camera.forward
        + camera.tan * x[..., None] * camera.right
        + camera.tan * y[..., None] * camera.up
    )


def reflect(
    stage: Stage,
    world: World,
    lit: tuple[F64, float],
    key: str,
    seen: NDArray[np.bool_],
    pixels: U8,
) -> None:
    """Blends what a surface mirrors into the pixels [S, S, 3] where it is `seen`."""
    point, normal = _plane(world, key)
    if (world.camera.pos - point) @ normal <= 0:
        return  # seen from behind
    image = _mirror_image(stage, world, lit, point, normal)
    size = pixels.shape[0]
    ys, xs = np.nonzero(seen)
    rays = _rays(world.camera, size)[ys, xs]
    along = rays @ normal
    if key == "backdrop.water":
        assert world.water is not None
        water = world.water
        reach = (point - world.camera.pos) @ normal / np.minimum(along, -1e-6)
        hit = world.camera.pos[:2] + rays[:, :2] * reach[:, None]
        ripple = _ripple(hit, reach)
        # Away from the shore only: on its other side the mirrored things have been cut off.
        shift = np.rint((ripple + 1) / 2 * water.waves * 0.08 * size).astype(int)
        rows = np.minimum(ys + shift, size - 1)
        steep = -along / np.linalg.norm(rays, axis=1)
        share = np.clip(water.reflects * (0.55 + 0.6 * (1 - steep) ** 2), 0, 1)
        tone = 1 + 0.12 * np.sqrt(water.waves) * ripple
    else:
        assert world.mirror is not None
        rows, share, tone = ys, np.full(len(ys), world.mirror.reflects), np.ones(len(ys))
    shown = image[rows, xs].astype(float)
    mixed = (pixels[ys, xs] * (1 - share[:, None]) + shown * share[:, None]) * tone[:, None]
    pixels[ys, xs] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)


def _ripple(hit: F64, reach: F64) -> F64:
    """Waves [n] of -1..1 at points [n, 2] of the water, shorter near the camera."""
    k = 2 * np.pi / (0.035 * float(np.median(reach)))
    x, y = hit[:, 0] * k, hit[:, 1] * k
    wave: F64 = (
        np.sin(0.83 * x + 0.55 * y + 1.5 * np.sin(0.21 * x - 0.33 * y))
        + np.sin(-0.47 * x + 1.13 * y + 1.1 * np.sin(0.31 * y + 0.17 * x) + 1.7)
    ) / 2
    return wave


def _mirror_image(
    stage: Stage, world: World, lit: tuple[F64, float], point: F64, normal: F64
) -> U8:
    """What the surface would show if it filled the frame, [S, S, 3], in the camera's own pixels."""
    cast = _cut(casting(world, mirrored=True), point, normal)
    camera = mirrored(world.camera, point, normal)
    parts = [*cast.parts, *cast.ghosts]
    scene = Scene(
        camera,
        (world.sun, *world.lights),
        parts,
        frozenset(cast.shadowless),
        frozenset(range(len(cast.parts), len(parts))),
        lit,
    )
    image = stage.rgb(scene)[:, ::-1].copy()
    empty = stage.depth(scene)[0][:, ::-1] == 0
    if empty.any():
        image[empty] = _beyond(stage, world, normal, empty)
    return image


def _beyond(stage: Stage, world: World, normal: F64, empty: NDArray[np.bool_]) -> U8:
    """Colours [n, 3] of the backdrop's picture where reflected rays meet nothing else."""
    camera, size = world.camera, empty.shape[0]
    behind = [part for part in world.stage if part.key == "backdrop"]
    if not behind:
        return np.full((int(empty.sum()), 3), 120, np.uint8)
    far = stage.rgb(Scene(camera, (world.sun, *world.lights), behind))
    rays = _rays(camera, size)[empty]
    turned = rays - 2 * np.outer(rays @ normal, normal)
    # The backdrop ends where the frame does; beyond, it is continued by turning back.
    ahead = np.maximum(turned @ camera.forward, 1e-3)
    x = turned @ camera.right / ahead / camera.tan - camera.shift[0]
    y = turned @ camera.up / ahead / camera.tan - camera.shift[1]
    colours: U8 = far[_folded((1 - y) / 2 * size, size), _folded((x + 1) / 2 * size, size)]
    return colours


def _folded(x: F64, size: int) -> NDArray[np.int64]:
    """Pixel positions turned back at the frame's edges, 0..size-1."""
    around = np.mod(np.clip(x, -1e6, 1e6), 2 * size)
    inside: NDArray[np.int64] = np.minimum(around, 2 * size - around).astype(np.int64)
    return np.minimum(inside, size - 1)
