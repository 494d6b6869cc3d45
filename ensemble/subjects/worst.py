"""Several subjects in one row: the worst decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from physgauge import wire
from physgauge.types import I64

_FIRST: Final = {"FAIL": 0, None: 1, "PASS": 2}


@dataclass(frozen=True, slots=True)
class Whose:
    """M subjects of B images, those of an image together."""

    image: I64
    """[M] the image that each subject is in."""
    parts: tuple[tuple[int, ...] | None, ...]
    """[M] which of the image's clear boxes are its own; None: all."""

    def of(self, image: int) -> range:
        """The subjects of an image."""
        first, last = np.searchsorted(self.image, [image, image + 1])
        return range(int(first), int(last))

    def joined(self, image: int, found: Sequence[list[wire.Detection]]) -> list[wire.Detection]:
        """The boxes of an image, from those of its subjects (`found` [M])."""
        mine = self.of(image)
        if len(mine) == 1:
            return found[mine.start]
        placed = {
            place: box
            for k in mine
            for place, box in zip(self.parts[k] or (), found[k], strict=True)
        }
        return [placed[place] for place in sorted(placed)]


def worst(
    judged: Sequence[wire.Pcmde],
    parts: Sequence[tuple[int, ...] | None],
    detections: Sequence[wire.Detection],
) -> wire.Pcmde:
    """What is said of the worst subject, with the list of all, the worst first.

    A subject that fails comes before one that does not, whatever their scores (a low S_llm alone can fail
    one); then the lower S_final decides. Subjects that cannot be judged come last.

    Args:
        judged: what is said of each subject, its boxes numbered among its own.
        parts: which of `detections` are each subject's.
        detections: of the picture.
    """
    order = sorted(
        range(len(judged)),
        key=lambda k: badness(judged[k].verdict, judged[k].s_final, judged[k].low),
    )
    own = [list(p or ()) for p in parts]
    first = judged[order[0]]
    return msgspec.structs.replace(
        first,
        rules=[
            msgspec.structs.replace(rule, boxes=[own[order[0]][i] for i in rule.boxes])
            for rule in first.rules
        ],
        subjects=[_result(judged[k], own[k], detections) for k in order],
    )


def badness(
    verdict: wire.Verdict | None, s_final: float | None, low: float | None
) -> tuple[bool, int, float]:
    """What the worst of several subjects is the smallest of.

    Args:
        verdict: of the subject.
        s_final: its score.
        low: what its score is at least, where it has none.
    """
    known = s_final if s_final is not None else low
    return known is None, _FIRST[verdict], 0.0 if known is None else known


def _result(
    pcmde: wire.Pcmde, parts: list[int], detections: Sequence[wire.Detection]
) -> wire.SubjectResult:
    boxes = [detections[i].box for i in parts]
    low = [min(box[k] for box in boxes) for k in (0, 1)]
    high = [max(box[k] for box in boxes) for k in (2, 3)]
    assert pcmde.domain is not None
    return wire.SubjectResult(
        domain=pcmde.domain,
        subtype=pcmde.subtype,
        view=pcmde.view,
        box=[*low, *high],
        parts=parts,
        status=pcmde.status,
        reason=pcmde.reason,
        s_rules=pcmde.s_rules,
        s_llm=pcmde.s_llm,
        s_final=pcmde.s_final,
        verdict=pcmde.verdict,
    )
