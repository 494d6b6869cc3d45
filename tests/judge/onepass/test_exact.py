"""One pass says what separate prompts say: the reference is transformers' own, one prompt at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from physgauge.ensemble.judge.engines.onepass.prompts import Tail
from physgauge.ensemble.judge.engines.onepass.running import Wanted
from physgauge.types import F64
from tests.judge.onepass.models import (
    ALL,
    PACKABLE,
    PREAMBLE,
    engine,
    expected,
    pictures,
    questions,
    separate,
    together,
)

BOUND = 1e-4
"""Of log-odds, in float32."""
SHAPES = [[1], [40], [2, 19, 5], [1, 3, 2, 1, 2, 4, 1, 2, 3, 1, 2, 1, 5, 1, 2, 3]]
"""Questions of each image of a batch."""
STRATEGIES = [(name, "packed") for name in PACKABLE] + [(name, "cache") for name in ALL]


def alone(name: str, counts: list[int]) -> list[F64]:
    return [
        np.array([expected(name, image, q) for q in questions(count)])
        for image, count in enumerate(counts)
    ]


def worst(got: list[F64], wanted: list[F64]) -> float:
    return max(float(np.abs(g - w).max()) for g, w in zip(got, wanted, strict=True))


@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_separate_prompts(name: str, strategy: str) -> None:
    with engine(name, strategy=strategy) as made:
        assert strategy in made.name
        for counts in SHAPES:
            asked = [questions(count) for count in counts]
            got = together(made, pictures(len(counts)), asked)
            assert worst(got, alone(name, counts)) <= BOUND
    # The bound means something: questions and pictures move the answers a thousand times as far.
    everything = np.concatenate(alone(name, SHAPES[2]))
    assert everything.std() > 0.05
    assert abs(alone(name, [1, 1])[0][0] - alone(name, [1, 1])[1][0]) > 0.001


@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_second_pass_on_the_same_prefix(name: str, strategy: str) -> None:
    """Severity: other questions later, the image not read again, beside another image's first pass."""
    later = ["Is the floating thing the main subject?", "Is the hand behind it?"]
    with engine(name, strategy=strategy) as made:
        prefix = made.prompts.prefix(PREAMBLE, True)
        first, second = (made.runner.open(prefix, made._prepare(image)) for image in pictures(2))
        tails = [made.prompts.tail(PREAMBLE, True, q, "yes_no") for q in questions(7)]
        more = [made.prompts.tail(PREAMBLE, True, q, "yes_no") for q in later]
        made.runner.answer([(first, tails)])
        first.picture = None  # whoever reads it again fails
        graded, fresh = made.runner.answer([(first, more), (second, tails)])
    assert worst([graded], [np.array([expected(name, 0, q) for q in later])]) <= BOUND
    assert worst([fresh], [np.array([expected(name, 1, q) for q in questions(7)])]) <= BOUND


@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_tails_that_start_earlier(name: str, strategy: str) -> None:
    """As where a question's letters join the prefix's last token: some see less of the prefix."""
    with engine(name, strategy=strategy) as made:
        prefix = made.prompts.prefix(PREAMBLE, True)
        opened = made.runner.open(prefix, made._prepare(pictures(1)[0]))
        tails = [made.prompts.tail(PREAMBLE, True, q, "yes_no") for q in questions(4)]
        for i in (1, 3):
            tails[i] = Tail((*prefix.ids[-i:], *tails[i].ids), tails[i].sees - i)
        got = made.runner.answer([(opened, tails)])
        assert worst(got, alone(name, [4])) <= BOUND
        writing = made.runner.write([Wanted(opened, tail, 3) for tail in tails])
        while not all(w.done for w in writing.written):
            writing.step()
        texts = [w.ids for w in writing.written]
        written = [made.prompts.written(PREAMBLE, q, True, "yes_no") for q in questions(4)]
    for whole, ids in zip(written, texts, strict=True):
        theirs = separate(name).text(pictures(1)[0], whole, 3)
        assert theirs[: len(ids)] == ids


@pytest.mark.parametrize("name", PACKABLE)
def test_math_kernels_and_text_first(name: str) -> None:
    with engine(name, attention="math", layout="text_first") as made:
        got = together(made, pictures(2), [questions(5), questions(3)])
        written = [made.prompts.written(PREAMBLE, q, True, "yes_no") for q in questions(5)]
    assert written[0].index(PREAMBLE) < written[0].index(made.prompts._mark.token)
    for image, some in zip(pictures(2), got, strict=True):
        wanted = [separate(name).log_odds(image, w) for w in written[: len(some)]]
        assert worst([some], [np.array(wanted)]) <= BOUND


BFLOAT16_BOUND = 0.1
"""Of log-odds; see docs/onepass.md for what was measured."""


@pytest.mark.parametrize("name", PACKABLE)
def test_bfloat16(name: str) -> None:
    """In bfloat16, one pass, separate prompts of ours, and transformers' separate prompts (whose logits are
    rounded to bfloat16 too) agree within the bound, and the questions' order changes nothing more."""
    counts = [12, 5, 8]
    asked = [questions(count) for count in counts]
    with engine(name, dtype="bfloat16") as made:
        one = together(made, pictures(3), asked)
        single = [
            np.array([together(made, [image], [[q]])[0][0] for q in some])
            for image, some in zip(pictures(3), asked, strict=True)
        ]
        written = [made.prompts.written(PREAMBLE, q, True, "yes_no") for q in questions(12)]
    theirs = [
        np.array([separate(name, torch.bfloat16).log_odds(image, w) for w in written[:count]])
        for image, count in zip(pictures(3), counts, strict=True)
    ]
    assert worst(one, single) <= BFLOAT16_BOUND
    assert worst(one, theirs) <= BFLOAT16_BOUND
    assert worst(one, alone(name, counts)) <= BFLOAT16_BOUND


def test_alone_as_in_a_batch() -> None:
    """Within float32's rounding: a product's shape changes the order of its sum."""
    for name in PACKABLE:
        with engine(name) as made:
            images, asked = pictures(9), [questions(19)] * 9
            many = together(made, images, asked)
            for k in (0, 4, 8):
                assert worst([many[k]], together(made, [images[k]], [questions(19)])) <= 2e-5
