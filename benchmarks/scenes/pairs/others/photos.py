"""Small pictures of scenes for the inside of pages, posters and screens."""

from __future__ import annotations

import importlib
from typing import Final

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageOps

from benchmarks.scenes.blank import scene_of_things, some_subject
from benchmarks.scenes.paints import U8
from benchmarks.scenes.pairs.registry import BASES
from benchmarks.scenes.render import Stage

_SIDE: Final = 192
"""Of the stage that is made where none was lent, px."""

_lent: list[Stage] = []


def lend(stage: Stage) -> None:
    """Take photos on this stage. A process has one render context at a time: who has one lends it."""
    _lent[:] = [stage]


def photo(rng: Generator) -> U8:
    """A picture [s, s, 3] of a scene that would be eligible by itself; its size is the stage's."""
    if not _lent:
        lend(Stage(_SIDE, samples=2, shadow=512))
    stage = _lent[0]
    style = rng.random()
    trained = sorted(name for name, one in BASES.items() if not one.held_out)
    if style < 0.4 and trained:
        pixels = _base(stage, rng, str(rng.choice(trained)))
    elif style < 0.7:
        pixels = some_subject(stage, rng)
    else:
        pixels = scene_of_things(stage, rng)[0]
    return _finished(rng, pixels)


def _base(stage: Stage, rng: Generator, name: str) -> U8:
    draw = importlib.import_module("benchmarks.scenes.pairs.draw").draw
    stage.clear()
    pixels: U8 = draw(stage, BASES[name].make(rng)).pixels
    return pixels


def _finished(rng: Generator, pixels: U8) -> U8:
    """In colour, grey, in one hue or with few tones."""
    style = rng.random()
    if style < 0.7:
        return pixels
    grey = ImageOps.autocontrast(Image.fromarray(pixels).convert("L"))
    if style < 0.8:
        return np.asarray(grey.convert("RGB"))
    dark, light = (tuple(int(v) for v in rng.integers(*span, 3)) for span in ((0, 90), (190, 256)))
    if style < 0.9:
        grey = ImageOps.posterize(grey, 2)
    return np.asarray(ImageOps.colorize(grey, dark, light))
