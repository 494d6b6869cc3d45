"""One clean side view of each domain, as boxes of a 320 px picture, with what its type leads one to
expect; and ways to change it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from physgauge.rules_kernel import VIEWS, ObservedArrays, Pack, PackedBoxes

Box = tuple[str, float, float, float, float]


@dataclass(frozen=True)
class Scene:
    """Boxes, expectations {component: (min, max)}, tags, and the picture's side in px."""

    boxes: tuple[Box, ...]
    expected: dict[str, tuple[float, float]]
    tags: tuple[str, ...]
    size: tuple[float, float] = (320, 320)
    view: str = "side"

    def without(self, component: str) -> Scene:
        return replace(self, boxes=tuple(box for box in self.boxes if box[0] != component))

    def plus(self, *boxes: Box) -> Scene:
        return replace(self, boxes=(*self.boxes, *boxes))

    def moved(self, component: str, x: float, y: float) -> Scene:
        """All boxes of a component shifted by (x, y) px."""
        return replace(
            self,
            boxes=tuple(
                (c, x0 + x, y0 + y, x1 + x, y1 + y) if c == component else (c, x0, y0, x1, y1)
                for c, x0, y0, x1, y1 in self.boxes
            ),
        )

    def grown(self, component: str, factor: float, *, only_first: bool = False) -> Scene:
        """A component's boxes scaled about their centres."""
        boxes, done = [], False
        for c, x0, y0, x1, y1 in self.boxes:
            f = factor if c == component and not done else 1.0
            done = done or (only_first and c == component)
            w, h = (x1 - x0) * f / 2, (y1 - y0) * f / 2
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            boxes.append((c, x - w, y - h, x + w, y + h))
        return replace(self, boxes=tuple(boxes))

    def mirrored(self) -> Scene:
        across = self.size[0]
        flipped = tuple((c, across - x1, y0, across - x0, y1) for c, x0, y0, x1, y1 in self.boxes)
        return replace(self, boxes=flipped)

    def scaled(self, factor: float) -> Scene:
        boxes = tuple((box[0], *(factor * v for v in box[1:])) for box in self.boxes)
        size = (factor * self.size[0], factor * self.size[1])
        return replace(self, boxes=boxes, size=size)  # type: ignore[arg-type]


def arrays(pack: Pack, scenes: list[Scene]) -> tuple[PackedBoxes, ObservedArrays]:
    """The scenes as one batch."""
    flat = [box for scene in scenes for box in scene.boxes]
    n, count = len(flat), len(scenes)
    boxes = PackedBoxes(
        np.array([box[1:] for box in flat], np.float32).reshape(n, 4),
        np.ones(n, np.float32),
        np.array([pack.label(box[0]) for box in flat], np.int16),
        np.cumsum([0, *(len(scene.boxes) for scene in scenes)], dtype=np.int64),
    )
    blank = pack.blank(np.array([scene.size for scene in scenes], np.float32).reshape(count, 2))
    nothing = (math.nan, math.nan)
    ends = np.array(
        [[scene.expected.get(c, nothing) for c in pack.components] for scene in scenes], np.float32
    ).reshape(count, len(pack.components), 2)
    tags = [[tag in scene.tags for tag in pack.tags] for scene in scenes]
    return boxes, replace(
        blank,
        expected_min=ends[:, :, 0].copy(),
        expected_max=ends[:, :, 1].copy(),
        view=np.array([VIEWS.index(scene.view) for scene in scenes], np.int8),
        tags=np.array(tags, np.bool_).reshape(count, len(pack.tags)),
    )


AIRBUS = Scene(
    (
        ("head", 273, 149, 312, 180), ("wing", 163, 142, 184, 149), ("wing", 100, 171, 213, 185),
        ("engine", 166, 179, 211, 200), ("tail", 40, 105, 97, 154), ("tail_wing", 36, 157, 84, 162),
    ),
    {"head": (1, 1), "engine": (1, 2), "wing": (1, 2), "tail": (1, 1), "tail_wing": (0, 2)},
    ("captioned", "wing_engines", "low_wing"),
)  # fmt: skip

SEDAN = Scene(
    (
        ("wheel", 242, 231, 282, 264), ("wheel", 56, 254, 98, 288), ("bonnet", 205, 150, 316, 214),
        ("grille", 296, 172, 313, 201), ("bumper", 293, 222, 316, 250), ("headlight", 307, 209, 316, 224),
        ("bumper", 4, 220, 39, 283), ("trunk", 4, 173, 62, 262), ("taillight", 5, 239, 17, 261),
        ("fender", 234, 213, 307, 252), ("door", 170, 213, 235, 260), ("door", 102, 222, 169, 269),
        ("roof", 88, 139, 185, 200), ("windshield", 170, 143, 227, 210), ("mirror", 184, 138, 193, 149),
        ("side_window", 143, 195, 211, 224), ("side_window", 81, 200, 140, 232),
        ("mirror", 211, 211, 221, 225),
    ),
    {"wheel": (2, 4), "bonnet": (1, 1), "windshield": (1, 1), "headlight": (1, 4), "taillight": (0, 6),
     "door": (2, 4), "grille": (0, 1), "trunk": (0, 1), "roof": (1, 1), "bumper": (2, 2), "fender": (1, 4),
     "side_window": (2, 8), "mirror": (0, 3)},
    ("captioned",),
)  # fmt: skip

DOG = Scene(
    (
        ("belly", 111, 119, 188, 176), ("chest", 183, 113, 253, 177), ("head", 236, 64, 299, 102),
        ("eye", 264, 74, 272, 83), ("ear", 245, 71, 261, 97), ("nose", 288, 84, 299, 94),
        ("leg", 217, 177, 242, 228), ("leg", 119, 170, 145, 235), ("leg", 212, 144, 245, 234),
        ("leg", 121, 149, 168, 242), ("tail", 55, 115, 119, 147),
    ),
    {"head": (1, 1), "eye": (0, 2), "ear": (1, 2), "nose": (0, 1), "horn": (0, 0), "trunk": (0, 0),
     "leg": (3, 4), "tail": (0, 1), "chest": (1, 1), "belly": (1, 1), "wing": (0, 0), "beak": (0, 0)},
    ("captioned", "quadruped", "short_neck"),
)  # fmt: skip

SCENES = {"aircraft": AIRBUS, "car": SEDAN, "animal": DOG}
