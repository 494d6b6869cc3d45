"""The tokens that mean yes and no."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from physgauge.ensemble.judge.engines.asking import SPELLINGS
from physgauge.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Families:
    """Token ids of every spelling of yes and of no that the tokenizer has: case, leading space."""

    yes: tuple[int, ...]
    no: tuple[int, ...]


def families(tokenizer: Any, where: str) -> Families:
    """Look through the whole vocabulary for tokens that are the word alone.

    Args:
        tokenizer: of transformers.
        where: names the model in errors.

    Raises:
        ConfigError: a family is empty, or misses the plain word of one case.
    """
    found: dict[bool, list[int]] = {True: [], False: []}
    words = {word.strip().casefold(): said for said, some in SPELLINGS.items() for word in some}
    special = set(tokenizer.all_special_ids)
    for token, index in tokenizer.get_vocab().items():
        # Decoding is slow: only what could be a word of a few letters with a mark for a space.
        if index in special or len(token) > 8 or not any(w in token.casefold() for w in words):
            continue
        word = tokenizer.decode([index]).strip().casefold()
        if word in words:
            found[words[word]].append(index)
    for said, ids in found.items():
        if not ids:
            raise ConfigError(
                f"{where}: tokenizer: expected a single token for one of {SPELLINGS[said]}, got none"
            )
    return Families(tuple(sorted(found[True])), tuple(sorted(found[False])))


def check_reached(tokenizer: Any, ends: str, known: Families, where: str) -> None:
    """The token that follows a prompt's end when the model answers "yes" must be one of the family.

    Args:
        tokenizer: of transformers.
        ends: a whole prompt.
        known: the families.
        where: names the model in errors.

    Raises:
        ConfigError: no spelling of a word begins with a token of its family there.
    """
    before = tokenizer(ends, add_special_tokens=False)["input_ids"]
    for said, ids in ((True, known.yes), (False, known.no)):
        for word in SPELLINGS[said]:
            after = tokenizer(ends + word, add_special_tokens=False)["input_ids"]
            if after[: len(before)] == before and after[len(before) : len(before) + 1][0] in ids:
                break
        else:
            raise ConfigError(
                f"{where}: tokenizer: expected an answer of one of {SPELLINGS[said]} to begin with one "
                f"token of the family behind {ends[-24:]!r}, got other tokens"
            )
