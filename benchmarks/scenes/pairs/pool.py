"""Worlds that pairs share: making one costs more than planting in it.

The pairs of a block of indices draw from the same few worlds of each base. A world depends on (seed,
split, block, base, number) only, so a pair does not depend on which others a process has made before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.random import SeedSequence

from benchmarks.scenes.render import Stage

from .draw import Lit, draw, lit_by, shown
from .registry import BASES, Planted
from .world import Canvas, World

BLOCK: Final = 144
"""Pairs that share worlds: eight of each category."""
WORLDS: Final = 2
"""Worlds of each base in a block."""
_ROOM: Final = 1.15
"""A world's own shadow map covers so much more than the world, so that most violations fit under it."""


@dataclass(slots=True)
class Shared:
    """A world and what has been found out about it."""

    world: World
    lit: Lit
    """What its shadow map covers unless a violation needs more."""
    shares: dict[str, float]
    """Share of the picture that each thing takes."""
    _clean: Canvas | None = None

    @classmethod
    def of(cls, stage: Stage, world: World) -> Shared:
        """Looks at a world."""
        middle, half = lit_by(world)
        stage.clear()
        return cls(world, (middle, half * _ROOM), shown(stage, world))

    def lit_for(self, planted: Planted) -> Lit:
        """What the shadow map of both twins covers."""
        middle, half = self.lit
        other, needed = lit_by(planted.clean, planted.violated)
        if float(np.linalg.norm(other - middle)) + needed > half:
            return other, needed
        return self.lit

    def twins(self, stage: Stage, planted: Planted, lit: Lit) -> tuple[Canvas, Canvas]:
        """The clean and the violated picture; clean ones may be shared: they are not to be changed."""
        violated = draw(stage, planted.violated, lit)
        if planted.clean is not self.world or lit is not self.lit:
            return draw(stage, planted.clean, lit), violated
        if self._clean is None:
            self._clean = draw(stage, self.world, self.lit)
        return self._clean, violated


@dataclass(slots=True)
class Pool:
    """The shared worlds of one block; of an earlier block, nothing is kept."""

    stage: Stage
    _of: tuple[object, ...] = ()
    _worlds: dict[tuple[str, int], Shared] = field(default_factory=dict)

    def get(self, seed: int, split: int, block: int, base: str, number: int) -> Shared:
        """World `number` of a base in a block; may raise whatever the base raises."""
        if self._of != (seed, split, block):
            self._of, self._worlds = (seed, split, block), {}
        found = self._worlds.get((base, number))
        if found is None:
            # The base's name, not its place: a new base changes no world of the others.
            entropy = [seed, 21 + split, block, number, *base.encode()]
            world = BASES[base].make(np.random.default_rng(SeedSequence(entropy)))
            found = self._worlds[base, number] = Shared.of(self.stage, world)
        return found
