"""What is on the front of boards and in frames: lettering, pictures, charts, emblems."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.subject import Piece
from benchmarks.scenes.paints import TEX, U8
from benchmarks.scenes.pairs.others import abstract, charts, symbols
from benchmarks.scenes.surroundings.textures import picture, sky

from .kit import RGB, face
from .lettering import WORDS, board, colours

_PRINTS: Final = (
    charts.bars,
    charts.lines,
    charts.pies,
    charts.scatter,
    symbols.emblem,
    symbols.flag,
    abstract.shapes,
    abstract.marble,
)
"""Those that are trained on as pictures by themselves: on a wall they are a scene's harmless part."""

_BOLD: Final = (0, 1, 2, 0, 4, 1)
"""A bold type for each."""


def _lines(words: str | tuple[str, ...], split: bool) -> tuple[str, ...]:
    if isinstance(words, tuple):
        return words
    return tuple(words.split()) if split else (words,)


def lettered(
    rng: Generator,
    kind: str,
    words: str | tuple[str, ...] | None,
    garbled: bool,
    aspect: float,
    ink: RGB | None = None,
    paper: RGB | None = None,
    border: bool = False,
    shown: bool = True,
    bold: bool = False,
) -> tuple[U8, str, RGB]:
    """Texture, text and paper of a lettered face; draws the same numbers whatever is asked. bold: to be
    read from afar."""
    drawn = str(rng.choice(WORDS[kind]))
    style, seed = int(rng.integers(6)), int(rng.integers(2**31))
    a, b = colours(rng)
    margin = 0.1
    if bold:
        style, margin = _BOLD[style], 0.085  # `glyphs` takes what is farther out for a border
    lines = _lines(words or drawn, aspect < 2.2)
    broken = np.random.default_rng(seed) if garbled else None
    if not shown:
        return np.zeros((0, 0, 3), np.uint8), " ".join(lines), paper or b
    pixels = board(
        lines, aspect, ink or a, paper or b, style, border=border, broken=broken, margin=margin
    )
    return pixels, " ".join(lines), paper or b


def front(w: float, h: float, x: float, z: float) -> Piece:
    """A sheet facing +x, its middle at (x, 0, z), with the texture "@face"."""
    return face(
        [
            (x, -w / 2, z + h / 2),
            (x, w / 2, z + h / 2),
            (x, w / 2, z - h / 2),
            (x, -w / 2, z - h / 2),
        ],
        "@face",
    )


def printed(rng: Generator) -> U8:
    """A landscape, a still life, a chart, an emblem or a pattern for a frame."""
    kind = float(rng.random())
    if kind < 0.35:
        return sky(rng)
    if kind < 0.7:
        return picture(rng)
    return _PRINTS[int(rng.integers(len(_PRINTS)))](rng, TEX)
