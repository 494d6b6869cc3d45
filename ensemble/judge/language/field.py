"""A field in a prompt that holds somebody else's words as data, and that these words cannot close."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import Final

CUT: Final = " [cut]"
_DROPPED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control characters, invisible ones, directions, surrogates, unassigned ones."""


@dataclass(frozen=True, slots=True)
class Field:
    """Words between two marks."""

    name: str
    words: str
    mark: str
    """In both marks; 16 hexadecimal digits that nobody can know who has to choose the words first."""

    @property
    def text(self) -> str:
        """As it stands in the prompt."""
        return f"<{self.name}-{self.mark}>\n{self.words}\n</{self.name}-{self.mark}>"


def field(name: str, text: str, around: str, max_chars: int) -> Field:
    """Put words into a field.

    The mark is a hash of the words together with the rest of the prompt. Equal prompts are equal to the
    last letter, so runs can be repeated; but who writes the words would have to write down the hash of
    what they write.

    Args:
        name: of the field.
        text: anything.
        around: the rest of the prompt.
        max_chars: longer texts are cut, and end in "[cut]".
    """
    words = plain(text, max_chars)
    digest = hashlib.sha256(f"{name}\0{around}\0{words}".encode())
    while (mark := digest.hexdigest()[:16]) in words:  # not in the life of this planet
        digest.update(b"again")
    return Field(name, words, mark)


def plain(text: str, max_chars: int) -> str:
    """One line: runs of white space are one blank, control characters and unseen ones are dropped."""
    # The first max_chars letters of a text may be blanks, but what is read of it is bounded all the same.
    start = text[: 8 * max_chars]
    seen = "".join(
        c if c.isspace() or unicodedata.category(c) not in _DROPPED else "" for c in start
    )
    line = " ".join(seen.split())
    if len(line) <= max_chars and len(text) == len(start):
        return line
    return line[: max(0, max_chars - len(CUT))].rstrip() + CUT
