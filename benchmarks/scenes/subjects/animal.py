"""Animals: picks the type, builds it and puts it on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Subject

from . import bird
from .animal_types import TYPES, AnimalType, Bird
from .quadruped import quadruped


def build(rng: Generator, subtype: str | None = None) -> Subject:
    """An animal of a type (drawn when None), standing on z = 0, facing +x."""
    t: AnimalType = (
        TYPES[rng.integers(len(TYPES))]
        if subtype is None
        else next(a for a in TYPES if a.subtype == subtype)
    )
    subject = bird.build(rng, t) if isinstance(t, Bird) else quadruped(rng, t)
    low = float(subject.verts()[:, 2].min())
    parts = tuple(p.transformed(np.eye(3), (0, 0, -low)) for p in subject.parts)
    anchors = {k: (x, y, z - low) for k, (x, y, z) in subject.anchors.items()}
    return replace(subject, parts=parts, anchors=anchors)
