"""What an image is to show, before anything is drawn: subject, planting, camera, ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from .geometry.camera import Camera, aim, draw_azimuth, view_of
from .geometry.subject import Part, Subject
from .planting import aircraft as plant_aircraft
from .planting import animal as plant_animal
from .planting import car as plant_car
from .planting.plant import Context, Planting, draw
from .subjects import aircraft, animal, car
from .surroundings.backdrop import ground

BUILD: Final = {"aircraft": aircraft.build, "car": car.build, "animal": animal.build}
TABLES: Final = {
    "aircraft": plant_aircraft.TABLE,
    "car": plant_car.TABLE,
    "animal": plant_animal.TABLE,
}
_ELEVATIONS: Final = {"aircraft": (3.0, 38.0), "car": (4.0, 38.0), "animal": (2.0, 32.0)}
"""Degrees, where there is ground; an aircraft in the air is seen from -28 to 40."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A subject before its camera."""

    clean: Subject
    """The subject without violation."""
    planting: Planting | None
    camera: Camera
    floor: float | None
    """Height of the ground, None in the air."""
    gear: tuple[Part, ...]
    """Landing gear."""

    @property
    def shown(self) -> Subject:
        """The subject as the image shows it."""
        return self.planting.subject if self.planting else self.clean

    @property
    def view(self) -> str:
        """View label."""
        return view_of(self.camera.azimuth)

    def hiding(self) -> tuple[Part, ...]:
        """What is drawn in the segmentation besides the subject, since it hides parts."""
        return self.gear if self.floor is None else (*self.gear, ground(self.floor))


def draw_setting(rng: Generator, domain: str, kind: str | None) -> Setting | None:
    """A setting of the domain with a violation of that kind, or None when the draw does not work."""
    subject = BUILD[domain](rng, None)
    azimuth = draw_azimuth(rng)
    floor: float | None = 0.0 if rng.random() < 0.88 else None
    gear: tuple[Part, ...] = ()
    if domain == "aircraft":
        floor = None
        if rng.random() < 0.4:
            part, floor = aircraft.gear(subject, rng)
            gear = (part,)
    low, high = _ELEVATIONS[domain] if floor is not None or domain != "aircraft" else (-28.0, 40.0)
    elevation = float(rng.uniform(low, high))
    planting = None
    if kind is not None:
        planting = draw(subject, kind, TABLES[domain], Context(azimuth, elevation, floor), rng)
        if planting is None:
            return None
    shown = planting.subject if planting else subject
    camera = _camera(rng, shown, azimuth, elevation, 0.62 if domain == "aircraft" else 0.5)
    if floor is not None and camera.pos[2] < floor + 0.08:
        return None
    return Setting(subject, planting, camera, floor, gear)


def _camera(
    rng: Generator, shown: Subject, azimuth: float, elevation: float, least: float
) -> Camera:
    """A camera on the subject, which fills `least` to 0.94 of the frame, or a little more than it."""
    fill = float(rng.uniform(least, 0.94) if rng.random() < 0.88 else rng.uniform(0.94, 1.08))
    fov = float(np.exp(rng.uniform(np.log(14), np.log(50))))
    roll = float(np.clip(rng.normal() * 2.5, -6, 6))
    place = (float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8)))
    return aim(shown.verts(), azimuth, elevation, fov, roll, fill, place)
