"""Captions and their parses, by hand."""

from __future__ import annotations

import pytest

from physgauge.ensemble.captions.parser import CaptionParser, check_caption
from physgauge.errors import CaptionError
from tests.language.shared import numbers, read, spec

AT_LEAST_ONE = (1, None)

SEED_PHRASES = [
    ("four engines below wings", "aircraft", "engine", 4, "below", "wing"),
    ("engines positioned beneath wing centerline", "aircraft", "engine", None, "below", "wing"),
    ("four wheels at bottom", "car", "wheel", 4, "at_bottom", "vehicle_body"),
    ("wheels at bottom of vehicle body", "car", "wheel", None, "at_bottom", "vehicle_body"),
    ("four legs below torso", "animal", "leg", 4, "below", "torso"),
    ("legs attached below torso centerline", "animal", "leg", None, "below", "torso"),
    ("a DC-10 with one engine at the tail", "aircraft", "engine", 1, "at", "tail"),
    ("a jet with one engine under each wing", "aircraft", "engine", 2, "below", "wing"),
    ("the four legs are right below its body", "animal", "leg", 4, "below", "torso"),
    ("a car with headlights on the bonnet", "car", "headlight", None, "at", "bonnet"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("caption", "domain", "component", "count", "relation", "reference"), SEED_PHRASES
)
def test_relation_phrases(
    caption: str, domain: str, component: str, count: int | None, relation: str, reference: str
) -> None:
    facts = read(caption, domain)
    assert [(r.component, r.count, r.relation, r.reference) for r in facts.relations] == [
        (component, count, relation, reference)
    ]
    assert component in numbers(facts)


def test_seed_attributes() -> None:
    assert read("swept-back wings", "aircraft").attributes == (("wing", "swept-back"),)
    assert read("round headlights", "car").attributes == (("headlight", "round"),)
    assert read("a dog with large, floppy brown ears").attributes == (
        ("ear", "large"), ("ear", "floppy"), ("ear", "brown"),
    )  # fmt: skip


TYPES = [
    ("A DC10 on the ground", "dc_10"), ("a dc 10", "dc_10"), ("McDonnell Douglas DC-10-30", "dc_10"),
    ("a Boeing 747-400ER taking off", "boeing_747"), ("747s", "boeing_747"), ("a 747's nose", "boeing_747"),
    ("Airbus A320neo", "airbus_a320"), ("an a320 at the gate", "airbus_a320"), ("a 320 hp car", None),
    ("A picture of a C-130 airliner in flight", "c_130"), ("an F/A-18 Hornet", "f_18"),
    ("rendered image of plane_747", "boeing_747"), ("a B-52 bomber", "b_52"), ("Coupé", "coupe"),
    ("a red pick-up truck", "pickup"), ("a pickup", "pickup"), ("a coupe SUV", "suv"),
    ("a golden retriever", "dog"), ("a bald eagle", "eagle"), ("a brown bear", "brown_bear"),
    ("a bird, an eagle", "eagle"), ("eagle, a bird of prey", "eagle"), ("a geese", "goose"),
    ("🐶 DÓG", "dog"), ("ｄｏｇ", "dog"), ("Three-legged DOG!", "dog"), ("not a dog but a cat", "cat"),
    ("there are no dogs, only a cat", "cat"), ("a cat that looks like a tiger", "cat"),
    ("a hot dog on a plate", None), ("a dog-eared book", None), ("dog eared book", None),
    ("a horse-drawn carriage", None), ("a cloud shaped like an elephant", None), ("elephant-shaped balloon", None),
    ("a dog house", None), ("SUV-style shoes", None), ("no cars here", None), ("a tree trunk", None),
    ("a bird's-eye view of a town", None), ("a zebra crossing", None), ("a cable car", None),
    ("a fire truck", None), ("an animal", None), ("an aircraft", None), ("", None), ("   ", None),
]  # fmt: skip


@pytest.mark.parametrize(("caption", "subtype"), TYPES)
def test_subtypes(caption: str, subtype: str | None) -> None:
    facts = read(caption)
    assert facts.subtype == subtype
    assert facts.ambiguous == (subtype is None)


COUNTS = [
    ("a car with four wheels", "wheel", (4, 4)), ("a car with 4 wheels", "wheel", (4, 4)),
    ("car with ４ tyres", "wheel", (4, 4)), ("a car with wheels", "wheel", AT_LEAST_ONE),
    ("a three-engined jet", "engine", (3, 3)), ("a twin-engine turboprop", "engine", (2, 2)),
    ("a multi-engine plane", "engine", (2, None)), ("a two-door coupe", "door", (2, 2)),
    ("a two door coupe", "door", (2, 2)), ("a 5-door hatchback", "door", (4, 4)),
    ("a three-door hatchback", "door", (2, 2)), ("a sedan's four doors", "door", (4, 4)),
    ("winged horse", "wing", AT_LEAST_ONE), ("a four-winged bird", "wing", (4, 4)),
    ("a dog without a tail", "tail", (0, 0)), ("a tailless cat", "tail", (0, 0)),
    ("a dog without ears or a tail", "tail", (0, 0)), ("a dog without ears or a tail", "ear", (0, 0)),
    ("a chicken with neither wings nor a beak", "beak", (0, 0)), ("a car without any doors", "door", (0, 0)),
    ("a dog with no tail and four legs", "leg", (4, 4)), ("a cow with a pair of horns", "horn", (2, 2)),
    ("a cow with two pairs of legs", "leg", (4, 4)), ("half a dozen legs on a cow", "leg", (6, 6)),
    ("an aircraft with at least three engines", "engine", (3, None)),
    ("a plane with up to four engines", "engine", (0, 4)), ("a plane with 2-4 engines", "engine", (2, 4)),
    ("a plane with three or four engines", "engine", (3, 4)), ("a plane with 2 to 4 engines", "engine", (2, 4)),
    ("a plane with more than two engines", "engine", (3, None)),
    ("a plane with fewer than three engines", "engine", (0, 2)), ("several engines on a plane", "engine", (2, None)),
    ("a jet with one engine under each wing", "engine", (2, 2)),
    ("a plane with two engines on each side", "engine", (4, 4)),
    ("a plane powered by four engines", "engine", (4, 4)), ("a plane with one engine on fire", "engine", AT_LEAST_ONE),
    ("a dog with one ear folded", "ear", AT_LEAST_ONE), ("a dog raising two legs", "leg", (2, None)),
    ("a DC-10 with two engines under the wings and one in the tail", "engine", (2, None)),
    ("a cat with one blue and one green eye", "eye", AT_LEAST_ONE),
    ("a car with two front wheels and two rear wheels", "wheel", (2, None)),
    ("a car with 17-inch wheels", "wheel", AT_LEAST_ONE), ("a car with five-spoke wheels", "wheel", AT_LEAST_ONE),
    ("the plane has 4.5 m wings", "wing", AT_LEAST_ONE), ("a dog with 100 legs", "leg", (100, 100)),
    ("a single wing on a plane", "wing", (1, 1)), ("an elephant with a long trunk", "trunk", AT_LEAST_ONE),
    ("a white-tailed deer with antlers", "horn", AT_LEAST_ONE), ("a car's hood", "bonnet", AT_LEAST_ONE),
    ("a car with two tail lights", "taillight", (2, 2)), ("a plane with its tail fin", "tail", AT_LEAST_ONE),
    ("a plane with two horizontal stabilizers", "tail_wing", (2, 2)),
    ("a plane with a couple of engines", "engine", (2, 2)), ("a jet with a dozen engines", "engine", (12, 12)),
    ("a plane devoid of engines", "engine", (0, 0)), ("a plane missing its engines", "engine", (0, 0)),
    ("a plane with a lack of wings", "wing", (0, 0)), ("a dog w/ wings", "wing", AT_LEAST_ONE),
    ("a dog w/o tail", "tail", (0, 0)), ("a no-door car", "door", (0, 0)), ("a doorless car", "door", (0, 0)),
    ("both doors of a coupe", "door", (2, 2)), ("a car minus its doors", "door", (0, 0)),
    ("one of its four engines on a plane", "engine", (4, 4)),
    ("a bird spreading its two wings", "wing", (2, None)), ("a dog, 4 legs, 1 tail", "tail", (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("caption", "component", "count"), COUNTS)
def test_counts(caption: str, component: str, count: tuple[int, int | None]) -> None:
    assert numbers(read(caption))[component] == count


NO_CLAIM = [
    ("a flamingo standing on one leg", "animal"), ("a dog standing on its hind legs", "animal"),
    ("an elephant beside a tree trunk", "animal"), ("a dog wearing a hat with horns", "animal"),
    ("a white SUV with a roof rack", "car"), ("4x4 pickup with a V8", "car"),
    ("a four-wheel drive car", "car"), ("a dog in a car with four wheels", "animal"),
    ("a horse beside a plane with two wings", "animal"), ("1969 wheels on a car", "car"),
    ("deer in headlights", "animal"), ("a cat next to a chest of drawers", "animal"),
]  # fmt: skip


@pytest.mark.parametrize(("caption", "domain"), NO_CLAIM)
def test_what_is_no_claim(caption: str, domain: str) -> None:
    assert read(caption, domain).claims == ()


def test_loss_and_visibility() -> None:
    assert [c.missing for c in read("a dog missing a leg").claims] == [1]
    assert [c.missing for c in read("a plane with its left engine missing").claims] == [1]
    claim = read("a car with three visible doors").claims[0]
    assert (claim.visible, claim.low) == (True, 3)


def test_parts_belong_to_their_subject() -> None:
    caption = "A dog sits in a car with four wheels. The dog has three legs."
    assert numbers(read(caption, "animal")) == {"leg": (3, 3)}
    assert numbers(read(caption, "car")) == {"wheel": (4, 4)}
    assert read(caption).hint == "animal"
    assert read("a dog and a four-legged brown horse", "animal").claims[0].low == 4


SUBJECTS = [
    ("a dog and a cat", ("cat", "dog"), True, "animal"), ("two dogs", ("dog",), True, "animal"),
    ("a herd of elephants", ("elephant",), True, "animal"), ("a pair of horses", ("horse",), True, "animal"),
    ("a dog or a cat", ("cat", "dog"), False, "animal"), ("a dog next to another dog", ("dog",), True, "animal"),
    ("a dog, the dog is brown", ("dog",), False, "animal"), ("a dog barks. A dog runs.", ("dog",), False, "animal"),
    ("a sheep", ("sheep",), False, "animal"), ("three sheep", ("sheep",), True, "animal"),
    ("a Boeing 747 vs an Airbus A380", ("airbus_a380", "boeing_747"), True, "aircraft"),
    ("a 2019 sedan", ("sedan",), False, "car"), ("a man riding a horse", ("horse",), False, "animal"),
    ("a herd of buffalo", ("buffalo",), True, "animal"), ("three buffalo", ("buffalo",), True, "animal"),
    ("two buffaloes", ("buffalo",), True, "animal"), ("two hippopotami", ("hippo",), True, "animal"),
    ("flamingoes", ("flamingo",), True, "animal"), ("calves", ("cow",), True, "animal"),
    ("oxen", ("cow",), True, "animal"), ("mice", ("mouse",), True, "animal"), ("wolves", ("wolf",), True, "animal"),
    ("a school of tuna", ("goldfish",), True, "animal"), ("a dog beside a coupé", ("dog",), False, "animal"),
    ("a dog beside a plane", ("dog",), False, "animal"), ("a car and a plane", (), False, None),
]  # fmt: skip


@pytest.mark.parametrize(("caption", "candidates", "several", "hint"), SUBJECTS)
def test_subjects(
    caption: str, candidates: tuple[str, ...], several: bool, hint: str | None
) -> None:
    facts = read(caption)
    assert (facts.candidates, facts.several, facts.hint) == (candidates, several, hint)


def test_groups_leave_the_type_open() -> None:
    facts = read("a tri-jet")
    assert (facts.subtype, facts.group) == (None, "tri_jet")
    assert set(facts.candidates) >= {"dc_10", "md_11", "l_1011", "boeing_727"}
    assert "boeing_747" not in facts.candidates
    assert read("a Boeing").group == "boeing"


def test_a_caption_about_something_else() -> None:
    assert read("a red car", "aircraft").elsewhere
    assert not read("a red car", "car").elsewhere
    assert not read("a beach at sunset", "car").elsewhere
    assert not read("a dog beside a plane", "aircraft").elsewhere


def test_a_word_of_two_domains() -> None:
    assert read("a jaguar").hint is None
    assert read("a jaguar with a long tail", "animal").subtype == "jaguar"
    assert numbers(read("a jaguar with four doors", "car")) == {"door": (4, 4)}


def test_no_caption() -> None:
    facts = CaptionParser([spec("car")]).parse(None, "car")
    assert (facts.caption, facts.subtype, facts.claims, facts.several) == (None, None, (), False)


def test_unknown_domain_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match=r"domain: expected one of .*'car'.*, got 'boat'"):
        read("a car", "boat")


def test_check_caption() -> None:
    assert check_caption(None, 10) is None
    assert check_caption(" \n\t ", 10) is None
    assert check_caption("🐶" * 10, 10) == "🐶" * 10
    with pytest.raises(CaptionError) as caught:
        check_caption("x" * 100_000, 8192)
    assert caught.value.code == "caption_too_long"
    assert str(caught.value) == "caption: expected at most 8192 characters, got 100000"
    with pytest.raises(CaptionError, match="expected text, got float") as caught:
        check_caption(float("nan"), 10)
    assert caught.value.code == "caption_invalid"
    with pytest.raises(CaptionError, match="half a surrogate pair at character 1"):
        check_caption("a\ud83d", 10)
