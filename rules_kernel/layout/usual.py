"""How usual each image's arrangement of parts is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physgauge.rules_kernel.arrays import F32, F64, I8, I16, I32, I64
from physgauge.rules_kernel.layout.check import checked_boxes, checked_view
from physgauge.rules_kernel.layout.model import LayoutModel


@dataclass(frozen=True, slots=True)
class Usual:
    """Of B images."""

    log_p: F64
    """[B] natural logarithm of a probability, <= 0; NaN where too little is seen or known."""
    pair: I32
    """[B, 2] the strangest pair: packed index of the part's box, index of the component; or -1."""


def usual(model: LayoutModel, xyxy: F32, label: I16, offsets: I64, view: I8) -> Usual:
    """The share of pictures without fault whose strangest pair is at least as strange as the image's.

    Args:
        model: its components are what labels index; other labels are no part of the whole.
        xyxy: f32[N,4] px, finite.
        label: i16[N].
        offsets: i64[B+1] image i owns boxes offsets[i]:offsets[i+1].
        view: i8[B] index into the model's views.

    Raises:
        ArrayError: arrays that break this.
    """
    from physgauge.rules_kernel.layout import loops

    found = strangest(model, xyxy, label, offsets, view)
    log_p = np.empty(len(view))
    loops.image_log_p(found.log_p, view.astype(np.int64), model.image_tail, model.log_tail, log_p)
    return Usual(log_p, found.pair)


def strangest(model: LayoutModel, xyxy: F32, label: I16, offsets: I64, view: I8) -> Usual:
    """The share of such pairs in pictures without fault that are at least as strange as the image's
    strangest one; arguments as for `usual`."""
    from physgauge.rules_kernel.layout import loops

    boxes = checked_boxes(xyxy, label, offsets)
    images = len(offsets) - 1
    seen = checked_view(view, images, len(model.views))
    log_p, pair = np.empty(images), np.empty((images, 2), np.int32)
    loops.least(
        *boxes, seen, model.pair, model.log_weight, model.mean, model.whiten,
        model.log_tail, model.pair_tail, log_p, pair,
    )  # fmt: skip
    return Usual(log_p, pair)
