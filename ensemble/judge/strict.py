"""JSON that a model has written, read strictly: one object, no NaN, no key twice."""

from __future__ import annotations

import json
from typing import Any

from physgauge.ensemble.judge.engine import Text


def read_object(text: Text) -> dict[str, Any] | None:
    """The object, bare or in one code fence; None for anything else, and for a text that was cut off."""
    if text.outcome != "answered" or text.text is None or not text.whole:
        return None
    plain = text.text.strip()
    first, _, rest = plain.partition("\n")
    if first.rstrip() in ("```", "```json") and rest.endswith("```"):
        plain = rest[:-3]
    try:
        found = json.loads(plain, object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def texts(value: Any, most: int, max_chars: int) -> tuple[str, ...] | None:
    """A list of texts, each made `clean`; None for anything else."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    cleaned = (clean(one, max_chars) for one in value)
    return tuple(one for one in cleaned if one)[:most]


def clean(text: str, max_chars: int) -> str:
    """In one line, without control characters, cut."""
    plain = "".join(c for c in " ".join(text.split()) if c.isprintable())
    return plain[:max_chars].strip()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
