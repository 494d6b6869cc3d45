"""One pair from (seed, index): a base, a recipe at a thing of it, both twins finished alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.random import Generator, SeedSequence

from benchmarks.scenes.paints import U8
from benchmarks.scenes.post import develop, encode, exposure
from benchmarks.scenes.render import Stage

from .draw import Lit, seen_things
from .evidence import Evidence, check_worlds, find
from .pool import BLOCK, WORLDS, Pool, Shared
from .registry import BASES, RECIPES, Base, Planted, Recipe, Severity, recipes_of
from .styles import stylise
from .world import Thing

Split = Literal["train", "held_out"]

SPLITS: Final[tuple[Split, ...]] = ("train", "held_out")
STYLED: Final = 0.15
"""Share of pairs that get a stylised look."""
NOVEL: Final = 0.5
"""Share of the draws for a held-out recipe in split "held_out"."""
_SEEN: Final = 0.0015
"""Least share of the picture that a target takes."""
_PROBES: Final = 3
"""Worlds of each base that are looked at for what fits there."""
_WORLDS: Final = 8
"""Shared worlds that are tried with one recipe and severity ..."""
_FRESH: Final = 3
"""... and others of its own, where none of those has a place for it ..."""
_TARGETS: Final = 3
"""... each at so many things ..."""
_ROUNDS: Final = 3
"""... before the next recipe is drawn; a category's recipes come up so many times."""


class PlantingError(RuntimeError):
    """A recipe or the drawing of what it made failed: a defect, not a draw of bad luck."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair before development."""

    base: Base
    recipe: Recipe
    severity: Severity
    planted: Planted
    lit: Lit
    """What the shadow map of both covers."""
    clean: U8
    violated: U8
    evidence: Evidence
    subject: Any
    """Where the clean picture shows subjects, bool [S, S]."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A finished pair."""

    drawn: Drawn
    style: str
    clean: bytes
    """Encoded."""
    violated: bytes
    given_up: tuple[str, ...]
    """Recipes that were drawn first and found no place."""
    errors: tuple[str, ...]
    """What failed on the way; each is a defect of a recipe or a base."""


def attempt(
    stage: Stage,
    rng: Generator,
    base: Base,
    shared: Shared,
    recipe: Recipe,
    severity: Severity,
    at: Thing,
) -> Drawn | str:
    """The pair of a recipe at a thing, or why it is not evident.

    Raises:
        PlantingError: the recipe or the drawing failed; names the recipe and the base.
    """
    try:
        planted = recipe.plant(shared.world, at, rng)
        if planted is None:
            return "the recipe found no way"
        check_worlds(planted)
        lit = shared.lit_for(planted)
        clean, violated = shared.twins(stage, planted, lit)
        evidence = find(planted, clean, violated)
    except Exception as e:
        raise PlantingError(
            f"recipe {recipe.name!r} at {at.key!r} of base {base.name!r}: {e!r}"
        ) from e
    if isinstance(evidence, str):
        return evidence
    subject = seen_things(clean, [one.key for one in planted.clean.things if one.subject])
    return Drawn(
        base, recipe, severity, planted, lit, clean.pixels, violated.pixels, evidence, subject
    )


Fits = dict[tuple[str, Severity], int]
"""Of a base: in how many of its probed worlds a recipe can be tried, by recipe and severity."""

_known: dict[str, Fits] = {}


def look(name: str) -> tuple[Fits, list[str]]:
    """What fits into a few fixed worlds of a base, and what failed."""
    found: Counter[tuple[str, Severity]] = Counter()
    errors = []
    severities: tuple[Severity, ...] = ("major", "minor")
    for k in range(_PROBES):
        try:
            world = BASES[name].make(np.random.default_rng(SeedSequence([77, k])))
            for recipe in RECIPES.values():
                for severity in severities:
                    found[recipe.name, severity] += bool(recipe.targets(world, severity))
        except Exception as e:
            errors.append(f"base {name!r}, looked at for what fits: {e!r}")
    return {key: hits for key, hits in found.items() if hits}, errors


def know(fits: Mapping[str, Fits]) -> None:
    """Takes over what `look` found elsewhere."""
    _known.update(fits)


def bases_of(split: Split) -> list[str]:
    """Names of the split's bases."""
    held_out = split == "held_out"
    return sorted(name for name, base in BASES.items() if base.held_out is held_out)


def places(recipe: Recipe, severity: Severity, split: Split) -> tuple[tuple[str, int], ...]:
    """Bases of the split that a recipe fits, with the number of their probed worlds that it fits in.

    Looked up first, so that draws are not spent on bases that never fit.
    """
    found = []
    for name in bases_of(split):
        if name not in _known:
            _known[name] = look(name)[0]
        hits = _known[name].get((recipe.name, severity), 0)
        if hits:
            found.append((name, hits))
    return tuple(found)


@dataclass(slots=True)
class Log:
    """What did not work on the way to a pair."""

    given_up: list[str] = field(default_factory=list)
    """Recipes that found no place."""
    reasons: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a set a pair is: it decides which worlds the pair shares."""

    pool: Pool
    seed: int
    split: Split
    index: int

    def shared(self, base: Base, rng: Generator) -> Shared:
        """One of the shared worlds of a base."""
        split, block = SPLITS.index(self.split), self.index // BLOCK
        return self.pool.get(self.seed, split, block, base.name, int(rng.integers(WORLDS)))


def draw_pair(rng: Generator, category: str, place: Place, log: Log) -> Drawn:
    """A pair of the category.

    Raises:
        RuntimeError: no recipe of the category gave an evident pair.
    """
    split = place.split
    for turn in range(_ROUNDS):
        left = list(recipes_of(category, held_out=False if split == "train" else None))
        while left:
            recipe = _draw_recipe(rng, left, split)
            drawn = _try_recipe(rng, recipe, place, log, anywhere=turn > 0)
            if drawn is not None:
                return drawn
            log.given_up.append(recipe.name)
            left.remove(recipe)
    raise RuntimeError(
        f"expected an evident pair of {category} ({split}), got none with {sorted(set(log.given_up))}: "
        f"{log.reasons.most_common(8)} {log.errors[:3]}"
    )


def _draw_recipe(rng: Generator, left: Sequence[Recipe], split: Split) -> Recipe:
    """Alike among recipes; in split "held_out" every other draw is a held-out one."""
    wanted = split == "held_out" and bool(rng.random() < NOVEL)
    known = [recipe for recipe in left if recipe.held_out is wanted] or left
    return known[int(rng.integers(len(known)))]


def visible_targets(shared: Shared, recipe: Recipe, severity: Severity) -> list[Thing]:
    """The recipe's targets that the picture shows."""
    targets = recipe.targets(shared.world, severity)
    return [one for one in targets if shared.shares[one.key] >= _SEEN]


def _try_recipe(
    rng: Generator, recipe: Recipe, place: Place, log: Log, anywhere: bool
) -> Drawn | None:
    """A pair of the recipe; `anywhere`: on bases too where the probed worlds had no place for it."""
    wanted: list[Severity] = ["major", "minor"]
    if rng.random() < 0.5:
        wanted.reverse()
    for severity in wanted:
        bases = places(recipe, severity, place.split)
        if anywhere and not bases:
            bases = tuple((name, 1) for name in bases_of(place.split))
        if not bases:
            continue
        names, shares = zip(*bases, strict=True)
        weights = np.array(shares) / sum(shares)
        for k in range(_WORLDS + _FRESH):
            base = BASES[str(rng.choice(names, p=weights))]
            drawn = _try_world(rng, recipe, severity, base, place, log, fresh=k >= _WORLDS)
            if drawn is not None:
                return drawn
    return None


def _try_world(
    rng: Generator,
    recipe: Recipe,
    severity: Severity,
    base: Base,
    place: Place,
    log: Log,
    *,
    fresh: bool,
) -> Drawn | None:
    """A pair of the recipe in one world of a base; `fresh`: in one of its own."""
    stage = place.pool.stage
    try:
        shared = Shared.of(stage, base.make(rng)) if fresh else place.shared(base, rng)
        targets = visible_targets(shared, recipe, severity)
    except Exception as e:
        log.errors.append(f"base {base.name!r} for {recipe.name!r}: {e!r}")
        return None
    if targets:
        stage.clear()
    for k in rng.permutation(len(targets))[:_TARGETS]:
        try:
            got = attempt(stage, rng, base, shared, recipe, severity, targets[k])
        except PlantingError as e:
            log.errors.append(str(e))
            continue
        if not isinstance(got, str):
            return got
        log.reasons[f"{recipe.name} on {base.name}: {got}"] += 1
    return None


def make_pair(pool: Pool, seed: int, index: int, category: str, split: Split) -> Pair:
    """The pair `index` of the set `seed`; depends on these and the size of the pool's stage only."""
    rng = np.random.default_rng(SeedSequence([seed, 1 + SPLITS.index(split), index]))
    log = Log()
    drawn = draw_pair(rng, category, Place(pool, seed, split, index), log)
    style, clean, violated = finish(rng, drawn)
    return Pair(drawn, style, clean, violated, tuple(log.given_up), tuple(log.errors))


def finish(rng: Generator, drawn: Drawn) -> tuple[str, bytes, bytes]:
    """Style and both encoded twins, treated alike: by the same draws of chance."""
    curve = exposure(rng, drawn.clean, drawn.subject)
    styled = rng.random() < STYLED
    luck = int(rng.integers(2**62))
    style, data = "", []
    for pixels in (drawn.clean, drawn.violated):
        own = np.random.default_rng(luck)
        lifted = pixels if curve is None else curve[pixels]
        style, looks = stylise(own, lifted) if styled else ("none", lifted)
        data.append(encode(own, develop(own, looks), "jpeg"))
    return style, data[0], data[1]
