"""Our packs know neither left from right nor px: mirrored or enlarged boxes give the same outcomes, and a
record alone gives what it gives among others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from physgauge import wire
from physgauge.clients.boxes import BoxRecord, PartBox
from physgauge.config import load_profile
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.types import DOMAINS, PART_CLASSES, VIEWS

W, H = 320, 256
CAPTIONS = (None, "a horse", "a DC-10", "a red sedan with four doors", "an animal", "two dogs")


@pytest.fixture(scope="module")
def pipeline() -> Iterator[Pipeline]:
    with Pipeline(load_profile("tiny"), Options(threads=1), detect=False) as made:
        yield made


@st.composite
def records(draw: st.DrawFn) -> BoxRecord:
    """Parts of mostly one domain on whole px, so that mirroring and doubling are exact."""
    domain = draw(st.sampled_from(DOMAINS))
    own = [name for name in PART_CLASSES if name.startswith(domain)]
    boxes: list[PartBox] = []
    for _ in range(draw(st.integers(3, 14))):
        label = draw(st.sampled_from(own if draw(st.integers(0, 9)) else PART_CLASSES))
        x0, y0 = draw(st.integers(0, W - 2)), draw(st.integers(0, H - 2))
        x1, y1 = draw(st.integers(x0 + 1, W)), draw(st.integers(y0 + 1, H))
        # Scores differ, so that "the best box" is the same one after mirroring.
        score = draw(st.integers(500, 999)) / 1000 + len(boxes) * 1e-5
        boxes.append(PartBox(label=label, box=[x0, y0, x1, y1], score=min(score, 1.0)))
    return BoxRecord(
        image_id="a",
        width=W,
        height=H,
        boxes=boxes,
        caption=draw(st.sampled_from(CAPTIONS)),
        domain=domain,
        view=draw(st.sampled_from(VIEWS)),
    )


def changed(record: BoxRecord, name: str, factor: float = 1, mirror: bool = False) -> BoxRecord:
    def move(part: PartBox) -> PartBox:
        x0, y0, x1, y1 = part.box
        if mirror:
            x0, x1 = record.width - x1, record.width - x0
        return PartBox(
            label=part.label, box=[v * factor for v in (x0, y0, x1, y1)], score=part.score
        )

    return BoxRecord(
        image_id=name,
        width=int(record.width * factor),
        height=int(record.height * factor),
        boxes=[move(part) for part in record.boxes],
        caption=record.caption,
        domain=record.domain,
        view=record.view,
    )


def outcomes(row: wire.Row) -> list[tuple[str, str]]:
    return [(rule.id, rule.status) for rule in row.pcmde.rules]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=records())
def test_mirrored_doubled_and_halved_boxes_give_the_same_outcomes(
    pipeline: Pipeline, record: BoxRecord
) -> None:
    variants = [
        record,
        changed(record, "mirrored", mirror=True),
        changed(record, "doubled", factor=2),
        changed(record, "halved", factor=0.5),
    ]
    rows = list(pipeline.score_boxes(variants, source="test"))
    for row in rows[1:]:
        assert outcomes(row) == outcomes(rows[0]), row.image_id
        assert row.pcmde.s_rules == rows[0].pcmde.s_rules
        assert row.pcmde.verdict == rows[0].pcmde.verdict


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(several=st.lists(records(), min_size=2, max_size=9))
def test_a_record_alone_gives_what_it_gives_among_others(
    pipeline: Pipeline, several: list[BoxRecord]
) -> None:
    named = [changed(record, str(k)) for k, record in enumerate(several)]
    together = [without_cost(row) for row in pipeline.score_boxes(named, source="test")]
    alone = [
        without_cost(row) for one in named for row in pipeline.score_boxes([one], source="test")
    ]
    assert together == alone


def without_cost(row: wire.Row) -> dict[str, object]:
    fields = {name: getattr(row, name) for name in wire.Row.__struct_fields__}
    del fields["cost"]
    return fields
