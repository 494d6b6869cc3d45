"""People who step into water or land on a mat without effect."""

from __future__ import annotations

from numpy.random import Generator

from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, in_sight
from benchmarks.scenes.pairs.world import Thing, World


def _splashes(world: World, target: Thing) -> bool:
    return any(t.key == target.facts.get("splash") for t in world.things)


@recipe(
    "dynamic_response",
    "no_splash",
    fits=_splashes,
    planted="Someone walks or runs through a puddle, a foot in the water, and nothing splashes.",
    twin="Water is thrown up round the foot.",
)
def no_splash(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    drops = world.thing(target.facts["splash"])
    if not in_sight(world, target, 60):
        return None
    dry = world.without(drops.key)
    what = f"The {target.kind} steps into a puddle and nothing splashes."
    return closer(Planted(dry, world, (drops.key,), what), rng, (target.key,))


def _lands(world: World, target: Thing) -> bool:
    mat = next((t for t in world.things if t.key == target.rests_on), None)
    return mat is not None and mat.kind == "trampoline" and mat.remake is not None


@recipe(
    "dynamic_response",
    "mat_not_dented",
    fits=_lands,
    planted="Someone lands on a trampoline whose mat stays flat under the feet.",
    twin="The mat gives way under the feet.",
)
def mat_not_dented(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    mat = world.thing(str(target.rests_on))
    if mat.remake is None:
        return None
    flat = mat.remake(dent=0.0)
    rise = (0.0, 0.0, float(flat.facts["top"][2]) - float(target.low[2]))
    if rise[2] < 0.05:
        return None
    violated = world.changed(flat, target.moved(rise))
    return Planted(
        violated, world, (mat.key, target.key), "The mat under someone who lands stays flat."
    )
