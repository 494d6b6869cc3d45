"""Cars from panels on a dark core: what is taken off leaves a hole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SKIN = 0.02
"""Thickness of a panel."""


def half_width(t: CarType) -> float:
    return t.width / 2


@dataclass(frozen=True, slots=True)
class CarType:
    """Proportions of one type; heights above the ground."""

    subtype: str
    name: str
    width: float
    height: float
    """Of the roof."""
    belt: float
    """Height of the shoulder line (lower edge of the side windows)."""
    hood: float
    """Height of the bonnet's front edge."""
    cowl: float
    """x of the windshield's base."""
    roof_front: float
    roof_rear: float
    deck: float
    """x of the rear window's base."""
    tail: float
    """Height of the rear end (boot lid or bed rail)."""
    wheel: float
    """Wheel radius."""
    clearance: float
    front_axle: float = 0.6
    rear_axle: float = -0.6
    doors: int = 4
    notch: bool = True
    """A boot stands behind the rear window (sedan, coupe); otherwise the tailgate closes the cabin."""
    bed: bool = False
    """An open load bed behind the cabin (pickup)."""
    third_window: bool = False
    """A further window behind the rear doors (SUV, van)."""


TYPES: Final = (
    CarType("sedan", "sedan", 0.80, 0.63, 0.415, 0.36, 0.40, 0.10, -0.38, -0.66, 0.42, 0.142, 0.075,
        0.60, -0.58),
    CarType("coupe", "coupe", 0.82, 0.57, 0.39, 0.33, 0.32, -0.02, -0.32, -0.70, 0.40, 0.146, 0.06,
        0.61, -0.57, doors=2),
    CarType("hatchback", "hatchback", 0.86, 0.72, 0.45, 0.40, 0.46, 0.16, -0.72, -0.93, 0.45, 0.152,
        0.085, 0.62, -0.62, notch=False),
    CarType("suv", "SUV", 0.86, 0.78, 0.50, 0.47, 0.44, 0.20, -0.78, -0.95, 0.50, 0.172, 0.115,
        0.61, -0.59, notch=False, third_window=True),
    CarType("van", "van", 0.84, 0.86, 0.50, 0.43, 0.68, 0.34, -0.90, -0.98, 0.50, 0.15, 0.09, 0.66,
        -0.60, notch=False, third_window=True),
    CarType("pickup", "pickup truck", 0.76, 0.70, 0.45, 0.43, 0.42, 0.22, -0.12, -0.22, 0.44, 0.162,
        0.12, 0.63, -0.60, bed=True),
)  # fmt: skip
