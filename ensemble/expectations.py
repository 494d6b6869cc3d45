"""What caption, type and view lead one to expect: fewest and most of each component, and tags.

The specification decides. A caption that asks for something else ("a DC-10 with four engines", "a winged
horse") is a contradiction, reported in words; only a stated loss ("missing a wheel", "without a tail")
lowers what must be seen. A type left open is any realistic one of the domain: those that the caption's
numbers allow and, where counts are given, those that fit them best. (`literal`, for packs of published
rules: what the caption states of a part is expected, even against the type.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from physgauge.ensemble.captions.facts import CaptionFacts, Claim
from physgauge.ensemble.contradictions import contradiction, misplaced
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.rules_kernel import NAMED
from physgauge.types import F32, I8, Bools

CAPTIONED: Final = "captioned"
"""The pack's reserved tag: a caption was given."""
MAX_PARTS: Final = 64
"""Most parts of a kind that a likeness is taken to have, where its caption leaves it open."""
MAX_SUBJECTS: Final = 100
"""More subjects than this are as good as unnumbered."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """Of B images of one domain; C components, T tags, in the pack's order."""

    expected_min: F32
    """[B, C] fewest that must be seen; NaN without an expectation."""
    expected_max: F32
    """[B, C] most that there can be; 0 = the type does not have it; NaN without an expectation."""
    tags: Bools
    """[B, T] tags that every type in question carries; "captioned" where there is a caption."""
    types: tuple[tuple[str, ...], ...]
    """Per image, the type ids it is judged against."""
    contradictions: tuple[tuple[str, ...], ...]
    """Per image, sentences: the caption says one thing, the specification another."""


class Expecter:
    """Expectations for one domain: its specification against one pack's components, tags and views."""

    def __init__(
        self,
        spec: DomainSpec,
        components: Sequence[str],
        tags: Sequence[str],
        hidden: F32,
        *,
        literal: bool = False,
    ) -> None:
        """Args:
        spec: the domain's type specification.
        components: the pack's components, C; those the specification lacks have no expectation.
        tags: the pack's tags, T.
        hidden: [C, V] 0..1 share of a component's instances that each view may hide (`Pack.hidden`).
        literal: of a part that the caption names, expect what it says, even against the type and
            whatever the view (`Pack.expect` is "caption").
        """
        if hidden.ndim != 2 or hidden.shape[0] != len(components):
            raise ValueError(f"hidden: expected [{len(components)}, V], got {hidden.shape}")
        self.spec = spec
        self.components = tuple(components)
        self.pack_tags = tuple(tags)
        self._hidden = np.asarray(hidden, np.float64)
        self._literal = literal
        self._ids = tuple(spec.types)
        self._index = {t: i for i, t in enumerate(self._ids)}
        ranges = [[t.counts.get(c) for c in components] for t in spec.types.values()]
        self._low = np.array([[np.nan if r is None else r.low for r in row] for row in ranges])
        self._high = np.array([[np.nan if r is None else r.high for r in row] for row in ranges])
        tables = [spec.components.get(c) for c in components]
        self._salience = np.array([0.0 if t is None else t.salience for t in tables])
        self._slack = [0 if t is None else t.caption_slack for t in tables]

    def __call__(
        self, facts: Sequence[CaptionFacts], view: I8, counts: F32 | None = None
    ) -> Expectations:
        """Expectations of B images.

        Args:
            facts: B captions, read for this domain.
            view: [B] index into VIEWS (columns of `hidden`).
            counts: [B, C] counts that help to choose among types left open; NaN where nobody looked.
        """
        batch, width = len(facts), len(self.components)
        low = np.full((batch, width), np.nan, np.float32)
        high = np.full((batch, width), np.nan, np.float32)
        tags = np.zeros((batch, len(self.pack_tags)), np.bool_)
        types: list[tuple[str, ...]] = []
        contradictions: list[tuple[str, ...]] = []
        for i, one in enumerate(facts):
            seen = None if counts is None else np.asarray(counts[i], np.float64)
            chosen = self.candidates(one, int(view[i]), seen)
            said: list[str] = []
            low[i], high[i] = self._bounds(one, chosen, int(view[i]), said)
            shared = self.spec.tags_of(chosen)
            said_tags = caption_tags(one)
            tags[i] = [t in said_tags or t in shared for t in self.pack_tags]
            types.append(chosen)
            contradictions.append(tuple(said))
        return Expectations(low, high, tags, tuple(types), tuple(contradictions))

    def candidates(
        self, facts: CaptionFacts, view: int, counts: np.ndarray | None = None
    ) -> tuple[str, ...]:
        """Type ids a caption leaves open, narrowed by its numbers and by counts ([C], NaN = unseen).

        Common types come first; others are taken only where a caption's numbers ask for one ("an
        animal with eight legs").
        """
        if len(facts.candidates) == 1 or facts.several:
            return facts.candidates or self.spec.common
        open_types = facts.candidates or self._ids
        claims = [c for c in facts.claims if c.exact and not c.missing and not c.visible]
        fitting = [t for t in open_types if all(self._allows(t, c) for c in claims)] or open_types
        common = tuple(t for t in fitting if self.spec.types[t].common)
        chosen = common or tuple(fitting)
        if counts is None or len(chosen) == 1:
            return chosen
        rows = [self._index[t] for t in chosen]
        misfit = self.misfit(rows, view, counts)
        best = misfit <= misfit.min() + 1e-9
        return tuple(t for t, keep in zip(chosen, best, strict=True) if keep)

    def misfit(self, rows: Sequence[int], view: int, counts: np.ndarray) -> np.ndarray:
        """[len(rows)] how badly counts fit types: surplus counts full, shortage by salience."""
        low = self.visible(self._low[rows], view)
        surplus = np.maximum(counts - self._high[rows], 0)
        short = np.maximum(low - counts, 0) * self._salience
        return np.asarray(np.nansum(surplus, axis=1) + np.nansum(short, axis=1))

    def visible(self, low: np.ndarray, view: int) -> np.ndarray:
        """Fewest in view, of the fewest there are ([..., C]): n - ceil(n * hidden share)."""
        share = self._hidden[:, min(max(view, 0), self._hidden.shape[1] - 1)]
        return np.asarray(np.maximum(low - np.ceil(low * share - 1e-6), 0))

    def _stated(self, facts: CaptionFacts, low: np.ndarray) -> np.ndarray:
        """Fewest of each part ([C]): where the caption names it, what it states less what may be hidden
        (one wheel or leg), but at least one; else `low`."""
        fewest = low.copy()
        for j, component in enumerate(self.components):
            stated = [c.low for c in facts.claims if c.component == component and c.low > 0]
            if stated and not facts.several:
                fewest[j] = max(max(stated) - self._slack[j], 1)
        return fewest

    def _allows(self, type_id: str, claim: Claim) -> bool:
        own = self.spec.types[type_id].counts[claim.component]
        return claim.low <= own.high and (claim.high is None or claim.high >= own.low)

    def _bounds(
        self, facts: CaptionFacts, types: tuple[str, ...], view: int, said: list[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fewest in view and most there can be ([C] each); contradictions are added to `said`."""
        rows = [self._index[t] for t in types]
        low, high = self._low[rows].min(axis=0), self._high[rows].max(axis=0)
        least, slack = np.zeros(len(self.components)), np.zeros(len(self.components))
        by_name = {c: j for j, c in enumerate(self.components)}
        for claim in facts.claims:
            own = self.spec.range(claim.component, types)
            if own is None:
                continue
            words = contradiction(facts, self.spec, types, claim, own)
            if words and not facts.likeness:
                said.append(words)
            j = by_name.get(claim.component)
            if j is None or facts.several:
                continue
            if words and facts.likeness:
                low[j], high[j] = claim.low, (MAX_PARTS if claim.high is None else claim.high)
            elif claim.missing:
                low[j] = max(low[j] - claim.missing, 0)
            elif claim.high == 0:
                low[j] = 0
                high[j] = high[j] if words else 0
            elif not words and claim.visible:
                least[j] = max(least[j], claim.low)
            elif not words:
                low[j] = max(low[j], claim.low)
                high[j] = high[j] if claim.high is None else min(high[j], claim.high)
                slack[j] = self._slack[j]
        for relation in facts.relations:
            words = misplaced(facts, self.spec, types, relation)
            if words:
                said.append(words)
        fewest = np.maximum(self.visible(low, view), least)
        fewest = np.where(slack > 0, np.minimum(fewest, np.maximum(low - slack, 0)), fewest)
        if self._literal:
            fewest = self._stated(facts, fewest)
        return fewest, high * _subjects(facts) if facts.several else high


def caption_tags(facts: CaptionFacts) -> set[str]:
    """The tags that the caption itself sets: "captioned", and "named C" for each part C that it gives
    its subject (one subject; a part it says is missing is not named)."""
    if facts.caption is None:
        return set()
    claims = () if facts.several else facts.claims
    return {CAPTIONED, *(NAMED + c.component for c in claims if c.low > 0)}


def _subjects(facts: CaptionFacts) -> float:
    """How many subjects of the domain there are; NaN (no upper bound) where the caption is silent."""
    total = 0
    for subject in facts.subjects:
        if subject.domain == facts.domain:
            if subject.count is None or subject.count > MAX_SUBJECTS:
                return float("nan")
            total += subject.count
    return float(total)
