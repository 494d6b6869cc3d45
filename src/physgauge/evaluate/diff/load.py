"""What is compared of a run: a few bytes a row, in arrays.

A row takes one byte for each probe and each rule of the run, 8 for each score, its id and 16 bytes of its
pixels' hash: some 200 bytes with three packs, 0.4 GB for two runs of a million rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from physgauge import wire
from physgauge.clients.runs.arrays import Columns, Nested, each_file, together
from physgauge.clients.runs.files import RowFiles

U8 = NDArray[np.uint8]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]

SCORES: Final = {
    "terravis.score": 1.0,
    "terravis.score_soft": 1.0,
    "pcmde.s_final": 100.0,
    "pcmde.s_rules": 100.0,
    "pcmde.s_llm": 100.0,
}
"""What is compared, and its largest value."""
STATUSES: Final[tuple[str, ...]] = get_args(wire.Status)
STATUS_OF: Final = ("terravis.status", "pcmde.status")
VERDICT: Final = "pcmde.verdict"
ELIGIBLE: Final = "eligible"
DOMAIN: Final = "pcmde.domain"

MISSING: Final = 0
"""Nobody knows: not answered, not applicable, no verdict."""
NO, YES, MINOR, MAJOR = 1, 2, 3, 4
"""An answer: nothing found; found, and not graded; a minor one; a major one."""
SATISFIED, VIOLATED = 1, 2
SEEN = 4
"""That a rule was in the row at all; left out of what is returned."""
FAIL, PASS = 1, 2

_LEAVES: Final = (
    "image_id", "pixel_sha256", "error_code", *STATUS_OF, VERDICT, DOMAIN, *SCORES,
    "terravis.eligible.answer", "terravis.answers.key_value.key",
    "terravis.answers.key_value.value.answer", "terravis.answers.key_value.value.severity",
    "pcmde.rules.list.element.id", "pcmde.rules.list.element.status",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """The rows of one run."""

    rows: int
    ids: Any
    """Arrow array of texts."""
    pixels: Any
    """Arrow array: the first 16 digits of each hash, null where there is none."""
    codes: dict[str, U8]
    """Name to [n] codes, 0 where it is missing. Probes (and `ELIGIBLE`): NO, YES, MINOR, MAJOR; ``domain
    rule``: SATISFIED, VIOLATED; `VERDICT`: FAIL, PASS; `STATUS_OF`: 1 + the place in `STATUSES`."""
    probes: list[str]
    rules: list[str]
    scores: dict[str, F64]
    """[n] each, NaN where there is none."""
    errors: dict[str, int]
    """Error code to rows."""
    group: I32 | None
    """[n] indices into `groups`, -1: none; if asked for."""
    groups: list[str]


@dataclass(frozen=True, slots=True)
class _Part:
    """The same of one file."""

    rows: int
    ids: Any
    pixels: Any
    codes: dict[str, U8]
    probes: list[str]
    rules: list[str]
    scores: dict[str, F64]
    errors: dict[str, int]
    group: tuple[I32, list[str]] | None


def load(files: RowFiles, by: str | None = None, threads: int | None = None) -> Run:
    """Read a run.

    Args:
        files: of the run.
        by: a carried column, or `DOMAIN`; None: no groups.
        threads: None = one a core.

    Raises:
        EnvironmentProblem: a file that cannot be read; names it.
    """
    carried = () if by in (None, DOMAIN) else ("extra.key_value.key", "extra.key_value.value")
    parts = list(each_file(files, (*_LEAVES, *carried), lambda c: _part(c, by), threads))
    total = sum(part.rows for part in parts)
    codes: dict[str, U8] = {}
    scores = {name: np.full(total, np.nan) for name in SCORES}
    group = None if by is None else np.full(total, -1, np.int32)
    groups: dict[str, int] = {}
    errors: dict[str, int] = {}
    start = 0
    for part in parts:
        rows = slice(start, start + part.rows)
        for name, some in part.codes.items():
            if name not in codes:
                codes[name] = np.zeros(total, np.uint8)
            codes[name][rows] = some
        for name, values in part.scores.items():
            scores[name][rows] = values
        for code, count in part.errors.items():
            errors[code] = errors.get(code, 0) + count
        if group is not None and part.group is not None:
            mine = np.array([groups.setdefault(g, len(groups)) for g in part.group[1]] + [-1])
            group[rows] = mine[part.group[0]]
        start += part.rows
    return Run(
        total, together([p.ids for p in parts]), together([p.pixels for p in parts]), codes,
        list(dict.fromkeys(name for p in parts for name in p.probes)),
        sorted({name for p in parts for name in p.rules}), scores, errors, group, list(groups),
    )  # fmt: skip


def _part(columns: Columns, by: str | None) -> _Part:
    domains = columns.codes(DOMAIN)
    answers, rules = _answers(columns), _rules(columns, domains)
    eligible = columns.flags("terravis.eligible.answer")
    codes = {ELIGIBLE: (eligible + 1).astype(np.uint8), **answers, **rules}
    codes[VERDICT] = _mapped(columns.codes(VERDICT), {"FAIL": FAIL, "PASS": PASS})
    for name in STATUS_OF:
        codes[name] = _mapped(columns.codes(name), {s: k for k, s in enumerate(STATUSES, 1)})
    error, names = columns.codes("error_code")
    counts = np.bincount(error[error >= 0], minlength=len(names)).tolist()
    group = None
    if by is not None:
        group = domains if by == DOMAIN else _carried(columns, by)
    return _Part(
        columns.rows, columns.texts("image_id"), columns.texts("pixel_sha256", 16), codes,
        list(answers), list(rules), {name: columns.numbers(name) for name in SCORES},
        {name: n for name, n in zip(names, counts, strict=True) if n}, group,
    )  # fmt: skip


def _mapped(coded: tuple[I32, list[str]], values: dict[str, int]) -> U8:
    """Codes by value; 0 for null, and for what is not known."""
    codes, names = coded
    return np.array([values.get(name, 0) for name in names] + [0], np.uint8)[codes]


def _answers(columns: Columns) -> dict[str, U8]:
    entries = columns.lists("terravis.answers")
    probe, names = entries.codes()
    found = (entries.flags("answer") + 1).view(np.uint8)
    severity = _mapped(entries.codes("severity"), {"minor": MINOR - YES, "major": MAJOR - YES})
    found += np.where(found == YES, severity, 0).astype(np.uint8)
    rows = np.arange(columns.rows, dtype=np.int32)
    matrix = _scattered(entries, rows, probe, len(names), found, len(names))
    return dict(zip(names, matrix, strict=True))


def _rules(columns: Columns, domains: tuple[I32, list[str]]) -> dict[str, U8]:
    entries = columns.lists("pcmde.rules")
    rule, ids = entries.codes("id")
    status = _mapped(entries.codes("status"), {"satisfied": SATISFIED, "violated": VIOLATED})
    status |= SEEN
    kinds = [*domains[1], ""]
    of_domain = (domains[0] % len(kinds)) * (len(ids) * columns.rows)
    rows = (of_domain + np.arange(columns.rows)).astype(np.int32)
    matrix = _scattered(entries, rows, rule, len(ids), status, len(kinds) * len(ids))
    there = np.flatnonzero(matrix.any(axis=1)).tolist()
    matrix &= SEEN - 1
    names = [f"{kind} {one}".strip() for kind in kinds for one in ids]
    return {names[k]: matrix[k] for k in there}


def _scattered(entries: Nested, rows: I32, column: I32, columns: int, values: U8, lines: int) -> U8:
    """[lines, n] one value an entry.

    Args:
        entries: of n rows.
        rows: [n] where each row's entries go, in the first column's line.
        column: [entries] which column each belongs to.
        columns: how many there are.
        values: [entries].
        lines: of the result.
    """
    n = len(rows)
    matrix = np.zeros(lines * n, np.uint8)
    starts = np.arange(columns, dtype=np.int32) * np.int32(n)
    matrix[entries.of_rows(rows) + starts[column]] = values
    return matrix.reshape(lines, n)


def _carried(columns: Columns, name: str) -> tuple[I32, list[str]]:
    entries = columns.lists("extra")
    keys, names = entries.codes()
    values, texts = entries.values()
    found = np.full(columns.rows, -1, np.int32)
    if name not in names:
        return found, []
    mine = keys == names.index(name)
    # The vocabulary is that of all carried columns: only this one's values are groups.
    used, places = np.unique(values[mine], return_inverse=True)
    found[entries.of_rows(np.arange(columns.rows))[mine]] = places
    return found, [texts[k] for k in used.tolist()]
