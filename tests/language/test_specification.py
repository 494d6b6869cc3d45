"""Shipped specifications are true and whole; wrong files are refused with the place."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from physgauge.cli.schema import schema as schema_command
from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.specifications.file import specification_schema
from physgauge.ensemble.specifications.load import (
    Range,
    load_specification,
    parse_specification,
    shipped_specifications,
)
from physgauge.errors import ConfigError
from physgauge.types import AIRCRAFT_PARTS, ANIMAL_PARTS, CAR_PARTS, DOMAINS
from tests.language.shared import parser, spec

ROOT = Path(__file__).parents[2]

SCENES = {
    "aircraft": [
        "boeing_737", "boeing_747", "dc_10", "md_80", "atr_72", "c_130", "airbus_a380", "airbus_a320",
        "boeing_777", "crj_200",
    ],
    "car": ["sedan", "coupe", "hatchback", "suv", "pickup", "van"],
    "animal": [
        "dog", "cat", "cow", "horse", "elephant", "goat", "rhino", "sheep", "pig", "chicken", "duck",
        "eagle", "ostrich",
    ],
}  # fmt: skip

FACTS = [
    ("aircraft", "dc_10", {"engine": (3, 3), "wing": (2, 2), "tail": (1, 1), "head": (1, 1)}),
    ("aircraft", "boeing_747", {"engine": (4, 4), "tail_wing": (2, 2)}),
    ("aircraft", "boeing_737", {"engine": (2, 2)}),
    ("aircraft", "md_80", {"engine": (2, 2)}),
    ("aircraft", "c_130", {"engine": (4, 4)}),
    ("aircraft", "an_225", {"engine": (6, 6), "tail": (2, 2)}),
    ("aircraft", "concorde", {"tail_wing": (0, 0)}),
    ("aircraft", "biplane", {"wing": (4, 4), "engine": (1, 1)}),
    ("aircraft", "glider", {"engine": (0, 0)}),
    ("car", "sedan", {"door": (4, 4), "wheel": (4, 4), "windshield": (1, 1)}),
    ("car", "coupe", {"door": (2, 2), "wheel": (4, 4)}),
    ("car", "pickup", {"wheel": (4, 6), "door": (2, 4)}),
    ("car", "convertible", {"roof": (0, 1)}),
    ("animal", "dog", {"leg": (4, 4), "wing": (0, 0), "beak": (0, 0), "tail": (1, 1)}),
    ("animal", "chicken", {"leg": (2, 2), "wing": (2, 2), "beak": (1, 1), "horn": (0, 0),
                           "trunk": (0, 0), "ear": (0, 0)}),
    ("animal", "elephant", {"trunk": (1, 1), "horn": (0, 0), "leg": (4, 4)}),
    ("animal", "rhino", {"horn": (1, 2)}),
    ("animal", "cow", {"horn": (0, 2)}),
    ("animal", "jacob_sheep", {"horn": (2, 6)}),
    ("animal", "spider", {"leg": (8, 8)}),
    ("animal", "snake", {"leg": (0, 0)}),
    ("animal", "bat", {"wing": (2, 2), "leg": (2, 2)}),
    ("animal", "gorilla", {"tail": (0, 0)}),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "type_id", "counts"), FACTS, ids=[f[1] for f in FACTS])
def test_facts(domain: str, type_id: str, counts: dict[str, tuple[int, int]]) -> None:
    own = spec(domain).types[type_id].counts
    assert {c: (own[c].low, own[c].high) for c in counts} == counts


@pytest.mark.parametrize(
    ("domain", "least", "parts"),
    [("aircraft", 40, AIRCRAFT_PARTS), ("car", 15, CAR_PARTS), ("animal", 60, ANIMAL_PARTS)],
)
def test_shipped_files_are_whole(domain: str, least: int, parts: tuple[str, ...]) -> None:
    own = spec(domain)
    assert own.domain == domain
    assert set(own.components) == set(parts)
    assert len(own.types) >= least
    assert set(SCENES[domain]) <= set(own.types)
    for one in own.types.values():
        assert set(one.counts) == set(parts)
        assert len(one.source) > 10
        assert all(0 <= r.low <= r.high for r in one.counts.values())
    assert set(SCENES[domain]) <= set(own.common)


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_name_means_its_own_type(domain: str) -> None:
    alone = CaptionParser([spec(domain)])
    for one in spec(domain).types.values():
        for name in one.names:
            for caption in (name, f"a photo of the {name.upper()}, seen from the left"):
                assert alone.parse(caption, domain).subtype == one.id, caption
            assert parser().parse(name, domain).subtype == one.id, name


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_group_and_domain_word_is_read(domain: str) -> None:
    own = spec(domain)
    for group in own.groups.values():
        for name in group.names:
            facts = parser().parse(f"a {name}", domain)
            assert facts.candidates == tuple(sorted(group.members)), name
    for name in own.names:
        facts = parser().parse(f"one {name} here", domain)
        assert [s.domain for s in facts.subjects if s.domain == domain] == [domain], name
        assert facts.ambiguous


def test_common_types_only_for_a_bare_domain() -> None:
    assert spec("animal").range("leg") == Range(2, 4)
    assert spec("animal").range("leg", ("spider",)) == Range(8, 8)
    assert spec("aircraft").range("engine") == Range(1, 4)
    assert spec("animal").range("wheel") is None


MINIMAL = """
domain = "boat"
names = ["boat"]
tags = ["sailing"]
default_reference = "hull"
[components.hull]
names = ["keel"]
[components.sail]
names = []
adjectives = ["sailed"]
[counts]
hull = 1
sail = [0, 3]
[[groups]]
id = "sailing_boat"
names = ["sailing boat"]
tag = "sailing"
[[types]]
id = "dinghy"
names = ["dinghy", "dinghi"]
tags = ["sailing"]
counts = { sail = [1, 2] }
source = "a boat book"
"""


def test_a_domain_of_ones_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "boat.toml"
    path.write_text(MINIMAL, encoding="utf-8")
    own = load_specification(path)
    assert own.types["dinghy"].counts["sail"] == Range(1, 2)
    facts = CaptionParser([own]).parse("a dinghy with two sails")
    assert (facts.domain, facts.subtype, facts.claims[0].low) == ("boat", "dinghy", 2)


WRONG = [
    ("not toml", "domain = ", "f.toml: not TOML"),
    ("unknown key", MINIMAL + "colour = 1\n", "f.toml: Object contains unknown field `colour`"),
    ("unknown component", MINIMAL.replace("counts = { sail", "counts = { sial"),
     "types[0] (dinghy): counts: expected a component, got 'sial' (did you mean 'sail'?)"),
    ("reversed range", MINIMAL.replace("[0, 3]", "[3, 0]"),
     "counts.sail: expected [fewest, most], got [3, 0]"),
    ("negative", MINIMAL.replace("[0, 3]", "[-1, 3]"), "Expected `int` >= 0 - at `$.counts[...][0]`"),
    ("three numbers", MINIMAL.replace("[0, 3]", "[0, 1, 3]"), "length <= 2"),
    ("missing count", MINIMAL.replace("hull = 1\n", ""),
     "counts: expected every component, got none for 'hull'"),
    ("unknown tag", MINIMAL.replace('tags = ["sailing"]\ncounts', 'tags = ["sailin"]\ncounts'),
     "expected a tag of `tags`, got 'sailin' (did you mean 'sailing'?)"),
    ("unknown base", MINIMAL.replace('source = "a', 'base = "ship"\nsource = "a'),
     "base: expected a table of [bases], got 'ship'"),
    ("unknown reference", MINIMAL.replace('"hull"\n[comp', '"mast"\n[comp'),
     "default_reference: expected a reference, got 'mast'"),
    ("no source", MINIMAL.replace('source = "a boat book"', ""), "missing required field `source`"),
    ("bad id", MINIMAL.replace('id = "dinghy"', 'id = "Dinghy!"'), "matching regex"),
    ("no letters", MINIMAL.replace('"dinghi"', '"!!!"'),
     "type dinghy: expected a name with letters, got '!!!'"),
    ("shared name", MINIMAL + '[[types]]\nid = "yacht"\nnames = ["Dinghy"]\nsource = "book"\n',
     "type yacht: expected a name of its own, got 'Dinghy', which type dinghy has too"),
    ("shared with the domain", MINIMAL.replace('"dinghi"', '"Boat"'),
     "type dinghy: expected a name of its own, got 'Boat', which domain has too"),
    ("same id", MINIMAL + '[[types]]\nid = "dinghy"\nnames = ["yacht"]\nsource = "book"\n',
     "types[1] (dinghy): id: expected a new id"),
    ("empty group", MINIMAL.replace('tags = ["sailing"]\ncounts', "counts"),
     "groups[0] (sailing_boat): tag: expected a tag that a type carries, got 'sailing'"),
    ("shared part name", MINIMAL.replace('names = ["keel"]', 'names = ["sail"]'),
     "sail: expected a name of its own, got 'sail', which hull has too"),
    ("none common", MINIMAL.replace('source = "a', 'common = false\nsource = "a'),
     "types: expected at least one with common = true, got none"),
    ("deep", "x = " + "[" * 5000, "f.toml:"),
    ("between one end", MINIMAL + '[[places]]\ncomponent="sail"\nrelation="between"\n'
     'references=["hull"]\n', "places[0]: references: expected the two ends, got 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_wrong_files_say_where(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_specification(text.encode(), "f.toml")
    assert message in str(caught.value)


def test_the_published_schema() -> None:
    published = json.loads((ROOT / "docs/specification.schema.json").read_text("utf-8"))
    assert published == specification_schema(), (
        "regenerate: physgauge schema specification > docs/specification.schema.json"
    )
    printed = CliRunner().invoke(schema_command, ["specification"])
    assert (printed.exit_code, json.loads(printed.output)) == (0, published)
    jsonschema.Draft202012Validator.check_schema(published)
    check = jsonschema.Draft202012Validator(published)
    for name in DOMAINS:
        file = tomllib.loads((shipped_specifications() / f"{name}.toml").read_text("utf-8"))
        assert not list(check.iter_errors(file)), name
    check.validate(tomllib.loads(MINIMAL))


@pytest.mark.parametrize(
    "text", [w[1] for w in WRONG if w[0] in (
        "unknown key", "negative", "three numbers", "no source", "bad id",
    )],
)  # fmt: skip
def test_the_published_schema_refuses(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), specification_schema())


@pytest.mark.parametrize("domain", DOMAINS)
def test_sources_say_what_was_checked(domain: str) -> None:
    for one in spec(domain).types.values():
        assert re.match(r"Checked: \S.+: \S|Checked for \w+ as a class only \(.+\)|General knowledge, not looked up: \S",
                        one.source), one.id  # fmt: skip


def test_not_utf8_too_large_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"f: expected UTF-8 text, got byte 0xff at 3"):
        parse_specification(b"a =\xff", "f")
    with pytest.raises(ConfigError, match="expected at most 1048576 bytes, got 1048577"):
        parse_specification(b"#" * (2**20 + 1), "f")
    with pytest.raises(ConfigError, match="expected one of aircraft, animal, car, or the path"):
        load_specification("boats")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_specification(tmp_path / "none.toml")
