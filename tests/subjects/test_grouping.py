"""Which part is whose: hand-made boxes, and what grouping must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.ensemble.subjects.cuts import Parts
from physgauge.ensemble.subjects.grouping import group
from physgauge.ensemble.subjects.told import SILENT, Told
from physgauge.rules_kernel import load_pack
from tests.subjects.shapes import AIRBUS, DOG, SHAPES, Part, at, mirrored, without

PACKS = {name: load_pack(name) for name in SHAPES}
TWO, THREE, MANY = Told(True, True, 2), Told(True, True, 3), Told(True, True, None)


def parts_of(boxes: list[Part]) -> Parts:
    domain = boxes[0][0].partition(".")[0]
    pack = PACKS[domain]
    assert pack.single is not None
    names = [part[0].partition(".")[2] for part in boxes]
    return Parts(
        np.array([part[1:] for part in boxes], np.float32),
        np.array([1 - k / 1000 for k in range(len(boxes))], np.float32),
        np.array([pack.label(name) for name in names], np.int64),
        np.array([[name == anchor for anchor in pack.single.most] for name in names]),
        np.array(list(pack.single.most.values()), np.int64),
        pack.single.least,
        (pack.evidence.components, pack.evidence.boxes),
    )


def groups_of(boxes: list[Part], told: Told = SILENT) -> set[frozenset[Part]]:
    masks, doubt = group(parts_of(boxes), told)
    assert doubt is None, doubt
    assert np.sum(masks, axis=0).tolist() == [1] * len(boxes)
    return {frozenset(boxes[i] for i in np.flatnonzero(mask)) for mask in masks}


def doubt_of(boxes: list[Part], told: Told) -> str | None:
    return group(parts_of(boxes), told)[1]


@pytest.mark.parametrize("domain", SHAPES)
@pytest.mark.parametrize("told", [SILENT, Told(True), TWO, MANY])
@pytest.mark.parametrize("shift", [(330, 0), (330, 40), (0, 240)])
def test_two_that_stand_apart_are_two(domain: str, told: Told, shift: tuple[float, float]) -> None:
    one, other = SHAPES[domain], at(SHAPES[domain], *shift, scale=0.9)
    assert groups_of([*one, *other], told) == {frozenset(one), frozenset(other)}


def test_the_widest_gap_may_be_within_a_subject() -> None:
    """60 px from a nose to the wing, 9 px from one aircraft to the next."""
    one, other = AIRBUS, at(AIRBUS, 285)
    assert groups_of([*one, *other]) == {frozenset(one), frozenset(other)}


@pytest.mark.parametrize("domain", SHAPES)
def test_three_in_a_row_are_three(domain: str) -> None:
    one = SHAPES[domain]
    rest = at(one, 340, 10), at(one, 690, -20, 1.1)
    assert groups_of([*one, *rest[0], *rest[1]], THREE) == {frozenset(p) for p in (one, *rest)}


@pytest.mark.parametrize("told", [SILENT, Told(True, False, 1), MANY])
@pytest.mark.parametrize(
    "planted",
    [
        [("animal.head", 20, 64, 83, 102)],  # a head at the rump
        [("animal.head", 400, 20, 463, 58), ("animal.eye", 420, 30, 428, 38), ("animal.nose", 452, 40, 463, 50)],
        [("animal.leg", 500, 200, 525, 260)],  # far off
        [("animal.leg", 150, 170, 175, 240), ("animal.leg", 180, 170, 200, 240)],
        [("animal.tail", 400, 10, 470, 40)],
    ],
)  # fmt: skip
def test_a_planted_part_is_no_second_subject(planted: list[Part], told: Told) -> None:
    assert groups_of([*DOG, *planted], told) == {frozenset([*DOG, *planted])}


def test_a_planted_part_stays_with_one_of_two() -> None:
    head = ("animal.head", 20.0, 64.0, 83.0, 102.0)
    one, other = [*DOG, head], at(DOG, 330)
    for told in (SILENT, TWO):
        assert groups_of([*one, *other], told) == {frozenset(one), frozenset(other)}


def test_one_may_lack_a_part() -> None:
    one, other = without(DOG, "animal.head"), at(DOG, 330)
    assert groups_of([*one, *other]) == {frozenset(one), frozenset(other)}


@pytest.mark.parametrize("domain", SHAPES)
def test_those_that_overlap_are_not_told_apart(domain: str) -> None:
    one = SHAPES[domain]
    boxes = [*one, *at(one, 90, 10)]
    assert doubt_of(boxes, TWO) == "the caption names 2, and their parts overlap"
    assert doubt_of(boxes, MANY) == "the caption names several, and their parts overlap"
    assert groups_of(boxes) == {frozenset(boxes)}


@pytest.mark.parametrize("domain", SHAPES)
def test_too_few_parts_for_the_number_named(domain: str) -> None:
    one = SHAPES[domain]
    assert doubt_of(one, TWO) == "the caption names 2, and parts of 1 are seen"
    two = [*one, *at(one, 340)]
    assert doubt_of(two, THREE) == "the caption names 3, and parts of 2 are seen"
    assert groups_of(one, MANY) == {frozenset(one)}


def test_what_touches_is_told_apart_with_a_word_of_several_only() -> None:
    one, other = DOG, at(DOG, 299 - 55)
    assert groups_of([*one, *other], TWO) == {frozenset(one), frozenset(other)}
    assert groups_of([*one, *other]) == {frozenset([*one, *other])}


def test_one_anchor_is_enough_where_the_caption_says_how_many() -> None:
    """From the front and from behind: only their legs are too many for one dog."""
    front = [p for p in DOG if p[0] not in ("animal.belly", "animal.tail")]
    rear = at([p for p in DOG if p[0] in ("animal.belly", "animal.tail", "animal.leg")], 330)
    assert groups_of([*front, *rear], TWO) == {frozenset(front), frozenset(rear)}
    assert groups_of([*front, *rear]) == {frozenset([*front, *rear])}


def test_more_than_named_may_be_told_apart() -> None:
    boxes = [*DOG, *at(DOG, 330), *at(DOG, 660)]
    assert len(groups_of(boxes, TWO)) == 3


@st.composite
def pictures(draw: st.DrawFn) -> list[Part]:
    """One to three subjects of a domain, some parts missing, some shifted, on whole px."""
    shape = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    boxes: list[Part] = []
    for k in range(draw(st.integers(1, 3))):
        moved = at(shape, 380 * k + draw(st.integers(-60, 60)), draw(st.integers(-40, 40)))
        boxes += [part for part in moved if draw(st.integers(0, 9))]
    return boxes or [*shape]


@settings(max_examples=150, deadline=None)
@given(boxes=pictures(), told=st.sampled_from([SILENT, TWO, THREE, MANY]), data=st.data())
def test_order_mirror_and_size_change_nothing(
    boxes: list[Part], told: Told, data: st.DataObject
) -> None:
    masks, doubt = group(parts_of(boxes), told)
    found = {frozenset(np.flatnonzero(mask).tolist()) for mask in masks}
    for changed in (mirrored(boxes), at(boxes, 0, scale=2), at(boxes, 0, scale=0.5)):
        other, other_doubt = group(parts_of(changed), told)
        assert {frozenset(np.flatnonzero(m).tolist()) for m in other} == found
        assert other_doubt == doubt
    order = data.draw(st.permutations(range(len(boxes))))
    parts = parts_of(boxes)
    shuffled = Parts(
        parts.xyxy[order], parts.score[order], parts.component[order], parts.anchor[order],
        parts.most, parts.least, parts.floor,
    )  # fmt: skip
    other, other_doubt = group(shuffled, told)
    assert {frozenset(order[i] for i in np.flatnonzero(m)) for m in other} == found
    assert other_doubt == doubt
