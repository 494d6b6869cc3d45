"""What an observer is asked, and how what it answers is read.

The kind of thing comes first: the look begins before anything is detected. An engine that can be held to
a schema lists every part of that kind, with 0 for what it does not see; another one writes a phrase a
line. What was not stated was not observed: only a stated 0 is a vote for none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from physgauge.ensemble.judge.engine import Prompt, Text
from physgauge.ensemble.judge.observe.phrases import (
    ATTRIBUTE,
    MAX_ATTRIBUTES,
    MAX_COUNT,
    Phrase,
    PhraseParser,
)
from physgauge.ensemble.judge.observe.vocabulary import Vocabulary
from physgauge.ensemble.judge.strict import read_object
from physgauge.ensemble.observations import Sight
from physgauge.wire import Observation, Outcome

NONE: Final = "none"
"""The kind of a picture that shows nothing known."""
MAX_STATEMENTS: Final = 64
"""More than any picture needs; a longer answer is not read."""
_KIND: Final = re.compile(r"\s*kind\s*:\s*([a-z][a-z0-9_]*)\.?\s*", re.IGNORECASE)
_KEYS: Final = frozenset({"part", "count", "relation", "reference", "attributes"})
_PHRASES: Final = (
    "Answer in lines and write nothing else. The first line is `Kind:` and the kind. Then a line for "
    "each part of that kind, a phrase of number, look, part and, where it helps, where it is: `four "
    "engines below wings`, `two swept-back wings`, `no horns`. Write `no` and the part for each part "
    "that you cannot see. Leave out what you are not sure of."
)
_JSON: Final = (
    'Answer with one JSON object: {"kind": ..., "parts": [{"part": ..., "count": ..., "relation": ..., '
    '"reference": ..., "attributes": [...]}, ...]}. Give every part of that kind once, with the number '
    "that you can see, 0 for none. `relation` and `reference` say where it is, null where that does not "
    "help; `attributes` are single words for its look."
)


class Questions:
    """For a set of domains; safe to share between threads."""

    def __init__(self, vocabularies: Sequence[Vocabulary]) -> None:
        self._by_domain = {one.domain: one for one in vocabularies}
        self._parsers = {one.domain: PhraseParser(one) for one in vocabularies}
        self._schema = _schema(vocabularies)
        listed = "\n".join(
            f"{one.domain}: {', '.join(_words(one.components))} (places besides: "
            f"{', '.join(_words(one.places)) or 'none'})"
            for one in vocabularies
        )
        kinds = ", ".join([*self._by_domain, NONE])
        self._question = (
            f"Which kind of thing is the picture's main subject: {kinds}? Which of its parts can you "
            f"see, and how many of each? Count only what is visible. The parts of each kind:\n{listed}\n"
        )

    def prompt(self, structured: bool, max_tokens: int) -> Prompt:
        """The question, for an engine that can be held to a schema or not."""
        text = self._question + (_JSON if structured else _PHRASES)
        return Prompt("observe", text, max_tokens, self._schema if structured else None)

    def read(self, text: Text, source: str, structured: bool) -> Sight:
        """What was answered; anything that is no answer is a typed outcome without observations."""
        if text.outcome != "answered":
            return Sight(source, text.outcome)
        said = self._read_json(text) if structured else self._read_lines(text)
        if isinstance(said, str):
            return Sight(source, "unparseable", reason=said)
        domain, phrases, rejected = said
        if domain == NONE:
            return Sight(source, "answered", reason="it sees none of the known kinds")
        if not phrases:
            outcome: Outcome = "unparseable"
            return Sight(source, outcome, domain, rejected=rejected, reason="no usable statement")
        found = dict.fromkeys(phrases)  # what is said twice is one observation
        observations = tuple(
            Observation(
                source=source, component=one.component, count=one.count, relation=one.relation,
                reference=one.reference, attributes=list(one.attributes),
            )
            for one in found
        )  # fmt: skip
        return Sight(source, "answered", domain, observations, rejected)

    def _read_lines(self, text: Text) -> str | tuple[str, list[Phrase], int]:
        if text.text is None or not text.whole:
            return "cut off"
        first, _, rest = text.text.strip().partition("\n")
        kind = _KIND.fullmatch(first)
        domain = kind[1].lower() if kind else ""
        if domain not in self._by_domain and domain != NONE:
            return "no known kind in the first line"
        if len(rest.splitlines()) > MAX_STATEMENTS:
            return "too many lines"
        if domain == NONE:
            return NONE, [], 0
        return domain, *self._parsers[domain].read(rest)

    def _read_json(self, text: Text) -> str | tuple[str, list[Phrase], int]:
        found = read_object(text)
        if found is None or set(found) != {"kind", "parts"}:
            return "not the JSON object asked for"
        domain, parts = found["kind"], found["parts"]
        if not isinstance(domain, str) or not (domain in self._by_domain or domain == NONE):
            return "no known kind"
        if not isinstance(parts, list) or len(parts) > MAX_STATEMENTS:
            return "no list of parts, or too long a one"
        if domain == NONE:
            return NONE, [], 0
        words = self._by_domain[domain]
        read = [_statement(one, words) for one in parts]
        phrases = [one for one in read if one is not None]
        return domain, phrases, len(read) - len(phrases)


def _statement(one: Any, words: Vocabulary) -> Phrase | None:
    """One entry of the JSON answer; None where any of it cannot be used."""
    if not isinstance(one, Mapping) or not set(one) <= _KEYS or "part" not in one:
        return None
    part, count = one["part"], one.get("count")
    relation, reference = one.get("relation"), one.get("reference")
    attributes = one.get("attributes") or []
    if not isinstance(part, str) or part not in words.components:
        return None
    if count is not None and (type(count) is not int or not 0 <= count <= MAX_COUNT):
        return None
    if not isinstance(attributes, list) or len(attributes) > MAX_ATTRIBUTES:
        return None
    if not all(isinstance(a, str) and ATTRIBUTE.fullmatch(a) for a in attributes):
        return None
    if not (relation is None or relation in words.relations):
        return None
    if not (reference is None or reference in (*words.components, *words.places)):
        return None
    if relation is None or reference is None:
        relation = reference = None  # half a place is none
    if count == 0:
        return Phrase(part, 0, None, None)
    if count is None and relation is None and not attributes:
        return None
    return Phrase(part, count, relation, reference, tuple(attributes))


def _words(names: Sequence[str]) -> list[str]:
    return [name if name.isalpha() else f"{name} ({name.replace('_', ' ')})" for name in names]


def _schema(vocabularies: Sequence[Vocabulary]) -> dict[str, Any]:
    """One flat form for all kinds: what part belongs to which kind is checked afterwards (servers take
    few schemas with alternatives)."""
    parts = sorted({name for one in vocabularies for name in one.components})
    places = sorted({name for one in vocabularies for name in one.places} | set(parts))
    relations = list(dict.fromkeys(name for one in vocabularies for name in one.relations))
    entry = {
        "type": "object",
        "properties": {
            "part": {"type": "string", "enum": parts},
            "count": {"type": "integer"},
            "relation": {"anyOf": [{"type": "string", "enum": relations}, {"type": "null"}]},
            "reference": {"anyOf": [{"type": "string", "enum": places}, {"type": "null"}]},
            "attributes": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["part", "count", "relation", "reference", "attributes"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": [*(one.domain for one in vocabularies), NONE]},
            "parts": {"type": "array", "items": entry},
        },
        "required": ["kind", "parts"],
        "additionalProperties": False,
    }
