"""Where the subjects of a batch are, for a judge who looks at them more closely.

As the rows would say without a judge and without captions: a caption has no say in where a judge looks,
or his answers would depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from physgauge.config import ReadingSettings
from physgauge.ensemble.aggregate import Context, Subject, rows_of
from physgauge.ensemble.domains import Domains
from physgauge.ensemble.fuse import Fused
from physgauge.ensemble.judge.reasoning import reasoned_of
from physgauge.ensemble.judge.views import Boxes, subject_boxes
from physgauge.ensemble.readings import read
from physgauge.ensemble.rules import apply_rules
from physgauge.ensemble.subjects.apart import tell_apart
from physgauge.types import F32


def whereabouts(
    subjects: Sequence[Subject],
    fused: Fused,
    size: F32,
    settings: ReadingSettings,
    domains: Domains,
    context: Context,
) -> list[Boxes]:
    """Boxes around the subjects of each of B images.

    Args:
        subjects: the images.
        fused: what a detector found in them.
        size: [B, 2] width and height, px.
        settings: how unsure boxes are read.
        domains: packs and specifications.
        context: of the rows.
    """
    apart = tell_apart(fused, [None] * len(subjects), domains)
    readings = read(apart.fused, settings, domains.literal)
    ruled = apply_rules(readings, apart.facts, size[apart.whose.image], domains)
    unsaid = reasoned_of(ruled, readings, {}, None)
    rows = rows_of(subjects, apart.whose, readings, ruled, unsaid, {}, context)
    return [subject_boxes(row) for row in rows]
