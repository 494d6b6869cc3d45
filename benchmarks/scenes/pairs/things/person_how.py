"""What a person can be remade with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

ENDS: Final = ("hand.left", "hand.right", "foot.left", "foot.right")


@dataclass(frozen=True, slots=True)
class How:
    """What `remake` of a person takes; what is not given stays as it is."""

    pose: str = "stand"
    """Of `person_pose.POSES`."""
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where it stands; it sits above this spot."""
    facing_deg: float = 0.0
    """0: towards +x, 90: towards +y."""
    mirrored: bool = False
    """The pose's left and right exchanged."""
    lift: float = 0.0
    """Height of the lowest sole above `at`."""
    seat: float = 0.45
    """Height of what it sits on above `at`."""
    look_at: tuple[float, float, float] | None = None
    """Point that head and eyes turn to; None: straight ahead."""
    gaze_at: tuple[float, float, float] | None = None
    """Point that the eyes alone look at; None: where the head looks."""
    reach_left: tuple[float, float, float] | None = None
    """Where the left hand's palm goes, instead of the pose's arm."""
    reach_right: tuple[float, float, float] | None = None
    curl: float | None = None
    """Degrees of each finger joint, both hands; None: the pose's."""
    palm_turn: float = 0.0
    """Degrees by which both hands are turned about the arm."""
    # From here on: what people do not look like.
    head_turn_deg: float = 0.0
    """The head turned further by so much (180: it faces backwards)."""
    eyes_apart_deg: float = 0.0
    """Each eye turned outwards by so much."""
    fingers_left: int = 5
    """Number of fingers with the thumb, 0..9."""
    fingers_right: int = 5
    fused_left: bool = False
    """The four fingers are one piece."""
    fused_right: bool = False
    finger_length: float = 1.0
    arms: int = 2
    """0..4: the right one goes first; further ones grow beside the others, alternately left and right."""
    legs: int = 2
    """0..4, likewise."""
    heads: int = 1
    """0..2."""
    eyes: int = 2
    """0, 1 (in the middle), 2 or 3 (the third on the forehead)."""
    no_mouth: bool = False
    no_nose: bool = False
    face_flipped: bool = False
    """Eyes below, mouth above."""
    knee_back: str = ""
    """left, right or both: those knees bend backwards."""
    elbow_back: str = ""
    """left, right or both: those elbows bend the wrong way."""
    arm_length: Mapping[str, float] = field(default_factory=dict)
    """Factor of each arm's length by side."""
    head_size: float = 1.0
    hand_size: float = 1.0
    neck_length: float = 1.0
    arms_at: str = "shoulder"
    """shoulder, hip or head: where the arms grow."""
    swap: tuple[str, str] | None = None
    """Two of `ENDS` that change places, such as a hand and a foot."""
    without: tuple[str, ...] = ()
    """Parts left out: keys or their beginnings (`forearm.left` leaves the hand in the air)."""
    doubled: tuple[str, ...] = ()
    """Parts shown a second time beside themselves."""
    skin_texture: str | None = None
    """Texture of the world on the skin."""
    shirt_texture: str | None = None
    trousers_texture: str | None = None
    all_texture: str | None = None
    """On everything: a statue."""
    skin_rgb: tuple[float, float, float] | None = None
    shirt_rgb: tuple[float, float, float] | None = None
    trousers_rgb: tuple[float, float, float] | None = None
    all_rgb: tuple[float, float, float] | None = None
    texture_scale: float = 1.6
    """Repeats of a texture per unit."""
