"""Shipped specifications and a parser over them, read once."""

from __future__ import annotations

from functools import cache

from physgauge.ensemble.captions.parser import CaptionFacts, CaptionParser
from physgauge.ensemble.specifications.load import DomainSpec, load_specification
from physgauge.types import DOMAINS


@cache
def spec(domain: str) -> DomainSpec:
    """A shipped specification."""
    return load_specification(domain)


@cache
def parser() -> CaptionParser:
    """Knows the three shipped domains."""
    return CaptionParser(spec(domain) for domain in DOMAINS)


def read(caption: str, domain: str | None = None) -> CaptionFacts:
    """Parse a caption."""
    return parser().parse(caption, domain)


def numbers(facts: CaptionFacts) -> dict[str, tuple[int, int | None]]:
    """Component to (low, high) of its last claim."""
    return {c.component: (c.low, c.high) for c in facts.claims}
