"""Large lettered things out of doors: boards on the pavement, kiosks, market stalls."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import prism, rot
from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.paints import hue

from .faces import front, lettered
from .kit import Made, box, colour, maker, own_textures, part, point, turned, wooden
from .quick import ball
from .quick import rod as limb

_DARK = Paint((0.13, 0.12, 0.12), specular=0.0)


@maker("sandwich board", "rigid", "sign", "stands")
def sandwich_board(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "outdoors",
) -> Made:
    """Two panels that lean on each other; the lettered one faces +x. words; garbled; kind: of words."""
    w, h = float(rng.uniform(0.62, 0.8)), float(rng.uniform(0.8, 1.0))
    pixels, text, _ = lettered(
        rng, kind, words, garbled, w / h, border=bool(rng.random() < 0.4), bold=True
    )
    frame, lean = wooden(rng), float(rng.uniform(9, 14))
    reach = h * float(np.sin(np.deg2rad(lean)))
    sheets = [
        part("board", (box((-0.012, 0, h / 2), (0.024, w + 0.05, h + 0.04)), frame)),
        Part("lettering", None, (front(w, h - 0.04, 0.001, h / 2),)),
    ]
    rear = part("back", (box((0.012, 0, h / 2), (0.024, w + 0.05, h + 0.04)), frame))
    parts = [p.transformed(rot("y", -lean), (reach, 0, 0.03)) for p in sheets]
    parts.append(rear.transformed(rot("y", lean), (-reach, 0, 0.03)))
    return Made(parts, {"words": text, "textures": own_textures(face=pixels), "height": h})


def _awning(rng: Generator, y: float, x: tuple[float, float], z: tuple[float, float]) -> list[Part]:
    """Stripes that fall from (x[0], z[0]) to (x[1], z[1]), 2 y wide."""
    a, b = Paint(hue(rng, (0.5, 1), (0.6, 1)), specular=0.0), Paint((0.95, 0.94, 0.9), specular=0.0)
    edges = np.linspace(-y, y, 9)
    stripes: list[list[Mesh]] = [[], []]
    for k, (low, high) in enumerate(pairwise(edges)):
        top = [(x[0], low, z[0]), (x[1], low, z[1]), (x[1], high, z[1]), (x[0], high, z[0])]
        under = [(p, q, r - 0.02) for p, q, r in top]
        stripes[k % 2].append(prism(under, top))
    return [part("awning", (stripes[0], a), (stripes[1], b))]


@maker("kiosk", "rigid", "sign", "stands", "large", "building")
def kiosk(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "outdoors",
) -> Made:
    """A hut with a hatch towards +x, an awning and a lettered board on its roof. Keywords as
    `sandwich_board`."""
    w, d, h = float(rng.uniform(1.7, 2.2)), float(rng.uniform(1.1, 1.4)), 2.1
    board_h = float(rng.uniform(0.4, 0.5))
    pixels, text, paper = lettered(rng, kind, words, garbled, w / board_h, border=True, bold=True)
    wall = colour(rng, (0.3, 0.9), (0.5, 0.95)) if rng.random() < 0.7 else wooden(rng)
    shelf = wooden(rng)
    x, gap = d / 2, 0.18
    walls = [
        box((0, 0, 0.5), (d, w, 1.0)),
        box((0, 0, 2.0), (d, w, 0.2)),
        box((-x + 0.03, 0, 1.45), (0.06, w, 0.9)),
    ]
    walls += [box((0, s * (w / 2 - gap / 2), 1.45), (d, gap, 0.9)) for s in (-1, 1)]
    parts = [
        part("walls", (walls, wall)),
        part("inside", (box((-x + 0.1, 0, 1.45), (0.05, w - 2 * gap, 0.9)), _DARK)),
        part("counter", (box((x + 0.1, 0, 1.0), (0.3, w - 0.1, 0.04)), shelf)),
        part("roof", (box((0, 0, h + 0.03), (d + 0.2, w + 0.2, 0.06)), shelf)),
        *_awning(rng, w / 2, (x, x + 0.5), (2.02, 1.78)),
        part(
            "board", (box((x - 0.03, 0, h + 0.08 + board_h / 2), (0.04, w, board_h)), Paint(paper))
        ),
        Part("lettering", None, (front(w, board_h, x - 0.008, h + 0.08 + board_h / 2),)),
    ]
    return Made(
        parts, {"words": text, "textures": own_textures(face=pixels), "top": point(0, 0, h)}
    )


@maker("market stall", "rigid", "sign", "stands", "large")
def stall(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "stall",
) -> Made:
    """A table of goods under a canopy with a lettered board along its table's front (+x). Keywords as
    `sandwich_board`."""
    w, d, h = (
        float(rng.uniform(1.6, 2.1)),
        float(rng.uniform(0.8, 1.0)),
        float(rng.uniform(2.1, 2.3)),
    )
    board_h = float(rng.uniform(0.4, 0.5))
    pixels, text, paper = lettered(rng, kind, words, garbled, w / board_h, border=True, bold=True)
    wood = wooden(rng)
    table, x, y = 0.85, d / 2, w / 2
    posts = [
        limb((a * x, b * y, 0.02), (a * x, b * y, h), 0.025, 0.022)
        for a in (-1, 1)
        for b in (-1, 1)
    ]
    parts = [
        part("top", (box((0, 0, table), (d, w, 0.05)), wood)),
        part("posts", (posts, wood)),
        part(
            "board", (box((x + 0.012, 0, table - board_h / 2), (0.024, w, board_h)), Paint(paper))
        ),
        Part("lettering", None, (front(w, board_h, x + 0.0255, table - board_h / 2),)),
        *_awning(rng, y + 0.1, (-x - 0.15, x + 0.2), (h + 0.2, h - 0.05)),
    ]
    for k in range(3):
        middle = (k - 1) * w * 0.31
        fruit, r = (
            Paint(hue(rng, (0.5, 1), (0.5, 0.95)), specular=0.3),
            float(rng.uniform(0.05, 0.07)),
        )
        tray = box((0, middle, table + 0.05), (d * 0.75, w * 0.27, 0.06))
        heap = [
            ball((a * d * 0.2, middle + b * w * 0.075, table + 0.1), (r, r, r), n=9)
            for a in (-1, 0, 1)
            for b in (-1, 0, 1)
        ]
        parts.append(part(f"goods.{k}", (tray, wood), (heap, fruit)))
    return Made(
        parts, {"words": text, "textures": own_textures(face=pixels), "top": point(0, 0, h)}
    )


@maker("barrel", "rigid", "stands", "vessel")
def barrel(rng: Generator) -> Made:
    """A barrel that stands on its end."""
    r, h = float(rng.uniform(0.26, 0.33)), float(rng.uniform(0.75, 0.95))
    wood, iron = wooden(rng), Paint((0.3, 0.3, 0.32), specular=0.5)
    shape = [(r * f, h * z) for f, z in ((0.82, 0), (0.95, 0.2), (1, 0.5), (0.95, 0.8), (0.82, 1))]
    hoops = [
        turned([(r * f, h * z - 0.02), (r * f, h * z + 0.02)], 20)
        for f, z in ((0.965, 0.2), (0.965, 0.8))
    ]
    return Made(
        [part("body", (turned(shape, 20), wood)), part("hoops", (hoops, iron))], {"height": h}
    )
