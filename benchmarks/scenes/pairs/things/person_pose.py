"""How a person stands: poses, and the joints they put a body's limbs at.

Local coordinates: x ahead, y to the person's left, z up, the ground below the person is z = 0.
Lengths inside a pose are shares of the body's height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, cross, unit
from benchmarks.scenes.geometry.solids import rot

SIDES: Final = (("left", 1.0), ("right", -1.0))

THIGH: Final = 0.245
SHIN: Final = 0.245
UPPER: Final = 0.165
FORE: Final = 0.145
SPINE: Final = 0.285
"""From the hips to the shoulders."""

Arm = tuple[float, float, float, float]
"""Degrees: forwards from hanging, outwards, bend of the elbow, turn of the bend towards up and out."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where feet and hips are, how trunk and arms are turned."""

    feet: Mapping[str, tuple[float, float, float]]
    """Of each foot: its ankle ahead and outwards, height of its sole's lowest point."""
    toes_down: Mapping[str, float] = field(default_factory=lambda: {"left": 0.0, "right": 0.0})
    """Degrees."""
    arms: Mapping[str, Arm] = field(default_factory=dict)
    lean: float = 0.0
    """Degrees forwards."""
    twist: float = 0.0
    """Degrees of the shoulders against the hips, to the left."""
    ahead: float = 0.0
    """Of the hips."""
    bend: float = 0.015
    """How far the hips are below what straight legs allow."""
    curl: Mapping[str, float] = field(default_factory=lambda: {"left": 32.0, "right": 32.0})
    """Degrees by which each finger joint is bent."""
    sits: bool = False
    lies: bool = False


_HANG: Final[dict[str, Arm]] = {"left": (4, 9, 14, 0), "right": (4, 9, 14, 0)}
_STAND: Final = Pose({"left": (0.0, 0.058, 0.0), "right": (0.0, 0.058, 0.0)}, arms=_HANG)


def _arms(left: Arm, right: Arm) -> dict[str, Arm]:
    return {"left": left, "right": right}


POSES: Final[dict[str, Pose]] = {
    "stand": _STAND,
    "hips": replace(_STAND, arms=_arms((-22, 48, 88, -78), (-22, 48, 88, -78))),
    "pockets": replace(_STAND, arms=_arms((-12, 24, 42, -42), (-12, 24, 42, -42))),
    "behind": replace(_STAND, arms=_arms((-34, 14, 46, -100), (-34, 14, 46, -100))),
    "walk": Pose(
        {"left": (0.155, 0.05, 0.0), "right": (-0.15, 0.05, 0.0)},
        {"left": -12.0, "right": 32.0},
        _arms((-26, 9, 18, 0), (28, 9, 26, 0)),
        lean=3.0,
        twist=-5.0,
    ),
    "run": Pose(
        {"left": (0.13, 0.045, 0.0), "right": (-0.30, 0.045, 0.22)},
        {"left": 0.0, "right": 68.0},
        _arms((-48, 12, 95, 0), (46, 12, 95, 0)),
        lean=14.0,
        twist=-9.0,
        bend=0.03,
        curl={"left": 70.0, "right": 70.0},
    ),
    "sit": Pose(
        {"left": (0.255, 0.065, 0.0), "right": (0.245, 0.065, 0.0)},
        arms=_arms((30, 8, 48, -20), (30, 8, 48, -20)),
        lean=4.0,
        sits=True,
    ),
    "crouch": Pose(
        {"left": (0.05, 0.065, 0.0), "right": (-0.05, 0.065, 0.0)},
        arms=_arms((55, 8, 20, 0), (55, 8, 20, 0)),
        lean=34.0,
        ahead=-0.09,
        bend=0.2,
    ),
    "throw": Pose(
        {"left": (0.17, 0.06, 0.0), "right": (-0.15, 0.06, 0.0)},
        {"left": 0.0, "right": 24.0},
        _arms((62, 22, 25, 0), (150, 28, 45, 0)),
        lean=10.0,
        twist=12.0,
        bend=0.03,
        curl={"left": 12.0, "right": 16.0},
    ),
    "catch": Pose(
        {"left": (0.05, 0.085, 0.0), "right": (-0.05, 0.085, 0.0)},
        arms=_arms((72, 16, 48, 12), (72, 16, 48, 12)),
        lean=5.0,
        bend=0.035,
        curl={"left": 13.0, "right": 13.0},
    ),
    "kick": Pose(
        {"left": (-0.03, 0.05, 0.0), "right": (0.23, 0.05, 0.075)},
        {"left": 0.0, "right": 8.0},
        _arms((38, 42, 20, 0), (-35, 36, 20, 0)),
        lean=-9.0,
        twist=14.0,
        ahead=-0.02,
        bend=0.03,
    ),
    "reach": replace(
        _STAND,
        arms=_arms((4, 9, 14, 0), (86, 2, 14, 0)),
        lean=5.0,
        curl={"left": 32.0, "right": 10.0},
    ),
    "wave": replace(
        _STAND,
        arms=_arms((4, 9, 14, 0), (8, 74, 82, 86)),
        curl={"left": 32.0, "right": 3.0},
    ),
    "hold": replace(
        _STAND,
        arms=_arms((18, 8, 82, -14), (18, 8, 82, -14)),
        curl={"left": 62.0, "right": 62.0},
    ),
    "cheer": replace(
        _STAND,
        arms=_arms((6, 146, 26, 88), (6, 146, 26, 88)),
        curl={"left": 6.0, "right": 6.0},
    ),
    "jump": Pose(
        {"left": (0.10, 0.06, 0.02), "right": (-0.14, 0.06, 0.0)},
        {"left": 22.0, "right": 48.0},
        _arms((112, 42, 22, 0), (96, 46, 26, 0)),
        lean=5.0,
        bend=0.02,
    ),
    "lie": replace(_STAND, arms=_arms((2, 24, 10, 0), (2, 30, 22, 0)), lies=True),
}  # fmt: skip
"""Poses by name; the right arm or leg is the one that acts (`person(mirrored=True)`: the left)."""


@dataclass(frozen=True, slots=True)
class Joints:
    """Points of a posed body and the axes of its ends, in its local coordinates."""

    at: dict[str, F64]
    """pelvis, chest, neck, head, and shoulder, elbow, wrist, hip, knee, ankle of each side."""
    trunk: F64
    """[3, 3] columns: ahead, left and up of the trunk."""
    hands: dict[str, F64]
    """[3, 3] columns: along the fingers, towards the thumb, out of the palm."""
    feet: dict[str, F64]
    """[3, 3] columns: towards the toes, left, up."""


def two_bones(start: F64, end: F64, upper: float, lower: float, towards: F64) -> tuple[F64, F64]:
    """The middle joint that lies towards a direction, and the end (moved within reach)."""
    d = end - start
    far = float(np.linalg.norm(d))
    way = d / max(far, 1e-9)
    reach = min(far, (upper + lower) * 0.9995)
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    off = np.sqrt(max(upper**2 - along**2, 0.0))
    pole = unit(towards - way * float(towards @ way))
    return start + way * along + pole * off, start + way * reach


def arm_angles(shoulder: F64, side: float, arm: Arm, lengths: tuple[float, float]) -> list[F64]:
    """Elbow, wrist and the direction towards the bend, for the angles of a pose."""
    f, out, bend, turn = np.deg2rad(arm)
    d = np.array([np.sin(f) * np.cos(out), side * np.sin(out), -np.cos(f) * np.cos(out)])
    e = np.array([np.cos(f), 0.0, np.sin(f)])
    e = np.cos(turn) * e - side * np.sin(turn) * cross(d, e)
    elbow = shoulder + d * lengths[0]
    wrist = elbow + (np.cos(bend) * d + np.sin(bend) * e) * lengths[1]
    return [elbow, wrist, e]


def hand_axes(shoulder: F64, elbow: F64, wrist: F64, side: float, towards: F64) -> F64:
    """Axes of the hand that follows from an arm; `towards` breaks the tie of a straight one."""
    d, along = unit(elbow - shoulder), unit(wrist - elbow)
    cos = float(d @ along)
    e = along - cos * d
    size = float(np.linalg.norm(e))
    e = e / size if size > 1e-3 else unit(towards - d * float(d @ towards))
    thumb = cos * e - size * d
    thumb = unit(thumb - along * float(along @ thumb))
    return np.stack([along, thumb, side * cross(along, thumb)], 1)


def turned(axes: F64, degrees: float) -> F64:
    """Axes whose first one stays, turned about it."""
    return axes @ rot("x", degrees)
