"""Captions in the manner of image prompts, with the parses a reader would give them.

The file was written before the parser was run on it. A line: what the caption is about (`hint`, `subtype` or
`group`, `several`), all it claims of parts ("wing 1+ swept-back", "wheel 3v" = in view, "leg -1" = missing),
relation phrases ("engine 4 below wing"; ? = no number), and of which parts it contradicts the specification.
What a line leaves out is expected to be absent; `read_for`: the domain that the picture shows.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from physgauge.ensemble.captions.facts import CaptionFacts, Claim
from physgauge.ensemble.captions.words import plural
from physgauge.ensemble.expectations import Expecter
from physgauge.ensemble.specifications.load import DomainSpec
from physgauge.types import DOMAINS
from tests.language.shared import read, spec

FILE = Path(__file__).parent / "data" / "captions_held_out.jsonl"
LINES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
KEYS = {
    "caption", "read_for", "hint", "subtype", "group", "several", "claims", "relations", "contradicts",
}  # fmt: skip


@cache
def expecter(domain: str) -> Expecter:
    parts = tuple(spec(domain).components)
    return Expecter(spec(domain), parts, (), np.zeros((len(parts), 1), np.float32))


def written(claim: Claim) -> str:
    number = f"{claim.low}" if claim.low == claim.high else f"{claim.low}-{claim.high}"
    number = f"{claim.low}+" if claim.high is None else number
    number = f"-{claim.missing}" if claim.missing else number
    return " ".join((claim.component, number + ("v" if claim.visible else ""), *claim.attributes))


def contradicted(facts: CaptionFacts) -> list[str]:
    """Components that a contradiction is about, in caption order."""
    if facts.domain is None:
        return []
    found = expecter(facts.domain)([facts], np.zeros(1, np.int8))
    return [_about(sentence, spec(facts.domain)) for sentence in found.contradictions[0]]


def _about(sentence: str, own: DomainSpec) -> str:
    """The component that a sentence's first clause names first."""
    said = re.sub(r"\(.*?\)", "", sentence.partition(";")[0]).split()
    named = {c.partition("_")[0]: c for c in reversed(tuple(own.components))}
    named |= {plural(noun): c for noun, c in named.items()}
    return next(named[word] for word in said if word in named)


def parse(line: dict[str, Any]) -> dict[str, Any]:
    """A line as the parser would have written it."""
    facts = read(line["caption"], line.get("read_for"))
    found = {
        "hint": facts.hint,
        "subtype": facts.subtype,
        "group": facts.group if facts.group in group_ids(facts.domain) else None,
        "several": facts.several,
        "claims": [written(c) for c in facts.claims],
        "relations": [
            f"{r.component} {'?' if r.count is None else r.count} {r.relation} {r.reference}"
            for r in facts.relations
        ],
        "contradicts": contradicted(facts),
    }
    kept = {k: v for k, v in line.items() if k in ("caption", "read_for")}
    return kept | {k: v for k, v in found.items() if v}


def group_ids(domain: str | None) -> set[str]:
    return set() if domain is None else set(spec(domain).groups)


def test_the_set() -> None:
    assert len(LINES) >= 280
    assert all(set(line) <= KEYS and line.get("hint") in (None, *DOMAINS) for line in LINES)
    assert sum(not line["caption"].isascii() for line in LINES) >= 13


@pytest.mark.parametrize("line", LINES, ids=[f"{i}" for i in range(1, len(LINES) + 1)])
def test_parse(line: dict[str, Any]) -> None:
    assert parse(line) == line
