"""Hand-made pictures for the published rules: one that keeps them all for each domain, and for each rule
one or more that break it. All face left, as the paper's aircraft do."""

from __future__ import annotations

from dataclasses import replace

from tests.kernels.scenes import Scene

SIZE = (640.0, 480.0)
JET = Scene(
    (
        ("head", 40, 200, 110, 260), ("tail", 520, 150, 600, 250), ("tail_wing", 530, 230, 610, 245),
        ("wing", 200, 200, 420, 255), ("engine", 250, 255, 310, 285), ("engine", 330, 255, 390, 285),
    ),
    {"head": (1, 1), "engine": (2, 2), "wing": (2, 2), "tail": (1, 1), "tail_wing": (2, 2)},
    ("captioned", "named engine"),
    SIZE,
)  # fmt: skip
"""A fuselage of 560 px: engines of 28 to 84 px are right."""

COUPE = Scene(
    (
        ("wheel", 110, 300, 190, 380), ("wheel", 440, 300, 520, 380), ("wheel", 135, 300, 205, 370),
        ("wheel", 465, 300, 535, 370), ("bonnet", 70, 230, 200, 290), ("windshield", 190, 170, 260, 235),
        ("roof", 240, 140, 430, 175), ("trunk", 500, 200, 580, 260), ("door", 260, 235, 420, 330),
        ("bumper", 60, 300, 80, 330), ("headlight", 62, 250, 82, 270), ("headlight", 66, 262, 86, 280),
        ("taillight", 560, 230, 578, 250), ("taillight", 562, 240, 580, 255),
    ),
    {"wheel": (3, 4), "bonnet": (1, 1), "windshield": (1, 1), "headlight": (2, 4), "taillight": (2, 6),
     "door": (2, 2), "grille": (0, 1), "trunk": (1, 1), "roof": (1, 1), "bumper": (2, 2), "fender": (2, 4),
     "side_window": (2, 4), "mirror": (2, 3)},
    ("captioned", "named wheel"),
    SIZE,
)  # fmt: skip
"""520 px long, "with four wheels" (one of them may be hidden): wheels of 52 to 130 px are right, the end
quarters are up to x = 190 and from x = 450."""

HOUND = Scene(
    (
        ("chest", 200, 180, 320, 290), ("belly", 300, 185, 430, 290), ("head", 110, 120, 200, 190),
        ("eye", 130, 140, 145, 150), ("ear", 170, 110, 190, 140), ("tail", 440, 170, 500, 230),
        ("leg", 210, 280, 235, 400), ("leg", 240, 280, 265, 400), ("leg", 370, 280, 395, 400),
        ("leg", 400, 280, 425, 400),
    ),
    {"head": (1, 1), "eye": (2, 2), "ear": (2, 2), "nose": (1, 1), "horn": (0, 0), "trunk": (0, 0),
     "leg": (3, 4), "tail": (1, 1), "chest": (1, 1), "belly": (1, 1), "wing": (0, 0), "beak": (0, 0)},
    ("captioned", "named leg"),
    SIZE,
)  # fmt: skip
"""A torso of 230 x 110 px, 390 px from head to tail, "with four legs" (one may be hidden)."""

HEN = replace(
    HOUND.without("leg").without("ear").plus(
        ("leg", 240, 280, 265, 400), ("leg", 370, 280, 395, 400), ("wing", 230, 190, 400, 260),
        ("beak", 112, 150, 130, 165),
    ),
    expected={**HOUND.expected, "leg": (1, 2), "wing": (2, 2), "beak": (1, 1), "ear": (0, 0)},
    tags=("captioned", "bird", "named leg"),
)  # fmt: skip

CLEAN = (("aircraft", JET), ("car", COUPE), ("animal", HOUND), ("animal", HEN))

BROKEN = {
    "aircraft": (
        ("P1", JET.plus(("head", 60, 200, 130, 260))),
        ("P1", JET.without("head")),
        ("P2", JET.without("tail")),
        ("P3", JET.without("engine").plus(("engine", 250, 255, 310, 285))),
        ("P3", JET.plus(*[("engine", 210 + 10 * k, 255, 270 + 10 * k, 285) for k in range(3)])),
        ("P4", JET.without("wing")),
        ("P4", JET.plus(*[("wing", 200, 200, 420, 255)] * 2)),
        ("P5", JET.grown("engine", 1.5, only_first=True)),
        ("P5", JET.grown("engine", 0.4, only_first=True)),
        ("P5", JET.without("tail")),
        ("S1", JET.moved("engine", 0, 30)),
        ("S1", JET.without("wing")),
        ("S2", JET.mirrored()),
        ("S2", JET.without("head")),
        ("S3", JET.moved("tail", -130, 0)),
        ("S4", JET.moved("wing", 0, 20)),
        ("S4", JET.without("wing")),
        ("R1", JET.without("wing")),
        ("R2", JET.without("tail")),
        ("R2", JET.without("head")),
        ("R3", JET.grown("engine", 1.5)),
        ("R3", JET.without("engine")),
        ("C1", JET.without("engine").plus(("engine", 250, 255, 310, 285))),
        ("C2", JET.plus(("engine", 290, 255, 350, 285))),
        ("C2", JET.plus(("other", 290, 255, 350, 285))),
    ),
    "car": (
        ("P1", COUPE.without("wheel").plus(*COUPE.boxes[:3])),
        ("P2", COUPE.without("bonnet")),
        ("P2", COUPE.plus(("roof", 240, 140, 430, 175))),
        ("P3", COUPE.plus(("headlight", 64, 256, 80, 270))),
        ("P3", COUPE.plus(("taillight", 562, 240, 580, 255))),
        ("S1", COUPE.moved("wheel", 0, -60)),
        ("S2", COUPE.moved("roof", 0, 40)),
        ("S2", COUPE.without("roof")),
        ("S3", COUPE.moved("windshield", 250, 120)),
        ("S3", COUPE.without("windshield")),
        ("S4", COUPE.moved("headlight", 130, 0)),
        ("S4", COUPE.moved("taillight", -130, 0)),
        ("S4", COUPE.without("bonnet")),
        ("R1", replace(COUPE, boxes=tuple(b for b in COUPE.boxes if b[0] in ("wheel", "bumper")))),
        ("R2", COUPE.without("taillight")),
        ("R3", COUPE.grown("wheel", 2, only_first=True)),
        ("R3", COUPE.grown("wheel", 0.5, only_first=True)),
        ("C1", COUPE.without("wheel").plus(*COUPE.boxes[:2])),
        ("C2", COUPE.plus(("roof", 240, 140, 430, 175))),
    ),
    "animal": (
        ("P1", HOUND.plus(("head", 110, 120, 200, 190))),
        ("P1", HOUND.without("chest").without("belly")),
        ("P1", HOUND.plus(("belly", 300, 185, 430, 290))),
        ("P2", HOUND.plus(("leg", 300, 280, 325, 400))),
        ("P2", replace(HOUND, expected=HEN.expected)),
        ("P3", HOUND.plus(("wing", 230, 190, 400, 260))),
        ("P3", HOUND.plus(("beak", 112, 150, 130, 165))),
        ("P4", HOUND.plus(("horn", 150, 90, 160, 120))),
        ("P4", HOUND.plus(("other", 150, 90, 160, 120))),
        ("S1", HOUND.moved("eye", -25, 0)),
        ("S1", HEN.moved("beak", -10, 0)),
        ("S1", HOUND.without("head")),
        ("S2", HOUND.moved("leg", 0, -110)),
        ("S3", HOUND.plus(("leg", 115, 120, 200, 190))),
        ("S4", HOUND.moved("head", 80, 0)),
        ("S4", HOUND.moved("tail", -150, 0)),
        ("S4", HOUND.without("tail")),
        ("R1", HOUND.without("chest").without("belly")),
        ("R2", HOUND.without("head")),
        ("R3", HOUND.plus(("ear", 0, 0, 200, 200))),
        ("R4", HOUND.grown("head", 1.5)),
        ("R4", HOUND.grown("head", 0.3)),
        ("C1", HOUND.without("leg").plus(*HOUND.boxes[6:8])),
        ("C2", HOUND.plus(("ear", 170, 110, 190, 140), ("ear", 150, 110, 170, 140))),
    ),
}
"""(rule, picture that breaks it)."""

KEPT = {
    "aircraft": (
        ("P4", JET.plus(("wing", 200, 200, 420, 255))),
        ("P5", JET.without("engine").without("tail")),  # no engine: nothing to measure
        ("S1", JET.without("engine")),
        ("S1", JET.moved("engine", 0, 7).moved("wing", 0, 0)),
        ("S1", JET.grown("wing", 4).moved("engine", 0, 50)),  # 92 px below, in the grown box
        ("R1", JET.without("engine").without("wing")),
        ("R2", JET.without("head").without("tail")),
        (
            "C1",
            replace(JET.without("engine"), tags=("captioned",)),
        ),  # named is not: nothing to hold
    ),
    "car": (
        ("P1", COUPE.without("wheel").plus(*COUPE.boxes[:2])),
        ("P3", COUPE.without("headlight")),
        ("S1", COUPE.without("wheel")),
        ("S3", COUPE.moved("windshield", 250, 0)),  # beside the roof, but between in height
        ("S4", COUPE.mirrored()),
        ("S4", COUPE.without("headlight").without("taillight").without("bonnet")),
        ("R1", COUPE.without("wheel")),
        ("R2", COUPE.without("headlight").without("taillight")),
        ("C1", COUPE.without("wheel").plus(*COUPE.boxes[:3])),  # one of four wheels hidden
    ),
    "animal": (
        ("P1", HOUND.without("chest")),
        ("P3", HEN),
        ("S1", HOUND.without("eye").without("head")),
        ("S3", HOUND.plus(("leg", 110, 120, 150, 190))),
        ("S4", HOUND.mirrored()),
        ("R2", HOUND.without("eye").without("head")),
        ("C1", HOUND.without("leg").plus(*HOUND.boxes[6:9])),  # one of four legs hidden
    ),
}
"""(rule, picture that keeps it although something is odd or absent)."""
