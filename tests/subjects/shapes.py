"""Three sound subjects seen from the side, as part boxes, and ways to put them into one picture."""

from __future__ import annotations

from physgauge.clients.boxes import BoxRecord, PartBox

Part = tuple[str, float, float, float, float]

DOG: list[Part] = [
    ("animal.belly", 111, 119, 188, 176), ("animal.chest", 183, 113, 253, 177),
    ("animal.head", 236, 64, 299, 102), ("animal.eye", 264, 74, 272, 83),
    ("animal.ear", 245, 71, 261, 97), ("animal.nose", 288, 84, 299, 94),
    ("animal.leg", 217, 177, 242, 228), ("animal.leg", 119, 170, 145, 235),
    ("animal.leg", 212, 144, 245, 234), ("animal.leg", 121, 149, 168, 242),
    ("animal.tail", 55, 115, 119, 147),
]  # fmt: skip
AIRBUS: list[Part] = [
    ("aircraft.head", 273, 149, 312, 180), ("aircraft.wing", 163, 142, 184, 149),
    ("aircraft.wing", 100, 171, 213, 185), ("aircraft.engine", 166, 179, 211, 200),
    ("aircraft.tail", 40, 105, 97, 154), ("aircraft.tail_wing", 36, 157, 84, 162),
]  # fmt: skip
SEDAN: list[Part] = [
    ("car.wheel", 242, 231, 282, 264), ("car.wheel", 56, 254, 98, 288),
    ("car.bonnet", 205, 150, 316, 214), ("car.grille", 296, 172, 313, 201),
    ("car.bumper", 293, 222, 316, 250), ("car.headlight", 307, 209, 316, 224),
    ("car.bumper", 4, 220, 39, 283), ("car.trunk", 4, 173, 62, 262),
    ("car.taillight", 5, 239, 17, 261), ("car.fender", 234, 213, 307, 252),
    ("car.door", 170, 213, 235, 260), ("car.door", 102, 222, 169, 269),
    ("car.roof", 88, 139, 185, 200), ("car.windshield", 170, 143, 227, 210),
    ("car.mirror", 184, 138, 193, 149), ("car.side_window", 143, 195, 211, 224),
    ("car.side_window", 81, 200, 140, 232), ("car.mirror", 211, 211, 221, 225),
]  # fmt: skip
SHAPES = {"aircraft": AIRBUS, "car": SEDAN, "animal": DOG}
WIDTH, HEIGHT = 1200, 320


def at(parts: list[Part], x: float, y: float = 0, scale: float = 1) -> list[Part]:
    """Scaled, then shifted by (x, y) px."""
    return [
        (name, x0 * scale + x, y0 * scale + y, x1 * scale + x, y1 * scale + y)
        for name, x0, y0, x1, y1 in parts
    ]


def without(parts: list[Part], name: str) -> list[Part]:
    """Without the first part of that name."""
    place = next(k for k, part in enumerate(parts) if part[0] == name)
    return [part for k, part in enumerate(parts) if k != place]


def mirrored(parts: list[Part], width: float = WIDTH) -> list[Part]:
    """In the mirror of a picture of that width."""
    return [(name, width - x1, y0, width - x0, y1) for name, x0, y0, x1, y1 in parts]


def record(
    parts: list[Part], caption: str | None = None, name: str = "a", scale: int = 1
) -> BoxRecord:
    """A picture of the parts, the first ones the surest; `scale` enlarges it, not them."""
    boxes = [
        PartBox(label=part[0], box=list(part[1:]), score=1 - k / 1000)
        for k, part in enumerate(parts)
    ]
    return BoxRecord(
        image_id=name, width=WIDTH * scale, height=HEIGHT * scale, boxes=boxes, caption=caption
    )
