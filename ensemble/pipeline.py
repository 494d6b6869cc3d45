"""The main path: images in, one result row each, in input order.

    decode -> detect -> fuse -> tell apart -> read -> listen -> rules -> reason -> aggregate -> row
           -> look -------------------------------^------------------------------>

`Pipeline._rows` is the upper line; where the profile has a judge, he looks at the same images
meanwhile, each on its own (`ensemble/beside.py`), and what he observes is listened to before the rules.
An image that cannot be decoded, or a caption that cannot be used, becomes an error row in its place; the
others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np

from physgauge import wire
from physgauge.clients.boxes import Entry
from physgauge.config import LoadedProfile, ReadingSettings
from physgauge.ensemble.aggregate import (
    Context,
    Subject,
    error_row,
    known_row,
    rows_of,
    rows_without_pcmde,
)
from physgauge.ensemble.batches import in_batches
from physgauge.ensemble.beside import Begun, Beside, Scored, Steps, at_once, reason
from physgauge.ensemble.boxes import detections_of, subject_of
from physgauge.ensemble.clock import Clock
from physgauge.ensemble.detect import OnnxDetector, merge
from physgauge.ensemble.domains import Domains, load_domains
from physgauge.ensemble.feed import Broken, Feed, Known, Pixels, without_known
from physgauge.ensemble.fuse import Fused, fuse
from physgauge.ensemble.judge.look import Look
from physgauge.ensemble.judge.looking import Looking, with_looks
from physgauge.ensemble.methods import Methods
from physgauge.ensemble.observations import Heard, listen
from physgauge.ensemble.options import Options
from physgauge.ensemble.readings import floor, read
from physgauge.ensemble.rules import apply_rules
from physgauge.ensemble.subjects.apart import Apart, tell_apart
from physgauge.ensemble.whereabouts import whereabouts
from physgauge.errors import ConfigError, InputError
from physgauge.types import U8, Detections, Item

__all__ = ["Options", "Pipeline", "Scored"]

BOXES_PER_CALL = 256
"""Records of `score_boxes` evaluated together."""
BATCH_PIXEL_BYTES = 192 * 2**20
"""A batch that holds this much is full, however few images it has: 64 Mpx are 192 MiB."""


class Pipeline:
    """All stages of one deployment, in this process; use as a context manager.

    Args:
        loaded: the profile.
        options: the caller's choices.
        detect: False = boxes come from elsewhere (`score_boxes` only): no detector, no decode workers.
        looking: another judge than the profile's; closed with the pipeline.

    Raises:
        ConfigError: a profile, pack, specification or option that is wrong.
        EnvironmentProblem: a model file or library that is missing.
    """

    def __init__(
        self,
        loaded: LoadedProfile,
        options: Options | None = None,
        *,
        detect: bool = True,
        looking: Looking | None = None,
    ) -> None:
        options = options or Options()
        self._profile = profile = loaded.profile
        threads = profile.run.threads if options.threads is None else options.threads
        judge = profile.judge if looking is None else looking.settings
        self._methods = methods = (
            Methods.of(options.method, profile, judge) if detect else Methods.of_boxes(profile)
        )
        rules = methods.detects or not detect
        self._domains = load_domains(loaded, options.packs, threads) if rules else Domains({})
        self._domain = None if options.domain == "auto" else options.domain
        self._known_domains = tuple(self._domains.by_name if rules else profile.packs)
        if self._domain is not None and self._domain not in self._known_domains:
            known = ", ".join(["auto", *self._known_domains])
            raise ConfigError(f"domain: expected one of {known}, got {self._domain!r}")
        self._detectors: list[OnnxDetector] = []
        self._feed: Feed | None = None
        self._looking = looking
        if methods.detects:
            self._detectors = [OnnxDetector.of(loaded, s, threads) for s in profile.detectors]
        if detect:
            workers = profile.run.workers if options.workers is None else options.workers
            self._feed = Feed(profile, workers)
        if methods.judges:
            try:
                self._looking = looking or Looking.of(loaded)
            except BaseException:
                if self._feed is not None:
                    self._feed.close()
                raise
        # Boxes from elsewhere are taken as they are: nobody asked us to drop any.
        self._fusion = profile.fuse if detect else None
        self._reading = profile.readings if detect else ReadingSettings()
        card = self._looking.card if self._looking else None
        self._context = Context.of(
            profile, self._domains, self._detectors, card, methods.no_terravis
        )

    def score(
        self, items: Iterable[Item], known: Callable[[Pixels], bool] | None = None
    ) -> Iterator[Scored]:
        """One `Scored` per item, in order; reads ahead only as far as keeps the stages busy.

        Args:
            items: the images.
            known: asked about each image, in order, as soon as it is decoded; where it says True, the
                caller has what the other stages would say, and gets a row of `aggregate.known_row`.
        """
        if self._feed is None:
            raise ConfigError("expected a pipeline with a detector, got one made with detect=False")
        size = self._profile.run.batch_size
        with Beside(self._looking, self._methods.looks, self._methods.method) as beside:
            decoded: Iterator[Pixels | Broken | Known]
            decoded = self._feed.decode(map(self._with_domain, items))
            if known is not None:
                decoded = without_known(decoded, known)
            begun = map(beside.begin, decoded)
            for batch in in_batches(begun, size, lambda one: one.size, BATCH_PIXEL_BYTES):
                yield from beside.take(batch, self._score_decoded(batch))
            yield from beside.rest()

    def _score_decoded(self, batch: Sequence[Begun]) -> Steps[list[Scored]]:
        """Rows of images that went through the feed."""
        looks = [one.look for one in batch if one.look is not None]
        try:
            good = [one.pixels for one in batch if isinstance(one.pixels, Pixels)]
            images = [one.decoded.rgb for one in good]
            subjects = [Subject.of_pixels(one) for one in good]
            rows = self._rows if self._methods.no_pcmde is None else self._rows_looked_at
            made = yield from rows(subjects, lambda: self._detect(images), images, looks)
        finally:
            for look in looks:
                look.cancel()
        made_rows = iter(made)
        return [self._scored(one.pixels, made_rows) for one in batch]

    def _scored(self, pixels: Pixels | Broken | Known, rows: Iterator[wire.Row]) -> Scored:
        """With the next of the rows, where they hold the image's."""
        match pixels:
            case Pixels():
                return Scored(next(rows), pixels.decoded.rgb)
            case Known():
                return Scored(known_row(pixels, self._context), None)
            case Broken():
                return Scored(error_row(pixels.item, pixels.error, self._context), None)

    def _with_domain(self, item: Item) -> Item:
        """What it is said to show; nobody's word for it stays None."""
        if item.domain in (None, "auto") or item.error is not None:
            return replace(item, domain=self._domain)
        if item.domain in self._known_domains:
            return item
        known = ", ".join(["auto", *self._known_domains])
        error = InputError("domain_unknown", f"expected one of {known}, got {item.domain!r:.80}")
        return replace(item, data=None, error=error)

    def score_boxes(self, entries: Iterable[Entry], source: str) -> Iterator[wire.Row]:
        """One row per record of boxes from elsewhere, in order.

        Args:
            entries: records, or an image id with what is wrong with its record.
            source: where they come from, for the rows.
        """
        for batch in in_batches(entries, BOXES_PER_CALL):
            yield from self._score_records(batch, source)

    def _score_records(self, batch: Sequence[Entry], source: str) -> list[wire.Row]:
        checked = [subject_of(entry, source, self._profile, self._domains) for entry in batch]
        good = [one for one in checked if isinstance(one, Subject)]
        rows = iter(at_once(self._rows(good, lambda: detections_of(good, self._domains))))
        return [
            next(rows) if isinstance(one, Subject) else error_row(*one, self._context)
            for one in checked
        ]

    def _rows(
        self,
        subjects: Sequence[Subject],
        detect: Callable[[], Detections],
        images: Sequence[U8] = (),
        looks: Sequence[Future[Look]] = (),
    ) -> Steps[list[wire.Row]]:
        """The stages after decode, one line each; it yields what it waits for.

        Args:
            subjects: the images.
            detect: what is found in them.
            images: their pixels.
            looks: the judge's looks at them, where he is at it already.
        """
        if not subjects:
            yield []
            return []
        clock, domains = Clock(len(subjects)), self._domains
        captions = [subject.caption for subject in subjects]
        size = np.array([(s.width, s.height) for s in subjects], np.float32)
        detections = clock.time("detect", lambda: domains.clear(detect()))
        fused = clock.time("fuse", lambda: self._fuse(detections, subjects))
        apart = clock.time("tell_apart", lambda: self._tell_apart(fused, captions))
        readings = clock.time("read", lambda: read(apart.fused, self._reading, domains.literal))
        sizes = size[apart.whose.image]
        heard: Heard = ()
        looks = looks or self._look_closer(subjects, fused, images)
        if looks and self._profile.observers:
            sights = [look.sights for look in (yield looks)]
            readings, heard = listen(
                readings, apart.whose, sights, self._profile.observers, domains.by_name
            )
        ruled = clock.time(
            "rules", lambda: apply_rules(readings, apart.facts, sizes, domains, heard)
        )
        reasoned = yield from reason(ruled, readings, self._profile, self._looking, clock)
        rows = rows_of(subjects, apart.whose, readings, ruled, reasoned, clock.ms, self._context)
        return self._with(rows, (yield looks))

    def _rows_looked_at(
        self,
        subjects: Sequence[Subject],
        detect: Callable[[], Detections],
        images: Sequence[U8],
        looks: Sequence[Future[Look]],
    ) -> Steps[list[wire.Row]]:
        """As `_rows`, where PCMDE is left out."""
        clock = Clock(len(subjects))
        if subjects and self._methods.detects:
            detections = clock.time("detect", lambda: self._domains.clear(detect()))
            looks = self._look_closer(subjects, self._fuse(detections, subjects), images)
        reason = self._methods.no_pcmde or ""
        return self._with(
            rows_without_pcmde(subjects, reason, clock.ms, self._context), (yield looks)
        )

    def _look_closer(
        self, subjects: Sequence[Subject], fused: Fused, images: Sequence[U8]
    ) -> list[Future[Look]]:
        """The looks of a judge who has to know first what is detected."""
        looking, methods = self._looking, self._methods
        if looking is None or not images or not (methods.looks and looking.after_detection):
            return []
        size = np.array([(s.width, s.height) for s in subjects], np.float32)
        boxes = whereabouts(subjects, fused, size, self._reading, self._domains, self._context)
        pairs = zip(images, boxes, strict=True)
        return [looking.begin(image, around, method=methods.method) for image, around in pairs]

    def _with(self, rows: list[wire.Row], looks: list[Look]) -> list[wire.Row]:
        if self._looking is None or not looks:
            return rows
        counts = self._methods.no_terravis is None
        return with_looks(rows, looks, self._looking.card.counting if counts else None)

    def _detect(self, images: Sequence[U8]) -> Detections:
        found = [d.detect(images, floor(d.settings, self._reading)) for d in self._detectors]
        return merge(found)

    def _fuse(self, detections: Detections, subjects: Sequence[Subject]) -> Fused:
        said = [subject.domain or self._domain for subject in subjects]
        return fuse(detections, self._fusion, said, self._profile.detectors)

    def _tell_apart(self, fused: Fused, captions: Sequence[str | None]) -> Apart:
        return tell_apart(fused, captions, self._domains, whole_view=self._fusion is not None)

    def close(self) -> None:
        """Stop the judge and the decode workers."""
        if self._looking is not None:
            self._looking.close()
        if self._feed is not None:
            self._feed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
