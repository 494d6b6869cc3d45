"""The questions of TerraVis as a record: what is asked about an image, in the words it is asked in."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

Level = Literal["object", "interaction", "scene"]
MAX_NOTE_CHARS: Final = 200
"""What a model wrote about a thing is cut to this before it enters another prompt."""


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case told in words, with the answer it deserves."""

    shows: str
    answer: bool


class Probe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of violation."""

    id: str
    level: Level
    question: str
    """A yes is a violation."""
    thing: str
    """What it would be about, for the question after its severity: "the garbled sign"."""
    examples: tuple[Example, ...] = ()
    """Put behind the question."""

    @property
    def text(self) -> str:
        """The question with its examples."""
        told = (f"{e.shows.rstrip('.')}: {'yes' if e.answer else 'no'}." for e in self.examples)
        return " ".join([self.question, *(["For example:", *told] if self.examples else [])])


class Shot(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A picture with the answers it deserves, shown before the one that is asked about."""

    path: str
    sha256: str
    """Of the file."""
    yes: tuple[str, ...] = ()
    """Ids of the probes whose answer is yes."""
    eligible: bool = True

    def said(self, probes: ProbeSet) -> str:
        """The answers in words; never a probe's name."""
        asked = {probe.id: probe.question for probe in probes.probes}
        if not self.eligible:
            return f'About the picture above, the right answer is no to "{probes.eligible}"'
        if not self.yes:
            return (
                "About the picture above, the right answer is no to every question but the first."
            )
        found = " and to ".join(f'"{asked[name]}"' for name in self.yes)
        return f"About the picture above, the right answer is yes to {found}, no to the others like it."


class Family(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of image that is not eligible."""

    id: str
    question: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model is asked to name what it found."""

    question: str
    lines: str
    """How to write it, for engines that write freely."""
    json: str
    """How to write it, for engines that can be held to a schema."""
    max_tokens: int


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prompts of the mode `paper`."""

    probe: str
    eligible: str
    severity: str
    max_tokens: int


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The prompt of a baseline."""

    prompt: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """All that is asked, in order; made by `load_probes`."""

    name: str
    version: int
    preamble: str
    eligible: str
    families: tuple[Family, ...]
    severity: str
    """With ``{thing}``."""
    evidence: Evidence
    report: Report
    single_prompt: Baseline
    direct: Baseline
    probes: tuple[Probe, ...]
    """Those that are enabled."""
    shots: tuple[Shot, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the probes, in order."""
        return tuple(probe.id for probe in self.probes)

    @property
    def tag(self) -> str:
        """Name, version and a hash of every word: what rows call `probe_version`."""
        words = msgspec.to_builtins(self)
        shots = words.pop("shots")
        if shots:  # where their files lie is no word of the set
            words["shots"] = [{k: v for k, v in one.items() if k != "path"} for one in shots]
        digest = hashlib.sha256(msgspec.json.encode(words, order="sorted")).hexdigest()
        return f"{self.name}-{self.version}-{digest[:12]}"

    def severity_of(self, thing: str) -> str:
        """The severity question about a thing."""
        return fill(self.severity, thing=thing)


def fill(template: str, **words: str) -> str:
    """A template with its ``{names}`` replaced at one go: what is put in is not looked into again."""
    return re.sub(r"\{(\w+)\}", lambda slot: words.get(slot[1], slot[0]), template)


def note(text: str) -> str:
    """A model's words about an image, fit to stand as data in another prompt: one line, no marks that
    could end the field, cut to `MAX_NOTE_CHARS`."""
    plain = " ".join(text.replace("<", "").replace(">", "").split())
    plain = "".join(c for c in plain if c.isprintable())
    return plain[:MAX_NOTE_CHARS]
