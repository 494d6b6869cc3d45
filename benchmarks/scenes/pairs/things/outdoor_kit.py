"""How outdoor things are made: parts from painted meshes, a maker from a builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.subject import Paint, Part, Piece
from benchmarks.scenes.pairs.world import Tag, Thing, tags

from .edits import placed

Shape = tuple[list[Part], dict[str, Any]]
LIT: Final = Paint((1.0, 0.93, 0.7), specular=0.0, emission=1.0)


def part_of(key: str, *made: tuple[Mesh, Paint], at: ArrayLike = (0.0, 0.0, 0.0)) -> Part:
    x, y, z = np.asarray(at, float)
    pieces = tuple(Piece.make(mesh, paint) for mesh, paint in made)
    return Part(key, None, pieces, pivot=(float(x), float(y), float(z)))


def wooden(rng: Generator) -> Paint:
    v = float(rng.uniform(0.6, 1.3))
    return Paint((min(0.58 * v, 1.0), 0.4 * v, 0.25 * v), specular=0.03)


def maker(kind: str, build: Callable[..., Shape], *names: Tag) -> Callable[..., Thing]:
    def make(
        rng: Generator,
        key: str,
        at: ArrayLike = (0.0, 0.0, 0.0),
        facing_deg: float = 0.0,
        *,
        subject: bool = False,
        rests_on: str | None = None,
        more_tags: Sequence[Tag] = (),
        more_facts: Mapping[str, Any] | None = None,
        casts: bool = True,
        **how: Any,
    ) -> Thing:
        seed = int(rng.integers(2**31))
        facts = dict(more_facts or {})
        base = Thing(key, kind, (), subject, tags(*names, *more_tags), rests_on, facts, casts=casts)

        def again(**now: Any) -> Shape:
            return build(np.random.default_rng(seed), **now)

        return placed(base, again, np.asarray(at, float), facing_deg, how)

    make.__doc__ = (build.__doc__ or "") + " `remake` also takes the fields of `Edits`."
    return make
