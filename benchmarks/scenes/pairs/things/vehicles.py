"""Cars and aircraft of benchmarks.scenes as things, and bicycles, carts, boats, sledges made here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part
from benchmarks.scenes.pairs.world import Tag, Thing, tags
from benchmarks.scenes.subjects.aircraft import gear

from . import vehicle_shapes, vehicle_small
from .edits import individual, placed, plain

CARS: Final[Mapping[str, float]] = {
    "sedan": 2.25, "coupe": 2.15, "hatchback": 1.95, "suv": 2.25, "van": 2.3, "pickup": 2.5,
}  # fmt: skip
"""Scene units of a unit of `Subject` (half the length)."""
AIRLINERS: Final[Mapping[str, float]] = {
    "boeing_737": 17.0, "airbus_a320": 18.0, "md_80": 20.0, "crj_200": 13.0, "atr_72": 13.5,
    "c_130": 15.0,
}  # fmt: skip
_WORDS: Final = {"suv": "SUV", "pickup": "pickup truck"}


@dataclass(frozen=True, slots=True)
class Odd:
    """What `remake` of a vehicle takes, besides the fields of `Edits`, `at`, `facing_deg`, `scale` and
    what its builder takes."""

    wheel_off: str | None = None
    """That wheel (key without "wheel.") lies a little off its axle."""
    wheel_missing: str | None = None
    """That wheel is not there."""
    wheel_on_roof: str | None = None
    """That wheel stands on top."""
    wheel_inside: str | None = None
    """That wheel sticks out of the middle of the side."""
    wheel_count: int = -1
    """1..8: fewer (the last go first) or more (beside the others)."""
    wheels_square: bool = False
    wheels_turned: float = 0.0
    """Degrees about z: wheels that stand across."""
    legs_of: str | None = None
    """Legs of an animal (`creatures.SIZES`) in place of the wheels."""
    wings_of: str | None = None
    """bird or aircraft: wings on its sides."""
    bonnet_open: bool = False
    """A car's bonnet stands open; nothing is wrong with that."""


def _wheels(parts: Sequence[Part]) -> list[Part]:
    return [p for p in parts if p.key.startswith("wheel")]


def _odd(parts: list[Part], odd: Odd, rng: Generator) -> list[Part]:
    """The parts in the vehicle's own axes, x ahead, with what `odd` asks for."""
    wheels = _wheels(parts)
    high = max(float(p.verts()[:, 2].max()) for p in parts)
    for name, kind in (
        (odd.wheel_off, "off"),
        (odd.wheel_on_roof, "roof"),
        (odd.wheel_inside, "inside"),
    ):
        wheel = next((p for p in wheels if name is not None and p.key == f"wheel.{name}"), None)
        if wheel is None:
            continue
        hub, r = np.asarray(wheel.pivot), float(np.ptp(wheel.verts()[:, 2])) / 2
        s = np.sign(hub[1]) or 1.0
        new = {
            "off": lambda w, h, r, s: w.about(rot("x", 34.0 * s), h, (0.35 * r, s * 1.5 * r, 0.0)),
            "roof": lambda w, h, r, s: w.about(np.eye(3), h, (-h[0], -h[1], high + r * 0.9 - h[2])),
            "inside": lambda w, h, r, s: w.about(np.eye(3), h, (-h[0], 0.0, high * 0.55 - h[2])),
        }[kind](wheel, hub, r, s)
        if kind == "off":
            low = float(new.verts()[:, 2].min())
            new = new.transformed(np.eye(3), (0.0, 0.0, -low))
        parts = [new if p is wheel else p for p in parts]
    if odd.wheel_missing is not None:
        parts = [p for p in parts if p.key != f"wheel.{odd.wheel_missing}"]
    if 0 <= odd.wheel_count < len(wheels):
        gone = {p.key for p in wheels[odd.wheel_count :]}
        parts = [p for p in parts if p.key not in gone]
    elif odd.wheel_count > len(wheels):
        for i in range(odd.wheel_count - len(wheels)):
            w = wheels[i % len(wheels)]
            middle = np.mean([p.pivot for p in wheels], 0)
            to = (middle[0] - w.pivot[0]) * (0.92 if i < len(wheels) else 0.5)
            parts.append(replace(w.transformed(np.eye(3), (to, 0.0, 0.0)), key=f"{w.key}.{i + 2}"))
    if odd.wheels_turned:
        turn = rot("z", odd.wheels_turned)
        parts = [p.about(turn, p.pivot) if p in _wheels(parts) else p for p in parts]
    if odd.wheels_square:
        parts = [vehicle_small.squared(p) if p.key.startswith("wheel") else p for p in parts]
    if odd.legs_of:
        parts = _with_legs(parts, odd.legs_of, rng)
    if odd.wings_of:
        parts = parts + _with_wings(parts, odd.wings_of, rng)
    if odd.bonnet_open:
        parts = [
            p.about(rot("y", -52.0), p.pivot) if p.key == "bonnet" else p
            for p in (_hinged(p) for p in parts)
        ]
    return parts


def _hinged(part: Part) -> Part:
    """A bonnet with its pivot at its rear edge."""
    if part.key != "bonnet":
        return part
    v = part.verts()
    rear = v[v[:, 0] < v[:, 0].min() + 0.08]
    return replace(part, pivot=(float(rear[:, 0].min()), 0.0, float(rear[:, 2].max())))


def _with_legs(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    donor = plain(individual(rng, "animal", kind, "donor"))
    legs = [p for p in donor.parts if p.key.startswith("leg")]
    out = [p for p in parts if not p.key.startswith("wheel")]
    for i, wheel in enumerate(_wheels(parts)):
        leg = legs[i % len(legs)]
        top = wheel.pivot[2] + np.ptp(wheel.verts()[:, 2]) * 0.45
        by = top / (leg.pivot[2] - float(leg.verts()[:, 2].min()))
        to = np.array([wheel.pivot[0], wheel.pivot[1], top]) - np.asarray(leg.pivot)
        out.append(replace(leg.about(np.eye(3) * by, leg.pivot, to), key=f"leg.{i}"))
    return out


def _with_wings(parts: list[Part], kind: str, rng: Generator) -> list[Part]:
    v = np.concatenate([p.verts() for p in parts])
    half, high, long = np.ptp(v[:, 1]) / 2, v[:, 2].max(), np.ptp(v[:, 0])
    name = ("animal", "eagle") if kind == "bird" else ("aircraft", "boeing_737")
    donor = plain(individual(rng, *name, "donor"))
    wings = [p for p in donor.parts if p.key.startswith("wing")]
    by = 0.42 * long / max(float(np.ptp(wings[0].verts()[:, 1])), 0.35)
    out = []
    for p in wings:
        s = 1.0 if p.key.endswith("left") else -1.0
        to = np.array([0.0, s * half * 0.6, high * 0.62]) - np.asarray(p.pivot)
        out.append(p.about(np.eye(3) * by, p.pivot, to))
    return out


Builder = Callable[..., tuple[list[Part], dict[str, Any]]]


def _vehicle(
    rng: Generator,
    key: str,
    kind: str,
    build: Builder,
    names: Sequence[Tag],
    at: ArrayLike,
    facing_deg: float,
    how: Mapping[str, Any],
    *,
    subject: bool,
    rests_on: str | None,
    more_tags: Sequence[Tag],
    facts: Mapping[str, Any],
    casts: bool = True,
) -> Thing:
    seed = int(rng.integers(2**31))
    base = Thing(
        key,
        kind,
        (),
        subject,
        tags("vehicle", "rigid", *names, *more_tags),
        rests_on,
        dict(facts),
        casts=casts,
    )

    def make(**now: Any) -> tuple[list[Part], dict[str, Any]]:
        odd = Odd(**{k: v for k, v in now.items() if k in Odd.__dataclass_fields__})
        rest = {k: v for k, v in now.items() if k not in Odd.__dataclass_fields__}
        parts, found = build(**rest)
        for wheel in _wheels(parts):
            v = wheel.verts()
            found[wheel.key] = np.asarray(wheel.pivot)
            low = np.array([wheel.pivot[0], wheel.pivot[1], float(v[:, 2].min())])
            found["ground" + wheel.key[5:]] = low
            found.setdefault("wheel_radius", float(np.ptp(v[:, 2])) / 2)
        v = np.concatenate([p.verts() for p in parts])
        found["top"] = np.array([0.0, 0.0, float(v[:, 2].max())])
        found["length"], found["width"] = float(np.ptp(v[:, 0])), float(np.ptp(v[:, 1]))
        return _odd(parts, odd, np.random.default_rng(seed)), found

    return placed(base, make, np.asarray(at, float), facing_deg, dict(how))


def car(
    rng: Generator,
    key: str,
    kind: str = "sedan",
    at: ArrayLike = (0.0, 0.0, 0.0),
    facing_deg: float = 0.0,
    *,
    subject: bool = False,
    rests_on: str | None = None,
    more_tags: Sequence[Tag] = (),
    **how: Any,
) -> Thing:
    """A car of a kind of `CARS` on the ground; `how` are fields of `Odd` or `Edits`.

    Part keys are those of `Subject` (wheel.left.front, door.left.front, bonnet, roof, windshield,
    headlight.left ...). Facts, points [3]: wheel.* (hubs), ground.* (below them), roof, bonnet, boot,
    front, rear, top. Numbers: wheel_radius, length, width, facing_deg.
    """
    by = CARS[kind]
    s = individual(rng, "car", kind, key, by)

    def build() -> tuple[list[Part], dict[str, Any]]:
        return list(s.parts), {k: np.asarray(v) * by for k, v in s.anchors.items()}

    return _vehicle(
        rng, key, _WORDS.get(kind, kind), build, ("car", "wheeled", "large", "stands"), at, facing_deg,
        how, subject=subject, rests_on=rests_on, more_tags=more_tags, facts={"textures": s.textures},
    )  # fmt: skip


def airliner(
    rng: Generator,
    key: str,
    kind: str = "boeing_737",
    at: ArrayLike = (0.0, 0.0, 0.0),
    facing_deg: float = 0.0,
    *,
    flies: bool = False,
    size: float = 1.0,
    subject: bool = False,
    textured: bool = True,
    casts: bool = True,
    more_tags: Sequence[Tag] = (),
    **how: Any,
) -> Thing:
    """An airliner of a kind of `AIRLINERS`, on its landing gear at `at`, or flying there.

    Facts, points [3]: nose, top, bottom, tail. Numbers: length, width, facing_deg, engines.
    """
    s = individual(rng, "aircraft", kind, key)
    s = s if textured else plain(s)
    by = AIRLINERS[kind] * size
    extra: list[Part] = []
    floor = 0.0
    if not flies:
        part, floor = gear(s, rng)
        extra = [part]
    down = np.array([0.0, 0.0, -floor * by])

    def build() -> tuple[list[Part], dict[str, Any]]:
        parts = [p.transformed(np.eye(3) * by, down) for p in (*s.parts, *extra)]
        points: dict[str, Any] = {k: np.asarray(v) * by + down for k, v in s.anchors.items()}
        return parts, {**points, "engines": s.facts["engines"]}

    names: list[Tag] = ["aircraft", "large", *(("moves",) if flies else ("stands",))]
    return _vehicle(
        rng, key, "aeroplane", build, names, at, facing_deg, how, subject=subject, rests_on=None,
        more_tags=more_tags, facts={"textures": s.textures}, casts=casts,
    )  # fmt: skip


def _shape(
    kind: str, build: Callable[..., tuple[list[Part], dict[str, Any]]], *names: Tag
) -> Callable[..., Thing]:
    def make(
        rng: Generator,
        key: str,
        at: ArrayLike = (0.0, 0.0, 0.0),
        facing_deg: float = 0.0,
        *,
        subject: bool = False,
        rests_on: str | None = None,
        more_tags: Sequence[Tag] = (),
        more_facts: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> Thing:
        seed = int(rng.integers(2**31))

        def again(**now: Any) -> tuple[list[Part], dict[str, Any]]:
            return build(np.random.default_rng(seed), **now)

        return _vehicle(
            rng, key, kind, again, names, at, facing_deg, how, subject=subject, rests_on=rests_on,
            more_tags=more_tags, facts=more_facts or {},
        )  # fmt: skip

    make.__doc__ = build.__doc__
    return make


bicycle = _shape("bicycle", vehicle_small.bicycle, "wheeled", "stands")
tricycle = _shape("tricycle", vehicle_small.tricycle, "wheeled", "stands", "small")
cart = _shape("cart", vehicle_small.cart, "wheeled", "stands")
skateboard = _shape("skateboard", vehicle_small.skateboard, "wheeled", "stands", "small")
sledge = _shape("sledge", vehicle_small.sledge, "stands", "small")
light_plane = _shape(
    "light aircraft", vehicle_shapes.light_plane, "aircraft", "wheeled", "stands", "large"
)
boat = _shape("boat", vehicle_shapes.boat, "boat", "floats")
