"""What can be wrong with an animal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from . import grafts
from .mesh import F64, rot
from .plant import Context, Planting, Variant, detach, extra, graft, missing, move, rescale
from .subject import Subject

_I = np.eye(3)


def _keys(s: Subject, cls: str, **tags: str) -> list[str]:
    return [p.key for p in s.find(cls, **tags)]


def _bird(s: Subject) -> bool:
    return s.facts["bird"] > 0


def _at(s: Subject, name: str) -> F64:
    return np.array(s.anchors[name])


def _near_first(s: Subject, cls: str, c: Context) -> list[str]:
    return _keys(s, cls, side=c.near) or _keys(s, cls, side="middle") or _keys(s, cls)


def _no_head(s: Subject, c: Context, r: Generator) -> Planting | None:
    return None if c.sees("rear") else missing(s, ["head"], "the head is missing")


def _no_leg(s: Subject, c: Context, r: Generator) -> Planting | None:
    legs = _keys(s, "leg")
    key = str(r.choice(legs))
    return missing(s, [key], "one leg is missing", reference=legs)


def _no_leg_pair(s: Subject, c: Context, r: Generator) -> Planting | None:
    if _bird(s):
        return None
    place = str(r.choice(["front", "rear"]))
    if r.random() < 0.5:
        if c.sees("front", "rear"):  # the others would hide them anyway
            return None
        keys = _keys(s, "leg", place=place)
        return missing(s, keys, f"the {place} legs are missing", [k for k in keys if k.split(".")[1] == c.near])
    keys = _keys(s, "leg", side=c.near)
    return missing(s, keys, f"both legs of the {c.near} side are missing", keys)


def _no_legs(s: Subject, c: Context, r: Generator) -> Planting | None:
    return missing(s, _keys(s, "leg"), "all legs are missing", _keys(s, "leg", side=c.near))


def _gone(cls: str, name: str, types: Sequence[str] | None = None, front: bool = True, near: bool = True) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        keys = _keys(s, cls)
        if not keys or (types is not None and s.subtype not in types) or (front and c.sees("rear", "rear_quarter")):
            return None
        return missing(s, keys, f"{name} missing", [k for k in keys if s.get(k).side in (c.near, "middle")] if near else keys)

    return variant


def _two_heads(s: Subject, c: Context, r: Generator) -> Planting:
    neck = s.get("neck")
    base = neck.verts()[neck.verts()[:, 0].argmin()]
    base = np.array([base[0], 0.0, base[2]])
    turn = rot("z", c.sign * float(r.uniform(45, 70)) * (1 if not c.sees("front") else r.choice([-1, 1])))
    p = extra(s, "head", turn, base, (0, 0, 0), "a second head grows beside the first")
    more = replace(neck.about(turn, base), key="neck.extra", planted=True)
    return replace(p, subject=p.subject.plus([more]))


def _head_at_rump(s: Subject, c: Context, r: Generator) -> Planting:
    v = s.get("belly").verts()
    middle = np.array([float(s.get("chest").verts()[:, 0].max() + v[:, 0].min()) / 2, 0, 0])
    turn = rot("z", 180)
    p = extra(s, "head", turn, middle, (0, 0, 0), "a second head grows at the rump")
    return replace(p, subject=p.subject.plus([replace(s.get("neck").about(turn, middle), key="neck.extra", planted=True)]))


def _more_legs(s: Subject, c: Context, r: Generator) -> Planting | None:
    both = r.random() < 0.7
    sides = ["left", "right"] if both else [c.near]
    out, keys = s, []
    if _bird(s):
        a = 0.32 * s.facts["length"]
        for side in sides:
            key = f"leg.{side}"
            out = extra(out, key, _I, (0, 0, 0), (a if r.random() < 0.7 else -a, 0, 0), "").subject
            keys.append(key + ".extra")
    else:
        a = s.facts["length"] * float(r.uniform(0.26, 0.38))
        for side in sides:
            key = f"leg.{side}.front"
            out = extra(out, key, _I, (0, 0, 0), (-a, 0.0, 0), "").subject
            keys.append(key + ".extra")
    near = tuple(k for k in keys if k.split(".")[1] == c.near)
    n = len(keys) + int(s.facts["legs"])
    return Planting(out, "extra", "animal.leg", f"{n} legs instead of {int(s.facts['legs'])}", principal=near, origin=tuple(k.removesuffix(".extra") for k in near))


def _second_tail(s: Subject, c: Context, r: Generator) -> Planting | None:
    tail = s.get("tail")
    if s.subtype in ("goat", "sheep", "pig", "rhino"):
        return None
    if r.random() < 0.5 and not _bird(s):
        yaw, pitch = c.sign * float(r.uniform(35, 55)), float(r.uniform(-45, -25))
        return extra(s, "tail", rot("z", -yaw) @ rot("y", -pitch), tail.pivot, (0, 0, 0), "a second tail grows beside the first")
    target = _at(s, "back") + np.array([0.1, 0, -0.02])
    up = {"cow": 130.0, "horse": 120.0, "elephant": 130.0}.get(s.subtype, 35.0)
    return extra(s, "tail", rot("y", up), tail.pivot, target - np.array(tail.pivot), "a second tail grows out of the back")


def _third_wing(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not _bird(s):
        return None
    key = f"wing.{c.near}"
    turn = rot("y", float(r.uniform(60, 85)))
    shift = _at(s, "back") - np.array(s.get(key).pivot) + np.array([0.05, 0, 0])
    return extra(s, key, turn, s.get(key).pivot, shift, "a third wing grows out of the back")


def _body_eyes(s: Subject, c: Context, r: Generator) -> Planting:
    key = f"eye.{c.near}"
    spot = _at(s, f"flank.{c.near}") if r.random() < 0.5 else _at(s, f"shoulder.{c.near}")
    f = float(r.uniform(2.4, 3.2))
    p = extra(s, key, _I * f, s.get(key).centre, spot - s.get(key).centre, "an extra eye looks out of the body")
    parts = tuple(replace(q, joins=None, owner=None) if q.key == key + ".extra" else q for q in p.subject.parts)
    return replace(p, subject=replace(p.subject, parts=parts))


def _back_ears(s: Subject, c: Context, r: Generator) -> Planting | None:
    if _bird(s):
        return None
    key = f"ear.{c.near}"
    e = s.get(key)
    f = 2.0 if s.subtype != "elephant" else 1.0
    spot = _at(s, "back") + np.array([-0.05, c.sign * 0.06, -0.02])
    lift = {"cow": 60.0, "goat": 60.0, "sheep": 60.0, "dog": 120.0}.get(s.subtype, 0.0)
    turn = rot("x", c.sign * lift) * f
    return extra(s, key, turn, e.pivot, spot - np.array(e.pivot), "an extra ear grows on the back", family=False)


def _two_trunks(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.subtype != "elephant" or c.sees("rear", "rear_quarter"):
        return None
    t = s.get("trunk")
    turn = rot("z", c.sign * 38) @ rot("y", -38)
    return extra(s, "trunk", turn, t.pivot, (0, c.sign * 0.05, 0), "a second trunk grows beside the first")


def _legs_on_back(s: Subject, c: Context, r: Generator) -> Planting:
    keys = _keys(s, "leg") if _bird(s) or r.random() < 0.5 else _keys(s, "leg", place=str(r.choice(["front", "rear"])))
    z = float(_at(s, "back")[2] + _at(s, "belly")[2]) / 2
    near = [k for k in keys if k.split(".")[1] == c.near]
    return move(s, keys, np.diag([1.0, 1.0, -1.0]), (0, 0, z), (0, 0, 0), "legs stand up from the back", near)


def _head_moved(target: str) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        head = s.get("head")
        if target == "belly":
            shift = _at(s, "belly") + np.array([0.05, 0, -0.35 * s.facts["skull"]]) - np.array(head.pivot)
            return move(s, ["head"], rot("y", 25), head.pivot, shift, "the head hangs under the belly")
        if c.sees("front"):
            return None
        shift = _at(s, "rump") + np.array([-0.02, 0, 0.05]) - np.array(head.pivot)
        return move(s, ["head"], rot("z", 180), head.pivot, shift, "the head is at the rump")

    return variant


def _eye_on_body(s: Subject, c: Context, r: Generator) -> Planting:
    key = f"eye.{c.near}"
    spot = _at(s, f"flank.{c.near}")
    p = move(s, [key], _I * float(r.uniform(2.4, 3.2)), s.get(key).centre, spot - s.get(key).centre, "an eye sits on the belly")
    parts = tuple(replace(q, joins=None, owner=None) if q.key == key else q for q in p.subject.parts)
    return replace(p, subject=replace(p.subject, parts=parts))


def _tail_on_head(s: Subject, c: Context, r: Generator) -> Planting:
    tail, head = s.get("tail"), s.get("head")
    top = head.verts()[head.verts()[:, 2].argmax()]
    up = rot("y", 70 if s.subtype in ("cow", "horse", "elephant", "rhino") else 15)
    return move(s, ["tail"], up, tail.pivot, np.array([top[0], 0, top[2] - 0.02]) - np.array(tail.pivot), "the tail grows out of the head")


def _ears_on_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    keys = _keys(s, "ear")
    if not keys or c.sees("front"):
        return None
    mid = (np.array(s.get(keys[0]).pivot) + np.array(s.get(keys[1]).pivot)) / 2
    f = 1.4 if s.subtype != "elephant" else 1.0
    shift = _at(s, "rump") + np.array([0.12, 0, s.facts["depth"] * 0.55]) - mid
    return move(s, keys, _I * f, mid, shift, "the ears grow on the rump", [f"ear.{c.near}"])


def _wings_at_tail(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not _bird(s):
        return None
    keys = _keys(s, "wing")
    pivot = np.array(s.get("head").pivot)
    where = pivot - np.array([0.02, 0, 0.0])
    mid = (np.array(s.get(keys[0]).pivot) + np.array(s.get(keys[1]).pivot)) / 2
    return move(s, keys, np.diag([1.0, 0.6, 1.0]), mid, where - mid, "the wings grow on the head", [f"wing.{c.near}"])


def _beak_at_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not _bird(s) or c.sees("front", "front_quarter"):
        return None
    b = s.get("beak")
    p = move(s, ["beak"], rot("z", 180) * 1.5, b.pivot, _at(s, "rump") + np.array([0.02, 0, 0]) - np.array(b.pivot), "the beak sits at the rump")
    parts = tuple(replace(q, joins=None, owner=None) if q.key == "beak" else q for q in p.subject.parts)
    return replace(p, subject=replace(p.subject, parts=parts))


def _trunk_at_rump(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not s.find("trunk") or c.sees("front"):
        return None
    t = s.get("trunk")
    return move(s, ["trunk"], rot("z", 180), t.pivot, _at(s, "rump") + np.array([0.02, 0, 0.02]) - np.array(t.pivot), "the trunk hangs at the rump")


def _horn_on_back(s: Subject, c: Context, r: Generator) -> Planting | None:
    keys = _keys(s, "horn")
    if not keys:
        return None
    mid = np.mean([s.get(k).pivot for k in keys], axis=0)
    main = [k for k in keys if s.get(k).side in (c.near, "middle")]
    return move(s, keys, _I * 1.2, mid, _at(s, "back") + np.array([-0.15, 0, -0.02]) - mid, "the horn grows on the back" if len(keys) == 1 else "the horns grow on the back", main)


def _head_scale(s: Subject, c: Context, r: Generator) -> Planting | None:
    if c.sees("rear"):
        return None
    f = float(r.uniform(1.9, 2.4) if r.random() < 0.55 else r.uniform(0.34, 0.44))
    return rescale(s, ["head"], f, f"head {f:.1f} times too large" if f > 1 else f"head shrunk to {f:.2f} of its size")


def _leg_scale(s: Subject, c: Context, r: Generator) -> Planting:
    near = _keys(s, "leg", side=c.near)
    key = str(r.choice(near))
    if r.random() < 0.5:
        f = float(r.uniform(0.35, 0.45))
        return rescale(s, [key], f, f"one leg shrunk to {f:.2f} of its length")
    f = float(r.uniform(2.2, 2.8))
    return rescale(s, [key], f, f"one leg {f:.1f} times too thick", linear=np.diag([f, f * 0.8, 1.0]))


def _big(cls: str, name: str, factor: tuple[float, float], linear: ArrayLike | None = None, types: Sequence[str] | None = None, front: bool = False) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        keys = _keys(s, cls)
        if not keys or (types is not None and s.subtype not in types) or (front and c.sees("rear", "rear_quarter")):
            return None
        f = float(r.uniform(*factor))
        how = f"{f:.1f} times too large" if f > 1 else f"shrunk to {f:.2f}"
        main = [k for k in keys if s.get(k).side in (c.near, "middle")]
        return rescale(s, keys, f, f"{name} {how}", principal=main)

    return variant


def _feathers(s: Subject, c: Context, r: Generator) -> Planting | None:
    if _bird(s):
        return None
    left, right = _at(s, "shoulder.left"), _at(s, "shoulder.right")
    size = s.facts["length"] * float(r.uniform(0.65, 0.95))
    return graft(s, grafts.bird_wings(left, right, size, r), f"the {s.subtype} has wings", [f"graft.wing.{c.near}"])


def _horned(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.find("horn"):
        return None
    head = s.get("head")
    v = head.verts()
    top = v[v[:, 2].argmax()]
    size = s.facts["skull"] * float(r.uniform(1.8, 2.6))
    if r.random() < 0.5:
        return graft(s, [grafts.horn_at(np.array([top[0] + 0.3 * s.facts["skull"], top[1], top[2] - 0.02]), size, r, "head")], f"the {s.subtype} has a horn")
    return graft(s, grafts.horns(np.array([top[0], top[1], top[2] - 0.03]), s.facts["skull"] * 0.4, size, r), f"the {s.subtype} has horns", [f"graft.horn.{c.near}"])


def _snout(s: Subject) -> F64:
    v = s.get("head").verts()
    tip = v[v[:, 0].argmax()]
    return np.array([tip[0] - 0.02, tip[1], tip[2]])


def _trunked(s: Subject, c: Context, r: Generator) -> Planting | None:
    if s.find("trunk") or c.sees("rear", "rear_quarter"):
        return None
    return graft(s, [grafts.trunk_at(_snout(s), 0.35 + s.facts["leg"] * 0.6, r, "head")], f"the {s.subtype} has a trunk")


def _beaked(s: Subject, c: Context, r: Generator) -> Planting | None:
    if _bird(s) or s.subtype == "elephant" or c.sees("rear", "rear_quarter"):
        return None
    bare = s.without(_keys(s, "nose"))
    return graft(bare, [grafts.beak_at(_snout(s) - np.array([0.03, 0, 0]), s.facts["skull"] * 1.7, r, "head")], f"the {s.subtype} has a beak")


def _eared(s: Subject, c: Context, r: Generator) -> Planting | None:
    if not _bird(s):
        return None
    v = s.get("head").verts()
    top = v[v[:, 2].argmax()]
    size = s.facts["skull"] * 2.4
    return graft(s, grafts.ears(np.array([top[0], top[1], top[2] - 0.03]), s.facts["skull"] * 0.5, size, str(r.choice(["pointed", "fan"])), r), f"the {s.subtype} has ears", [f"graft.ear.{c.near}"])


def _finned(s: Subject, c: Context, r: Generator) -> Planting:
    at = _at(s, "back") + np.array([-0.1, 0, -0.03])
    return graft(s, [grafts.plane_fin(at, s.facts["length"] * 0.5, r)], f"an aircraft fin stands on the {s.subtype}'s back")


def _engined(s: Subject, c: Context, r: Generator) -> Planting:
    side = _at(s, f"flank.{c.near}")
    size = s.facts["depth"] * 0.5
    return graft(s, [grafts.plane_engine(side + np.array([0.05, c.sign * size * 0.8, 0.05]), size, c.near, r)], "a jet engine hangs at its side")


def _wheeled(s: Subject, c: Context, r: Generator) -> Planting:
    """Wheels instead of legs."""
    legs = s.find("leg")
    bare = s.without([p.key for p in legs])
    r0 = max(0.16, s.facts["leg"] * 0.36)
    spots = []
    for p in legs:
        x = p.pivot[0] + (0.0 if not _bird(s) else (0.0 if p.side == "left" else 0.0))
        spots.append((x, p.pivot[1] * 1.3))
    z = float(_at(s, "belly")[2]) - r0 * 0.5
    parts = grafts.wheels(spots, z, r0, c.sign)
    drop = z - r0
    new = [replace(p, key=f"graft.wheel.{i}") for i, p in enumerate(parts)]
    lowered = replace(bare, parts=tuple(p.transformed(_I, (0, 0, -drop)) for p in bare.parts))
    placed = [p.transformed(_I, (0, 0, -drop)) for p in new]
    return graft(lowered, placed, f"the {s.subtype} rolls on car wheels instead of legs", [p.key for p in placed if p.side == c.near])


def _detached(cls: str, name: str, types: Sequence[str] | None = None) -> Variant:
    def variant(s: Subject, c: Context, r: Generator) -> Planting | None:
        if types is not None and s.subtype not in types:
            return None
        if cls == "head" and c.sees("rear"):
            return None
        keys = _near_first(s, cls, c)
        if not keys:
            return None
        return detach(s, str(r.choice(keys)), c, r, name)

    return variant


TABLE: Final[dict[str, Sequence[Variant]]] = {
    "missing": (
        _no_head, _no_head, _no_leg, _no_leg, _no_leg_pair, _no_legs,
        _gone("tail", "the tail is", ("dog", "cat", "horse", "cow", "elephant"), front=False),
        _gone("trunk", "the trunk is"), _gone("ear", "both ears are", ("elephant", "cat")), _gone("horn", "the horn is", ("rhino",)),
        _gone("beak", "the beak is"), _gone("wing", "both wings are", front=False),
    ),
    "extra": (_two_heads, _two_heads, _head_at_rump, _more_legs, _more_legs, _second_tail, _third_wing, _body_eyes, _back_ears, _two_trunks),
    "misplaced": (_legs_on_back, _head_moved("belly"), _head_moved("rump"), _eye_on_body, _tail_on_head, _ears_on_rump, _wings_at_tail, _beak_at_rump, _trunk_at_rump, _horn_on_back),
    "rescaled": (
        _head_scale, _head_scale, _leg_scale, _leg_scale, _big("ear", "ears", (2.6, 3.4), types=("dog", "cat", "cow", "horse", "goat", "sheep", "pig", "rhino")),
        _big("eye", "eyes", (2.8, 3.6), front=True), _big("tail", "tail", (2.4, 3.0), types=("dog", "cat", "cow", "horse", "elephant", "goat", "chicken", "duck", "ostrich")), _big("wing", "wings", (0.3, 0.4)), _big("beak", "beak", (2.8, 3.6), front=True),
        _big("nose", "nose", (2.6, 3.4), front=True), _big("horn", "horns", (2.6, 3.2)), _big("trunk", "trunk", (0.25, 0.35), front=True),
    ),
    "foreign": (_feathers, _feathers, _horned, _trunked, _beaked, _eared, _finned, _engined, _wheeled),
    "detached": (_detached("head", "head"), _detached("leg", "leg"), _detached("tail", "tail"), _detached("ear", "ear", ("elephant", "dog", "pig")), _detached("wing", "wing")),
}  # fmt: skip
