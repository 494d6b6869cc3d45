"""Captions: what was asked for, never the violation."""

from __future__ import annotations

from typing import Final

from numpy.random import Generator

from .geometry.subject import Subject
from .subjects.aircraft_types import TYPES as AIRCRAFT
from .subjects.animal_types import TYPES as ANIMALS
from .subjects.car_paints import colour_name
from .subjects.car_types import TYPES as CARS

NUMBER: Final = {1: "one", 2: "two", 3: "three", 4: "four"}

_GENERIC: Final = {
    "aircraft": ("an aircraft", "an airplane", "a plane"),
    "car": ("a car", "a vehicle"),
    "animal": ("an animal",),
}


def a(noun: str) -> str:
    """The noun with its article."""
    vowel = noun[0].lower() in "aeio" or noun.startswith(("SUV", "MD-", "ATR"))
    return f"{'an' if vowel else 'a'} {noun}"


def caption(rng: Generator, subject: Subject, on_ground: bool) -> str:
    """A caption for the clean subject; about one in six names only the domain."""
    if rng.random() < 0.16:
        noun = str(rng.choice(_GENERIC[subject.domain]))
        return str(rng.choice([noun, f"a photo of {noun}", f"a picture of {noun}"]))
    return {"aircraft": _aircraft, "car": _car, "animal": _animal}[subject.domain](
        rng, subject, on_ground
    )


def _aircraft(rng: Generator, s: Subject, on_ground: bool) -> str:
    t = next(t for t in AIRCRAFT if t.subtype == s.subtype)
    n = NUMBER[t.engines]
    where = "on a runway" if on_ground else "in flight"
    options = [
        f"a photo of {a(t.name)} aircraft",
        a(t.name),
        f"{a(t.name)} {where}",
        f"{a(t.name)} with {n} engines",
        f"a picture of {a(t.name)} airliner {where}",
        f"{a(t.name)} aircraft with two wings and {n} engines",
        f"{a(t.name)} airplane seen {where}",
    ]
    return str(rng.choice(options))


def _car(rng: Generator, s: Subject, on_ground: bool) -> str:
    t = next(t for t in CARS if t.subtype == s.subtype)
    colour = colour_name(s)
    options = [
        f"a photo of {a(t.name)}",
        f"{a(colour)} {t.name}",
        f"{a(colour)} {t.name} parked on a road",
        f"{a(t.name)} with {NUMBER[t.doors]} doors",
        f"{a(t.name)} with four wheels",
        f"a picture of {a(colour)} {t.name}",
        f"{a(colour)} {t.name} with four wheels and two headlights",
    ]
    return str(rng.choice(options))


def _animal(rng: Generator, s: Subject, on_ground: bool) -> str:
    t = next(t for t in ANIMALS if t.subtype == s.subtype)
    legs = NUMBER[2 if t.bird else 4]
    options = [
        f"a photo of {a(t.name)}",
        f"{a(t.name)} walking",
        f"{a(t.name)} standing",
        f"{a(t.name)} with {legs} legs",
        a(t.name),
        f"{a(t.name)} in a field",
        f"{a(t.name)} with one head and {legs} legs",
    ]
    if t.bird:
        options.append(f"{a(t.name)} with two wings and a beak")
    if s.find("horn"):
        options.append(f"{a(t.name)} with {'a horn' if len(s.find('horn')) == 1 else 'two horns'}")
    if s.find("trunk"):
        options.append(f"{a(t.name)} with a long trunk and two ears")
    return str(rng.choice(options))
