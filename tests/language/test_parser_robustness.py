"""No text makes the parser raise, and its work grows no faster than the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.ensemble.captions import parser as parser_module
from physgauge.ensemble.captions.parser import CaptionFacts
from physgauge.ensemble.text import Token, key, tokenize
from physgauge.types import DOMAINS
from tests.language.shared import parser, read, spec

WORDS = st.sampled_from([
    "a", "an", "the", "no", "without", "or", "and", "of", "pair", "four", "two", "4", "12", "one", "each",
    "with", "missing", "dog", "cat", "747", "DC-10", "coupe", "car", "plane", "bird", "leg", "legs", "wing",
    "wings", "winged", "engine", "engines", "wheel", "door", "under", "below", "at", "bottom", "on", "-",
    ",", ".", "'s", "🐶", "tail", "trunk", "torso", "three-legged", "half", "dozen", "to", "at least", "in",
    "man", "table", "toy", "statue", "shape", "is", "are", "open", "folded", "removed", "its", "w/o", "jaguar",
    "airliner", "planes", "her", "minus", "devoid", "long", "both", "people", "mask",
])  # fmt: skip


def check(facts: CaptionFacts, domain: str) -> None:
    own = spec(domain)
    assert set(facts.candidates) <= set(own.types)
    assert facts.subtype is None or facts.candidates == (facts.subtype,)
    assert facts.group is None or facts.group in own.groups or facts.group in own.types
    for claim in facts.claims:
        assert claim.component in own.components
        assert claim.low >= 0
        assert claim.high is None or claim.low <= claim.high
    for relation in facts.relations:
        assert relation.component in own.components
        assert relation.reference in own.components or relation.reference in own.references
    for subject in facts.subjects:
        assert subject.start < subject.end


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from(DOMAINS))
def test_any_text(text: str, domain: str) -> None:
    check(read(text, domain), domain)
    read(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=30), st.sampled_from(DOMAINS))
def test_any_words(words: list[str], domain: str) -> None:
    check(read(" ".join(words), domain), domain)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, max_size=12), st.sampled_from(DOMAINS))
def test_case_and_width_change_nothing(words: list[str], domain: str) -> None:
    text = " ".join(words)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" < c < "~" else c for c in text)
    plain = read(text, domain)
    for other in (text.upper(), wide):
        facts = read(other, domain)
        assert (facts.subtype, facts.claims, facts.relations) == (
            plain.subtype, plain.claims, plain.relations,
        )  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_tokens_cover_the_text_in_order(text: str) -> None:
    folded, tokens = tokenize(text)
    end = 0
    for token in tokens:
        assert end <= token.start < token.end <= len(folded)
        assert token.text
        end = token.end
    assert key(text) == tuple(t.text for t in tokens)


class Counted(Sequence[Token]):
    """Tokens that count how often they are looked at."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.looks = tokens, 0

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1 if isinstance(index, int) else len(range(*index.indices(len(self.tokens))))
        return self.tokens[index]

    def __iter__(self) -> Iterator[Token]:
        for i in range(len(self.tokens)):
            yield self[i]


ADVERSARIAL = [
    "dog and ", "leg ", "and one leg ", "four ", "no ", "of ", "without legs or ", "747-", "boeing ",
    "dog,", "four legs below ", "at the bottom of the ", "pair of ", "wearing ", "two or ", "cat next to ",
    "one engine under each wing and ", "the dog has legs ", "a man's ", "with a long, ", "leg of a man, ",
    "wings spread wide ", "747 people ", "its legs are ", "of a dog ", "a dog on the leg of a cat, ears up, ",
]  # fmt: skip


@pytest.mark.parametrize("phrase", ADVERSARIAL)
@pytest.mark.parametrize("domain", ["aircraft", "animal"])
def test_steps_grow_with_the_text(
    phrase: str, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    for repeats in (100, 400):
        _, tokens = tokenize(phrase * repeats)
        counted = Counted(tokens)
        monkeypatch.setattr(parser_module, "tokenize", lambda _, seen=counted: ("", seen))
        parser().parse(phrase * repeats, domain)
        steps.append(counted.looks / len(tokens))
        assert steps[-1] < 200
    assert steps[1] < steps[0] * 1.2 + 5


def test_a_caption_of_100_000_characters() -> None:
    for text in (
        "a dog with four legs and " * 4_000,
        "\ufdfa" * 10_000,
        "🐶" * 100_000,
        "9" * 100_000,
    ):
        facts = read(text[:100_000], "animal")
        assert len(facts.claims) <= 64
        assert len(facts.subjects) <= 64
