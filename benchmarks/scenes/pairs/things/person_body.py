"""Who a person is (drawn once), and where pose and place put that body's joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import F64, cross, unit
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint
from benchmarks.scenes.paints import grey, hue

from .person_ends import HAIR, Face
from .person_pose import (
    FORE,
    SHIN,
    SIDES,
    SPINE,
    THIGH,
    UPPER,
    Joints,
    Pose,
    arm_angles,
    hand_axes,
    two_bones,
)

RGB = tuple[float, float, float]

SKINS: Final[tuple[RGB, ...]] = (
    (0.94, 0.77, 0.66), (0.89, 0.68, 0.55), (0.80, 0.58, 0.43), (0.66, 0.45, 0.32),
    (0.48, 0.31, 0.21), (0.33, 0.21, 0.15),
)  # fmt: skip
FOOT: Final = 0.15
"""Length of a shoe, as a share of the height; see `person_ends.foot`."""
_HAIRS: Final[tuple[RGB, ...]] = (
    (0.07, 0.06, 0.05), (0.2, 0.12, 0.07), (0.36, 0.21, 0.1), (0.66, 0.48, 0.24), (0.55, 0.22, 0.08),
    (0.62, 0.61, 0.6),
)  # fmt: skip
_IRISES: Final[tuple[RGB, ...]] = (
    (0.22, 0.12, 0.05), (0.12, 0.3, 0.5), (0.16, 0.36, 0.2), (0.3, 0.3, 0.32),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Body:
    """One individual: lengths in scene units or as factors of about 1, and what it wears."""

    height: float
    girth: float
    head: float
    hand: float
    face: Face
    shirt: Paint
    trousers: Paint
    shoe: Paint
    sole: Paint
    short_sleeves: bool
    shorts: bool
    skirt: bool
    sway: F64
    """[8] in -1..1: how the individual deviates from every pose."""


def draw_body(rng: Generator, height: float | None = None, hand: float = 1.0) -> Body:
    """An individual of that height (1.5..1.9 when None)."""
    skin = np.clip(np.array(SKINS[rng.integers(len(SKINS))]) * rng.uniform(0.93, 1.06), 0, 1)
    skin_rgb = (float(skin[0]), float(skin[1]), float(skin[2]))
    lips = (float(skin[0] * 0.78), float(skin[1] * 0.5), float(skin[2] * 0.5))
    face = Face(
        Paint(skin_rgb, specular=0.12),
        Paint(_HAIRS[rng.integers(len(_HAIRS))], specular=0.15),
        Paint(hue(rng), specular=0.05),
        Paint(_IRISES[rng.integers(len(_IRISES))], specular=0.4),
        Paint(lips, specular=0.2),
        str(rng.choice(HAIR)),
        float(rng.uniform(0.9, 1.12)),
        float(rng.uniform(0.8, 1.25)),
    )
    drab = rng.random() < 0.6
    trousers = hue(rng, (0.1, 0.5), (0.12, 0.45)) if drab else hue(rng, (0.2, 0.8), (0.3, 0.85))
    drawn = float(rng.uniform(1.5, 1.9))
    child = 1.0 if height is None else float(np.clip(1 + (1.45 - height) * 0.45, 1.0, 1.22))
    return Body(
        drawn if height is None else height,
        float(rng.uniform(0.88, 1.18)),
        float(rng.uniform(1.1, 1.22)) * child,
        hand * float(rng.uniform(1.08, 1.18)),
        face,
        Paint(hue(rng, (0.15, 0.95), (0.35, 0.95)), specular=0.03),
        Paint(trousers, specular=0.03),
        Paint(hue(rng, (0.1, 0.9), (0.1, 0.9)), specular=0.25),
        Paint(grey(rng, 0.1, 0.95), specular=0.05),
        bool(rng.random() < 0.5),
        bool(rng.random() < 0.25),
        bool(rng.random() < 0.22),
        rng.uniform(-1, 1, 8),
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a body is."""

    at: F64
    """[3] on the ground (or the water's bottom ...) below the hips."""
    turn: F64
    """[3, 3] from local coordinates to the world's."""
    seat: float
    """Height of the seat above `at`, when the pose sits."""
    reach: dict[str, F64]
    """Where a hand's middle is meant to be, in world coordinates; within reach as far as it goes."""

    def world(self, point: F64) -> F64:
        """Local point to world."""
        placed: F64 = self.at + self.turn @ point
        return placed

    def local(self, point: F64) -> F64:
        """World point to local."""
        placed: F64 = self.turn.T @ (point - self.at)
        return placed


def joints(
    body: Body, pose: Pose, place: Place, wrong: dict[str, bool], arm_scale: dict[str, float]
) -> Joints:
    """A body's joints in world coordinates.

    Args:
        wrong: keys `knee.left`, `elbow.right` ...: those that bend backwards.
        arm_scale: factor of each arm's length.
    """
    h = body.height
    at: dict[str, F64] = {}
    feet: dict[str, F64] = {}
    ankles: dict[str, F64] = {}
    for side, s in SIDES:
        x, y, z = pose.feet[side]
        down = np.deg2rad(pose.toes_down.get(side, 0.0))
        c, n = np.cos(down), np.sin(down)
        # The height given is that of the sole's lowest point.
        lift = max(0.28 * c + n * x_sole for x_sole in (-0.30, 0.48, 0.64)) * FOOT
        ankles[side] = np.array([x, s * y, z + lift]) * h
        out = rot("z", 7.0 * s)
        feet[side] = out @ np.array([[c, 0, n], [0, 1, 0], [-n, 0, c]])
    if pose.sits:
        pelvis = np.array([0.0, 0.0, place.seat + 0.056 * h * body.girth])
    else:
        pelvis = np.array([pose.ahead * h, 0.0, _hip_height(body, pose, ankles)])
    trunk = rot("y", pose.lean + body.sway[0] * 1.5) @ rot("z", pose.twist)
    chest = pelvis + rot("y", pose.lean) @ np.array([0.0, 0.0, SPINE * h])
    at["pelvis"], at["chest"] = pelvis, chest
    at["neck"] = chest + trunk @ np.array([0.0, 0.0, 0.035 * h])
    at["head"] = at["neck"] + trunk @ np.array([0.018 * h, 0.0, 0.078 * h * body.head])
    hands: dict[str, F64] = {}
    for side, s in SIDES:
        hip = pelvis + np.array([0.0, s * 0.052 * h, 0.0])
        knee, ankle = _leg(hip, ankles[side], h, -1.0 if wrong.get(f"knee.{side}") else 1.0)
        at[f"hip.{side}"], at[f"knee.{side}"], at[f"ankle.{side}"] = hip, knee, ankle
        shoulder = chest + trunk @ np.array([0.0, s * 0.112 * h * body.girth**0.5, 0.0])
        k = arm_scale.get(side, 1.0)
        elbow, wrist, e = _arm(body, pose, place, shoulder, side, s, k, trunk)
        if wrong.get(f"elbow.{side}"):
            elbow, wrist, e = _backwards(shoulder, elbow, wrist, e)
        at[f"shoulder.{side}"], at[f"elbow.{side}"], at[f"wrist.{side}"] = shoulder, elbow, wrist
        hands[side] = place.turn @ hand_axes(shoulder, elbow, wrist, s, e)
    placed = {name: place.world(p) for name, p in at.items()}
    turned = {side: place.turn @ axes for side, axes in feet.items()}
    return Joints(placed, place.turn @ trunk, hands, turned)


def _hip_height(body: Body, pose: Pose, ankles: dict[str, F64]) -> float:
    """As high as both legs allow, less the bend of the pose."""
    h, heights = body.height, []
    for side, s in SIDES:
        dx = ankles[side][0] - pose.ahead * h
        dy = ankles[side][1] - s * 0.052 * h
        leg = (THIGH + SHIN) * h * 0.9985
        heights.append(ankles[side][2] + np.sqrt(max(leg**2 - dx**2 - dy**2, 0.0)))
    return float(min(heights)) - pose.bend * h


def _leg(hip: F64, ankle: F64, h: float, way: float) -> tuple[F64, F64]:
    towards = np.array([way, 0.0, 0.25])
    if way < 0:
        # A straight leg would not show which way it bends.
        towards = np.array([-1.0, 0.0, -0.1])
        short = 0.93 * (THIGH + SHIN) * h
        d = ankle - hip
        far = float(np.linalg.norm(d))
        if far > short:
            grow = np.sqrt(far / short)
            return two_bones(hip, ankle, THIGH * h * grow, SHIN * h * grow, towards)
    return two_bones(hip, ankle, THIGH * h, SHIN * h, towards)


def _arm(
    body: Body,
    pose: Pose,
    place: Place,
    shoulder: F64,
    side: str,
    s: float,
    scale: float,
    trunk: F64,
) -> tuple[F64, F64, F64]:
    """Elbow, wrist, direction of the bend, all local."""
    lengths = (UPPER * body.height * scale, FORE * body.height * scale)
    if side in place.reach:
        target = place.local(place.reach[side])
        palm = 0.0486 * body.height * body.hand
        pole = np.array([-0.25, s * 0.45, -1.0])
        way = unit(target - shoulder)
        for _ in range(4):
            # The palm goes on along the forearm, whose direction depends on where the wrist is.
            elbow, wrist = two_bones(shoulder, target - way * palm, *lengths, pole)
            way = unit(wrist - elbow)
        return elbow, wrist, -pole
    f, out, bend, turn = pose.arms.get(side, (0.0, 8.0, 10.0, 0.0))
    sway = body.sway[1:5] if s > 0 else body.sway[[3, 4, 1, 2]]
    arm = (f + 4 * sway[0], max(out + 2 * sway[1], 5.0), max(bend + 6 * sway[2], 4.0), turn)
    elbow, wrist, e = arm_angles(np.zeros(3), s, arm, lengths)
    return shoulder + trunk @ elbow, shoulder + trunk @ wrist, trunk @ e


def _backwards(shoulder: F64, elbow: F64, wrist: F64, e: F64) -> tuple[F64, F64, F64]:
    """The same arm with its elbow bent the wrong way by at least 75 degrees."""
    d = unit(elbow - shoulder)
    length = float(np.linalg.norm(wrist - elbow))
    back = -unit(e - d * float(d @ e))
    bend = np.deg2rad(82.0)
    way = np.cos(bend) * d + np.sin(bend) * back
    return elbow, elbow + way * length, back


def look_axes(base: F64, eyes: F64, target: F64, extra: float) -> F64:
    """[3, 3] axes (ahead, left, up) of a head that turns to a point, as far as a neck does.

    Args:
        base: the trunk's axes.
        eyes, target: points [3].
        extra: further turn about the trunk's axis, degrees, without limit.
    """
    way = base.T @ unit(target - eyes)
    yaw = np.degrees(np.arctan2(way[1], way[0]))
    pitch = np.degrees(np.arcsin(np.clip(way[2], -1, 1)))
    yaw = float(np.clip(yaw, -74, 74)) + extra
    pitch = float(np.clip(pitch, -38, 42))
    return base @ rot("z", yaw) @ rot("y", -pitch)


def upright_axes(trunk: F64) -> F64:
    """The trunk's axes with most of its lean taken off: a head is held level."""
    up = unit(trunk[:, 2] * 0.25 + np.array([0.0, 0.0, 0.75]))
    ahead = unit(trunk[:, 0] - up * float(up @ trunk[:, 0]))
    return np.stack([ahead, cross(up, ahead), up], 1)
