"""Things with lettering: signs, labels on jars and bottles, shop boards, street signs, clocks,
posters."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part, Piece

from .faces import front, lettered, printed
from .kit import (
    BLACK,
    RGB,
    STEEL,
    Made,
    box,
    colour,
    face,
    maker,
    own_textures,
    part,
    point,
    smooth,
    turned,
    wooden,
)
from .lettering import dial
from .quick import rod as limb


@maker("sign", "rigid", "sign")
def wall_sign(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "notice",
    size: tuple[float, float] = (0.3, 0.14),
) -> Made:
    """A board with lettering that faces +x, its middle at the origin (for walls). words: its text (a
    tuple: lines);
    garbled: pseudo-letters of the same layout; kind: of words (notice, shop, street, homely ...);
    size: width, height."""
    w, h = size
    pixels, text, paper = lettered(
        rng, kind, words, garbled, w / h, border=bool(rng.random() < 0.4)
    )
    parts = [
        part("board", (box((-0.008, 0, 0), (0.016, w, h)), Paint(paper, specular=0.1))),
        Part("lettering", None, (front(w, h, 0.0006, 0),)),
    ]
    return Made(parts, {"words": text, "textures": own_textures(face=pixels), "width": w})


@maker("table sign", "rigid", "sign", "stands")
def table_sign(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "notice",
    size: tuple[float, float] | None = None,
) -> Made:
    """A small sign that stands on a table. Keywords as `wall_sign`."""
    w, h = float(rng.uniform(0.14, 0.22)), float(rng.uniform(0.08, 0.12))
    pixels, text, paper = lettered(
        rng, kind, words, garbled, w / h, border=bool(rng.random() < 0.5)
    )
    w, h = size or (w, h)
    turn = rot("y", -15)
    sheet = part("board", (box((-0.004, 0, h / 2), (0.008, w, h)), Paint(paper, specular=0.1)))
    letters = Part("lettering", None, (front(w, h, 0.0006, h / 2),))
    foot = part("foot", (box((-0.02, 0, 0.006), (0.07, w * 0.6, 0.012)), wooden(rng)))
    return Made(
        [*(p.transformed(turn, (0, 0, 0.006)) for p in (sheet, letters)), foot],
        {"words": text, "textures": own_textures(face=pixels)},
    )


@maker("street sign", "rigid", "sign", "stands")
def street_sign(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    kind: str = "street",
    size: tuple[float, float] = (0.75, 0.24),
    height: float = 2.2,
    pole: bool = True,
) -> Made:
    """A sign on a pole that faces +x. Keywords as `wall_sign`; height: of its upper edge; pole."""
    w, h = size
    white: RGB = (0.95, 0.95, 0.95)
    ground: RGB = ((0.05, 0.22, 0.5), (0.05, 0.36, 0.2), (0.6, 0.08, 0.08), (0.1, 0.1, 0.11))[
        int(rng.integers(4))
    ]
    pixels, text, _ = lettered(rng, kind, words, garbled, w / h, white, ground, border=True)
    z = height - h / 2
    parts = [
        part("board", (box((0.03, 0, z), (0.012, w, h)), STEEL)),
        Part("lettering", None, (front(w, h, 0.0368, z),)),
    ]
    if pole:
        parts.append(part("pole", (limb((0, 0, 0.03), (0, 0, height + 0.05), 0.028, 0.026), STEEL)))
    return Made(
        parts,
        {"words": text, "textures": own_textures(face=pixels), "sign": point(0.037, 0, z)},
        ("large",),
    )


@maker("shop sign", "rigid", "sign", "large")
def shop_sign(
    rng: Generator,
    *,
    words: str | tuple[str, ...] | None = None,
    garbled: bool = False,
    size: tuple[float, float] = (2.2, 0.5),
) -> Made:
    """A shop's board that faces +x, its middle at the origin. Keywords as `wall_sign`."""
    w, h = size
    pixels, text, paper = lettered(
        rng, "shop", words, garbled, w / h, border=bool(rng.random() < 0.6)
    )
    parts = [
        part("board", (box((-0.04, 0, 0), (0.08, w, h)), Paint(paper))),
        Part("lettering", None, (front(w, h, 0.0015, 0),)),
    ]
    return Made(parts, {"words": text, "textures": own_textures(face=pixels)})


@maker("bottle", "rigid", "stands", "vessel")
def bottle(
    rng: Generator,
    *,
    label: bool = False,
    words: str | None = None,
    kind: str = "drink",
    garbled: bool = False,
    neck: str = "top",
    cap: bool = True,
) -> Made:
    """A bottle. label: a lettered label (a texture of its own); words; garbled; kind: of words (drink,
    bath, shed, food); neck: top, side, two or none; cap."""
    r, h = float(rng.uniform(0.03, 0.042)), float(rng.uniform(0.2, 0.3))
    tone = (
        (0.12, 0.3, 0.14),
        (0.32, 0.16, 0.06),
        (0.7, 0.82, 0.85),
        (0.85, 0.3, 0.15),
        (0.2, 0.35, 0.6),
    )[int(rng.integers(5))]
    body, stopper = Paint(tone, specular=0.9, shininess=0.9), colour(rng)
    pixels, text, paper = lettered(rng, kind, words, garbled, 1.1, shown=label)
    plain_label = bool(rng.random() < 0.5)
    z = h * 0.62
    shell = smooth(
        [
            (r * 0.94, 0),
            (r, 0.01),
            (r, z),
            (r * 0.8, z + 0.02),
            (r * 0.45, z + 0.045),
            (r * 0.4, z + 0.05),
        ]
    )
    parts = [part("body", (shell, body))]
    tube_ = turned([(r * 0.42, z + 0.03), (r * 0.36, h)], 14)
    lid = turned([(r * 0.46, h - 0.004), (r * 0.44, h + 0.016)], 14)
    for i in range({"none": 0, "two": 2}.get(neck, 1)):
        turn, shift = np.eye(3), (0.0, 0.0, 0.0)
        if neck == "side":
            turn, shift = rot("x", -90), (0.0, -z * 0.75, z * 0.55)
        elif neck == "two":
            turn, shift = rot("x", (30.0, -30.0)[i]), (0.0, (0.5, -0.5)[i] * z, 0.15 * z)
        parts.append(part(f"neck.{i}", (tube_.transformed(turn, shift), body)))
        if cap:
            parts.append(part(f"cap.{i}", (lid.transformed(turn, shift), stopper)))
    facts: dict[str, object] = {"radius": r, "height": h, "rim": point(0, 0, h)}
    if label:
        w = r * 1.35
        high = z * 0.62
        t = np.linspace(-0.85, 0.85, 9)
        strip = []
        for a, b, u0, u1 in zip(
            t, t[1:], np.linspace(0, 1, 9), np.linspace(0, 1, 9)[1:], strict=False
        ):
            edge = [(np.cos(q) * r * 1.015, np.sin(q) * r * 1.015) for q in (a, b)]
            low, top = z * 0.18, z * 0.18 + high
            quad = [(*edge[0], top), (*edge[1], top), (*edge[1], low), (*edge[0], low)]
            piece = face(quad, "@face")
            uv = np.array([[u0, 0], [u1, 0], [u1, 1], [u0, 1]])
            strip.append((piece, uv))
        paint = strip[0][0].paint
        parts.append(Part("lettering", None, tuple(Piece(p.mesh, paint, uv) for p, uv in strip)))
        facts |= {"words": text, "textures": own_textures(face=pixels), "label.width": w}
    elif plain_label:
        parts.append(
            part(
                "label",
                (
                    turned([(r * 1.012, z * 0.2), (r * 1.012, z * 0.75)], 18),
                    Paint(paper, specular=0.05),
                ),
            )
        )
    return Made(parts, facts, ("sign",) if label else ())


@maker("jar", "rigid", "stands", "vessel")
def jar(
    rng: Generator,
    *,
    label: bool = True,
    words: str | None = None,
    kind: str = "food",
    garbled: bool = False,
    lid: bool = True,
) -> Made:
    """A square tin or jar. label: lettered (a texture of its own); words; garbled; kind: of words
    (food, shed, bath); lid."""
    w, h = float(rng.uniform(0.08, 0.12)), float(rng.uniform(0.11, 0.2))
    paint = colour(rng)
    pixels, text, paper = lettered(rng, kind, words, garbled, 1.25, shown=label)
    top = (
        turned([(w * 0.48, h), (w * 0.48, h + 0.02)], 18)
        if rng.random() < 0.5
        else box((0, 0, h + 0.009), (w * 1.03, w * 1.03, 0.018))
    )
    parts = [part("body", (box((0, 0, h / 2), (w, w, h)), paint))]
    if lid:
        parts.append(part("lid", (top, BLACK if rng.random() < 0.5 else STEEL)))
    facts: dict[str, object] = {"height": h + 0.02, "dims": (w, w, h)}
    if label:
        parts.append(Part("lettering", None, (front(w * 0.9, w * 0.72, w / 2 + 0.0008, h * 0.52),)))
        facts |= {"words": text, "textures": own_textures(face=pixels)}
    del paper
    return Made(parts, facts, ("sign",) if label else ())


@maker("clock", "rigid", "sign")
def clock(
    rng: Generator,
    *,
    garbled: bool = False,
    numerals: str = "right",
    hands: int = 2,
    radius: float | None = None,
    stand: bool = False,
) -> Made:
    """A clock that faces +x, its middle at the origin, or (stand) standing on two feet. garbled:
    pseudo-numerals;
    numerals: right, shuffled, or mirrored; hands: number; radius."""
    rim, style, seed = colour(rng), int(rng.integers(6)), int(rng.integers(2**31))
    pale = bool(rng.random() < 0.75)
    ink, paper = (
        ((0.08, 0.08, 0.1), (0.96, 0.95, 0.9)) if pale else ((0.95, 0.93, 0.85), (0.1, 0.13, 0.2))
    )
    r, minute = float(rng.uniform(0.12, 0.17)), float(rng.uniform(0, 360))
    hour = float(int(rng.integers(12)) * 30 + minute / 12)
    order = (
        tuple(str(n) for n in np.random.default_rng(seed).permutation(12) + 1)
        if numerals == "shuffled"
        else None
    )
    pixels = dial(
        ink, paper, style, broken=np.random.default_rng(seed) if garbled else None, order=order
    )
    if numerals == "mirrored":
        pixels = np.ascontiguousarray(pixels[:, ::-1])
    r = radius or r
    z = r * 1.12 if stand else 0.0
    case = turned([(r * 1.08, -0.03), (r * 1.08, 0.004), (r, 0.004), (r, 0.0)][:2], 26).transformed(
        rot("y", 90), (0, 0, z)
    )
    disc = turned([(r, 0.0), (r, 0.0055)], 26).transformed(rot("y", 90), (0, 0, z))
    sheet = Piece(
        disc,
        Paint((1, 1, 1), "@face", specular=0.05),
        np.stack([disc.verts[:, 1] / (2 * r) + 0.5, 0.5 - (disc.verts[:, 2] - z) / (2 * r)], 1),
    )
    parts = [part("case", (case, rim)), Part("lettering", None, (sheet,))]
    for i, (angle, length, width) in enumerate(
        ((hour, 0.5, 0.05), (minute, 0.78, 0.035), (hour * 1.7 + 70, 0.6, 0.04))[:hands]
    ):
        hand = box(
            (0.008 + 0.002 * i, 0, r * length / 2), (0.002, r * width, r * length)
        ).transformed(rot("x", -angle), (0, 0, z))
        parts.append(part(f"hand.{i}", (hand, Paint(ink))))
    if stand:
        feet = [
            box((0.0, s * r * 0.6, r * 0.1), (0.04, 0.03, r * 0.2)).transformed(
                np.eye(3), (-0.012, 0, 0)
            )
            for s in (-1, 1)
        ]
        parts.append(part("feet", (feet, rim)))
    return Made(
        parts,
        {"radius": r, "textures": own_textures(face=pixels), "words": "12 3 6 9"},
        ("stands",) if stand else ("hangs",),
    )


@maker("picture", "rigid")
def picture_frame(
    rng: Generator, *, size: tuple[float, float] = (0.4, 0.3), tilt: float = 0.0
) -> Made:
    """A framed picture or print that faces +x, its middle at the origin. size: width, height; tilt:
    degrees."""
    frame, pixels = wooden(rng), printed(rng)
    w, h = size
    turn = rot("x", tilt)
    bars = [box((0.008, 0, s * h / 2), (0.022, w + 0.03, 0.03)) for s in (-1, 1)] + [
        box((0.008, s * w / 2, 0), (0.022, 0.03, h)) for s in (-1, 1)
    ]
    parts = [part("frame", (bars, frame)), Part("image", None, (front(w, h, 0.006, 0),))]
    return Made(
        [p.transformed(turn, (0, 0, 0)) for p in parts],
        {"textures": own_textures(face=pixels)},
        ("hangs",),
    )
