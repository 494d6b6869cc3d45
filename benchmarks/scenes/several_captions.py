"""Captions that name several subjects: "two dogs", "a dog and a cat", "three Boeing 747 airliners"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from numpy.random import Generator

from .captions import NUMBER, a
from .geometry.subject import Subject
from .subjects.aircraft_types import TYPES as AIRCRAFT
from .subjects.animal_types import TYPES as ANIMALS
from .subjects.car_types import TYPES as CARS

_PLURAL: Final = {"sheep": "sheep", "rhinoceros": "rhinoceroses", "ostrich": "ostriches"}
_NAMES: Final = {
    "aircraft": {t.subtype: t.name for t in AIRCRAFT},
    "car": {t.subtype: t.name for t in CARS},
    "animal": {t.subtype: t.name for t in ANIMALS},
}
_KIND: Final = {"aircraft": "airliners", "car": "cars", "animal": "animals"}


def caption_of(rng: Generator, subjects: Sequence[Subject]) -> str:
    """A caption for the clean subjects; about one in eight names only their domain."""
    domains = {s.domain for s in subjects}
    if len(domains) == 1 and rng.random() < 0.13:
        text = f"{NUMBER[len(subjects)]} {_KIND[subjects[0].domain]}"
    else:
        counts = Counter((s.domain, s.subtype) for s in subjects)
        names = [_named(domain, subtype, n) for (domain, subtype), n in counts.items()]
        text = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        if len(names) == 1 and subjects[0].domain == "animal" and rng.random() < 0.3:
            text += f" with {'two' if subjects[0].facts['legs'] == 2 else 'four'} legs"
    return str(rng.choice([text, f"a photo of {text}", f"{text} side by side"]))


def _named(domain: str, subtype: str, number: int) -> str:
    name = _NAMES[domain][subtype]
    if number == 1:
        return a(name)
    if domain == "aircraft":
        return f"{NUMBER[number]} {name} airliners"
    return f"{NUMBER[number]} {_PLURAL.get(name, name + 's')}"
