"""Pictures of none of the domains: flat patterns, shuffled renders, scenes of other things."""

from __future__ import annotations

from typing import Final

from numpy.random import Generator

from physgauge.types import DOMAINS

from .paints import U8
from .render import Scene, Stage
from .setting import draw_setting
from .surroundings.backdrop import surroundings
from .surroundings.flat import flat, shuffled
from .surroundings.nothing import arrange

FLAT_SHARE: Final = 0.3
SHUFFLED_SHARE: Final = 0.06
_FLAT_CAPTIONS: Final = {
    "sky": "an empty sky",
    "strokes": "a page of writing",
    "tiles": "a tiled surface",
}


def blank(stage: Stage, rng: Generator) -> tuple[U8, str]:
    """Pixels [size, size, 3] and a caption."""
    style = rng.random()
    if style < FLAT_SHARE:
        pixels, name = flat(rng, stage.size)
        return pixels, _FLAT_CAPTIONS.get(name, "an abstract picture")
    if style < FLAT_SHARE + SHUFFLED_SHARE:
        return shuffled(rng, some_subject(stage, rng)), "a mosaic of patches"
    return scene_of_things(stage, rng)


def scene_of_things(stage: Stage, rng: Generator) -> tuple[U8, str]:
    """A picture of things of no domain and what it shows."""
    _, text, parts, camera = arrange(rng)
    stage.clear()
    around = surroundings(rng, camera, 0.0, "none")
    stage.textures(around.textures)
    everything = [*parts, *around.parts]
    return stage.rgb(Scene(camera, around.lights, everything)), text


def some_subject(stage: Stage, rng: Generator) -> U8:
    """A picture of a clean subject of any domain."""
    setting = None
    while setting is None:
        setting = draw_setting(rng, str(rng.choice(DOMAINS)), None)
    stage.clear()
    around = surroundings(rng, setting.camera, setting.floor, setting.clean.domain)
    stage.textures({**setting.clean.textures, **around.textures})
    everything = [*setting.clean.parts, *around.parts]
    return stage.rgb(Scene(setting.camera, around.lights, everything))
