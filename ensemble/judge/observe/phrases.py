"""Phrases to observations by regular expressions: "four engines below wings" is (engine, 4, below, wing).

A phrase is taken whole or not at all: number, attributes, part, and where it is, in that order and
nothing else. Prose, apologies, hedges and whatever else a model may write is no phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from physgauge.ensemble.captions import words
from physgauge.ensemble.judge.observe.vocabulary import Vocabulary
from physgauge.ensemble.text import fold

MAX_COUNT: Final = 64
"""A greater number of parts is absurd."""
MAX_PHRASE_CHARS: Final = 120
MAX_ATTRIBUTES: Final = 4
ATTRIBUTE: Final = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,20}){0,2}")
_NONE: Final = ("no", "zero", "without")
_NUMBERS: Final = {word: n for word, n in words.NUMBERS.items() if n > 0}
_BEFORE: Final = r"(?:(?:there (?:is|are)|it has|has|with|shows)\s+)?"
_FILLED: Final = (
    "positioned", "mounted", "attached", "located", "placed", "hanging", "hung", "slung", "set", "fixed",
    "sitting", "connected", "arranged", "directly", "are", "is",
)  # fmt: skip
_ARTICLES: Final = ("the", "its", "each", "every", "both", "a", "an", "either", "of")
# What no attribute is: these words say that the speaker does not know, or count something.
_DOUBT: Final = frozenset({
    "maybe", "perhaps", "possibly", "probably", "likely", "approximately", "roughly", "some", "several",
    "many", "few", "multiple", "unknown", "visible", "hidden", "missing", "absent", "sorry", "cannot",
    "unclear", "seemingly", "apparently", "almost", "nearly", "more", "less", "fewer", "least", "most",
    "any", "other", "same", "different", "similar", "not", "nor", "never", "nan", "null", "none", "inf",
    "infinite", "undefined", "count", "number", "total",
})  # fmt: skip
_LINE_START: Final = re.compile(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One observation, without its source."""

    component: str
    count: int | None
    relation: str | None
    reference: str | None
    attributes: tuple[str, ...] = ()


class PhraseParser:
    """Reads phrases in one domain's words; safe to share between threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._words = vocabulary
        self._relations = {name.replace("_", " "): name for name in vocabulary.relations}
        self._relations |= {" ".join(run): name for run, name in words.RELATIONS.items()}
        part, place = _alternatives(vocabulary.parts), _alternatives(vocabulary.references)
        numbers, ends = (
            _alternatives([*_NUMBERS, *_NONE, "a pair of", "a", "an"]),
            _alternatives(words.ENDS),
        )
        articles = rf"(?:(?:{_alternatives(_ARTICLES)})\s+){{0,3}}"
        # "on top of" before "on the top", and that before "on": the longest reading is meant.
        several = _alternatives(name for name in self._relations if " " in name)
        single = _alternatives(name for name in self._relations if " " not in name)
        where = (
            rf"(?:{several})\s+{articles}(?:{place})",
            rf"(?:at|on|in|near|to)\s+(?:(?:the|its)\s+)?(?:{ends})(?:\s+of\s+{articles}(?:{place}))?",
            rf"(?:{single})\s+{articles}(?:{place})",
        )
        self._form = re.compile(
            rf"^{_BEFORE}(?:(?P<number>\d{{1,6}}|{numbers})\s+)?"
            rf"(?P<attributes>(?:[a-z-]{{2,60}},?\s+(?:and\s+)?){{0,{MAX_ATTRIBUTES}}}?)"
            rf"(?P<part>{part})"
            rf"(?:\s+(?:(?:{_alternatives(_FILLED)})\s+){{0,3}}(?P<where>{'|'.join(where)})"
            rf"(?:\s+(?:centerline|centreline))?)?$"
        )
        self._several = re.compile(rf"(?P<relation>{several})\s+{articles}(?P<place>{place})")
        self._end = re.compile(
            rf"\w+\s+(?:(?:the|its)\s+)?(?P<end>{ends})(?:\s+of\s+{articles}(?P<place>{place}))?"
        )
        self._single = re.compile(rf"(?P<relation>{single})\s+{articles}(?P<place>{place})")

    def phrase(self, text: str) -> Phrase | None:
        """One phrase; None for anything else."""
        plain = " ".join(fold(text).split()).rstrip(" .")
        if len(plain) > MAX_PHRASE_CHARS:
            return None
        found = self._form.fullmatch(plain)
        if found is None:
            return None
        count = _number(found["number"])
        attributes = _attributes(found["attributes"])
        if attributes is None or (count is not None and not 0 <= count <= MAX_COUNT):
            return None
        relation, reference, each = self._where(found["where"])
        count = None if each and count else count
        if count == 0 and (relation or attributes):
            return None  # "no engines below wings" does not say that there are none
        if count is None and relation is None and not attributes:
            return None
        component = self._words.parts[_spaced(found["part"])]
        return Phrase(component, count, relation, reference, attributes)

    def _where(self, text: str | None) -> tuple[str | None, str | None, bool]:
        """Relation, reference, and whether the number is for each of several references."""
        if text is None:
            return None, None, False
        each = bool(words.EACH & set(text.split()))
        if (end := self._end.fullmatch(text)) and not self._several.fullmatch(text):
            place = self._words.default_place
            if end["place"]:
                place = self._words.references[_spaced(end["place"])]
            return words.ENDS[end["end"]], place, each
        found = self._several.fullmatch(text) or self._single.fullmatch(text)
        assert found is not None  # the form is made of the three
        relation = self._relations[_spaced(found["relation"])]
        return relation, self._words.references[_spaced(found["place"])], each

    def read(self, text: str) -> tuple[list[Phrase], int]:
        """All phrases of a text, one a line or parted by commas or semicolons, and how many lines or
        pieces are none."""
        phrases: list[Phrase] = []
        rejected = 0
        for line in text.splitlines():
            bare = _LINE_START.sub("", line).strip()
            if not bare:
                continue
            whole = self.phrase(bare)
            pieces = [whole] if whole else [self.phrase(one) for one in re.split(r"[;,]", bare)]
            good = [one for one in pieces if one is not None]
            # Half a sentence that looks like a phrase is none.
            if len(good) == len(pieces):
                phrases += good
            else:
                rejected += 1
        return phrases, rejected


def _alternatives(names: Iterable[str]) -> str:
    """Longest first: the first that fits is taken."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return "|".join(re.escape(name).replace(r"\ ", r"[\s-]") for name in ordered)


def _spaced(name: str) -> str:
    return " ".join(re.split(r"[\s-]+", name))


def _number(word: str | None) -> int | None:
    if word is None:
        return None
    if word.isdecimal():
        return int(word)
    if word in _NONE:
        return 0
    return 2 if word == "a pair of" else _NUMBERS.get(word, 1)


def _attributes(text: str) -> tuple[str, ...] | None:
    """The words before a part; None where one is no attribute."""
    found = [word for word in re.split(r"[,\s]+", text) if word and word != "and"]
    for word in found:
        known = word in words.STOPWORDS or word in words.NUMBERS or word in _DOUBT
        if known or not ATTRIBUTE.fullmatch(word):
            return None
    return tuple(found)
