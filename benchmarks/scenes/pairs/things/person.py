"""People: made of solids, posed by joints, and remade with what a recipe gets wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Paint, Part
from benchmarks.scenes.pairs.world import Tag, Thing, tags

from .person_body import Body, Place, draw_body, joints
from .person_build import Build
from .person_how import How
from .person_pose import POSES, Pose


def person(
    rng: Generator,
    key: str,
    at: ArrayLike = (0.0, 0.0, 0.0),
    facing_deg: float = 0.0,
    *,
    subject: bool = False,
    height: float | None = None,
    hand: float = 1.0,
    kind: str = "person",
    rests_on: str | None = None,
    more_tags: Sequence[Tag] = (),
    more_facts: Mapping[str, Any] | None = None,
    **how: Any,
) -> Thing:
    """A person; `how` are fields of `How`, which `remake` takes again one by one.

    Facts, points [3]: head (middle), head_top, neck, chest, pelvis, eye.*, shoulder.*, elbow.*, wrist.*,
    hand.* (palm), finger.SIDE.N (tips, thumb first), hip.*, knee.*, ankle.*, foot.* (on the sole), ahead
    (1 unit before the chest), looks_at (on the line of sight). Numbers: height, facing_deg, head_radius,
    hand_radius. Others: facing (unit tuple), pose, skin (RGB), how (the `How`).

    Args:
        height: 1.5 to 1.9 when None; a child's is less.
        hand: factor of the hands' size, for close-ups.
    """
    body = draw_body(rng, height, hand)
    spot = np.asarray(at, float)
    first = How(at=(float(spot[0]), float(spot[1]), float(spot[2])), facing_deg=facing_deg)
    first = replace(first, **how)
    names: list[Tag] = ["person", "living", "stands", "soft", "moves", *more_tags]
    base = Thing(key, kind, (), subject, tags(*names), rests_on, dict(more_facts or {}))

    def make(now: How) -> Thing:
        parts, facts = _figure(body, now)

        def again(**new: Any) -> Thing:
            return make(replace(now, **new))

        return replace(base, parts=tuple(parts), facts={**base.facts, **facts}, remake=again)

    return make(first)


def _mirror(pose: Pose) -> Pose:
    def swapped(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"left": x["right"], "right": x["left"]} if x else {}

    return replace(
        pose,
        feet=swapped(pose.feet),
        toes_down=swapped(pose.toes_down),
        arms=swapped(pose.arms),
        curl=swapped(pose.curl),
        twist=-pose.twist,
    )


def _sides(word: str) -> set[str]:
    return {"left", "right"} if word == "both" else {word} - {""}


def _figure(body: Body, how: How) -> tuple[list[Part], dict[str, Any]]:
    pose = POSES[how.pose]
    pose = _mirror(pose) if how.mirrored else pose
    turn = rot("z", how.facing_deg)
    if pose.lies:
        turn = turn @ rot("y", -90)
    reach = {
        side: np.asarray(point, float)
        for side, point in (("left", how.reach_left), ("right", how.reach_right))
        if point is not None
    }
    place = Place(np.asarray(how.at, float) + np.array([0.0, 0.0, how.lift]), turn, how.seat, reach)
    wrong = {f"knee.{s}": True for s in _sides(how.knee_back)}
    wrong |= {f"elbow.{s}": True for s in _sides(how.elbow_back)}
    j = joints(body, pose, place, wrong, dict(how.arm_length))
    build = Build(_painted(body, how), how, pose, j, turn)
    parts, facts = build.parts()
    if pose.lies:
        low = min(float(p.verts()[:, 2].min()) for p in parts)
        down = np.array([0.0, 0.0, how.at[2] + how.lift - low])
        parts = [p.transformed(np.eye(3), down) for p in parts]
        facts = {k: v + down if isinstance(v, np.ndarray) else v for k, v in facts.items()}
    facts |= {
        "height": body.height,
        "facing_deg": how.facing_deg,
        "facing": tuple(float(v) for v in rot("z", how.facing_deg)[:, 0]),
        "pose": how.pose,
        "skin": body.face.skin.rgb,
        "how": how,
    }
    return parts, facts


def _painted(body: Body, how: How) -> Body:
    """The body with the materials asked for."""

    def paint(old: Paint, rgb: tuple[float, float, float] | None, texture: str | None) -> Paint:
        texture, rgb = how.all_texture or texture, how.all_rgb or rgb
        if texture:
            return replace(old, rgb=rgb or (1.0, 1.0, 1.0), texture=texture)
        return replace(old, rgb=rgb) if rgb else old

    face = body.face
    skin = paint(face.skin, how.skin_rgb, how.skin_texture)
    plain = (paint(p, None, None) for p in (face.hair, face.hat, face.iris, face.lips))
    hair, hat, iris, lips = plain
    face = replace(face, skin=skin, hair=hair, hat=hat, iris=iris, lips=lips)
    return replace(
        body,
        face=face,
        shirt=paint(body.shirt, how.shirt_rgb, how.shirt_texture),
        trousers=paint(body.trousers, how.trousers_rgb, how.trousers_texture),
        shoe=paint(body.shoe, None, None),
        sole=paint(body.sole, None, None),
    )
