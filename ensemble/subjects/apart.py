"""Tell apart: each subject of a picture becomes an image of its own for the stages that follow.

Boxes that reach their detector's threshold decide who is there; every other box goes to the subject that
it is nearest to. All readings of a picture share its subjects. A pack without a `[subject]` table (the
published ones) judges all parts of a picture as one subject's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from physgauge.ensemble.captions.facts import CaptionFacts
from physgauge.ensemble.domains import Domain, Domains
from physgauge.ensemble.fuse import Fused, count
from physgauge.ensemble.subjects.cuts import Parts, apart
from physgauge.ensemble.subjects.grouping import CLEAR, group
from physgauge.ensemble.subjects.told import Told, of_each
from physgauge.ensemble.subjects.worst import Whose
from physgauge.types import F32, I64, Bools, Boxes


@dataclass(frozen=True, slots=True)
class Apart:
    """M subjects of B images, those of an image together."""

    fused: Fused
    """The subjects as images."""
    facts: tuple[CaptionFacts | None, ...]
    """[M] what the caption says of each; None without a domain."""
    whose: Whose
    """Which image and boxes each has."""


@dataclass(frozen=True, slots=True)
class _One:
    """A subject of an image."""

    domain: str | None
    facts: CaptionFacts | None
    mine: Bools | None = None
    """[n] its boxes among the image's; None: all."""
    reason: str | None = None
    """Why it cannot be judged."""


def tell_apart(
    fused: Fused, captions: Sequence[str | None], domains: Domains, *, whole_view: bool = True
) -> Apart:
    """The subjects of a batch.

    Args:
        fused: what B images show.
        captions: [B] checked captions.
        domains: packs and specifications.
        whole_view: views are a detector's word about the whole picture, so they hold for a picture of one
            subject only.
    """
    reader = _Reader(fused, captions, domains)
    every = [reader.subjects(i) for i in range(len(captions))]
    image = np.repeat(np.arange(len(every)), [len(ones) for ones in every])
    ones = [one for several in every for one in several]
    return Apart(
        fused=_as_images(fused, image, ones, whole_view=whole_view),
        facts=tuple(one.facts for one in ones),
        whose=Whose(
            image,
            tuple(
                None
                if one.mine is None
                else tuple(np.flatnonzero(one.mine[fused.clear[fused.boxes.of(i)]]).tolist())
                for i, one in zip(image.tolist(), ones, strict=True)
            ),
        ),
    )


class _Reader:
    """Finds the subjects of one image after the other."""

    def __init__(self, fused: Fused, captions: Sequence[str | None], domains: Domains) -> None:
        self.fused, self.captions, self.domains = fused, captions, domains
        self.known: dict[tuple[str | None, str], CaptionFacts] = {}
        split = [name.partition(".") for name in fused.classes]
        names = [(owner, part) for owner, _, part in split]
        self.owner = np.array([owner for owner, _ in names])
        self.classes = {
            name: _Classes.of(domain, names)
            for name, domain in domains.by_name.items()
            if domain.pack.single is not None
        }
        seen = count(fused.boxes.where(fused.clear), len(fused.classes))
        self.crowded = {n: (seen > c.most).sum(1) > 1 for n, c in self.classes.items()}
        """Per domain, [B] whether there may be several, by the anchors alone."""
        self.seen = {n: (seen[:, c.anchor] > 0).sum(1) for n, c in self.classes.items()}
        """Per domain, [B] different anchors seen."""

    def facts(self, caption: str | None, domain: str) -> CaptionFacts:
        """The caption, read for a domain."""
        key = caption, domain
        if key not in self.known:
            self.known[key] = self.domains.by_name[domain].captions.parse(caption, domain)
        return self.known[key]

    def subjects(self, image: int) -> list[_One]:
        """The subjects of one image; itself as one, mostly."""
        main, caption = self.fused.domain[image], self.captions[image]
        if main is None:
            return self._unsure(image)
        if main not in self.domains.by_name:
            return [_One(main, None)]
        facts = self.facts(caption, main)
        if main not in self.classes:
            return [_One(main, facts)]
        others = self._others(image, main)
        if not others and not Told.of(facts).several and not self.crowded[main][image]:
            return [_One(main, facts)]
        return self._apart(image, main, others)

    def _unsure(self, image: int) -> list[_One]:
        """The subjects of an image whose domain is open: whole ones of several domains, or nothing."""
        likely = self.fused.likely[image]
        if likely is not None and likely in self.classes:
            domains = [likely, *self._others(image, likely)]
            whole = [name for name in domains if self._parts(image, name)[0].whole]
            if len(whole) > 1 and whole[0] == likely:
                return self._apart(image, likely, whole[1:])
        return [_One(None, None)]

    def _others(self, image: int, main: str) -> list[str]:
        """Other domains of which there is a subject: one that the caption names, or a whole one that
        stands clearly apart."""
        found: list[str] = []
        if not self._parts(image, main)[1].size:
            return found
        for name, classes in self.classes.items():
            if name == main or not self.seen[name][image]:
                continue
            facts = self.facts(self.captions[image], name)
            if not Told.of(facts).named:
                if self.seen[name][image] < classes.least:
                    continue
                own, other = self._parts(image, main)[0], self._parts(image, name)[0]
                if not (own.whole and other.whole and apart(own.xyxy, other.xyxy) >= CLEAR):
                    continue
            found.append(name)
        return found

    def _parts(self, image: int, domain: str) -> tuple[Parts, I64]:
        """The clear boxes of a domain, and which of the image's boxes they are."""
        boxes, classes = self.fused.boxes, self.classes[domain]
        span = boxes.of(image)
        label = boxes.label[span]
        index = np.flatnonzero((self.owner[label] == domain) & self.fused.clear[span])
        return classes.parts(boxes.xyxy[span][index], boxes.score[span][index], label[index]), index

    def _apart(self, image: int, main: str, others: list[str]) -> list[_One]:
        caption = self.captions[image]
        span = self.fused.boxes.of(image)
        number = span.stop - span.start
        named = {d: Told.of(self.facts(caption, d)) for d in (main, *others)}
        subjects: list[tuple[str, Bools]] = []
        for domain, told in named.items():
            parts, index = self._parts(image, domain)
            masks, doubt = group(parts, told)
            if doubt is not None:
                reason = f"several subjects ({domain}) that cannot be told apart: {doubt}"
                return [_One(main, self.facts(caption, main), reason=reason)]
            for mask in masks:
                mine = np.zeros(number, np.bool_)
                mine[index[mask]] = True
                subjects.append((domain, mine))
        facts = {d: self._facts_of_each(image, d, named) for d in named}
        if len(subjects) == 1:
            return [_One(main, facts[main])]
        boxes = self.fused.boxes
        subjects = _largest_first(boxes.xyxy[span], boxes.score[span], subjects)
        self._give_rest(image, subjects)
        return [_One(domain, facts[domain], mine) for domain, mine in subjects]

    def _facts_of_each(self, image: int, domain: str, named: dict[str, Told]) -> CaptionFacts:
        """What the caption says of each subject of a domain: nothing, where it names others only."""
        caption, told = self.captions[image], named[domain]
        if not told.named and any(other.named for other in named.values()):
            return self.facts(None, domain)
        spec = self.domains.by_name[domain].expect.spec
        return of_each(self.facts(caption, domain), spec, told.number)

    def _give_rest(self, image: int, subjects: list[tuple[str, Bools]]) -> None:
        """Give every box that is nobody's to the nearest subject, of its own domain if there is one."""
        span = self.fused.boxes.of(image)
        xyxy = self.fused.boxes.xyxy[span].astype(np.float64)
        owner = self.owner[self.fused.boxes.label[span]]
        hulls = np.array([_hull(xyxy[mine]) for _, mine in subjects])
        for index in np.flatnonzero(~np.any([mine for _, mine in subjects], axis=0)):
            likely = [k for k, (d, _) in enumerate(subjects) if d == owner[index]]
            likely = likely or list(range(len(subjects)))
            nearest = min(likely, key=lambda k: _distance(xyxy[index], hulls[k]))
            subjects[nearest][1][index] = True


@dataclass(frozen=True, slots=True)
class _Classes:
    """A domain's anchors among the classes of a batch."""

    component: I64
    """[classes] the pack's component."""
    anchor: I64
    """[K] the class of each anchor."""
    most: F32
    """[classes] the most one subject has; infinite for what is no anchor."""
    least: int
    floor: tuple[int, int]

    @classmethod
    def of(cls, domain: Domain, names: Sequence[tuple[str, str]]) -> _Classes:
        pack = domain.pack
        assert pack.single is not None
        known = {part: k for k, (owner, part) in enumerate(names) if owner == domain.name}
        anchors = [known[name] for name in pack.single.most if name in known]
        most = np.full(len(names), np.inf, np.float32)
        most[anchors] = [n for name, n in pack.single.most.items() if name in known]
        component = np.array([pack.label(part) for _, part in names], np.int64)
        floor = (pack.evidence.components, pack.evidence.boxes)
        return cls(component, np.array(anchors, np.int64), most, pack.single.least, floor)

    def parts(self, xyxy: F32, score: F32, label: np.ndarray) -> Parts:
        """Boxes of the domain as what cuts go through."""
        most = self.most[self.anchor].astype(np.int64)
        anchor = label[:, None] == self.anchor
        return Parts(xyxy, score, self.component[label], anchor, most, self.least, self.floor)


def _largest_first(
    xyxy: F32, score: F32, subjects: list[tuple[str, Bools]]
) -> list[tuple[str, Bools]]:
    """In an order that a mirror image keeps."""

    def size(subject: tuple[str, Bools]) -> tuple[float, float, float]:
        x0, y0, x1, y1 = _hull(xyxy[subject[1]])
        return -round(float((x1 - x0) * (y1 - y0)), 2), float(y0), -float(score[subject[1]].sum())

    return sorted(subjects, key=size)


def _hull(xyxy: np.ndarray) -> np.ndarray:
    return np.concatenate([xyxy[:, :2].min(0), xyxy[:, 2:].max(0)])


def _distance(box: np.ndarray, hull: np.ndarray) -> tuple[float, float]:
    """How far a box is from a hull, and from its middle in sizes of the hull."""
    gap = np.maximum(np.maximum(box[:2] - hull[2:], hull[:2] - box[2:]), 0)
    off = (box[:2] + box[2:] - hull[:2] - hull[2:]) / np.maximum(hull[2:] - hull[:2], 1e-9)
    return round(float(np.hypot(*gap)), 3), round(float(np.hypot(*off)), 6)


def _as_images(fused: Fused, image: I64, ones: Sequence[_One], *, whole_view: bool) -> Fused:
    """The subjects as a batch of images; the very batch where each image is one subject."""
    reason = tuple(one.reason or fused.reason[i] for i, one in zip(image, ones, strict=True))
    if len(ones) == len(fused.domain):
        return replace(fused, reason=reason)
    boxes, spans = fused.boxes, [fused.boxes.of(int(i)) for i in image]
    own = [
        np.arange(span.start, span.stop)
        if one.mine is None
        else span.start + np.flatnonzero(one.mine)
        for span, one in zip(spans, ones, strict=True)
    ]
    index = np.concatenate(own)
    offsets = np.concatenate([[0], np.cumsum([len(k) for k in own])]).astype(np.int64)
    split = np.array([one.mine is not None for one in ones], np.bool_)
    taken = Boxes(
        boxes.xyxy[index], boxes.score[index], boxes.label[index], boxes.source[index], offsets
    )
    clear = fused.clear[index]
    own_counts = count(taken.where(clear), len(fused.classes))
    counts = fused.counts[image]
    # What nobody looks for stays unknown.
    counts = np.where(split[:, None] & ~np.isnan(counts), own_counts, counts)
    seen = split & whole_view
    return replace(
        fused,
        boxes=taken,
        clear=clear,
        counts=counts.astype(np.float32),
        domain=tuple(one.domain for one in ones),
        likely=(None,) * len(ones),
        domain_p=fused.domain_p[image],
        reason=reason,
        view=np.where(seen, 0, fused.view[image]).astype(np.int8),
        looked=fused.looked[image] & ~seen,
    )
