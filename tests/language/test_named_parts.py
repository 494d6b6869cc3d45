"""Packs of the published rules (`expect = "caption"`) hold a picture to the caption's own words."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.expectations import Expecter
from physgauge.ensemble.specifications.load import load_specification
from physgauge.rules_kernel import VIEWS, load_pack

SPECS = {name: load_specification(name) for name in ("aircraft", "car", "animal")}
PARSER = CaptionParser(SPECS.values())
PACKS = {name: load_pack(f"{name}@paper") for name in SPECS}


def expected(domain: str, caption: str | None, part: str) -> tuple[bool, float, float]:
    """Whether the caption names the part; fewest and most of it, seen from the side."""
    pack = PACKS[domain]
    expect = Expecter(
        SPECS[domain], pack.components, pack.tags, pack.hidden, literal=pack.expect == "caption"
    )
    view = np.array([VIEWS.index("side")], np.int8)
    got = expect([PARSER.parse(caption, domain)], view)
    column = pack.label(part)
    named = bool(got.tags[0, pack.tags.index(f"named {part}")])
    return named, float(got.expected_min[0, column]), float(got.expected_max[0, column])


@pytest.mark.parametrize(
    ("domain", "caption", "part", "want"),
    [
        ("car", "a car with four wheels", "wheel", (True, 3, 4)),  # one may be hidden
        ("car", "a sedan with wheels", "wheel", (True, 1, 4)),
        ("car", "a red sedan", "wheel", (False, 4, 4)),
        ("car", "a sedan with six wheels", "wheel", (True, 5, 4)),  # no picture is both
        ("car", "a coupe with two doors", "door", (True, 2, 2)),
        ("animal", "a dog with four legs", "leg", (True, 3, 4)),
        ("animal", "a dog with two wings", "wing", (True, 2, 0)),
        ("animal", "a dog without a tail", "tail", (False, 0, 1)),
        ("animal", "a chicken", "leg", (False, 2, 2)),
        ("aircraft", "a DC-10", "engine", (False, 3, 3)),
        ("aircraft", "a DC-10 with four engines", "engine", (True, 4, 3)),
        ("aircraft", "a Boeing 747 with four engines", "engine", (True, 4, 4)),
    ],
)  # fmt: skip
def test_what_the_caption_names(
    domain: str, caption: str, part: str, want: tuple[bool, float, float]
) -> None:
    got = expected(domain, caption, part)
    assert got[0] == want[0]
    assert got[1:] == pytest.approx(want[1:])


def test_nothing_is_named_without_a_caption_or_of_several_subjects() -> None:
    assert not expected("car", None, "wheel")[0]
    named, _, most = expected("car", "two sedans with four wheels", "wheel")
    assert (named, most) == (False, 8)


def test_our_own_packs_follow_the_type() -> None:
    pack = load_pack("car")
    assert pack.expect == "type"
    got = Expecter(SPECS["car"], pack.components, pack.tags, pack.hidden * 0)(
        [PARSER.parse("a sedan with six wheels", "car")], np.zeros(1, np.int8)
    )
    assert got.expected_min[0, pack.label("wheel")] == 4
