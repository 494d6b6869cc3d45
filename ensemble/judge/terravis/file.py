"""Files of probes: a set of its own, or another with changes.

base = "terravis"                  # a shipped set, or a file beside this one
name = "mine"
[[probe]]
id = "contact_state"
enabled = false                    # not asked
[[probe]]
id = "symbolic_content"            # other words
question = "Is any lettering ...?"
[[probe]]
id = "weather"                     # a new one: level, question and thing are needed
level = "scene"
question = "Does rain fall from a clear sky ...?"
thing = "the sky with the rain"
[[example]]                        # a picture shown first, with the answers it deserves
image = "examples/floating_cup.jpg"
yes = ["support_stability"]        # ids; all others are no
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from physgauge.ensemble.judge.terravis.probes import (
    Baseline,
    Evidence,
    Example,
    Family,
    Level,
    Probe,
    ProbeSet,
    Report,
    Shot,
)
from physgauge.ensemble.judge.terravis.shot_file import ShotEntry, check_shots, read_shots
from physgauge.errors import ConfigError
from physgauge.settings import Settings, read_table

MAX_PROBES: Final = 64
MAX_WORDS: Final = 60
"""Of a question. The shipped ones have at most 32: at one pass an image, words are time."""
_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_HERE = Path(__file__).parent
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class _Question(Settings, frozen=True, kw_only=True):
    question: str


class _Probe(Settings, frozen=True, kw_only=True):
    id: Id
    enabled: bool = True
    level: Level | None = None
    question: str | None = None
    thing: str | None = None
    examples: tuple[Example, ...] | None = None


class _File(Settings, frozen=True, kw_only=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    version: Annotated[int, msgspec.Meta(ge=1)] = 1
    base: str | None = None
    preamble: str | None = None
    eligible: _Question | None = None
    family: tuple[Family, ...] | None = None
    severity: _Question | None = None
    evidence: Evidence | None = None
    report: Report | None = None
    single_prompt: Baseline | None = None
    direct: Baseline | None = None
    probe: tuple[_Probe, ...] = ()
    example: tuple[ShotEntry, ...] | None = None


def load_probes(name: str, folder: Path | None = None) -> ProbeSet:
    """A set of probes.

    Args:
        name: of a shipped set, or the path of a ``.toml`` file.
        folder: where relative paths start.

    Raises:
        ConfigError: no such set, not TOML, or wrong; says where.
    """
    return _load(name, folder or Path(), depth=0)


def _load(name: str, folder: Path, depth: int) -> ProbeSet:
    path = folder / name if name.endswith(".toml") else _HERE / f"{name}.toml"
    shipped = sorted(p.stem for p in _HERE.glob("*.toml"))
    if not name.endswith(".toml") and name not in shipped:
        known = ", ".join(shipped)
        raise ConfigError(
            f"probes: expected one of {known}, or the path of a .toml file; got {name!r}"
        )
    if depth > 8:
        raise ConfigError(f"probes {path}: base: expected a chain of at most 8 files, got more")
    try:
        raw: Any = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"probes {path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"probes {path}: not TOML: {error}") from None
    file = read_table(raw, _File, f"probes {path}")
    base = None if file.base is None else _load(file.base, path.parent, depth + 1)
    return _checked(_merged(file, base, f"probes {path}", path.parent), f"probes {path}")


def _merged(file: _File, base: ProbeSet | None, where: str, folder: Path) -> ProbeSet:
    def own(field: str, value: Any) -> Any:
        if value is not None:
            return value
        if base is None:
            raise ConfigError(f"{where}: {field}: expected it, got none (or name a base)")
        return getattr(base, {"family": "families"}.get(field, field))

    asked = {field: getattr(file, field) for field in ("eligible", "severity")}
    return ProbeSet(
        name=file.name,
        version=file.version,
        preamble=own("preamble", file.preamble),
        eligible=own("eligible", asked["eligible"] and asked["eligible"].question),
        families=own("family", file.family),
        severity=own("severity", asked["severity"] and asked["severity"].question),
        evidence=own("evidence", file.evidence),
        report=own("report", file.report),
        single_prompt=own("single_prompt", file.single_prompt),
        direct=own("direct", file.direct),
        probes=_probes(file, base, where),
        shots=_shots(file, base, where, folder),
    )


def _shots(file: _File, base: ProbeSet | None, where: str, folder: Path) -> tuple[Shot, ...]:
    """The file's examples, else the base's."""
    if file.example is None:
        return () if base is None else base.shots
    return read_shots(file.example, folder, where)


def _probes(file: _File, base: ProbeSet | None, where: str) -> tuple[Probe, ...]:
    """The base's, changed, then the new ones; the disabled ones left out."""
    known = {} if base is None else {probe.id: probe for probe in base.probes}
    seen: set[str] = set()
    for probe in file.probe:
        if probe.id in seen:
            raise ConfigError(f"{where}: probe: expected different ids, got {probe.id!r} twice")
        seen.add(probe.id)
        before = known.get(probe.id)
        if not probe.enabled:
            if before is None:
                raise ConfigError(
                    f"{where}: probe {probe.id!r}: expected a probe of the base to disable, got none"
                )
            del known[probe.id]
            continue
        known[probe.id] = _probe(probe, before, f"{where}: probe {probe.id!r}")
    return tuple(known.values())


def _probe(probe: _Probe, before: Probe | None, where: str) -> Probe:
    def own(field: str) -> Any:
        value = getattr(probe, field)
        if value is None and before is None:
            raise ConfigError(f"{where}: {field}: expected it (this is a new probe), got none")
        return getattr(before, field) if value is None else value

    examples = probe.examples
    if examples is None:
        examples = () if before is None else before.examples
    return Probe(
        id=probe.id, level=own("level"), question=own("question"), thing=own("thing"),
        examples=examples,
    )  # fmt: skip


def _checked(probes: ProbeSet, where: str) -> ProbeSet:
    if not 1 <= len(probes.probes) <= MAX_PROBES:
        raise ConfigError(
            f"{where}: probe: expected 1 to {MAX_PROBES} enabled, got {len(probes.probes)}"
        )
    _question(probes.eligible, f"{where}: eligible.question")
    for kind, some in (("probe", probes.probes), ("family", probes.families)):
        ids = [one.id for one in some]
        for one in some:
            if not _ID.fullmatch(one.id) or ids.count(one.id) > 1:
                raise ConfigError(
                    f"{where}: {kind}.id: expected different small letters, digits and _, "
                    f"got {one.id!r}"
                )
            _question(one.question, f"{where}: {kind} {one.id!r}: question")
    for probe in probes.probes:
        for example in probe.examples:
            words = len(example.shows.split())
            if not 1 <= words <= MAX_WORDS or not example.shows.isprintable():
                raise ConfigError(
                    f"{where}: probe {probe.id!r}: examples: expected shows of one to {MAX_WORDS} words "
                    f"in one line, got {words}: {example.shows!r:.200}"
                )
        if not probe.thing.strip() or len(probe.thing.split()) > 16 or "\n" in probe.thing:
            raise ConfigError(
                f"{where}: probe {probe.id!r}: thing: expected one to 16 words, got {probe.thing!r}"
            )
    check_shots(probes.shots, probes.probes, where)
    _slots(probes, where)
    return probes


def _question(text: str, where: str) -> None:
    """One sentence that asks."""
    words = len(text.split())
    whole = text.strip() == text and text.endswith("?") and text.count("?") == 1
    if not whole or "\n" in text or re.search(r"[.!]\s", text) or words > MAX_WORDS:
        raise ConfigError(
            f"{where}: expected one sentence of at most {MAX_WORDS} words that ends with a question "
            f"mark, got {words} words: {text!r:.200}"
        )


def _slots(probes: ProbeSet, where: str) -> None:
    """Every template has its places, and is asked with room for an answer."""
    needed = {
        "severity.question": (probes.severity, ("thing",)),
        "evidence.question": (probes.evidence.question, ("question",)),
        "report.probe": (probes.report.probe, ("question",)),
        "report.eligible": (probes.report.eligible, ("question", "families")),
        "report.severity": (probes.report.severity, ("object", "evidence")),
        "single_prompt.prompt": (probes.single_prompt.prompt, ("eligible", "questions")),
    }
    for field, (text, slots) in needed.items():
        for slot in slots:
            if text.count("{" + slot + "}") != 1:
                raise ConfigError(f"{where}: {field}: expected {{{slot}}} once, got {text!r:.200}")
    _question(probes.severity, f"{where}: severity.question")
    for field, tokens in (
        ("evidence", probes.evidence.max_tokens), ("report", probes.report.max_tokens),
        ("single_prompt", probes.single_prompt.max_tokens), ("direct", probes.direct.max_tokens),
    ):  # fmt: skip
        if not 1 <= tokens <= 4096:
            raise ConfigError(f"{where}: {field}.max_tokens: expected 1 to 4096, got {tokens}")
