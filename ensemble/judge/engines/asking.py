"""What all engines that talk to a model in chat form share: how a yes/no question is put, and how the
next token's probabilities become an answer.

The prompt is ``image, preamble, question, demand`` in one turn of the user's: all that an image's
questions share comes first, so that a prefix cache computes it once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.judge.engine import Reply

DEMAND: Final = "Answer with one word: yes or no."
SPELLINGS: Final = {
    True: ("yes", "Yes", "YES", " yes", " Yes", " YES"),
    False: ("no", "No", "NO", " no", " No", " NO"),
}
"""The families: every spelling that begins an answer, by what it says."""
SLACK: Final = 1e-3
"""How far P(yes) may be from the truth where a server lists only the likeliest tokens."""


def question_text(preamble: str, question: str) -> str:
    """The text of the turn behind the image, for a question."""
    return prompt_text(preamble, f"{question.strip()} {DEMAND}")


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
