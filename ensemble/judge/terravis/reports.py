"""Texts that judges write, read strictly: what does not have the form that was asked for is None, never a
"no"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

import msgspec

from physgauge.ensemble.judge.engine import Text
from physgauge.ensemble.judge.strict import read_object
from physgauge.ensemble.judge.terravis.probes import note

_LABELS: Final = ("answer", "object", "evidence")
_NOTHING: Final = ("", "none", "nothing", "n/a", "-")
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Report:
    """Three lines: the answer, the affected object, the visible evidence."""

    answer: str
    object: str | None
    evidence: str | None


class Noted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found: the thing, and what is visible there."""

    object: str
    evidence: str


class Found(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One find of the baseline `single_prompt`."""

    number: int
    severity: Literal["major", "minor"]
    object: str
    evidence: str


class Everything(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole answer of the baseline `single_prompt`."""

    eligible: bool
    found: list[Found]


def read_report(text: Text, answers: Sequence[str], backed: str) -> Report | None:
    """Three lines, ``Answer:``, ``Object:``, ``Evidence:``, in that order and nothing else.

    Args:
        text: what was written.
        answers: the words that are an answer.
        backed: the answer that needs object and evidence: without them it is a claim, not a report.
    """
    lines = _lines(text, _LABELS)
    if lines is None:
        return None
    answer = lines[0].rstrip(".").lower()
    thing, evidence = (None if s.lower().rstrip(".") in _NOTHING else s for s in lines[1:])
    if answer not in answers or (answer == backed and (thing is None or evidence is None)):
        return None
    return Report(answer, thing, evidence)


def read_lines(text: Text) -> Noted | None:
    """Two lines, ``Object:`` and ``Evidence:``."""
    lines = _lines(text, _LABELS[1:])
    return None if lines is None or not all(lines) else Noted(*lines)


def read_noted(text: Text) -> Noted | None:
    """Object and evidence as JSON; both must say something."""
    said = read_json(text, Noted)
    if said is None or not note(said.object) or not note(said.evidence):
        return None
    return Noted(note(said.object), note(said.evidence))


def read_json(text: Text, kind: type[Parsed]) -> Parsed | None:
    """One JSON object of that form, bare or in one code fence; no NaN, no unknown keys, none twice."""
    found = read_object(text)
    try:
        return None if found is None else msgspec.convert(found, kind)
    except msgspec.ValidationError:
        return None


def read_rating(text: Text) -> int | None:
    """One digit from 1 to 5."""
    if text.outcome != "answered" or text.text is None:
        return None
    digit = re.fullmatch(r"([1-5])\.?", text.text.strip(), re.ASCII)
    return None if digit is None else int(digit[1])


def schema_of(kind: Any) -> dict[str, Any]:
    """The JSON schema of an answer, for engines that can be held to one."""
    schema = msgspec.json.schema(kind)
    (body,) = schema["$defs"].values() if len(schema["$defs"]) == 1 else (schema,)
    return dict(body)


def _lines(text: Text, labels: Sequence[str]) -> list[str] | None:
    """What stands behind each label; None unless there is one line for each, in order, and no other."""
    if text.outcome != "answered" or text.text is None or not text.whole:
        return None
    lines = [line.strip() for line in text.text.strip().split("\n") if line.strip()]
    if len(lines) != len(labels):
        return None
    said = []
    for line, label in zip(lines, labels, strict=True):
        name, colon, rest = line.partition(":")
        if not colon or name.strip().lower() != label:
            return None
        said.append(note(rest))
    return said
