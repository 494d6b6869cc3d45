"""Two judges, or two modes of one, on the same images: where they agree, and where not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from physgauge import wire
from physgauge.errors import ConfigError
from physgauge.evaluate.agreement import Agreement, agreement, tables
from physgauge.evaluate.bootstrap import of_pairs, sums
from physgauge.evaluate.ranks import kendall, spearman
from physgauge.evaluate.result import Correlation, Flip, Parity, Side
from physgauge.types import F64, I8

ELIGIBLE: Final = "eligible"
SCORES: Final = ("terravis.score", "terravis.score_soft", "pcmde.s_final")
COARSE: Final = 5_000
"""Pairs from which correlations are resampled a fifth as often: each takes a sort."""


def parity(
    a: Iterable[wire.Row],
    b: Iterable[wire.Row],
    names: tuple[str, str],
    resamples: int = 1000,
    seed: int = 0,
) -> Parity:
    """Compare two runs image by image.

    Args:
        a: rows of the one.
        b: rows of the other; images are matched by id.
        names: of the two, for people.
        resamples: of the bootstrap.
        seed: of its draws.

    Raises:
        ConfigError: an image twice on one side, or no image on both.
    """
    rows_a, rows_b = _by_id(a, names[0]), _by_id(b, names[1])
    shared = [name for name in rows_a if name in rows_b]
    other = [name for name in shared if _other_pixels(rows_a[name], rows_b[name])]
    pairs = [
        (rows_a[name], rows_b[name])
        for name in shared
        if name not in set(other)
        and rows_a[name].error_code is None
        and rows_b[name].error_code is None
    ]
    if not pairs:
        raise ConfigError(
            f"expected images that both sides have rows for, got none ({names[0]}: {len(rows_a)}, "
            f"{names[1]}: {len(rows_b)}, same name: {len(shared)}, other pixels: {len(other)})"
        )
    categories = _categories(pairs)
    said = [
        np.array([[_answer(pair[k], c) for c in categories] for pair in pairs], np.int8).reshape(
            len(pairs), -1
        )
        for k in (0, 1)
    ]
    probes = [k for k, name in enumerate(categories) if name != ELIGIBLE]
    counted = _agreements(
        [
            (said[0][:, probes], said[1][:, probes]),
            _severities(pairs, categories),
            *((said[0][:, k], said[1][:, k]) for k in range(len(categories))),
        ],
        resamples,
        seed,
    )
    return Parity(
        a=_side(names[0], rows_a, rows_b, [p[0] for p in pairs]),
        b=_side(names[1], rows_b, rows_a, [p[1] for p in pairs]),
        images=len(pairs),
        other_pixels=other,
        resamples=resamples,
        all=counted[0],
        severity=counted[1],
        categories=dict(zip(categories, counted[2:], strict=True)),
        scores={
            name: found
            for name in SCORES
            if (found := _correlation(pairs, name, resamples, seed)).pairs
        },
        flips=_flips(pairs, categories),
    )


def _agreements(answers: list[tuple[I8, I8]], resamples: int, seed: int) -> list[Agreement]:
    """One draw of images serves all: intervals of different categories belong together."""
    each = np.concatenate([tables(a, b) for a, b in answers], axis=1)
    whole, drawn = each.sum(axis=0), sums(each, resamples, seed)
    return [agreement(whole[k : k + 4], drawn[:, k : k + 4]) for k in range(0, each.shape[1], 4)]


def _by_id(rows: Iterable[wire.Row], name: str) -> dict[str, wire.Row]:
    found: dict[str, wire.Row] = {}
    for row in rows:
        if row.image_id in found:
            raise ConfigError(f"{name}: expected each image once, got {row.image_id!r} twice")
        found[row.image_id] = row
    return found


def _other_pixels(a: wire.Row, b: wire.Row) -> bool:
    known = a.pixel_sha256 is not None and b.pixel_sha256 is not None
    return known and a.pixel_sha256 != b.pixel_sha256


def _categories(pairs: list[tuple[wire.Row, wire.Row]]) -> list[str]:
    """Eligibility, and the probes of both in the first's order."""
    seen: list[dict[str, None]] = [{}, {}]
    for pair in pairs:
        for names, row in zip(seen, pair, strict=True):
            names.update(dict.fromkeys(row.terravis.answers))
    return [ELIGIBLE, *(name for name in seen[0] if name in seen[1])]


def _answer(row: wire.Row, category: str) -> int:
    """1 yes, 0 no, -1 not answered."""
    terravis = row.terravis
    one: wire.Answer | wire.Eligible | None = (
        terravis.eligible if category == ELIGIBLE else terravis.answers.get(category)
    )
    if one is None or one.outcome != "answered" or one.answer is None:
        return -1
    return int(one.answer)


def _severities(pairs: list[tuple[wire.Row, wire.Row]], categories: list[str]) -> tuple[I8, I8]:
    code = {"major": 1, "minor": 0, None: -1}

    def graded(row: wire.Row, name: str) -> int:
        one = row.terravis.answers.get(name)
        return code[one.severity] if one is not None and one.answer else -1

    a, b = (
        np.array([[graded(pair[k], name) for name in categories] for pair in pairs], np.int8)
        for k in (0, 1)
    )
    return a, b


def _score(row: wire.Row, name: str) -> float:
    value = {
        "terravis.score": row.terravis.score,
        "terravis.score_soft": row.terravis.score_soft,
        "pcmde.s_final": row.pcmde.s_final,
    }[name]
    return np.nan if value is None else value


def _correlation(
    pairs: list[tuple[wire.Row, wire.Row]], name: str, resamples: int, seed: int
) -> Correlation:
    both = np.array([[_score(row, name) for row in pair] for pair in pairs], float)
    both = both[~np.isnan(both).any(axis=1)]
    a, b = both[:, 0], both[:, 1]
    count = resamples // 5 if len(a) > COARSE else resamples
    return Correlation(
        pairs=len(a),
        spearman=spearman(a, b),
        spearman_ci=of_pairs(spearman, a, b, count, seed),
        kendall=kendall(a, b),
        kendall_ci=of_pairs(kendall, a, b, count, seed),
        mean_difference=_mean_difference(a, b),
        mean_difference_ci=of_pairs(_mean_difference, a, b, count, seed),
    )


def _mean_difference(a: F64, b: F64) -> float | None:
    return float(np.mean(b - a)) if len(a) else None


def _flips(pairs: list[tuple[wire.Row, wire.Row]], categories: list[str]) -> list[Flip]:
    found = []
    for a, b in pairs:
        for name in categories:
            one, two = _answer(a, name), _answer(b, name)
            if min(one, two) >= 0 and one != two:
                flip = Flip(
                    image_id=a.image_id,
                    category=name,
                    a=bool(one),
                    b=bool(two),
                    p_a=_p(a, name),
                    p_b=_p(b, name),
                )
                found.append(flip)
    return sorted(found, key=lambda f: -_sure(f))


def _sure(flip: Flip) -> float:
    """How far from undecided, both together; a side without a probability is taken at its word."""
    return sum(
        abs((float(said) if p is None else p) - 0.5)
        for said, p in ((flip.a, flip.p_a), (flip.b, flip.p_b))
    )


def _p(row: wire.Row, category: str) -> float | None:
    if category == ELIGIBLE:
        return None if row.terravis.eligible is None else row.terravis.eligible.p
    return row.terravis.answers[category].p_yes


def _side(
    name: str,
    rows: Mapping[str, wire.Row],
    others: Mapping[str, wire.Row],
    paired: list[wire.Row],
) -> Side:
    first = next(iter(rows.values()))
    looked = [row.terravis for row in paired if row.terravis.answers]
    return Side(
        name=name,
        engine=first.provenance.engine,
        mode=next((row.terravis.mode for row in paired if row.terravis.mode), None),
        models=first.provenance.models,
        probes=first.provenance.probe_version,
        rows=len(rows),
        only_here=[image for image in rows if image not in others],
        unanswered=sum(
            answer.outcome != "answered" for t in looked for answer in t.answers.values()
        ),
    )
