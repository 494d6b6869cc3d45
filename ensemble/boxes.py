"""Boxes from elsewhere take the detector's place: records to `Subject` and `Detections`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from physgauge.clients.boxes import BoxRecord, Entry
from physgauge.config import Profile
from physgauge.ensemble.aggregate import Subject
from physgauge.ensemble.captions.parser import check_caption
from physgauge.ensemble.domains import Domains
from physgauge.errors import BoxesError, InputError
from physgauge.types import VIEWS, Boxes, Detections, Item


def subject_of(
    entry: Entry, source: str, profile: Profile, domains: Domains
) -> Subject | tuple[Item, InputError]:
    """The image a record is about, or its item with what is wrong."""
    if not isinstance(entry, BoxRecord):
        name, error = entry
        return Item(name, None, source), error
    item = Item(entry.image_id, None, source)
    try:
        caption = check_caption(entry.caption, profile.pcmde.max_caption_chars)
        _check_names(entry, domains)
    except InputError as error:
        return item, error
    return Subject(
        image_id=entry.image_id, source=source, caption=caption, extra={},
        width=entry.width, height=entry.height, record=entry,
    )  # fmt: skip


def _check_names(record: BoxRecord, domains: Domains) -> None:
    """Raise BoxesError for a domain, view or label that nobody knows."""
    known = domains.by_name

    def fault(what: str, expected: Sequence[str], got: str) -> BoxesError:
        text = f"{record.image_id}: {what}: expected one of {', '.join(expected)}, got {got!r:.80}"
        return BoxesError("boxes_invalid", text)

    if record.domain is not None and record.domain not in known:
        raise fault("domain", list(known), record.domain)
    if record.view is not None and record.view not in VIEWS:
        raise fault("view", VIEWS, record.view)
    for number, part in enumerate(record.boxes):
        owner, component = _split(part.label, record.domain)
        if owner not in known:
            raise fault(f"boxes[{number}].label", [f"{d}.COMPONENT" for d in known], part.label)
        components = known[owner].pack.components[:-1]
        if component not in components:
            names = [f"{owner}.{c}" for c in components]
            raise fault(f"boxes[{number}].label", names, part.label)


def _split(label: str, domain: str | None) -> tuple[str, str]:
    owner, dot, component = label.partition(".")
    return (owner, component) if dot else (domain or "", label)


def detections_of(subjects: Sequence[Subject], domains: Domains) -> Detections:
    """The records' boxes as a detector would give them.

    An image's domain is its record's, or else the one most of its boxes belong to (the first named, where
    that is a tie).
    """
    names = tuple(domains.by_name)
    classes = tuple(
        f"{name}.{component}"
        for name, domain in domains.by_name.items()
        for component in domain.pack.components[:-1]
    )
    label_of = {name: index for index, name in enumerate(classes)}
    domain_p = np.zeros((len(subjects), len(names) + 1), np.float32)
    view_p = np.zeros((len(subjects), len(VIEWS)), np.float32)
    xyxy: list[list[float]] = []
    score: list[float] = []
    label: list[int] = []
    offsets = [0]
    for image, subject in enumerate(subjects):
        record = subject.record
        assert record is not None
        votes: Counter[str] = Counter()
        for part in record.boxes:
            owner, component = _split(part.label, record.domain)
            xyxy.append(part.box)
            score.append(part.score)
            label.append(label_of[f"{owner}.{component}"])
            votes[owner] += 1
        offsets.append(len(xyxy))
        domain = record.domain or (votes.most_common(1)[0][0] if votes else None)
        domain_p[image, names.index(domain) if domain else -1] = 1
        view_p[image, VIEWS.index(record.view or "unknown")] = 1
    boxes = Boxes(
        np.array(xyxy, np.float32).reshape(-1, 4),
        np.array(score, np.float32),
        np.array(label, np.int16),
        np.zeros(len(xyxy), np.int8),
        np.array(offsets, np.int64),
    )
    return Detections(boxes, classes, names, domain_p, view_p)
