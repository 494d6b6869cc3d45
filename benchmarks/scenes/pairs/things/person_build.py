"""Puts a body's parts on its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.scenes.geometry.mesh import F64, Mesh, loft, unit
from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.geometry.subject import Part, Piece

from .person_body import FOOT, Body, look_axes, upright_axes
from .person_ends import eye, foot, hand, skull
from .person_how import How
from .person_pose import SIDES, Joints, Pose, turned
from .quick import rod


class Build:
    """Puts a body's parts on its joints."""

    def __init__(self, body: Body, how: How, pose: Pose, j: Joints, turn: F64) -> None:
        self.body, self.how, self.pose, self.j, self.turn = body, how, pose, j, turn
        self.h = body.height
        self.facts: dict[str, Any] = dict(j.at)

    def parts(self) -> tuple[list[Part], dict[str, Any]]:
        parts = self._trunk()
        for i in range(self.how.arms):
            parts += self._arm(i)
        for i in range(self.how.legs):
            parts += self._leg(i)
        for i in range(self.how.heads):
            parts += self._head(i)
        if self.how.swap:
            parts = _swapped(parts, self.j, *self.how.swap)
        parts = [p for p in parts if not any(p.key.startswith(w) for w in self.how.without)]
        aside = self.turn @ np.array([0.03, 0.06, 0.015]) * self.h
        parts += [
            replace(p.transformed(np.eye(3), aside), key=p.key + "+")
            for p in parts
            if any(p.key.startswith(w) for w in self.how.doubled)
        ]
        chest, ahead = self.j.at["chest"], self.turn[:, 0]
        self.facts |= {"ahead": chest + ahead, "head_radius": 0.068 * self.h * self.body.head}
        self.facts["hand_radius"] = 0.05 * self.h * self.body.hand
        return [self._textured(p) for p in parts], self.facts

    def _textured(self, part: Part) -> Part:
        """With texture coordinates that run round the body, not those of the world's axes."""
        if not any(piece.paint.texture for piece in part.pieces):
            return part
        across = self.turn @ np.array([0.66, 0.75, 0.0])
        up = self.turn @ np.array([0.0, 0.0, 1.0])
        origin, scale = np.asarray(self.how.at), self.how.texture_scale
        pieces = [
            replace(
                piece,
                uv=np.stack(
                    [(piece.mesh.verts - origin) @ across, (piece.mesh.verts - origin) @ up], 1
                )
                * scale,
            )
            for piece in part.pieces
        ]
        return replace(part, pieces=tuple(pieces))

    def _rings(self, rows: Sequence[tuple[float, float, float]]) -> Mesh:
        """Rings along the spine: share of its length, half width, half depth."""
        pelvis, chest = self.j.at["pelvis"], self.j.at["chest"]
        low, high = self.turn, self.j.trunk
        a = np.arange(14) * 2 * np.pi / 14
        rings = []
        for t, w, d in rows:
            k = min(max(t, 0.0), 1.0)
            ahead, left = (unit(low[:, i] * (1 - k) + high[:, i] * k) for i in (0, 1))
            c = pelvis + (chest - pelvis) * t
            g = self.h * self.body.girth
            rings.append(
                c
                + np.outer(np.sign(np.cos(a)) * np.abs(np.cos(a)) ** 0.8 * d * g, ahead)
                + np.outer(np.sin(a) * w * g, left)
            )
        return loft(np.array(rings))

    def _trunk(self) -> list[Part]:
        b, j, h = self.body, self.j.at, self.h
        shirt = self._rings(
            [(-0.13, 0.098, 0.074), (0.0, 0.092, 0.068), (0.32, 0.081, 0.058), (0.66, 0.096, 0.066),
             (0.88, 0.104, 0.062), (1.0, 0.092, 0.052), (1.07, 0.05, 0.038), (1.1, 0.034, 0.032)]
        )  # fmt: skip
        low = [(-0.2, 0.05, 0.045), (-0.17, 0.076, 0.057)]
        if not self.pose.sits:
            low = [(-0.26, 0.045, 0.04), (-0.2, 0.076, 0.056)]
        hips = self._rings([*low, (-0.08, 0.082, 0.059), (0.08, 0.074, 0.052)])
        neck_end = j["head"] - (j["head"] - j["neck"]) * 0.3
        if self.how.neck_length != 1.0:
            neck_end = j["neck"] + (neck_end - j["neck"]) * self.how.neck_length
        neck = rod(j["neck"] - self.j.trunk[:, 2] * 0.035 * h, neck_end, 0.034 * h, 0.031 * h, n=10)
        parts = [
            Part("torso", None, (Piece.make(shirt, b.shirt),)),
            Part("pelvis", None, (Piece.make(hips, b.trousers),)),
            Part("neck", None, (Piece.make(neck, b.face.skin),)),
        ]
        standing = self.pose.bend < 0.03 and not self.pose.sits and not self.pose.lies
        if b.skirt and standing and self.how.pose not in ("jump", "run"):
            skirt = self._rings([(0.1, 0.08, 0.057), (-0.1, 0.094, 0.072), (-0.86, 0.125, 0.135)])
            parts.append(Part("skirt", None, (Piece.make(skirt, b.trousers),)))
        return parts

    def _arm(self, i: int) -> list[Part]:
        side, s = SIDES[i % 2]
        j, h, b = self.j.at, self.h, self.body
        extra = "" if i < 2 else f".{i}"
        shoulder, elbow, wrist = (j[f"{n}.{side}"] for n in ("shoulder", "elbow", "wrist"))
        axes = turned(self.j.hands[side], self.how.palm_turn * s)
        g = b.girth**0.6
        sleeve = b.face.skin if b.short_sleeves else b.shirt
        parts = [
            Part(
                f"upper_arm.{side}{extra}",
                None,
                (Piece.make(rod(shoulder, elbow, 0.034 * h * g, 0.027 * h * g), b.shirt),),
                pivot=(float(shoulder[0]), float(shoulder[1]), float(shoulder[2])),
            ),
            Part(
                f"forearm.{side}{extra}",
                None,
                (Piece.make(rod(elbow, wrist, 0.0265 * h * g, 0.019 * h * g), sleeve),),
                pivot=(float(elbow[0]), float(elbow[1]), float(elbow[2])),
            ),
        ]
        count = self.how.fingers_left if side == "left" else self.how.fingers_right
        fused = self.how.fused_left if side == "left" else self.how.fused_right
        curl = self.how.curl if self.how.curl is not None else self.pose.curl.get(side, 30.0)
        size = 0.054 * h * b.hand * self.how.hand_size
        palm, tips = hand(
            f"hand.{side}{extra}",
            wrist,
            axes,
            size,
            curl,
            b.face.skin,
            count,
            fused,
            self.how.finger_length,
        )
        parts.append(palm)
        if not extra:
            self.facts[f"hand.{side}"] = wrist + axes[:, 0] * size * 0.9
            self.facts |= {f"finger.{side}.{n}": tip for n, tip in enumerate(tips)}
        else:
            spin = self.j.trunk @ rot("x", s * 38.0) @ rot("y", -24.0) @ self.j.trunk.T
            shift = -self.j.trunk[:, 2] * 0.09 * h
            parts = [p.about(spin, shoulder, shift) for p in parts]
        if self.how.arms_at != "shoulder":
            to = {"hip": j[f"hip.{side}"] + self.turn[:, 1] * s * 0.04 * h, "head": j["head"]}
            parts = [p.transformed(np.eye(3), to[self.how.arms_at] - shoulder) for p in parts]
        return parts

    def _leg(self, i: int) -> list[Part]:
        side, s = SIDES[i % 2]
        j, h, b = self.j.at, self.h, self.body
        extra = "" if i < 2 else f".{i}"
        hip, knee, ankle = (j[f"{n}.{side}"] for n in ("hip", "knee", "ankle"))
        g = b.girth
        bare = b.face.skin if b.shorts or (b.skirt and not self.pose.lies) else b.trousers
        axes = self.j.feet[side]
        parts = [
            Part(
                f"thigh.{side}{extra}",
                None,
                (Piece.make(rod(hip, knee, 0.05 * h * g, 0.034 * h * g), b.trousers),),
                pivot=(float(hip[0]), float(hip[1]), float(hip[2])),
            ),
            Part(
                f"shin.{side}{extra}",
                None,
                (Piece.make(rod(knee, ankle, 0.0335 * h * g, 0.023 * h * g), bare),),
                pivot=(float(knee[0]), float(knee[1]), float(knee[2])),
            ),
            foot(f"foot.{side}{extra}", ankle, axes, FOOT * h, b.shoe, b.sole),
        ]
        if not extra:
            sole = ankle + (axes[:, 0] * 0.18 - axes[:, 2] * 0.28) * FOOT * h
            self.facts[f"foot.{side}"] = sole
            return parts
        spin = self.turn @ rot("x", s * 21.0) @ rot("y", -26.0 if i == 2 else 24.0) @ self.turn.T
        return [p.about(spin, hip) for p in parts]

    def _head(self, i: int) -> list[Part]:
        how, b, j = self.how, self.body, self.j
        r = 0.068 * self.h * b.head * how.head_size
        base = j.trunk if self.pose.lies else upright_axes(j.trunk)
        neck = j.at["neck"]
        centre = neck + (j.at["head"] - neck) * (1 + 0.7 * (how.neck_length - 1))
        centre = centre + base[:, 2] * r * (1 - 1 / how.head_size)
        lean = np.eye(3)
        if how.heads == 2:
            lean = base @ rot("x", -34.0 if i == 0 else 34.0) @ base.T
            centre = neck + lean @ (centre - neck) * 1.12
        far = centre + base[:, 0] * 5.0
        target = far if how.look_at is None else np.asarray(how.look_at, float)
        axes = lean @ look_axes(base, centre, target, how.head_turn_deg)
        parts = skull(centre, axes, r, b.face)
        gaze_to = target if how.gaze_at is None else np.asarray(how.gaze_at, float)
        flip = how.head_turn_deg != 0 and how.gaze_at is None
        spots = {2: (0.28, -0.28), 1: (0.0,), 3: (0.28, -0.28, 0.0), 0: ()}[how.eyes]
        for n, y in enumerate(spots):
            up = 0.12 if n < 2 else 0.56
            out = 0.64 - 0.55 * y * y if n < 2 else 0.66
            at = centre + axes @ np.array([out, y, up]) * r
            way = axes[:, 0] if flip else unit(gaze_to - at)
            apart = how.eyes_apart_deg * np.sign(y)
            way = axes @ rot("z", float(apart)) @ axes.T @ way
            name = ("left", "right", "third")[n] if how.eyes > 1 else "middle"
            size = 0.155 if how.eyes > 1 else 0.2
            parts.append(eye(f"eye.{name}", at, axes, size * r, way, b.face.iris))
            if i == 0:
                self.facts[f"eye.{name}"] = at + axes[:, 0] * 0.1 * r
        gone: set[str] = set()
        gone |= {"mouth"} if how.no_mouth else set()
        gone |= {"nose"} if how.no_nose else set()
        parts = [p for p in parts if p.key not in gone]
        if how.face_flipped:
            half = axes @ np.diag([1.0, -1.0, -1.0]) @ axes.T
            face = ("eye", "mouth", "nose", "brows")
            middle = centre + axes[:, 2] * r * -0.15
            parts = [p.about(half, middle) if p.key.startswith(face) else p for p in parts]
        if i == 0:
            top = max((p.verts() @ np.array([0, 0, 1.0])).max() for p in parts)
            self.facts |= {"head": centre, "looks_at": target}
            self.facts["head_top"] = np.array([centre[0], centre[1], top])
        else:
            parts = [replace(p, key=f"{p.key}.2") for p in parts]
        return parts


def _swapped(parts: list[Part], j: Joints, one: str, other: str) -> list[Part]:
    """Two of `ENDS` in each other's place."""

    def frame(name: str) -> tuple[F64, F64]:
        end, side = name.split(".")
        if end == "hand":
            return j.at[f"wrist.{side}"], j.hands[side]
        # A foot's axes with its length along the leg's end: toes where the fingers were.
        return j.at[f"ankle.{side}"], j.feet[side]

    def moved(part: Part, source: str, to: str) -> Part:
        (p, a), (q, b) = frame(source), frame(to)
        if source.startswith("hand") and to.startswith("hand"):
            flip = np.diag([1.0, 1.0, -1.0])
            return part.about(b @ flip @ a.T, p, q - p)
        return part.about(b @ a.T, p, q - p)

    where = {one: other, other: one}
    return [moved(p, p.key, where[p.key]) if p.key in where else p for p in parts]
