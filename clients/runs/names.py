"""The keys of a run folder (docs/bulk.md)."""

from __future__ import annotations

import re
from typing import Final

RUN: Final = "run"
"""``run.json``, ``run.g001.json`` ...: one record a generation."""
ROWS: Final = "rows/"
COUNTS: Final = "counts/"
CLAIMS: Final = "claims/"
SESSIONS: Final = "sessions/"
ATTEMPTS: Final = "attempts/"
PLAN: Final = "plan/"
CRASHES: Final = "crashes/"
EVENTS: Final = "events/"
SCHEMA: Final = "row.schema.json"
REPORT: Final = "report.json"

_ROWS: Final = re.compile(r"rows/unit-(\d{8})(?:\.g(\d{3}))?\.parquet")
_COUNT: Final = re.compile(r"counts/unit-(\d{8})\.g(\d{3})\.(\d+)")
_CLAIM: Final = re.compile(r"claims/unit-(\d{8})\.g(\d{3})\.(\d{3})\.json")
MAX_UNIT: Final = 99_999_999
MAX_GENERATION: Final = 999
MAX_TURN: Final = 999
_SESSION: Final = re.compile(r"sessions/([0-9a-f]+)\.json")
_ATTEMPT: Final = re.compile(r"attempts/([0-9a-z]+)\.[0-9a-f]+")


def _unit(unit: int) -> str:
    if not 0 <= unit <= MAX_UNIT:
        raise ValueError(f"expected a unit of 0 to {MAX_UNIT}, got {unit}")
    return f"unit-{unit:08d}"


def _generation(generation: int) -> str:
    if not 0 <= generation <= MAX_GENERATION:
        raise ValueError(f"expected a generation of 0 to {MAX_GENERATION}, got {generation}")
    return f".g{generation:03d}"


def rows_key(unit: int, generation: int) -> str:
    """``rows/unit-00000012.parquet``, from generation 1 on ``rows/unit-00000012.g001.parquet``."""
    return f"{ROWS}{_unit(unit)}{_generation(generation) if generation else ''}.parquet"


def rows_of(key: str) -> tuple[int, int] | None:
    """Unit and generation of a key of rows; None: another key."""
    found = _ROWS.fullmatch(key)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def count_key(unit: int, generation: int, entries: int) -> str:
    """An empty object whose name says how many rows a unit has."""
    return f"{COUNTS}{_unit(unit)}{_generation(generation)}.{entries}"


def count_of(key: str) -> tuple[int, int, int] | None:
    """Unit, generation and entries of a key of counts; None: another key."""
    found = _COUNT.fullmatch(key)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def claim_key(unit: int, generation: int, turn: int) -> str:
    """The claim that follows the claims of lower turns, whose sessions died."""
    return f"{CLAIMS}{_unit(unit)}{_generation(generation)}.{turn:03d}.json"


def claim_prefix(unit: int, generation: int) -> str:
    """Begins the keys of all claims of a unit's generation."""
    return f"{CLAIMS}{_unit(unit)}{_generation(generation)}."


def claim_of(key: str) -> tuple[int, int, int] | None:
    """Unit, generation and turn of a claim's key; None: another key."""
    found = _CLAIM.fullmatch(key)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def session_key(token: str) -> str:
    """Where a session's counter stands."""
    return f"{SESSIONS}{token}.json"


def run_key(generation: int) -> str:
    """``run.json``, from generation 1 on ``run.g001.json``."""
    return f"{RUN}{_generation(generation) if generation else ''}.json"


def session_of(key: str) -> str | None:
    """Token of a session's key; None: another key."""
    found = _SESSION.fullmatch(key)
    return None if found is None else found[1]


def owner_of(key: str) -> str | None:
    """Who writes an attempt: a session's token, or ``x``; None: another key."""
    found = _ATTEMPT.fullmatch(key)
    return None if found is None else found[1]
