"""What gravity and contact do to simple bodies, by MuJoCo's dynamics: recipes ask here what is right.

Deterministic: the same bodies end in the same poses. A handful of bodies takes 5 to 30 ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import F64

from .world import Thing

Shape = Literal["box", "cylinder", "sphere", "capsule"]

GRAVITY: Final = 9.81
_STEP: Final = 0.004
_REST_SPEED: Final = 0.03
"""Slower than this (units/s, and rad/s times the body's reach) is at rest ..."""
_REST_STEPS: Final = 30
"""... when it lasts so many steps."""
_FALLEN: Final = 25.0
"""Degrees of tilt from which something has fallen."""


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body; lengths in scene units, speeds in units/s."""

    key: str
    shape: Shape
    size: tuple[float, ...]
    """box: whole edges x, y, z; cylinder: radius, height; sphere: radius; capsule: radius, length between
    the middles of its ends. Cylinders and capsules stand along z."""
    at: F64
    """Its middle [3]."""
    turn: F64 = field(default_factory=lambda: np.eye(3))
    """Rotation [3, 3]."""
    fixed: bool = False
    """Never moves: a table, a wall."""
    density: float = 600.0
    friction: float = 0.8
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Angular velocity in world axes, rad/s."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a body has come to."""

    start: Body
    at: F64
    """[3]"""
    turn: F64
    """[3, 3]"""
    fell_at: float | None
    """Seconds until it had tilted by 25 degrees or dropped by half its height; None: it never did."""

    @property
    def moved(self) -> float:
        """Way of its middle, scene units."""
        return float(np.linalg.norm(self.at - self.start.at))

    @property
    def tilt(self) -> float:
        """Degrees between its own z axis before and after."""
        return _tilt(self.turn, self.start.turn)

    def place(self, thing: Thing) -> Thing:
        """The thing that stood where the body started, taken to where the body ended."""
        return thing.about(
            self.turn @ self.start.turn.T, self.start.at, self.at - np.asarray(self.start.at)
        )


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become of bodies."""

    poses: Mapping[str, Pose]
    at_rest: bool
    """Whether nothing moved any more at the end."""
    seconds: float
    """Simulated."""

    @property
    def order(self) -> list[str]:
        """Keys of the bodies that fell, first to last."""
        fallen = [(p.fell_at, key) for key, p in self.poses.items() if p.fell_at is not None]
        return [key for _, key in sorted(fallen)]


def body_of(thing: Thing, shape: Shape | None = None, **how: Any) -> Body:
    """The upright body that fills a thing's bounding box; what is tagged "ball" is a sphere by itself."""
    s = thing.size
    shape = shape or ("sphere" if "ball" in thing.tags else "box")
    radius = float(max(s[0], s[1])) / 2
    sizes: dict[Shape, tuple[float, ...]] = {
        "box": (float(s[0]), float(s[1]), float(s[2])),
        "cylinder": (radius, float(s[2])),
        "sphere": (float(s[2]) / 2,),
        "capsule": (radius, max(float(s[2]) - 2 * radius, 1e-3)),
    }
    return Body(thing.key, shape, sizes[shape], thing.centre, **how)


def settle(bodies: Sequence[Body], *, seconds: float = 2.0, ground: float | None = 0.0) -> Settled:
    """Lets time pass until everything rests, at most `seconds`.

    Args:
        ground: height of an endless floor; None: there is none.

    Raises:
        ValueError: two bodies of one key, or a size that does not fit a shape.
    """
    mj, model = _compile(bodies, ground)
    data = mj.MjData(model)
    free = [(k, b) for k, b in enumerate(b for b in bodies if not b.fixed)]
    reach = np.array([_reach(b) for _, b in free])
    for k, b in free:
        data.qvel[6 * k : 6 * k + 3] = b.velocity
        # MuJoCo's free joints take angular velocities in the body's own axes.
        data.qvel[6 * k + 3 : 6 * k + 6] = b.turn.T @ np.asarray(b.spin, float)
    fell: dict[str, float] = {}
    calm = 0
    for n in range(int(seconds / _STEP)):
        mj.mj_step(model, data)
        speed = np.abs(data.qvel.reshape(-1, 6)) if free else np.zeros((0, 6))
        still = (speed[:, :3].max(1, initial=0) < _REST_SPEED) & (
            speed[:, 3:].max(1, initial=0) * reach < _REST_SPEED
        )
        calm = calm + 1 if still.all() else 0
        if n % 5 == 0:
            _note_falls(data, free, fell)
        if calm >= _REST_STEPS:
            break
    _note_falls(data, free, fell)
    poses = {b.key: Pose(b, np.asarray(b.at, float), b.turn, None) for b in bodies}
    for k, b in free:
        turn = data.xmat[k + 1].reshape(3, 3).copy()
        poses[b.key] = Pose(b, data.xpos[k + 1].copy(), turn, fell.get(b.key))
    return Settled(poses, calm >= _REST_STEPS, data.time)


def stands(
    bodies: Sequence[Body], *, seconds: float = 1.5, ground: float | None = 0.0, nudge: float = 0.04
) -> bool:
    """Whether all bodies stay where they are, even when nudged sideways (units/s, alternating ways)."""
    pushed = [
        replace(b, velocity=(nudge * (-1) ** k, nudge * (-1) ** (k // 2), 0.0))
        for k, b in enumerate(bodies)
    ]
    settled = settle(pushed, seconds=seconds, ground=ground)
    return settled.at_rest and all(
        p.moved < 0.12 * _reach(p.start) + 0.02 * nudge and p.tilt < 6.0
        for p in settled.poses.values()
    )


def flight(at: ArrayLike, velocity: ArrayLike, times: ArrayLike, floor: float) -> F64:
    """Where the middle of a thrown ball is at the times [n], [n, 3]; on `floor` it lies still.

    `floor` is the height of its middle when it touches the ground.
    """
    start, v = np.asarray(at, float), np.asarray(velocity, float)
    fall = v[2] + np.sqrt(max(v[2] ** 2 + 2 * GRAVITY * (start[2] - floor), 0.0))
    t = np.minimum(np.asarray(times, float), fall / GRAVITY)[:, None]
    path: F64 = start + v * t - np.array([0.0, 0.0, GRAVITY / 2]) * t**2
    return path


def domino_row(
    count: int, size: tuple[float, float, float], gap: float, *, push: float = 1.2
) -> list[Body]:
    """Dominoes "0", "1" ... along x standing on z = 0, the first tipped over along x.

    Args:
        size: thickness (along x), width, height.
        gap: between faces; with less than 0.8 of the height each reaches the next.
        push: angular velocity of the first, rad/s times the square root of 1 unit over its height.
    """
    x = np.arange(count) * (size[0] + gap)
    spin = push * float(np.sqrt(1.0 / size[2]))
    return [
        Body(
            str(k),
            "box",
            size,
            np.array([x[k], 0.0, size[2] / 2]),
            spin=(0.0, spin if k == 0 else 0.0, 0.0),
            velocity=(spin * size[2] / 2 if k == 0 else 0.0, 0.0, 0.0),
            friction=0.6,
        )
        for k in range(count)
    ]


def _tilt(now: F64, before: F64) -> float:
    return float(np.degrees(np.arccos(np.clip(now[:, 2] @ before[:, 2], -1.0, 1.0))))


def _reach(body: Body) -> float:
    """About half its longest side."""
    longest = 2 * body.size[0] + body.size[1] if body.shape == "capsule" else max(body.size)
    return longest if body.shape == "sphere" else longest / 2


def _note_falls(data: Any, free: list[tuple[int, Body]], fell: dict[str, float]) -> None:
    for k, b in free:
        if b.key in fell:
            continue
        dropped = float(b.at[2] - data.xpos[k + 1, 2]) > _reach(b)
        round_ = b.shape == "sphere"
        if dropped or (not round_ and _tilt(data.xmat[k + 1].reshape(3, 3), b.turn) > _FALLEN):
            fell[b.key] = float(data.time)


def _half(body: Body) -> list[float]:
    """MuJoCo's own sizes of a shape: halves of what `Body.size` says, but radii."""
    wanted = {"box": 3, "cylinder": 2, "sphere": 1, "capsule": 2}[body.shape]
    if len(body.size) != wanted or min(body.size) <= 0:
        raise ValueError(
            f"{body.key}: expected {wanted} positive sizes of a {body.shape}, got {body.size}"
        )
    if body.shape == "box":
        return [s / 2 for s in body.size]
    return [body.size[0], *(s / 2 for s in body.size[1:])] + [0.0] * (3 - wanted)


def _compile(bodies: Sequence[Body], ground: float | None) -> tuple[Any, Any]:
    import mujoco

    mj: Any = mujoco

    keys = [b.key for b in bodies]
    if len(set(keys)) != len(keys):
        raise ValueError(f"expected bodies of different keys, got {keys}")
    spec = mj.MjSpec()
    spec.option.timestep = _STEP
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    types = mj.mjtGeom
    kinds = {
        "box": types.mjGEOM_BOX,
        "cylinder": types.mjGEOM_CYLINDER,
        "sphere": types.mjGEOM_SPHERE,
        "capsule": types.mjGEOM_CAPSULE,
    }
    if ground is not None:
        spec.worldbody.add_geom(
            type=types.mjGEOM_PLANE,
            size=[50, 50, 1],
            pos=[0, 0, ground],
            friction=[0.8, 0.005, 1e-4],
        )
    quat = np.zeros(4)
    # Free bodies first among the model's bodies, in the order given.
    for b in sorted(bodies, key=lambda one: one.fixed):
        mj.mju_mat2Quat(quat, np.ascontiguousarray(b.turn, float).ravel())
        body = spec.worldbody.add_body(pos=np.asarray(b.at, float).tolist(), quat=quat.tolist())
        if not b.fixed:
            body.add_freejoint()
        body.add_geom(
            type=kinds[b.shape],
            size=_half(b),
            density=b.density,
            friction=[b.friction, 0.005, 1e-4],
        )
    return mj, spec.compile()
