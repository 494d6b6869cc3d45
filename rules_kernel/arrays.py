"""The arrays a kernel takes and gives, and the checks they pass before any kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from physgauge.rules_kernel.errors import ArrayError, quoted

#: Where the camera stands. Index 0, "unknown", is what an image without a known view has.
VIEWS = ("unknown", "side", "front_quarter", "rear_quarter", "front", "rear")

#: Quantifiers may nest three deep, so an image's work grows with the cube of its boxes.
MAX_BOXES_PER_IMAGE = 1024

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I8 = npt.NDArray[np.int8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class BoxesLike(Protocol):
    """Anything with the fields of `PackedBoxes` (physgauge's own `Boxes` record fits)."""

    @property
    def xyxy(self) -> F32: ...
    @property
    def score(self) -> F32: ...
    @property
    def label(self) -> I16: ...
    @property
    def offsets(self) -> I64: ...


class ObservedLike(Protocol):
    """Anything with the fields of `ObservedArrays`."""

    @property
    def counts(self) -> F32: ...
    @property
    def said(self) -> Bools: ...
    @property
    def expected_min(self) -> F32: ...
    @property
    def expected_max(self) -> F32: ...
    @property
    def view(self) -> I8: ...
    @property
    def size(self) -> F32: ...
    @property
    def tags(self) -> Bools: ...


@dataclass(frozen=True)
class PackedBoxes:
    """Boxes of B images, packed: image i owns rows offsets[i]:offsets[i+1].

    xyxy f32[N,4] px of the image, x1 >= x0, y1 >= y0; score f32[N] 0..1;
    label i16[N] index into the pack's components; offsets i64[B+1].
    """

    xyxy: F32
    score: F32
    label: I16
    offsets: I64


@dataclass(frozen=True)
class ObservedArrays:
    """What is known of B images besides boxes.

    counts f32[B,C] fused counts (NaN: nobody counted; the box count is used);
    said bool[B,K] facts of the pack; expected_min, expected_max f32[B,C] (NaN: no expectation;
    expected_max 0: the type does not have the part); view i8[B] index into VIEWS;
    size f32[B,2] width and height in px; tags bool[B,T] tags of the pack.
    """

    counts: F32
    said: Bools
    expected_min: F32
    expected_max: F32
    view: I8
    size: F32
    tags: Bools

    @classmethod
    def blank(
        cls, images: int, components: int, facts: int, tags: int, size: F32
    ) -> ObservedArrays:
        """Nothing known but the image sizes: NaN counts and expectations, unknown views."""
        unknown = np.full((images, components), np.nan, np.float32)
        return cls(
            counts=unknown,
            said=np.zeros((images, facts), np.bool_),
            expected_min=unknown.copy(),
            expected_max=unknown.copy(),
            view=np.zeros(images, np.int8),
            size=np.ascontiguousarray(size, np.float32).reshape(images, 2),
            tags=np.zeros((images, tags), np.bool_),
        )


@dataclass(frozen=True)
class RuleArrays:
    """status i8[B,R]: 1 satisfied, 0 violated, -1 not applicable; measured f32[B,R] the value that
    decided (NaN: none); witness i32[B,R,2] rows of the packed boxes, or -1."""

    status: I8
    measured: F32
    witness: I32


def expect_array(name: str, value: Any, dtype: type, shape: tuple[int | None, ...]) -> None:
    """Raise ArrayError unless `value` is an array of this type and shape (None: any length)."""
    wanted = "[" + ", ".join("N" if n is None else str(n) for n in shape) + "]"
    label = f"{np.dtype(dtype).name} {wanted}"
    if not isinstance(value, np.ndarray):
        raise ArrayError(f"{name} is no array", expected=label, got=type(value).__name__)
    fits = value.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, value.shape, strict=True)
    )
    if value.dtype != dtype or not fits:
        raise ArrayError(
            f"{name} has the wrong type or shape",
            expected=label,
            got=f"{value.dtype} {list(value.shape)}",
        )


def check_boxes(boxes: BoxesLike, components: int) -> tuple[int, int]:
    """Raise ArrayError unless `boxes` keep the contract. Returns (images, longest image)."""
    images, longest = check_box_shapes(boxes)
    _check_values(boxes, components)
    return images, longest


def check_box_shapes(boxes: BoxesLike) -> tuple[int, int]:
    """The part of `check_boxes` that looks at no box: types, shapes, offsets."""
    expect_array("offsets", boxes.offsets, np.int64, (None,))
    offsets = boxes.offsets
    if offsets.size == 0 or offsets[0] != 0:
        raise ArrayError("offsets must start at 0", got=quoted(offsets[:1].tolist()))
    steps = np.diff(offsets)
    if steps.size and steps.min() < 0:
        at = int(np.flatnonzero(steps < 0)[0])
        raise ArrayError(
            f"offsets fall at image {at}",
            expected="a non-decreasing sequence",
            got=f"{offsets[at]} then {offsets[at + 1]}",
        )
    n = int(offsets[-1])
    expect_array("xyxy", boxes.xyxy, np.float32, (n, 4))
    expect_array("score", boxes.score, np.float32, (n,))
    expect_array("label", boxes.label, np.int16, (n,))
    longest = int(steps.max()) if steps.size else 0
    if longest > MAX_BOXES_PER_IMAGE:
        raise ArrayError(
            f"image {int(steps.argmax())} has too many boxes",
            expected=f"at most {MAX_BOXES_PER_IMAGE}",
            got=str(longest),
        )
    return int(steps.size), longest


def _check_values(boxes: BoxesLike, components: int) -> None:
    xyxy, score, label = boxes.xyxy, boxes.score, boxes.label
    if not np.isfinite(xyxy.sum(dtype=np.float64)) and not np.isfinite(xyxy).all():
        at = int(np.flatnonzero(~np.isfinite(xyxy).all(axis=1))[0])
        raise ArrayError(
            f"box {at} is not finite", expected="finite px", got=str(xyxy[at].tolist())
        )
    inverted = (xyxy[:, 2] < xyxy[:, 0]) | (xyxy[:, 3] < xyxy[:, 1])
    if inverted.any():
        at = int(np.flatnonzero(inverted)[0])
        raise ArrayError(
            f"box {at} is inverted", expected="x1 >= x0 and y1 >= y0", got=str(xyxy[at].tolist())
        )
    scored = (score >= 0) & (score <= 1)
    if not scored.all():
        at = int(np.flatnonzero(~scored)[0])
        raise ArrayError(f"score of box {at}", expected="0 to 1", got=str(float(score[at])))
    bad = (label < 0) | (label >= components)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise ArrayError(
            f"label of box {at} is out of range",
            expected=f"0 to {components - 1}",
            got=str(int(label[at])),
        )


def check_shapes(
    observed: ObservedLike, images: int, components: int, facts: int, tags: int
) -> None:
    """The part of `check_observed` that looks at no value: types and shapes."""
    shapes: Mapping[str, tuple[type, tuple[int, ...]]] = {
        "counts": (np.float32, (images, components)),
        "said": (np.bool_, (images, facts)),
        "expected_min": (np.float32, (images, components)),
        "expected_max": (np.float32, (images, components)),
        "view": (np.int8, (images,)),
        "size": (np.float32, (images, 2)),
        "tags": (np.bool_, (images, tags)),
    }
    for name, (dtype, shape) in shapes.items():
        expect_array(name, getattr(observed, name), dtype, shape)


def check_observed(
    observed: ObservedLike, images: int, components: int, facts: int, tags: int
) -> None:
    """Raise ArrayError unless `observed` describes `images` images of this pack."""
    check_shapes(observed, images, components, facts, tags)
    for name in ("counts", "expected_min", "expected_max"):
        value = getattr(observed, name)
        bad = (value < 0) | np.isinf(value)
        if bad.any():
            at = tuple(int(k) for k in np.argwhere(bad)[0])
            raise ArrayError(
                f"{name} of image {at[0]}, component {at[1]}",
                expected="a count >= 0, or NaN",
                got=str(float(value[at])),
            )
    good = np.isfinite(observed.size) & (observed.size > 0)
    if not good.all():
        at_image = int(np.flatnonzero(~good.all(axis=1))[0])
        raise ArrayError(
            f"size of image {at_image}",
            expected="width and height above 0",
            got=str(observed.size[at_image].tolist()),
        )
    wrong = (observed.view < 0) | (observed.view >= len(VIEWS))
    if wrong.any():
        at_image = int(np.flatnonzero(wrong)[0])
        raise ArrayError(
            f"view of image {at_image}",
            expected=f"0 to {len(VIEWS) - 1}",
            got=str(int(observed.view[at_image])),
        )
