"""Question 2: is every part where the specification puts it? Judged on boxes, graded by distance.

Relations hold in the mirror image and at any size: lengths are shares of the subject's diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from physgauge.ensemble.judge.evidence import all_of, carries, containment, gap, hull, middle_of
from physgauge.ensemble.judge.reason_input import PartBox, ReasonInput
from physgauge.ensemble.judge.rubric import Finding, Severity
from physgauge.ensemble.specifications.file import PlaceTable, RelationTable
from physgauge.ensemble.wording import article

ADRIFT: Final = 0.12
"""A gap beyond the allowed one by this share of the diagonal: the part floats, which is impossible."""
CLEAR: Final = 0.06
"""Beyond a bound by this share of the diagonal, evidence is beyond doubt."""
UNSEEN_REFERENCE: Final = 0.4
"""What a wrong place carries where another instance of the reference may be unseen."""

Xyxy = tuple[float, float, float, float]


def misplaced(given: ReasonInput) -> Iterator[Finding]:
    """Findings about parts that are not where every member, or the one type, has them."""
    own = [b for b in given.boxes if b.component in given.spec.components]
    if len(own) < 2:
        return
    x0, y0, x1, y1 = hull(own)
    diagonal = math.hypot(x1 - x0, y1 - y0)
    if not diagonal > 0:
        return
    for place in given.spec.places:
        if place.views and given.view not in place.views:
            continue
        yield from _place(given, own, place, diagonal)
    if len(given.types) == 1:
        for relation in given.spec.types[given.types[0]].relations:
            yield from _relation(given, own, relation, diagonal)


def _place(
    given: ReasonInput, own: Sequence[PartBox], place: PlaceTable, diagonal: float
) -> Iterator[Finding]:
    """Each instance stands so to one of the references at least (`between`: to both)."""
    found = [_reference(given, own, name) for name in place.references]
    if place.relation == "between":
        yield from _between(own, place, found)
        return
    references = [r for boxes in found for r in boxes]
    unseen = any(_unseen(given, name) for name in place.references)
    for box in own:
        if box.component != place.component or not references:
            continue
        others = [r for r in references if r[0] != box.xyxy] or references
        wrong = min(_beyond(place.relation, box.xyxy, r, place.within, diagonal) for r, _ in others)
        if wrong > 0:
            sure = all_of([carries(box.score), carries(max(score for _, score in others))])
            yield _stray(place, wrong, sure * (UNSEEN_REFERENCE if unseen else 1.0))


def _between(
    own: Sequence[PartBox], place: PlaceTable, ends: Sequence[Sequence[tuple[Xyxy, float]]]
) -> Iterator[Finding]:
    """Each instance's middle lies on the way from one end to the other; the ends must be one each."""
    if any(len(end) != 1 for end in ends):
        return
    (first, sure_first), (second, sure_second) = ends[0][0], ends[1][0]
    (ax, ay), (bx, by) = middle_of(first), middle_of(second)
    length = (bx - ax) ** 2 + (by - ay) ** 2
    for box in own:
        if box.component == place.component and length > 0:
            x, y = middle_of(box.xyxy)
            along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
            wrong = place.within - min(along, 1 - along)
            if wrong > 0:
                sure = all_of(carries(s) for s in (box.score, sure_first, sure_second))
                yield _stray(place, wrong, sure)


def _stray(place: PlaceTable, wrong: float, sure: float) -> Finding:
    """A part that is not where it should be, by a share of the subject's size."""
    adrift = place.relation == "at" and wrong >= ADRIFT
    part, where = _name(place.component), " or ".join(_name(r) for r in place.references)
    if place.relation == "between":
        where = " and ".join(_name(r) for r in place.references)
    how = "floats away from" if adrift else f"is not {_words(place.relation)}"
    return Finding(
        question=3 if adrift else 2,
        severity=Severity.CRITICAL if adrift else Severity.MAJOR,
        strength=sure * (0.4 + 0.6 * min(wrong / CLEAR, 1)),
        about=place.component,
        sentence=f"{article(part)} {part} {how} the {where}: off by {100 * wrong:.0f} % of the size",
    )


def _relation(
    given: ReasonInput, own: Sequence[PartBox], relation: RelationTable, diagonal: float
) -> Iterator[Finding]:
    """At least so many instances stand so to the reference; those that a view hides don't count."""
    boxes = [b for b in own if b.component == relation.component]
    references = _reference(given, own, relation.reference)
    if not references or not boxes or _unseen(given, relation.reference):
        return
    wrong = sorted(
        (min(_beyond(relation.relation, b.xyxy, r, 0.04, diagonal) for r, _ in references), b.score)
        for b in boxes
    )
    total = given.spec.types[given.types[0]].counts[relation.component].high
    elsewhere = max(total - relation.at_least, 0)
    stray = [(w, s) for w, s in wrong if w > 0][elsewhere:]
    if not stray:
        return
    title = given.spec.types[given.types[0]].title
    worst, score = max(stray)
    yield Finding(
        question=2,
        severity=Severity.MAJOR,
        strength=carries(score) * (0.3 + 0.6 * min(worst / CLEAR, 1)),
        about=relation.component,
        sentence=(
            f"{title}: {relation.at_least} {_name(relation.component)}(s) should be "
            f"{_words(relation.relation)} the {_name(relation.reference)}; "
            f"{len(stray)} of {len(boxes)} seen {'is' if len(stray) == 1 else 'are'} not"
        ),
    )


def _reference(given: ReasonInput, own: Sequence[PartBox], name: str) -> list[tuple[Xyxy, float]]:
    """Boxes (and scores) of a component's instances, or the one box around a reference's parts."""
    if name in given.spec.components:
        return [(b.xyxy, b.score) for b in own if b.component == name]
    parts = [b for b in own if b.component in given.spec.references[name].of]
    return [(hull(parts), max(b.score for b in parts))] if parts else []


def _unseen(given: ReasonInput, name: str) -> bool:
    """Whether the type may have more of a reference than are seen."""
    if name not in given.spec.components:
        return False
    own = given.spec.range(name, given.types)
    seen = sum(b.component == name for b in given.boxes)
    return own is not None and seen < own.low


def _beyond(relation: str, part: Xyxy, reference: Xyxy, within: float, diagonal: float) -> float:
    """How far a part is beyond where the relation holds, as a share of the diagonal; <= 0: it holds."""
    cy, middle = middle_of(part)[1], middle_of(reference)[1]
    match relation:
        case "at" | "beside" | "at_rear" | "at_front":
            return gap(part, reference) / diagonal - within
        case "inside":
            return (1 - within - containment(part, reference)) * 2 * CLEAR
        case "below":
            return (middle - cy) / diagonal - within
        case "above":
            return (cy - middle) / diagonal - within
        case "at_bottom":
            return (middle - part[3]) / diagonal - within
        case "at_top":
            return (part[1] - middle) / diagonal - within
        case _:
            return 0.0


def _name(component: str) -> str:
    return component.replace("_", " ")


def _words(relation: str) -> str:
    return {"at_bottom": "at the bottom of", "at_top": "at the top of", "at_rear": "at the rear of",
            "at_front": "at the front of"}.get(relation, relation.replace("_", " "))  # fmt: skip
