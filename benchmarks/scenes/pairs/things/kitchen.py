"""Kitchen things: vessels, pans, kettles, cutlery, food, the stove."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.random import Generator

from benchmarks.scenes.geometry.mesh import Mesh
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part

from .kit import (
    BLACK,
    STEEL,
    WHITE,
    Made,
    arc,
    box,
    colour,
    cup_of,
    ear,
    maker,
    metal,
    part,
    point,
    smooth,
    tint,
    turned,
    wooden,
)
from .quick import ball as ellipsoid
from .quick import rod as limb

_DRINKS: Final = ((0.2, 0.1, 0.05), (0.85, 0.6, 0.2), (0.92, 0.9, 0.84), (0.55, 0.1, 0.12))


def _surface(r: float, z: float, paint: Paint) -> Part:
    return part("content", (turned([(r, z - 0.002), (r, z)], 16), paint))


@maker("mug", "rigid", "stands", "vessel")
def mug(rng: Generator, *, full: bool = False, handle: str = "side", handles: int = 1) -> Made:
    """A mug. full: holds a drink; handle: side, none, inside, top (across the mouth) or below;
    handles: number."""
    r, h = float(rng.uniform(0.037, 0.048)), float(rng.uniform(0.08, 0.11))
    flare = float(rng.uniform(0.92, 1.12))
    glaze, drink = colour(rng), Paint(_DRINKS[int(rng.integers(4))], specular=0.6)
    parts = [part("body", (cup_of(r, r * flare, h), glaze))]
    bow = ear(r, h * 0.2, h * 0.8, 0.032, 0.007)
    for i in range(handles if handle != "none" else 0):
        at = bow.transformed(rot("z", 360.0 * i / handles), (0, 0, 0))
        if handle == "inside":
            at = bow.transformed(np.diag([-0.8, 1, 1]), (2 * r * 0.93, 0, 0)).transformed(
                np.eye(3), (-r, 0, 0)
            )
        elif handle == "top":
            at = bow.transformed(rot("y", -90), (0, 0, 0)).transformed(
                np.eye(3), (h * 0.5, 0, h - r * 1.05)
            )
        elif handle == "below":
            at = bow.transformed(rot("y", 90), (-h * 0.5, 0, r * 0.9))
        parts.append(part(f"handle.{i}", (at, glaze)))
    if full:
        parts.append(_surface(r * flare * 0.95, h * 0.88, drink))
    facts = {"radius": r, "height": h, "rim": point(0, 0, h), "handle": point(r + 0.02, 0, h / 2)}
    return Made(parts, facts)


@maker("cup", "rigid", "stands", "vessel")
def cup(rng: Generator, *, full: bool = True, saucer: bool = True, handle: str = "side") -> Made:
    """A tea cup on its saucer. full, saucer; handle: side or none."""
    r, h = float(rng.uniform(0.036, 0.046)), float(rng.uniform(0.055, 0.07))
    glaze, drink = (
        colour(rng, (0.0, 0.6), (0.6, 0.97)),
        Paint(_DRINKS[int(rng.integers(3))], specular=0.6),
    )
    z = 0.008 if saucer else 0.0
    body = smooth(
        [
            (r * 0.5, z),
            (r * 0.62, z + 0.004),
            (r * 0.9, z + h * 0.45),
            (r, z + h),
            (r - 0.004, z + h),
            (r * 0.84, z + h * 0.45),
            (r * 0.3, z + 0.01),
        ]
    )
    parts = [part("body", (body, glaze))]
    if handle == "side":
        parts.append(
            part("handle.0", (ear(r * 0.92, z + h * 0.3, z + h * 0.85, 0.022, 0.005), glaze))
        )
    if saucer:
        parts.append(part("saucer", (cup_of(r * 0.9, r * 1.7, 0.014, 0.003), glaze)))
    if full:
        parts.append(_surface(r * 0.93, z + h * 0.85, drink))
    return Made(parts, {"radius": r, "height": z + h, "rim": point(0, 0, z + h)})


@maker("bowl", "rigid", "stands", "vessel")
def bowl(rng: Generator, *, full: bool = False) -> Made:
    """A bowl. full: of soup or rice."""
    r, h = float(rng.uniform(0.07, 0.12)), float(rng.uniform(0.05, 0.08))
    glaze, soup = colour(rng), Paint(tint((0.8, 0.45, 0.15), rng, 0.3), specular=0.3)
    rows = [
        (r * 0.4, 0.0),
        (r * 0.45, 0.005),
        (r * 0.8, h * 0.4),
        (r, h),
        (r - 0.005, h),
        (r * 0.76, h * 0.4),
    ]
    parts = [part("body", (smooth([*rows, (r * 0.2, 0.012)]), glaze))]
    if full:
        parts.append(_surface(r * 0.92, h * 0.8, soup))
    return Made(parts, {"radius": r, "height": h, "rim": point(0, 0, h)})


@maker("plate", "rigid", "stands")
def plate(rng: Generator) -> Made:
    """A plate; facts: top, where food lies."""
    r = float(rng.uniform(0.1, 0.14))
    glaze = colour(rng, (0.0, 0.5), (0.7, 0.97))
    dish = turned([(r * 0.6, 0), (r, 0.02), (r - 0.003, 0.023), (r * 0.65, 0.007)], 24)
    return Made(
        [part("body", (dish, glaze))], {"radius": r, "height": 0.023, "top": point(0, 0, 0.007)}
    )


@maker("glass", "rigid", "stands", "vessel")
def glass(rng: Generator, *, full: bool = True) -> Made:
    """A tumbler or a wine glass. full."""
    r, h = float(rng.uniform(0.03, 0.04)), float(rng.uniform(0.1, 0.14))
    stem = bool(rng.random() < 0.5)
    pale = Paint(tint((0.78, 0.87, 0.9), rng, 0.05), specular=0.9, shininess=0.9, alpha=0.55)
    drink = Paint(_DRINKS[int(rng.integers(4))], specular=0.7)
    if stem:
        rows = [
            (r * 0.95, 0),
            (r * 0.9, 0.004),
            (0.005, 0.01),
            (0.005, h * 0.5),
            (r * 0.8, h * 0.62),
            (r, h * 0.85),
            (r * 0.9, h * 1.2),
            (r * 0.9 - 0.003, h * 1.2),
            (r - 0.003, h * 0.85),
            (r * 0.3, h * 0.6),
        ]
        body, top = smooth(rows), h * 1.2
    else:
        body, top = cup_of(r * 0.85, r, h, 0.003), h
    parts = [part("body", (body, pale))]
    if full:
        bowl = (
            [(r * 0.3, 0.63 * h), (r * 0.74, 0.7 * h), (r * 0.9, 0.85 * h)]
            if stem
            else [(r * 0.8, 0.006), (r * 0.88, top * 0.72)]
        )
        parts.append(part("content", (turned(bowl, 18), drink)))
    return Made(parts, {"radius": r, "height": top, "rim": point(0, 0, top)})


@maker("jug", "rigid", "stands", "vessel")
def jug(rng: Generator, *, handle: str = "side", spout: bool = True) -> Made:
    """A jug. handle: side, none, low (at its foot) or mouth; spout."""
    r, h = float(rng.uniform(0.055, 0.075)), float(rng.uniform(0.17, 0.24))
    glaze = colour(rng)
    rows = [
        (r * 0.75, 0),
        (r * 1.05, h * 0.25),
        (r, h * 0.5),
        (r * 0.62, h * 0.8),
        (r * 0.75, h),
        (r * 0.7, h),
    ]
    parts = [part("body", (smooth([*rows, (r * 0.55, h * 0.8), (r * 0.3, 0.3 * h)]), glaze))]
    span = {"side": (0.35, 0.9), "low": (0.0, 0.25), "mouth": (0.9, 1.3)}
    if handle != "none":
        low, high = span[handle]
        parts.append(part("handle.0", (ear(r * 0.8, h * low, h * high, 0.06, 0.009), glaze)))
    if spout:
        lip = limb((-r * 0.55, 0, h * 0.97), (-r * 1.15, 0, h * 1.02), 0.016, 0.008)
        parts.append(part("spout", (lip, glaze)))
    return Made(parts, {"radius": r, "height": h, "rim": point(0, 0, h)})


@maker("pan", "rigid", "stands", "vessel")
def pan(rng: Generator, *, food: str | None = None, handle: str = "side") -> Made:
    """A frying pan. food: None, egg or pancake; handle: side, none, middle (up from its bottom), two
    or across."""
    r, h = float(rng.uniform(0.1, 0.135)), float(rng.uniform(0.035, 0.05))
    body = metal(rng, 0.12, 0.6) if rng.random() < 0.7 else colour(rng)
    grip = BLACK if rng.random() < 0.6 else wooden(rng)
    parts = [part("body", (cup_of(r * 0.85, r, h, 0.004, 22), body))]
    rod = [
        limb((r - 0.01, 0, h * 0.75), (r + 0.06, 0, h), 0.008, 0.009),
        limb((r + 0.05, 0, h), (r + 0.19, 0, h * 1.25), 0.012, 0.014),
    ]
    if handle == "middle":
        rod = [
            m.transformed(rot("y", -90), (h * 0.8, 0, 0.0)).transformed(
                np.eye(3), (0, 0, -r + 0.01)
            )
            for m in rod
        ]
    elif handle == "across":
        rod = [m.transformed(rot("z", 90), (r + 0.1, -r - 0.08, 0)) for m in rod]
    if handle == "two":
        rod += [m.transformed(rot("z", 70), (0, 0, 0)) for m in rod]
    if handle != "none":
        parts.append(part("handle.0", (rod, grip)))
    if food == "egg":
        white = turned([(r * 0.5, 0.004), (r * 0.45, 0.012)], 12)
        yolk = ellipsoid((0.01, 0.005, 0.014), (r * 0.18, r * 0.18, 0.012))
        parts.append(part("food", (white, WHITE), (yolk, Paint((0.97, 0.68, 0.1)))))
    elif food == "pancake":
        parts.append(
            part(
                "food",
                (turned([(r * 0.7, 0.004), (r * 0.68, 0.014)], 16), Paint((0.85, 0.62, 0.3))),
            )
        )
    facts = {
        "radius": r,
        "height": h,
        "top": point(0, 0, 0.008),
        "rim": point(0, 0, h),
        "handle": point(r + 0.15, 0, h),
    }
    return Made(parts, facts, ("food",) if food else ())


@maker("pot", "rigid", "stands", "vessel")
def pot(rng: Generator, *, lid: bool = True, handles: int = 2, lid_at: str = "top") -> Made:
    """A cooking pot. lid; handles: number; lid_at: top or below."""
    r, h = float(rng.uniform(0.09, 0.13)), float(rng.uniform(0.1, 0.16))
    body = metal(rng) if rng.random() < 0.5 else colour(rng)
    z = 0.03 if lid and lid_at == "below" else 0.0
    parts = [
        part("body", (cup_of(r * 0.95, r, h, 0.004, 22).transformed(np.eye(3), (0, 0, z)), body))
    ]
    for i in range(handles):
        bow = ear(0, -0.035, 0.035, 0.03, 0.007).transformed(rot("x", 90), (r, 0, z + h * 0.75))
        parts.append(
            part(
                f"handle.{i}",
                (bow.transformed(rot("z", 360 * i / max(handles, 1) + 90), (0, 0, 0)), BLACK),
            )
        )
    if lid:
        low = z + h if lid_at == "top" else 0.0
        dome = smooth(
            [(r * 1.02, low), (r, low + 0.008), (r * 0.5, low + 0.025), (0.01, low + 0.03)]
        )
        knob = ellipsoid((0, 0, low + 0.04), (0.016, 0.016, 0.014))
        parts.append(part("lid", (dome, body), (knob, BLACK)))
    return Made(parts, {"radius": r, "height": z + h, "rim": point(0, 0, z + h)})


@maker("kettle", "rigid", "stands", "vessel")
def kettle(rng: Generator, *, handle: str = "top", spout: str = "side") -> Made:
    """A kettle. handle: top, none, below or front; spout: side, none, low, back (under the handle's
    end), two."""
    r, h = float(rng.uniform(0.085, 0.11)), float(rng.uniform(0.13, 0.17))
    body = metal(rng) if rng.random() < 0.5 else colour(rng)
    shell = smooth(
        [
            (r * 0.95, 0),
            (r * 1.05, h * 0.12),
            (r, h * 0.5),
            (r * 0.6, h * 0.9),
            (0.03, h),
            (0.02, h),
        ]
    )
    knob = ellipsoid((0, 0, h + 0.012), (0.014, 0.014, 0.014))
    parts = [part("body", (shell, body)), part("lid", (knob, BLACK))]
    t = np.linspace(0.12, np.pi - 0.12, 9)
    bow = arc(np.stack([np.cos(t) * r * 0.85, 0 * t, h * 0.72 + np.sin(t) * 0.1], 1), 0.009)
    if handle == "below":
        bow = bow.transformed(np.diag([1, 1, -1]), (0, 0, h * 1.0))
    elif handle == "front":
        bow = bow.transformed(rot("y", 90), (-h * 0.2 + r * 0.5, 0, h * 0.5)).transformed(
            rot("z", 90), (0, 0, 0)
        )
    if handle != "none":
        parts.append(part("handle.0", (bow, BLACK)))
    tip = {"low": -0.5, "side": 1.0, "back": 1.0, "two": 1.0}
    for i in range({"none": 0, "two": 2}.get(spout, 1)):
        rise = tip[spout]
        nose: list[Mesh] = [
            limb((r * 0.8, 0, h * 0.3), (r * 1.45, 0, h * (0.3 + 0.5 * rise)), 0.022, 0.012)
        ]
        angle = 180.0 if spout == "back" or i else 0.0
        parts.append(
            part(f"spout.{i}", ([m.transformed(rot("z", angle), (0, 0, 0)) for m in nose], body))
        )
    return Made(
        parts,
        {"radius": r, "height": h, "spout": point(r * 1.45, 0, h * 0.8), "rim": point(0, 0, h)},
    )


@maker("teapot", "rigid", "stands", "vessel")
def teapot(rng: Generator, *, handle: str = "side", spout: str = "side", lid: bool = True) -> Made:
    """A teapot. handle: side, none or spout (on the spout's side); spout: side, none, low or two; lid."""
    r, h = float(rng.uniform(0.06, 0.08)), float(rng.uniform(0.1, 0.13))
    glaze = colour(rng)
    shell = smooth(
        [
            (r * 0.6, 0),
            (r * 0.95, h * 0.25),
            (r, h * 0.5),
            (r * 0.7, h * 0.85),
            (0.03, h),
            (0.02, h),
        ]
    )
    parts = [part("body", (shell, glaze))]
    if lid:
        parts.append(
            part(
                "lid",
                (smooth([(r * 0.5, h * 0.94), (0.02, h * 1.08), (0.012, h * 1.09)]), glaze),
                (ellipsoid((0, 0, h * 1.15), (0.012, 0.012, 0.012)), glaze),
            )
        )
    turns = [0.0, 180.0] if spout == "two" else [0.0]
    for i, angle in enumerate(turns if spout != "none" else []):
        end = h * (0.2 if spout == "low" else 0.95)
        bent = arc(
            [
                (r * 0.8, 0, h * 0.3),
                (r * 1.25, 0, h * 0.45),
                (r * 1.5, 0, end * 0.8),
                (r * 1.75, 0, end),
            ],
            0.011,
        )
        parts.append(part(f"spout.{i}", (bent.transformed(rot("z", angle), (0, 0, 0)), glaze)))
    if handle != "none":
        bow = ear(r * 0.9, h * 0.2, h * 0.8, 0.045, 0.008)
        parts.append(
            part(
                "handle.0",
                (bow.transformed(rot("z", 180 if handle == "side" else 35), (0, 0, 0)), glaze),
            )
        )
    return Made(
        parts, {"radius": r, "height": h, "spout": point(r * 1.75, 0, h), "rim": point(0, 0, h)}
    )


@maker("stove", "rigid", "stands", "large", "furniture")
def stove(rng: Generator, *, glowing: int = -1, knobs: int = 4) -> Made:
    """A cooker 0.6 wide whose top is at z = 0 (it reaches down to -0.85). glowing: number of the hot
    plate or -1; knobs: number."""
    body = WHITE if rng.random() < 0.5 else metal(rng, 0.25, 0.7)
    top = Paint((0.1, 0.1, 0.11), specular=0.7, shininess=0.8)
    door = Paint((0.07, 0.07, 0.08), specular=0.6)
    parts = [
        part("body", (box((0, 0, -0.44), (0.6, 0.6, 0.85)), body)),
        part("top", (box((0, 0, -0.007), (0.58, 0.58, 0.014)), top)),
        part(
            "door",
            (box((0.302, 0, -0.45), (0.012, 0.5, 0.4)), door),
            (limb((0.33, -0.2, -0.22), (0.33, 0.2, -0.22), 0.01, 0.01), STEEL),
        ),
    ]
    facts: dict[str, object] = {"glowing": glowing}
    for i, (x, y) in enumerate(((0.14, -0.14), (0.14, 0.14), (-0.14, -0.14), (-0.14, 0.14))):
        r = 0.095 if i in (0, 3) else 0.075
        hot = i == glowing
        ring = (
            Paint((1.0, 0.26, 0.08), specular=0.0, emission=0.75)
            if hot
            else Paint((0.2, 0.2, 0.21), specular=0.4)
        )
        edge = Paint((0.32, 0.32, 0.33), specular=0.5)
        parts.append(
            part(
                f"plate.{i}",
                (turned([(r * 1.06, 0.0), (r * 1.06, 0.004)], 22), edge),
                (turned([(r, 0.0), (r, 0.006)], 22), ring),
            )
        )
        facts[f"plate.{i}"] = point(x, y, 0.006)
        parts[-1] = parts[-1].transformed(np.eye(3), (x, y, 0))
    for i in range(knobs):
        y = -0.2 + 0.4 * i / max(knobs - 1, 1)
        parts.append(
            part(
                f"knob.{i}",
                (
                    turned([(0.02, 0), (0.018, 0.02)], 10).transformed(
                        rot("y", 90), (0.3, y, -0.1)
                    ),
                    BLACK,
                ),
            )
        )
    return Made(parts, facts, ("hot",) if glowing >= 0 else ())


@maker("fork", "rigid", "tool")
def fork(rng: Generator, *, tines: int = 4, bent: bool = False) -> Made:
    """A fork lying along x. tines: number; bent: the handle is folded back."""
    steel = metal(rng, 0.6, 0.8)
    width = 0.024
    rods = [
        limb((-0.1, 0, 0.006), (0.02, 0, 0.008), 0.006, 0.004),
        limb((0.02, -width / 2, 0.008), (0.02, width / 2, 0.008), 0.004, 0.004),
    ]
    if bent:
        rods[0] = limb((0.02, 0, 0.008), (0.0, 0, 0.13), 0.004, 0.006)
    for i in range(tines):
        y = (i / max(tines - 1, 1) - 0.5) * width
        rods.append(limb((0.02, y, 0.008), (0.08, y, 0.006), 0.0028, 0.002))
    return Made([part("body", (rods, steel))], {"handle": point(-0.1, 0, 0.006)})


@maker("spoon", "rigid", "tool")
def spoon(rng: Generator, *, bowls: int = 1) -> Made:
    """A spoon lying along x. bowls: 1, or 2 (one at either end)."""
    steel = metal(rng, 0.6, 0.8)
    heads = [ellipsoid((x, 0, 0.007), (0.026, 0.017, 0.006)) for x in (0.075, -0.105)[:bowls]]
    return Made(
        [
            part("handle", (limb((-0.1, 0, 0.006), (0.055, 0, 0.007), 0.006, 0.004), steel)),
            part("bowl", (heads, steel)),
        ]
    )


@maker("knife", "rigid", "tool")
def knife(rng: Generator, *, handle: str = "end") -> Made:
    """A kitchen knife lying along x. handle: end, or side (across the blade)."""
    steel, grip = metal(rng, 0.65, 0.85), (BLACK if rng.random() < 0.5 else wooden(rng))
    blade = box((0.06, 0, 0.004), (0.17, 0.03, 0.003))
    rod = box((-0.075, 0, 0.009), (0.11, 0.022, 0.018))
    if handle == "side":
        rod = rod.transformed(rot("z", 90), (0.07, -0.06, 0)).transformed(np.eye(3), (0, 0.11, 0))
    return Made([part("blade", (blade, steel)), part("handle", (rod, grip))])


@maker("apple", "rigid", "stands", "food")
def apple(rng: Generator) -> Made:
    """An apple, an orange or a pear."""
    r = float(rng.uniform(0.034, 0.042))
    kind = int(rng.integers(3))
    rgb = ((0.75, 0.12, 0.1), (0.95, 0.5, 0.08), (0.65, 0.75, 0.2))[kind]
    skin = Paint(tint(rgb, rng, 0.15), specular=0.4, shininess=0.5)
    if kind == 2:
        flesh = [
            smooth(
                [
                    (r * 0.3, 0),
                    (r, r * 0.7),
                    (r * 0.9, r * 1.3),
                    (r * 0.45, r * 2.1),
                    (r * 0.2, r * 2.5),
                ]
            )
        ]
    else:
        flesh = [ellipsoid((0, 0, r * 0.95), (r, r, r * 0.95), n=14)]
    top = r * (2.5 if kind == 2 else 1.85)
    stem = limb((0, 0, top), (0.004, 0, top + 0.012), 0.002, 0.002, n=5)
    return Made(
        [part("body", (flesh, skin)), part("stem", (stem, Paint((0.3, 0.2, 0.1))))], {"radius": r}
    )


@maker("banana", "rigid", "stands", "food")
def banana(rng: Generator) -> Made:
    """A banana lying on its side."""
    t = np.linspace(-1, 1, 7)
    path = np.stack([t * 0.085, 0.05 * (1 - t * t), 0 * t + 0.019], 1)
    r = 0.019 * np.sqrt(np.clip(1.02 - t**6, 0.08, 1))
    from benchmarks.scenes.geometry.solids import tube

    skin = Paint(tint((0.95, 0.8, 0.2), rng, 0.08), specular=0.2)
    return Made([part("body", (tube(path, r, n=8), skin))])


@maker("loaf", "rigid", "stands", "food")
def loaf(rng: Generator) -> Made:
    """A loaf of bread."""
    s = rng.uniform(0.8, 1.2, 3) * np.array([0.1, 0.055, 0.05])
    crust = Paint(tint((0.68, 0.42, 0.2), rng, 0.12), specular=0.05)
    body = ellipsoid((0, 0, s[2] * 0.9), s, n=14)
    flat = Mesh(
        np.maximum(body.verts, [-1, -1, 0.0]), body.normals, body.faces, body.ring, body.ring_rows
    )
    return Made([part("body", (flat, crust))])
