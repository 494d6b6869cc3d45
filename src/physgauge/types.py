"""In-process records that pass between the stages: frozen, one per arrow of the data flow.

Wire types (JSON, Parquet) are in :mod:`physgauge.wire`. Box coordinates are ``xyxy`` float32 in px of
the decoded image, pixel edges: a box over columns 3..5 has ``x0 = 3, x1 = 6``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from physgauge.errors import InputError

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I8 = NDArray[np.int8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
Bools = NDArray[np.bool_]

DOMAINS: Final = ("aircraft", "car", "animal")
"""The domains that ship with physgauge; a profile may add more."""

VIEWS: Final = ("unknown", "side", "front_quarter", "rear_quarter", "front", "rear")
"""From where the camera sees the subject; the index is what `Observed.view` holds."""

AIRCRAFT_PARTS: Final = ("head", "engine", "wing", "tail", "tail_wing")
CAR_PARTS: Final = (
    "wheel", "bonnet", "windshield", "headlight", "taillight", "door", "grille", "trunk", "roof",
    "bumper", "fender", "side_window", "mirror",
)  # fmt: skip
ANIMAL_PARTS: Final = (
    "head", "eye", "ear", "nose", "horn", "trunk", "leg", "tail", "chest", "belly", "wing", "beak",
)  # fmt: skip

KNOWN: Final = "the caller knows this image already"
"""The reason, for both methods, in a row that says no more than decoding does (`Pipeline.score`)."""

OUTCOMES: Final = ("answered", "unparseable", "refused", "blocked", "timeout", "skipped")
"""What can come of a question; as `wire.Outcome`."""

PART_CLASSES: Final[tuple[str, ...]] = tuple(
    f"{domain}.{part}"
    for domain, parts in zip(DOMAINS, (AIRCRAFT_PARTS, CAR_PARTS, ANIMAL_PARTS), strict=True)
    for part in parts
)
"""The 30 classes of the embedded part detector, ``domain.component``, in label order."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes of a batch, packed image after image (CSR)."""

    xyxy: F32
    """[N, 4] px of the decoded image; x1 > x0, y1 > y0."""
    score: F32
    """[N] confidence 0..1."""
    label: I16
    """[N] index into the class list of whoever made the record."""
    source: I8
    """[N] index of the source: 0 = detector, 1.. = other detectors and MLLM observers; -1 = a box fused
    from several of them."""
    offsets: I64
    """[B+1] image i owns boxes offsets[i]:offsets[i+1]."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, image: int) -> slice:
        """The packed range of one image."""
        return slice(int(self.offsets[image]), int(self.offsets[image + 1]))

    def where(self, keep: Bools) -> Boxes:
        """The boxes where `keep` [N] is true, packed anew."""
        kept_before = np.concatenate([[0], np.cumsum(keep)])
        return Boxes(
            self.xyxy[keep],
            self.score[keep],
            self.label[keep],
            self.source[keep],
            kept_before[self.offsets].astype(np.int64),
        )


@dataclass(frozen=True, slots=True)
class Detections:
    """What the part detectors say about a batch."""

    boxes: Boxes
    """Labels index `classes`."""
    classes: tuple[str, ...]
    """``domain.component`` names."""
    domains: tuple[str, ...]
    """Domain names, in the order of `domain_p`'s leading columns."""
    domain_p: F32
    """[B, D+1] probability of each domain; the last column is "none of them"."""
    view_p: F32
    """[B, V] probability of each entry of VIEWS; column 0 ("unknown") is 1 where nothing looked."""
    looks: Bools | None = None
    """[S, len(classes)] which source looks for which class; None: one source, which looks for all."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a batch of one domain shows and what its captions and types lead one to expect.

    C is the pack's components (the implicit last one, "other", included), K its relation facts, T its
    subtype tags.
    """

    counts: F32
    """[B, C] fused count; NaN where nobody looked."""
    said: Bools
    """[B, K] a source stated this (component, relation, reference)."""
    expected_min: F32
    """[B, C] fewest that caption, type and view allow to be seen; NaN without an expectation."""
    expected_max: F32
    """[B, C] most that caption and type allow; 0 = the type does not have it; NaN = no expectation."""
    view: I8
    """[B] index into VIEWS."""
    tags: Bools
    """[B, T] tags of the subtype, in the pack's order."""


@dataclass(frozen=True, slots=True)
class RuleOutcomes:
    """What the rules of one pack say about a batch; R rules in pack order."""

    status: I8
    """[B, R] 1 satisfied, 0 violated, -1 not applicable."""
    measured: F32
    """[B, R] the measured side of the deciding comparison; NaN where there is none."""
    witness: I32
    """[B, R, 2] packed indices of the deciding boxes, or -1."""
    category_score: NDArray[np.float64]
    """[B, 4] share of applicable rules that hold, by rule weight, 0..1, in the order of CATEGORIES;
    NaN where none."""
    s_rules: NDArray[np.float64]
    """[B] 0..100; NaN with fewer applicable rules than the pack's minimum."""


@dataclass(frozen=True, slots=True)
class JudgeAnswers:
    """What a judge answered about B images to Q probes, in the order of the probe set.

    float64, so that scores from stored answers equal those of the run that stored them to the last bit.
    """

    eligible: F64
    """[B] P(can be judged) 0..1; 0 or 1 where the engine says it in a word, NaN where nobody knows."""
    outcome: I8
    """[B, Q] index into OUTCOMES."""
    answer: I8
    """[B, Q] 1 = found, 0 = not found, -1 = not answered."""
    major: I8
    """[B, Q] of what was found: 1 = major, 0 = minor; -1 = not graded."""
    p_yes: F64
    """[B, Q] P(found) 0..1; NaN where the engine gives none or the probe was not answered."""
    p_major: F64
    """[B, Q] P(major given found) 0..1; NaN where nobody graded or the engine gives none."""


@dataclass(frozen=True, slots=True)
class Item:
    """One image to score, before decoding."""

    image_id: str
    """Unique in a run; for files, the path as given."""
    data: bytes | None
    """Encoded bytes; None when reading failed and `error` says why."""
    source: str
    """Where it came from, for people."""
    caption: str | None = None
    extra: dict[str, str] | None = None
    error: InputError | None = None
    """The InputError that reading raised, if any."""
    domain: str | None = None
    """What the caller says it shows; None = what the pipeline's options say."""
