"""What all engines that talk to a model in chat form share: how a yes/no question is put, and how the
next token's probabilities become an answer.

The prompt is ``image, preamble, demand, question`` in one turn of the user's: all that an image's
questions share comes first, so that one pass or a prefix cache computes it once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from physgauge.ensemble.judge.engine import Reply

DEMAND: Final = "Answer with one word: yes or no."
SPELLINGS: Final = {
    True: ("yes", "Yes", "YES", " yes", " Yes", " YES"),
    False: ("no", "No", "NO", " no", " No", " NO"),
}
"""The families: every spelling that begins an answer, by what it says."""
SLACK: Final = 1e-3
"""How far P(yes) may be from the truth where a server lists only the likeliest tokens."""


Layout = Literal["image_first", "text_first"]
"""What comes first in the prompt, image or preamble; the question is always last."""
_TEMPLATE = re.compile(
    r"<\|[^<>|\s]{1,40}\|?>|</?(?:s|bos|eos|pad|unk|mask|img|image|video|audio|think|tool_call)>"
    r"|<(?:start|end)_of_\w{1,20}>|<(?:image|img)_\w{1,20}>|<fake_token_around_image>|<global-img>"
    r"|<row_\d+_col_\d+>|\[/?(?:INST|IMG|IMG_BREAK|IMG_END|SYSTEM_PROMPT|TOOL_CALLS)\]"
    r"|<</?SYS>>"
)


def plain(text: str, tokens: Iterable[str] = ()) -> str:
    """Text in which nothing is read as a token of a chat template: "<|im_end|>" gets a space inside.

    What comes from captions or from a model's own words can so neither end the turn nor be an image.

    Args:
        text: of a preamble, question or prompt.
        tokens: the model's special tokens, where they are known; those of the common models are anyhow.
    """
    for token in sorted(tokens, key=len, reverse=True):
        if token in text:
            text = text.replace(token, f"{token[:1]} {token[1:]}")
    return _TEMPLATE.sub(lambda found: f"{found[0][:1]} {found[0][1:]}", text)


def around_image(preamble: str, text: str, layout: Layout) -> tuple[str, str]:
    """The text before and behind the image.

    Args:
        preamble: shared by all questions of an image.
        text: a `question_text`, or a prompt.
        layout: what comes first.
    """
    if layout == "image_first" or not preamble.strip():
        return "", prompt_text(preamble, text)
    return f"{preamble.strip()}\n\n", text


def question_text(question: str) -> str:
    """A yes/no question with the demand for one word: in front, where all questions share it."""
    return f"{DEMAND} {question.strip()}"


def prompt_text(preamble: str, text: str) -> str:
    """The text of the turn behind the image, for a prompt."""
    return f"{preamble.strip()}\n\n{text}" if preamble.strip() else text


def side(token: str) -> bool | None:
    """What a token, or a whole answer of one word, says; None: neither yes nor no.

    Tokenizers' marks of a leading space are taken off, and punctuation around the word.
    """
    word = token.replace("\u2581", " ").replace("\u0120", " ").strip(" \t\r\n.,;:!\"'*`").casefold()
    return {"yes": True, "no": False}.get(word)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a list of likely tokens says."""

    p: float | None
    """P(yes) among the families, within SLACK; None where the list doesn't tell."""
    answer: bool | None
    """The likelier family; None where neither is on the list."""


def weigh(tokens: Iterable[tuple[str, float]], complete: bool = False) -> Weighed:
    """P(yes) from log-probabilities of next tokens.

    Args:
        tokens: (text, natural log of its probability), each token once.
        complete: whether both families are listed whole; else what isn't listed may be theirs, as far as
            all probabilities together leave room: with too much room `p` is None.
    """
    mass = {True: 0.0, False: 0.0}
    listed = 0.0
    for text, log in tokens:
        # Some servers write -9999 or -inf for "impossible"; nan and anything above 1 are nonsense.
        if math.isnan(log) or log > 1e-3:
            return Weighed(None, None)
        p = math.exp(log)
        listed += p
        said = side(text)
        if said is not None:
            mass[said] += p
    both = mass[True] + mass[False]
    if both <= 0:
        return Weighed(None, None)
    answer = mass[True] >= mass[False]
    p_yes = min(1.0, mass[True] / both)
    if complete:
        return Weighed(p_yes, answer)
    room = max(0.0, 1.0 - listed)
    # The unlisted rest may all be the one family's or the other's: P(yes) lies between these two.
    low, high = mass[True] / (both + room), (mass[True] + room) / (both + room)
    return Weighed(p_yes if high - low <= SLACK else None, answer)


def weigh_ids(logs: Mapping[int, float], families: Mapping[bool, Iterable[int]]) -> Weighed:
    """P(yes) from the log-probabilities of the families' token ids; every one must be there."""
    ids = {said: tuple(members) for said, members in families.items()}
    if any(token not in logs for members in ids.values() for token in members):
        return Weighed(None, None)
    words = {True: "yes", False: "no"}
    return weigh(
        ((words[said], logs[token]) for said, members in ids.items() for token in members),
        complete=True,
    )


def reply(weighed: Weighed, said: str | None) -> Reply:
    """The reply to a question, from the next token's probabilities or, without them, the word said.

    Args:
        weighed: what the probabilities say.
        said: the text written; None: nothing.
    """
    answer = weighed.answer
    if weighed.p is None:
        # Half a list can't overrule what the model wrote.
        spoken = None if said is None else side(said)
        answer = spoken if spoken is not None else answer
    if answer is None:
        return Reply("unparseable")
    return Reply("answered", answer, weighed.p)
