"""People who step into water or land on a mat without effect."""

from __future__ import annotations

from dataclasses import replace

from numpy.random import Generator

from benchmarks.scenes.pairs.actors import actor_at, can_act, side_on, whole_in_view
from benchmarks.scenes.pairs.registry import Planted, recipe
from benchmarks.scenes.pairs.sight import closer, in_sight
from benchmarks.scenes.pairs.things.outdoors import splash
from benchmarks.scenes.pairs.things.scenery import puddle
from benchmarks.scenes.pairs.world import Thing, World


def _wet_outdoors(world: World, target: Thing) -> bool:
    if any(t.key == target.facts.get("splash") for t in world.things):
        return True
    firm = world.place not in ("indoor", "kitchen", "workshop", "snow", "sand", "air")
    return firm and can_act(world, target)


@recipe(
    "dynamic_response",
    "no_splash",
    fits=_wet_outdoors,
    planted="Someone runs or walks through a puddle, a foot in the water, and nothing splashes.",
    twin="Water is thrown up round the foot.",
)
def no_splash(world: World, target: Thing, rng: Generator) -> Planted | None:
    """See the recipe."""
    what = "Someone steps into a puddle and nothing splashes."
    drops = next((t for t in world.things if t.key == target.facts.get("splash")), None)
    if drops is not None:
        wet = replace(drops, subject=target.subject)
        made = Planted(world.without(drops.key), world.changed(wet), (drops.key,), what)
        return closer(made, rng, (target.key,)) if in_sight(world, target, 60) else None
    actor = actor_at(world, target, rng)
    if actor is None:
        return None
    deg, _ = side_on(world, rng, 40.0)
    runner = actor.pose(pose="run", facing_deg=deg, look_at=None)
    height = float(runner.facts["height"])
    step = min((runner.facts["foot.left"], runner.facts["foot.right"]), key=lambda p: float(p[2]))
    at = (float(step[0]), float(step[1]), float(actor.at[2]))
    size = (0.5 * height * float(rng.uniform(0.9, 1.2)), 0.3 * height)
    pool = replace(puddle(rng, "puddle.added", at, size), subject=target.subject)
    thrown = float(rng.uniform(0.2, 0.28)) * height
    drops = splash(rng, "splash.added", at, size=thrown, subject=target.subject, casts=False)
    if not whole_in_view(world, runner, pool):
        return None
    dry = actor.world.plus(runner, pool)
    return closer(Planted(dry, dry.plus(drops), (drops.key,), what), rng, (runner.key,))


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
