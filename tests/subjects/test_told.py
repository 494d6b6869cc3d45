"""What a caption says of several subjects, and what of it holds for each."""

from __future__ import annotations

import pytest

from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.specifications.load import load_specification
from physgauge.ensemble.subjects.told import Told, of_each
from physgauge.types import DOMAINS

SPECS = {domain: load_specification(domain) for domain in DOMAINS}
PARSER = CaptionParser(SPECS.values())


@pytest.mark.parametrize(
    ("caption", "domain", "told"),
    [
        ("two dogs", "animal", Told(True, True, 2)),
        ("a dog and a cat", "animal", Told(True, True, 2)),
        ("three Boeing 747 airliners", "aircraft", Told(True, True, 3)),
        ("Boeing 747 airliners in a row", "aircraft", Told(True, True, None)),
        ("a Boeing 747 airliner", "aircraft", Told(True, False, 1)),
        ("two dogs and a sedan", "car", Told(True, False, 1)),
        ("two dogs and a sedan", "animal", Told(True, True, 2)),
        ("a herd of cows", "animal", Told(True, True, None)),
        ("dogs", "animal", Told(True, True, None)),
        ("a dog or a cat", "animal", Told(True, False, 1)),
        ("a sedan", "animal", Told(False, False, 0)),
        (None, "animal", Told(False, False, 0)),
    ],
)
def test_numbers_of_subjects(caption: str | None, domain: str, told: Told) -> None:
    assert Told.of(PARSER.parse(caption, domain)) == told


@pytest.mark.parametrize(
    ("caption", "domain", "component", "bounds"),
    [
        ("two dogs with four legs", "animal", "leg", (4, 4)),
        ("two dogs with eight legs", "animal", "leg", (4, 4)),
        ("two dogs with six legs", "animal", "leg", (6, 6)),
        ("two dogs with seven legs", "animal", "leg", (7, 7)),
        ("two Boeing 747 airliners with eight engines", "aircraft", "engine", (4, 4)),
        ("a dog and a cat with four legs", "animal", "leg", None),
        ("a dog with three legs", "animal", "leg", (3, 3)),
    ],
)
def test_parts_of_each(
    caption: str, domain: str, component: str, bounds: tuple[int, int] | None
) -> None:
    facts = PARSER.parse(caption, domain)
    each = of_each(facts, SPECS[domain], Told.of(facts).number)
    assert not each.several
    own = [(c.low, c.high) for c in each.claims if c.component == component]
    assert own == ([] if bounds is None else [bounds])
