"""Cars from panels on a dark core: what is taken off leaves a hole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from .car_types import TYPES, CarType
from .mesh import Mesh, box, disc, ellipsoid, limb, loft, prism, tube
from .paints import U8, grey, hue
from .subject import Paint, Part, Piece, Subject

_SKIN = 0.02
"""Thickness of a panel."""


@dataclass(frozen=True, slots=True)
class CarPaint:
    """Paints of one car."""

    body: Paint
    lower: Paint
    roof: Paint
    trim: Paint
    core: Paint
    glass: Paint
    lamp: Paint
    rear_lamp: Paint
    chrome: Paint
    tyre: Paint
    rim: Paint
    colour: str
    textures: dict[str, U8] = field(default_factory=dict)


_COLOURS = {
    "red": (0.72, 0.06, 0.06), "blue": (0.08, 0.16, 0.6), "green": (0.08, 0.38, 0.14), "white": (0.92, 0.92, 0.9),
    "black": (0.11, 0.11, 0.12), "silver": (0.66, 0.67, 0.7), "grey": (0.38, 0.39, 0.41), "yellow": (0.88, 0.72, 0.08),
    "orange": (0.86, 0.38, 0.06), "brown": (0.32, 0.19, 0.1), "beige": (0.76, 0.69, 0.55), "turquoise": (0.1, 0.55, 0.58),
}  # fmt: skip


def paints(rng: Generator) -> CarPaint:
    """A colour scheme."""
    colour = str(rng.choice(list(_COLOURS)))
    rgb = np.clip(np.array(_COLOURS[colour]) + rng.uniform(-0.05, 0.05, 3), 0.02, 1)
    body = Paint((float(rgb[0]), float(rgb[1]), float(rgb[2])), specular=float(rng.uniform(0.3, 0.8)), shininess=0.6)
    trim = Paint(grey(rng, 0.08, 0.2))
    roof = body if rng.random() < 0.8 else Paint(grey(rng, 0.05, 0.95), specular=0.4)
    lower = body if rng.random() < 0.6 else trim
    shade = float(rng.uniform(0.05, 0.15) if rng.random() < 0.65 else rng.uniform(0.15, 0.4))
    glass = Paint((shade, shade * 1.12, min(1.0, shade * 1.3)), specular=0.9, shininess=0.8)
    lamp = Paint(grey(rng, 0.86, 0.98), specular=0.9, shininess=0.9, emission=0.25)
    red = float(rng.uniform(0.55, 0.85))
    rim = Paint(grey(rng, 0.5, 0.85), specular=0.6) if rng.random() < 0.8 else Paint(grey(rng, 0.12, 0.25))
    return CarPaint(
        body, lower, roof, trim, Paint((0.035, 0.035, 0.04), specular=0.0), glass, lamp,
        Paint((red, 0.02, 0.03), specular=0.6, emission=0.15), Paint((0.72, 0.72, 0.75), specular=0.9, shininess=0.8),
        Paint((0.05, 0.05, 0.055), specular=0.1), rim, colour,
    )  # fmt: skip


def _vary(t: CarType, rng: Generator) -> CarType:
    def u(v: float, s: float = 0.04) -> float:
        return float(v * rng.uniform(1 - s, 1 + s))

    return replace(t, width=u(t.width), height=u(t.height, 0.03), wheel=u(t.wheel, 0.06))


def build(rng: Generator, subtype: str | None = None) -> Subject:
    """A car of a type (drawn when None), standing on z = 0, nose along +x."""
    t = TYPES[rng.integers(len(TYPES))] if subtype is None else next(c for c in TYPES if c.subtype == subtype)
    t = _vary(t, rng)
    paint = paints(rng)
    parts = [_core(t, paint)]
    parts += _wheels(t, paint, rng)
    parts += _front(t, paint)
    parts += _rear(t, paint)
    parts += _sides(t, paint)
    parts += _cabin(t, paint)
    anchors = {
        "roof": ((t.roof_front + t.roof_rear) / 2, 0.0, t.height),
        "bonnet": ((t.cowl + 1) / 2, 0.0, (t.belt + t.hood) / 2),
        "boot": ((t.deck - 1) / 2, 0.0, t.tail),
        "front": (1.0, 0.0, t.hood * 0.8),
        "rear": (-1.0, 0.0, t.tail * 0.8),
    }
    facts = {"width": t.width, "height": t.height, "belt": t.belt, "wheel": t.wheel,
             "roof_front": t.roof_front, "roof_rear": t.roof_rear, "cowl": t.cowl, "deck": t.deck}  # fmt: skip
    subject = Subject("car", t.subtype, tuple(parts), anchors, facts, paint.textures)
    return replace(subject, facts={**facts, "colour": float(list(_COLOURS).index(paint.colour))})


def colour_name(subject: Subject) -> str:
    """The colour word of a car."""
    return list(_COLOURS)[int(subject.facts["colour"])]


def _half(t: CarType) -> float:
    return t.width / 2


def _core(t: CarType, p: CarPaint) -> Part:
    """The dark inside, seen only where a panel is missing, plus sills and the cabin's frame."""
    w = _half(t) - _SKIN
    z0, z1 = t.clearance, t.belt - 0.012
    rear = t.tail - 0.03
    # Side outline of the lower body, narrower at the ends.
    body = loft(
        np.stack([
            _frame(-0.965, w * 0.9, z0 + 0.05, rear),
            _frame(-0.86, w, z0 + 0.02, rear),
            _frame(min(t.deck, -0.3), w, z0, z1 if not t.bed else rear - 0.01),
            _frame(t.cowl, w, z0, z1),
            _frame(0.8, w, z0 + 0.02, t.hood - 0.01),
            _frame(0.955, w * 0.9, z0 + 0.05, t.hood - 0.035),
        ]), flat=True)  # fmt: skip
    pieces = [Piece.make(body, p.core)]
    for s in (1, -1):
        sill = box(((t.front_axle + t.rear_axle) / 2, s * (w + 0.006), z0 + 0.025), (t.front_axle - t.rear_axle - 2.1 * t.wheel, 0.03, 0.05))
        pieces.append(Piece.make(sill, p.trim))
    return Part("core", None, tuple(pieces))


def _frame(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, -w, z0), (x, w, z0), (x, w, z1), (x, -w, z1)]


def _wheels(t: CarType, p: CarPaint, rng: Generator) -> list[Part]:
    parts = []
    spokes = int(rng.integers(5, 9))
    for side, s in (("left", 1.0), ("right", -1.0)):
        for place, x in (("front", t.front_axle), ("rear", t.rear_axle)):
            y = s * (_half(t) - 0.055)
            c = (x, y, t.wheel)
            pieces = [Piece.make(disc(c, t.wheel, 0.13, bevel=0.07, n=22), p.tyre)]
            out = s * 0.066
            pieces.append(Piece.make(disc((x, y + out * 0.98, t.wheel), t.wheel * 0.66, 0.006, n=18), p.rim))
            for i in range(spokes):
                a = 2 * np.pi * (i + 0.5) / spokes
                gap = disc((x + np.cos(a) * t.wheel * 0.42, y + out * 1.03, t.wheel + np.sin(a) * t.wheel * 0.42), t.wheel * 0.12, 0.004, n=6)
                pieces.append(Piece.make(gap, p.core))
            parts.append(Part(f"wheel.{side}.{place}", "car.wheel", tuple(pieces), side=side, place=place, pivot=c))
            arch = _arch(t, x, s)
            parts.append(Part(f"arch.{side}.{place}", None, (Piece.make(arch, p.core),)))
    return parts


def _arch(t: CarType, x: float, s: float) -> Mesh:
    """The dark wheel house: open at the bottom, so an empty one does not look like a wheel."""
    r, low = t.wheel * 1.17, t.clearance + 0.03
    start = np.arcsin(np.clip((low - t.wheel) / r, -1, 0))
    a = np.linspace(start, np.pi - start, 16)
    outline = [(x + r * np.cos(k), t.wheel + 0.008 + r * np.sin(k)) for k in a]
    y0, y1 = s * (_half(t) - 0.06), s * (_half(t) + 0.004)
    return prism([(px, y0, pz) for px, pz in outline], [(px, y1, pz) for px, pz in outline])


def _front(t: CarType, p: CarPaint) -> list[Part]:
    w = _half(t)
    zb = t.belt + 0.004
    hood = loft(np.stack([
        _slab(t.cowl - 0.05, w * 0.93, zb - 0.03, zb + 0.012),
        _slab((t.cowl + 0.95) / 2, w * 0.95, (zb + t.hood) / 2 - 0.02, (zb + t.hood) / 2 + 0.028),
        _slab(0.92, w * 0.84, t.hood - 0.04, t.hood + 0.008),
        _slab(0.975, w * 0.78, t.hood - 0.07, t.hood - 0.045),
    ]))  # fmt: skip
    parts = [Part("bonnet", "car.bonnet", (Piece.make(hood, p.body),), place="front", pivot=(t.cowl, 0, zb))]
    zg1, zg0 = t.hood - 0.05, t.clearance + 0.105
    mid = (zg0 + zg1) / 2
    grille = [Piece.make(prism(_face(0.94, w * 0.46, zg0 + 0.015, zg1), _face(0.99, w * 0.44, zg0 + 0.015, zg1 - 0.005)), p.trim)]
    for k in range(4):
        z = zg0 + 0.03 + (zg1 - zg0 - 0.04) * k / 3
        grille.append(Piece.make(box((0.99, 0, z), (0.012, w * 0.84, 0.008)), p.chrome))
    parts.append(Part("grille", "car.grille", tuple(grille), place="front", pivot=(0.97, 0, mid)))
    parts.append(Part("bumper.front", "car.bumper", (Piece.make(_bumper(t, 1.0), p.lower),), place="front", pivot=(0.98, 0, zg0)))
    for side, s in (("left", 1.0), ("right", -1.0)):
        lamp = ellipsoid((0.925, s * w * 0.7, mid + 0.012), (0.075, w * 0.2, (zg1 - zg0) * 0.43), n=12)
        inner = ellipsoid((0.97, s * w * 0.66, mid + 0.012), (0.04, w * 0.09, (zg1 - zg0) * 0.26), n=10)
        parts.append(Part(f"headlight.{side}", "car.headlight", (Piece.make(lamp, p.lamp), Piece.make(inner, p.chrome)),
                          side=side, place="front", pivot=(0.925, s * w * 0.7, mid)))  # fmt: skip
        # Body-coloured wing tips around the lamps.
        nose = prism([(0.95, s * w * 0.47, zg0), (0.8, s * w * 0.98, zg0), (0.8, s * w * 0.98, t.hood - 0.02), (0.95, s * w * 0.47, t.hood - 0.035)],
                     [(0.965, s * w * 0.47, zg0), (0.86, s * w * 1.0, zg0), (0.86, s * w * 0.985, t.hood - 0.03), (0.965, s * w * 0.47, t.hood - 0.04)])  # fmt: skip
        parts.append(Part(f"nose.{side}", None, (Piece.make(nose, p.body),)))
    return parts


def _slab(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, -w, z0), (x, w, z0), (x, w, z1 - 0.012), (x, w * 0.9, z1), (x, -w * 0.9, z1), (x, -w, z1 - 0.012)]


def _face(x: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, -w, z0), (x, w, z0), (x, w, z1), (x, -w, z1)]


def _bumper(t: CarType, sign: float) -> Mesh:
    w = _half(t)
    z = t.clearance + 0.06
    path = [(sign * 0.82, -w * 1.0, z), (sign * 0.93, -w * 0.92, z), (sign * 0.985, -w * 0.5, z), (sign * 0.995, 0, z),
            (sign * 0.985, w * 0.5, z), (sign * 0.93, w * 0.92, z), (sign * 0.82, w * 1.0, z)]  # fmt: skip
    return tube(path, np.tile([0.032, 0.055], (7, 1)), n=10)


def _rear(t: CarType, p: CarPaint) -> list[Part]:
    w = _half(t)
    z0 = t.clearance + 0.105
    parts = [Part("bumper.rear", "car.bumper", (Piece.make(_bumper(t, -1.0), p.lower),), place="rear", pivot=(-0.98, 0, z0))]
    back = prism(_face(-0.955, w * 0.72, z0, t.tail - 0.02), _face(-0.985, w * 0.7, z0, t.tail - 0.03))
    plate = Piece.make(box((-0.988, 0, z0 + (t.tail - z0) * 0.3), (0.01, 0.2, 0.05)), p.chrome)
    if t.bed:
        floor_z = t.belt - 0.14
        bed = [Piece.make(back, p.body), plate]
        for s in (1, -1):
            bed.append(Piece.make(box(((t.deck - 0.97) / 2, s * (w - 0.03), (z0 + t.tail) / 2 + 0.02), (0.97 + t.deck - 0.02, 0.04, t.tail - z0 + 0.06)), p.body))
        bed.append(Piece.make(box((-0.965, 0, (z0 + t.tail) / 2 + 0.02), (0.03, 2 * w - 0.06, t.tail - z0 + 0.06)), p.body))
        bed.append(Piece.make(box(((t.deck - 0.97) / 2, 0, floor_z), (0.9 + t.deck, 2 * w - 0.08, 0.02)), p.trim))
        parts.append(Part("trunk", "car.trunk", tuple(bed), place="rear", pivot=(-0.9, 0, t.tail)))
    elif t.notch:
        lid = loft(np.stack([
            _slab(t.deck + 0.04, w * 0.86, t.belt - 0.03, t.belt + 0.014),
            _slab(-0.93, w * 0.84, t.tail - 0.04, t.tail + 0.01),
            _slab(-0.985, w * 0.8, t.tail - 0.075, t.tail - 0.03),
        ]))  # fmt: skip
        parts.append(Part("trunk", "car.trunk", (Piece.make(lid, p.body), Piece.make(back, p.body), plate), place="rear", pivot=(t.deck, 0, t.belt)))
    else:
        parts.append(Part("trunk", "car.trunk", (Piece.make(back, p.body), plate), place="rear", pivot=(-0.95, 0, t.belt)))
    top = t.tail - 0.035
    tall = not t.notch and not t.bed
    zc, rz = ((z0 + top) / 2 + 0.02, (top - z0) * 0.46) if not tall else ((z0 + top) / 2 + 0.04, (top - z0) * 0.55)
    for side, s in (("left", 1.0), ("right", -1.0)):
        lamp = ellipsoid((-0.935, s * w * 0.84, zc), (0.065, w * 0.15, rz), n=12)
        parts.append(Part(f"taillight.{side}", "car.taillight", (Piece.make(lamp, p.rear_lamp),), side=side, place="rear", pivot=(-0.935, s * w * 0.84, zc)))
    return parts


def _panel(side: float, w: float, corners: list[tuple[float, float]], out: float = _SKIN, lean: float = 0.0) -> Mesh:
    """A body side panel: corners (x, z) of a polygon, `out` thick, standing at y = ±w."""
    inner = [(x, side * (w - out), z) for x, z in corners]
    outer = [(x, side * (w - lean), z) for x, z in corners]
    return prism(inner, outer)


def _sides(t: CarType, p: CarPaint) -> list[Part]:
    parts = []
    w = _half(t)
    z0, zb = t.clearance + 0.035, t.belt
    # Door edges along x: from behind the front wheel to before the rear wheel.
    a0, a1 = t.front_axle - t.wheel * 1.22, t.rear_axle + t.wheel * 1.22
    if t.bed:
        a1 = t.deck + 0.02
    n = t.doors // 2
    if n == 1:
        a1 = a1 + (a0 - a1) * 0.22
    cuts = np.linspace(min(a0, t.cowl + 0.06), a1, n + 1)
    for side, s in (("left", 1.0), ("right", -1.0)):
        zf = t.hood - 0.01
        fender = [
            _panel(s, w, [(cuts[0] + 0.006, z0), (t.front_axle - t.wheel * 0.6, z0 + t.wheel), (t.cowl, zb), (cuts[0] + 0.006, zb)]),
            _panel(s, w, [(t.front_axle - t.wheel * 1.15, z0 + t.wheel * 0.8), (0.86, z0 + t.wheel * 0.8), (0.86, zf), (t.cowl, zb)]),
            _panel(s, w, [(t.front_axle + t.wheel * 1.0, z0 + 0.03), (0.9, z0 + 0.05), (0.86, zf), (t.front_axle + t.wheel * 1.0, zf)]),
        ]  # fmt: skip
        parts.append(Part(f"fender.{side}", "car.fender", tuple(Piece.make(m, p.body) for m in fender), side=side, place="front", pivot=(t.front_axle, s * w, zb)))
        for i in range(n):
            x1, x0 = cuts[i] - 0.006, cuts[i + 1] + 0.006
            m = _panel(s, w, [(x0, z0), (x1, z0), (x1, zb), (x0, zb)], lean=0.0)
            handle = box((x0 + 0.07, s * (w + 0.006), zb - 0.06), (0.08, 0.014, 0.016))
            place = "front" if i == 0 else "rear"
            parts.append(Part(f"door.{side}.{place}", "car.door", (Piece.make(m, p.body), Piece.make(handle, p.chrome)), side=side, place=place, pivot=(float(x1), s * w, zb)))
        end = float(cuts[-1]) - 0.006
        if t.bed:
            continue
        zt = t.tail - 0.01
        quarter = [
            _panel(s, w, [(end, z0), (t.rear_axle + t.wheel * 0.5, z0 + t.wheel), (min(t.deck, t.rear_axle), zb), (end, zb)]),
            _panel(s, w, [(-0.93, z0 + t.wheel * 0.7), (t.rear_axle + t.wheel, z0 + t.wheel * 0.7), (t.rear_axle + t.wheel, zb), (-0.93, min(zt, zb))]),
            _panel(s, w, [(-0.95, z0 + 0.06), (t.rear_axle - t.wheel, z0 + 0.03), (t.rear_axle - t.wheel, zb - 0.02), (-0.95, zt)]),
        ]  # fmt: skip
        corner = prism(_face_y(-0.93, s, w, z0 + 0.06, zt), _face_y(-0.972, s, w * 0.97, z0 + 0.06, zt - 0.02))
        parts.append(Part(f"quarter.{side}", None, tuple(Piece.make(m, p.body) for m in (*quarter, corner))))
    return parts


def _face_y(x: float, s: float, w: float, z0: float, z1: float) -> list[tuple[float, float, float]]:
    return [(x, s * w * 0.7, z0), (x, s * w, z0), (x, s * w, z1), (x, s * w * 0.7, z1)]


def _cabin(t: CarType, p: CarPaint) -> list[Part]:
    """Windows, pillars, roof and mirrors on a body-coloured cabin frame."""
    w0, w1 = _half(t) * 0.985, _half(t) * 0.80
    zb, zr = t.belt - 0.01, t.height - 0.03
    base = [(t.deck, -w0, zb), (t.cowl, -w0, zb), (t.cowl, w0, zb), (t.deck, w0, zb)]
    head = [(t.roof_rear, -w1, zr), (t.roof_front, -w1, zr), (t.roof_front, w1, zr), (t.roof_rear, w1, zr)]
    frame = Part("frame", None, (Piece.make(prism(base, head), p.body),), owner="roof")

    def at(u: float, v: float) -> tuple[float, float, float]:
        """A point on the cabin's left side: u from rear 0 to front 1, v from belt 0 to roof 1."""
        low = np.array([t.deck + (t.cowl - t.deck) * u, w0, zb])
        high = np.array([t.roof_rear + (t.roof_front - t.roof_rear) * u, w1, zr])
        q = low + (high - low) * v
        return (float(q[0]), float(q[1]), float(q[2]))

    parts = [frame]
    roof = loft(np.stack([
        _slab(t.roof_rear - 0.03, w1 * 0.9, zr - 0.012, zr + 0.014),
        _slab(t.roof_rear + 0.06, w1 * 1.0, zr - 0.012, t.height - 0.003),
        _slab(t.roof_front - 0.06, w1 * 1.0, zr - 0.012, t.height),
        _slab(t.roof_front + 0.03, w1 * 0.9, zr - 0.016, zr + 0.012),
    ]))  # fmt: skip
    parts.append(Part("roof", "car.roof", (Piece.make(roof, p.roof),), pivot=((t.roof_front + t.roof_rear) / 2, 0, zr)))
    parts.append(Part("windshield", "car.windshield", (Piece.make(_pane(at, 1.0, 0.86), p.glass),), place="front", pivot=(t.cowl, 0, zb)))
    parts.append(Part("rear_window", None, (Piece.make(_pane(at, 0.0, 0.84), p.glass),)))
    spans = _window_spans(t)
    for side, s in (("left", 1.0), ("right", -1.0)):
        for i, (u0, u1) in enumerate(spans):
            quad = [at(u0, 0.1), at(u1, 0.1), at(u1 - 0.012, 0.9), at(u0 + 0.012, 0.9)]
            inner = [(x, s * (y - 0.02), z) for x, y, z in quad]
            outer = [(x, s * (y + 0.008), z) for x, y, z in quad]
            parts.append(Part(f"side_window.{side}.{i}", "car.side_window", (Piece.make(prism(inner, outer), p.glass),),
                              side=side, place=("front", "rear", "third")[i], pivot=inner[0]))  # fmt: skip
        mx, my, mz = at(0.93, 0.13)
        stalk = limb((mx, s * my, mz), (mx, s * (my + 0.05), mz + 0.01), 0.012, 0.01, n=6)
        shell = ellipsoid((mx, s * (my + 0.075), mz + 0.025), (0.032, 0.05, 0.036), n=10)
        parts.append(Part(f"mirror.{side}", "car.mirror", (Piece.make(stalk, p.trim), Piece.make(shell, p.body)), side=side, pivot=(mx, s * my, mz)))
    return parts


def _window_spans(t: CarType) -> list[tuple[float, float]]:
    """Windows along u, front first."""
    if t.doors == 2:
        return [(0.36, 0.9), (0.1, 0.31)]
    if t.bed:
        return [(0.52, 0.93), (0.08, 0.48)]
    if t.third_window:
        return [(0.66, 0.93), (0.33, 0.63), (0.06, 0.29)]
    return [(0.5, 0.92), (0.1, 0.46)]


def _pane(at: object, u: float, high: float) -> Mesh:
    """Front (u = 1) or rear (u = 0) glass across the cabin."""
    assert callable(at)
    x0, y0, z0 = at(u, 0.1)
    x1, y1, z1 = at(u, high + 0.04)
    out = 0.014 if u > 0.5 else -0.014
    quad = [(x0, -y0 * 0.9, z0), (x0, y0 * 0.9, z0), (x1, y1 * 0.9, z1), (x1, -y1 * 0.9, z1)]
    return prism([(x - out, y, z - 0.01) for x, y, z in quad], [(x + out, y, z + 0.008) for x, y, z in quad])


_ = hue
