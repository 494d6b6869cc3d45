"""What every way of asking is asked: the same images, and prompts of a stated number of tokens."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

import numpy as np

from physgauge.ensemble.judge.engine import Prompt, Question
from physgauge.ensemble.judge.engines.onepass.prompts import Prompts
from physgauge.types import U8

PROBES, HITS = 18, 2
"""Questions about the image, and how many of them are taken to have found something: so many severity
questions follow. (Random weights find what they like.)"""
PROBE_TOKENS, PROMPT_TOKENS, ANSWER_TOKENS = 40, 80, 40
"""Of a probe behind all that probes share, the template's end included (the shipped ones have 38 to 43 by
Qwen's vocabulary); of a published prompt behind the image; of its answer."""
SIDE: Final = 512
DIFFERENT: Final = 64
"""Pictures of a run; then they come again (no engine here knows a picture again)."""
PREAMBLE: Final = (
    "Look closely at the picture. A drawing counts as the scene it shows, and its style is never a "
    "fault."
)
_TEXT: Final = (
    "Does any object in the picture float in the air, or rest on something that could not carry it, or "
    "stand where it would fall, or pass through another, or show a shadow that falls towards the light, "
    "and is it not meant so? Answer in three lines: yes or no, the object, the visible evidence in one "
    "short sentence each. "
)


@functools.lru_cache(DIFFERENT)
def image(index: int) -> U8:
    """512 x 512 px, noise; those of `range(DIFFERENT)` are made once."""
    return np.random.default_rng(index).integers(0, 256, (SIDE, SIDE, 3), np.uint8)


def _of_length(count: Callable[[str], int], wanted: int, index: int) -> str:
    """Words whose prompt has the wanted number of tokens."""
    words = (_TEXT * 4).split()
    text, at = f"{index}", 0
    while count(text) < wanted and at < len(words):
        longer = f"{text} {words[at]}"
        at += 1
        text = longer if count(longer) <= wanted else f"{text}."
    return text


def probes(prompts: Prompts, count: int, start: int = 0) -> list[Question]:
    """Yes/no questions of PROBE_TOKENS each, the template's end included."""

    def tokens(text: str) -> int:
        return len(prompts.tail(PREAMBLE, True, text, "yes_no").ids)

    return [
        Question(str(i), _of_length(tokens, PROBE_TOKENS, i)) for i in range(start, start + count)
    ]


def reports(prompts: Prompts, count: int, start: int = 0) -> list[Prompt]:
    """Prompts for texts, PROMPT_TOKENS each behind the image, the template's end included."""
    image_at = prompts.prefix("", True).image_at or 0

    def tokens(text: str) -> int:
        tail = prompts.tail("", True, f"{PREAMBLE} {text}", "text")
        return len(tail.ids) + tail.sees - image_at - 1

    return [
        Prompt(str(i), f"{PREAMBLE} {_of_length(tokens, PROMPT_TOKENS, i)}", ANSWER_TOKENS)
        for i in range(start, start + count)
    ]
