"""Observations: what multimodal models say they see joins what the detectors found, before the rules.

An observer's numbers are votes beside the detectors' (`rules_kernel/fusion/vote.py`): with its weight
and `confidence` for a number above 0, with its weight and `reliability` for "none". They vote in every
reading of an image on its own: a reading is one account of what the detector saw, and there the
detector's vote is what it counts in this reading, with the mean score of the boxes that are in it.

Observations are about a picture. Where it was told apart into several subjects nobody knows whose they
are, and where an observer takes it for another kind of thing they are about that: then they stay in the
row and count for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from physgauge.ensemble.domains import Domain
from physgauge.ensemble.fuse import Fused
from physgauge.ensemble.readings import Readings
from physgauge.ensemble.sources import Ballots
from physgauge.ensemble.subjects.worst import Whose
from physgauge.language_settings import ObserverSettings
from physgauge.types import F32, I64, Bools
from physgauge.wire import Observation, Outcome

MEANS: Final[Mapping[str, frozenset[str]]] = {
    "on": frozenset({"at"}),
    "in": frozenset({"inside"}),
    "at_end_of": frozenset({"at_front", "at_rear"}),
}
"""Words of packs' facts for what observers say in the words of the specifications."""

Heard = tuple[tuple[Observation, ...], ...]
"""Per subject, the observations that count for it."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What came of one observer's look at one image."""

    source: str
    """The observer's name."""
    outcome: Outcome
    domain: str | None = None
    """What it takes the picture to show; None: nothing known, or no answer."""
    observations: tuple[Observation, ...] = ()
    rejected: int = 0
    """Statements that could not be used."""
    reason: str | None = None
    """Why there is nothing."""


def listen(
    readings: Readings,
    whose: Whose,
    sights: Sequence[Sequence[Sight]],
    observers: Sequence[ObserverSettings],
    domains: Mapping[str, Domain],
) -> tuple[Readings, Heard]:
    """The readings with counts that observers have voted on, and what counts for each subject.

    Args:
        readings: of M subjects of B images, made by detectors.
        whose: which image each subject is in.
        sights: [B] what each observer saw; in any order, or nothing.
        observers: how far each is trusted, by name.
        domains: packs.
    """
    subjects = [int(r) for r in readings.likeliest]
    alone = np.bincount(whose.image, minlength=len(sights)) == 1
    mine: list[tuple[Sight, ...]] = []
    for subject, reading in enumerate(subjects):
        image, domain = int(whose.image[subject]), readings.fused.domain[reading]
        one = alone[image] and domain is not None
        mine.append(tuple(s for s in sights[image] if one and counts(s, domain)))
    heard = tuple(tuple(o for s in some for o in s.observations) for some in mine)
    if not any(heard) or readings.fused.ballots is None:
        return readings, heard
    fused = _with_classes(readings.fused, domains, heard, subjects)
    places = {name: column for column, name in enumerate(fused.classes)}
    rows = np.flatnonzero([bool(heard[m]) for m in readings.image])
    ballots = _detectors(fused, whose, readings.image, rows)
    for observer in observers:
        said = np.full((len(rows), len(places)), np.nan, np.float32)
        for at, reading in enumerate(rows.tolist()):
            subject = int(readings.image[reading])
            own = [s for s in mine[subject] if s.source == observer.name]
            for name, number in numbers(own).items():
                column = places.get(f"{fused.domain[reading]}.{name}")
                if column is not None:
                    said[at, column] = number
        ballots = _joined(ballots, said, observer)
    voted = fused.counts.copy()
    voted[rows] = ballots.elect()
    return replace(readings, fused=replace(fused, counts=voted)), heard


def counts(sight: Sight, domain: str | None) -> bool:
    """Whether an observer speaks of the same kind of thing."""
    return sight.outcome == "answered" and sight.domain is not None and sight.domain == domain


def numbers(sights: Sequence[Sight]) -> dict[str, int]:
    """The number that a source states of each part; none where it states two different ones."""
    stated: dict[str, set[int]] = {}
    for sight in sights:
        for one in sight.observations:
            if one.count is not None:
                stated.setdefault(one.component, set()).add(one.count)
    return {name: min(some) for name, some in stated.items() if len(some) == 1}


def said(facts: Sequence[tuple[str, str, str]], heard: Sequence[Sequence[Observation]]) -> Bools:
    """[B, K] which of a pack's (component, relation, reference) facts any observer has stated of each of
    B images."""
    found = np.zeros((len(heard), len(facts)), np.bool_)
    for row, observations in enumerate(heard):
        stated = {(o.component, o.relation, o.reference) for o in observations if o.count != 0}
        for column, (component, relation, reference) in enumerate(facts):
            words = {relation} | MEANS.get(relation, frozenset())
            found[row, column] = any((component, word, reference) in stated for word in words)
    return found


def _with_classes(
    fused: Fused, domains: Mapping[str, Domain], heard: Heard, subjects: Sequence[int]
) -> Fused:
    """With a column for every part of a pack that an observer has counted and no detector looks for."""
    wanted: dict[str, None] = {}
    for observations, reading in zip(heard, subjects, strict=True):
        domain = domains.get(fused.domain[reading] or "")
        for one in observations:
            if domain is not None and one.component in domain.pack.components:
                wanted.setdefault(f"{domain.name}.{one.component}")
    new = tuple(name for name in wanted if name not in fused.classes)
    if not new or fused.ballots is None:
        return fused
    b = fused.ballots
    return replace(
        fused,
        classes=(*fused.classes, *new),
        counts=_wider(fused.counts, len(new)),
        ballots=replace(
            b, counts=_wider(b.counts, len(new)), confidence=_wider(b.confidence, len(new))
        ),
    )


def _wider(values: F32, by: int) -> F32:
    return np.concatenate([values, np.full((*values.shape[:-1], by), np.nan, np.float32)], axis=-1)


def _detectors(fused: Fused, whose: Whose, subject: I64, rows: I64) -> Ballots:
    """The detectors' votes on the readings `rows`: several detectors' as they were (their images are read
    once), a single one's by what it counts in each reading."""
    ballots = fused.ballots
    assert ballots is not None
    if len(ballots.counts) > 1:
        image = whose.image[subject[rows]]
        return replace(
            ballots, counts=ballots.counts[:, image], confidence=ballots.confidence[:, image]
        )
    confidence = np.zeros((1, len(rows), len(fused.classes)), np.float32)
    for at, reading in enumerate(rows.tolist()):
        span = fused.boxes.of(reading)
        label = fused.boxes.label[span]
        number = np.bincount(label, minlength=len(fused.classes))
        total = np.bincount(label, fused.boxes.score[span], len(fused.classes))
        np.divide(total, number, out=confidence[0, at], where=number > 0, casting="unsafe")
    return replace(ballots, counts=fused.counts[rows][None], confidence=confidence)


def _joined(ballots: Ballots, said: F32, observer: ObserverSettings) -> Ballots:
    """With one voter more."""
    sure = np.full_like(said, observer.confidence)
    return Ballots(
        np.concatenate([ballots.counts, said[None]]),
        np.concatenate([ballots.confidence, sure[None]]),
        np.append(ballots.weight, observer.weight),
        np.append(ballots.reliability, observer.reliability),
    )
