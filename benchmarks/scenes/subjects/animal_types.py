"""Animal types: proportions in units where the torso is about 0.9 long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RGB = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Quadruped:
    """Proportions of a four-legged type."""

    subtype: str
    name: str
    chest: float
    """Half depth of the front torso."""
    belly: float
    """Half depth of the rear torso."""
    wide: float
    """Torso width over depth."""
    leg: float
    """Length of the legs below the torso's middle."""
    thigh: float
    shin: float
    """Leg radii."""
    neck: float
    """Length."""
    neck_angle: float
    """Degrees above the horizontal."""
    neck_radius: float
    skull: float
    """Skull radius."""
    muzzle: float
    """Muzzle length."""
    muzzle_radius: float
    head_pitch: float
    """Degrees below the horizontal."""
    ear: str
    """pointed, floppy, side or fan."""
    ear_size: float
    tail: str
    """plain, bushy, tuft, stub, curl or hair."""
    tail_length: float
    tail_angle: float
    """Degrees above straight back."""
    coats: tuple[RGB, ...]
    patches: float = 0.0
    """Probability of a second colour."""
    horn: str = ""
    """cow, goat or nose."""
    trunk: bool = False
    hoof: bool = False
    mane: bool = False
    wool: bool = False
    length: float = 0.9

    @property
    def bird(self) -> bool:
        """Two legs, wings and a beak?"""
        return False


@dataclass(frozen=True, slots=True)
class Bird:
    """Proportions of a bird."""

    subtype: str
    name: str
    body: tuple[float, float, float]
    """Semi-axes of the body."""
    pitch: float
    """Degrees by which the chest is raised."""
    neck: float
    neck_angle: float
    neck_radius: float
    skull: float
    beak: str
    """cone, flat or hook."""
    beak_length: float
    leg: float
    shin: float
    wing: float
    """Wing length."""
    spread: float
    """Probability of spread wings."""
    tail_length: float
    tail_angle: float
    coats: tuple[RGB, ...]
    heads: tuple[RGB, ...] = ()
    beak_rgb: RGB = (0.85, 0.6, 0.15)
    comb: bool = False

    @property
    def bird(self) -> bool:
        """Two legs, wings and a beak?"""
        return True


AnimalType = Quadruped | Bird

_BROWN: RGB = (0.42, 0.27, 0.15)

_TAN: RGB = (0.72, 0.55, 0.35)

_BLACK: RGB = (0.15, 0.145, 0.14)

_WHITE: RGB = (0.9, 0.89, 0.86)

_GREY: RGB = (0.45, 0.44, 0.43)

_RUST: RGB = (0.55, 0.27, 0.1)

TYPES: Final[tuple[AnimalType, ...]] = (
    Quadruped("dog", "dog", 0.20, 0.155, 0.78, 0.52, 0.085, 0.05, 0.24, 52, 0.105, 0.135, 0.17,
        0.07, 8, "floppy", 0.16, "plain", 0.42, 35, (_BROWN, _TAN, _BLACK, _WHITE, _RUST), 0.35),
    Quadruped("cat", "cat", 0.155, 0.15, 0.85, 0.40, 0.07, 0.042, 0.15, 45, 0.09, 0.135, 0.055,
        0.062, 5, "pointed", 0.12, "plain", 0.62, 50, (_GREY, _RUST, _BLACK, _WHITE, _TAN), 0.4),
    Quadruped("cow", "cow", 0.25, 0.265, 0.80, 0.60, 0.105, 0.058, 0.28, 22, 0.155, 0.15, 0.22,
        0.10, 30, "side", 0.15, "tuft", 0.52, -75, (_BROWN, _BLACK, _WHITE, _RUST), 0.65,
        horn="cow", hoof=True),
    Quadruped("horse", "horse", 0.23, 0.21, 0.75, 0.72, 0.105, 0.05, 0.50, 50, 0.125, 0.12, 0.27,
        0.085, 38, "pointed", 0.11, "hair", 0.55, -60, (_BROWN, _RUST, _BLACK, _WHITE, _GREY), 0.25,
        hoof=True, mane=True),
    Quadruped("elephant", "elephant", 0.34, 0.35, 0.85, 0.66, 0.135, 0.105, 0.16, 25, 0.23, 0.24,
        0.06, 0.15, 25, "fan", 0.34, "tuft", 0.42, -78, (_GREY, (0.38, 0.35, 0.33), (0.52, 0.5,
        0.47)), trunk=True),
    Quadruped("goat", "goat", 0.19, 0.185, 0.75, 0.50, 0.075, 0.04, 0.28, 48, 0.10, 0.115, 0.16,
        0.062, 25, "side", 0.13, "stub", 0.16, 40, (_WHITE, _BROWN, _GREY, _TAN), 0.35, horn="goat",
        hoof=True),
    Quadruped("rhino", "rhinoceros", 0.30, 0.31, 0.85, 0.50, 0.12, 0.085, 0.22, 8, 0.21, 0.18, 0.30,
        0.115, 22, "pointed", 0.12, "tuft", 0.36, -70, (_GREY, (0.5, 0.47, 0.42)), horn="nose"),
    Quadruped("sheep", "sheep", 0.235, 0.245, 0.88, 0.44, 0.07, 0.04, 0.20, 38, 0.12, 0.115, 0.15,
        0.062, 22, "side", 0.12, "stub", 0.16, -40, (_WHITE, (0.8, 0.76, 0.66), (0.35, 0.3, 0.27)),
        hoof=True, wool=True, length=0.8),
    Quadruped("pig", "pig", 0.22, 0.235, 0.9, 0.34, 0.075, 0.045, 0.13, 10, 0.17, 0.155, 0.15,
        0.085, 14, "pointed", 0.12, "curl", 0.16, 10, ((0.88, 0.62, 0.58), (0.8, 0.55, 0.5),
        _BLACK), 0.2, hoof=True),
    Bird("chicken", "chicken", (0.34, 0.22, 0.24), 18, 0.20, 62, 0.085, 0.09, "cone", 0.10, 0.30,
        0.024, 0.40, 0.15, 0.34, 52, (_RUST, _WHITE, _BROWN, _BLACK), comb=True),
    Bird("duck", "duck", (0.40, 0.21, 0.20), 4, 0.22, 68, 0.07, 0.10, "flat", 0.15, 0.19, 0.024,
        0.40, 0.15, 0.24, 18, (_WHITE, _BROWN, _GREY), heads=((0.06, 0.32, 0.16), _WHITE, _BROWN)),
    Bird("eagle", "eagle", (0.40, 0.19, 0.19), 34, 0.13, 50, 0.10, 0.105, "hook", 0.12, 0.26, 0.036,
        0.75, 0.75, 0.36, -12, (_BROWN, (0.22, 0.15, 0.1)), heads=(_WHITE, _TAN)),
    Bird("ostrich", "ostrich", (0.36, 0.24, 0.23), 6, 0.62, 72, 0.048, 0.085, "flat", 0.12, 0.66,
        0.036, 0.38, 0.2, 0.20, 20, (_BLACK, (0.3, 0.27, 0.24)), heads=((0.72, 0.58, 0.5),),
        beak_rgb=(0.75, 0.6, 0.45)),
)  # fmt: skip
