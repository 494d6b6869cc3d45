"""The tensors of each step. A test holds them to the `config.pbtxt` files of ``model_repository``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from physgauge.contract import CAPTION, IMAGE, OPTIONS, RESULT, SCORES, Tensor

TICKET: Final = Tensor("TICKET", "BYTES", (1,))
"""A `records.Ticket`."""
SQUARES: Final = Tensor("SQUARES", "UINT8", (-1,))
"""What the networks see, RGB: the [S, S, 3] squares of all detectors of the profile, one after another.
Of one length in a deployment, so that requests batch."""
PIXELS: Final = Tensor("PIXELS", "UINT8", (-1, -1, 3))
"""The decoded image for a judge that looks; [1, 1, 3] zeros where none does."""
DETECT: Final = Tensor("DETECT", "FP64", (1,))
"""Until when it is worth detecting (`time.monotonic`); 0 = nothing to look at: it cannot be scored."""
LOOK: Final = Tensor("LOOK", "INT32", (1,))
"""The judge's task over the image."""
REASON: Final = Tensor("REASON", "INT32", (1,))
"""The judge's task over the rules' outcome."""
TASK: Final = Tensor("TASK", "INT32", (1,))
SKIP, TASK_LOOK, TASK_REASON = 0, 1, 2
"""Values of TASK: a step that is switched off is asked all the same, and answers at once."""

BOXES: Final = Tensor("BOXES", "FP32", (-1, 4))
"""The networks' outputs as docs/detector.md has them, those of all detectors one after another."""
BOX_SCORES: Final = Tensor("BOX_SCORES", "FP32", (-1,))
LABELS: Final = Tensor("LABELS", "INT64", (-1,))
DOMAIN: Final = Tensor("DOMAIN", "FP32", (-1,))
VIEW: Final = Tensor("VIEW", "FP32", (-1,))
NETWORK_OUTPUTS: Final = {
    "boxes": BOXES,
    "scores": BOX_SCORES,
    "labels": LABELS,
    "domain": DOMAIN,
    "view": VIEW,
}
"""By the name of the ONNX output."""
HEADS: Final = ("domain", "view")
"""The outputs that are of the image, not of its boxes; a network may lack them."""

RULED: Final = Tensor("RULED", "BYTES", (1,))
"""A `records.RuledImage`; empty where there is nothing to judge."""
ANSWER: Final = Tensor("ANSWER", "BYTES", (1,))
"""A `records.Answer`."""
LOOKED: Final = Tensor("LOOKED", "BYTES", (1,))
"""The judge's ANSWER to LOOK."""
REASONED: Final = Tensor("REASONED", "BYTES", (1,))
"""The judge's ANSWER to REASON."""


@dataclass(frozen=True, slots=True)
class StepTensors:
    """What a step takes and gives."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def _optional(tensor: Tensor) -> Tensor:
    return Tensor(tensor.name, tensor.datatype, tensor.dims, optional=True)


STEPS: Final = {
    "decode": StepTensors((IMAGE, CAPTION, OPTIONS), (TICKET, SQUARES, PIXELS, DETECT, LOOK)),
    "detect": StepTensors((SQUARES, DETECT), (BOXES, BOX_SCORES, LABELS, DOMAIN, VIEW)),
    "judge": StepTensors(
        (TASK, TICKET, _optional(PIXELS), _optional(BOXES), _optional(RULED)), (ANSWER,)
    ),
    "rules": StepTensors(
        (TICKET, BOXES, BOX_SCORES, LABELS, DOMAIN, VIEW, LOOKED), (RULED, REASON)
    ),
    "aggregate": StepTensors((TICKET, RULED, LOOKED, REASONED), (RESULT, SCORES)),
}
"""By model; `score`, the ensemble of them, is in `physgauge.contract`."""
