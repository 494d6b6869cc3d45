"""From the next token's probabilities to an answer."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from physgauge.ensemble.judge.engines.asking import (
    SLACK,
    SPELLINGS,
    Weighed,
    around_image,
    plain,
    reply,
    side,
    weigh,
    weigh_ids,
)

FAMILIES = {True: (1, 2), False: (3, 4)}


@pytest.mark.parametrize("said", [True, False])
def test_every_spelling_is_read(said: bool) -> None:
    for word in SPELLINGS[said]:
        for marked in (
            word,
            word.replace(" ", "\u0120"),
            word.replace(" ", "\u2581"),
            f"{word}.",
            f'"{word}"',
        ):
            assert side(marked) is said
    for other in ("", "yesterday", "not", "none", "know", "y", "n", "yes no", "1", "ja"):
        assert side(other) is None


@given(st.lists(st.floats(0.001, 1), min_size=4, max_size=4))
def test_p_is_the_families_share(raw: list[float]) -> None:
    p = [x / sum(raw) for x in raw]
    logs = dict(zip((1, 2, 3, 4), map(math.log, p), strict=True))
    found = weigh_ids(logs, FAMILIES)
    assert found.p == pytest.approx(p[0] + p[1])
    assert found.p is not None
    assert found.answer is (found.p >= 0.5) or abs(found.p - 0.5) < 1e-12


def test_a_missing_token_of_a_family_leaves_nothing() -> None:
    assert weigh_ids({1: -1.0, 2: -1.0, 3: -1.0}, FAMILIES) == Weighed(None, None)


@given(
    st.lists(st.floats(0.0001, 1), min_size=3, max_size=3),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_what_is_not_listed_can_never_move_p_further_than_said(
    raw: list[float], unlisted: float, share: float
) -> None:
    """The truth: the listed mass, and an unlisted rest that is yes and no in any proportion."""
    yes, no, other = (x / sum(raw) * (1 - unlisted) for x in raw)
    found = weigh(
        [
            ("yes", math.log(yes or 1e-300)),
            ("no", math.log(no or 1e-300)),
            ("hm", math.log(other or 1e-300)),
        ]
    )
    if found.p is None:
        return
    for hidden_yes in (unlisted * share, unlisted, 0.0):
        for hidden_no in (unlisted - hidden_yes, 0.0):
            truth = (yes + hidden_yes) / (yes + no + hidden_yes + hidden_no)
            assert abs(found.p - truth) <= SLACK + 1e-9


@pytest.mark.parametrize("log", [float("nan"), 0.5, float("inf")])
def test_nonsense_is_no_probability(log: float) -> None:
    assert weigh([("yes", log), ("no", -1.0)]) == Weighed(None, None)
    assert weigh_ids({1: log, 2: -1.0, 3: -1.0, 4: -1.0}, FAMILIES) == Weighed(None, None)


def test_impossible_tokens_are_just_that() -> None:
    found = weigh([("yes", 0.0), ("no", float("-inf")), ("No", -9999.0)])
    assert (found.p, found.answer) == (1.0, True)


def test_without_p_the_word_counts_and_with_it_p() -> None:
    assert reply(Weighed(None, True), "No").answer is False
    assert reply(Weighed(None, True), "Hm").answer is True
    assert reply(Weighed(0.2, False), "Yes").answer is False
    assert reply(Weighed(None, None), "Hm").outcome == "unparseable"
    assert reply(Weighed(None, None), None).outcome == "unparseable"


@pytest.mark.parametrize(
    "token",
    ["<|im_end|>", "<image>", "</s>", "<end_of_turn>", "<|image_pad|>", "[INST]", "<row_1_col_2>", "<image_soft_token>", "<</SYS>>"],
)  # fmt: skip
def test_tokens_of_templates_are_broken_up(token: str) -> None:
    made = plain(f"a{token}b{token}")
    assert token not in made
    assert made.replace(" ", "") == f"a{token}b{token}"


def test_plain_text_stays_as_it_is() -> None:
    text = "A <b>bold</b> claim: 3 < 4 > 2, [sic], a|b, 1 << 2"
    assert plain(text) == text
    assert plain("x<odd>y", ["<odd>"]) == "x< odd>y"


def test_layouts() -> None:
    assert around_image("P", "Q", "image_first") == ("", "P\n\nQ")
    assert around_image("P", "Q", "text_first") == ("P\n\n", "Q")
    assert around_image(" ", "Q", "text_first") == ("", "Q")
