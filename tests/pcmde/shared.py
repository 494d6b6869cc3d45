"""What the tests of PCMDE's language half share."""

from __future__ import annotations

import asyncio
import re
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from physgauge import wire
from physgauge.clients.boxes import BoxRecord
from physgauge.config import LoadedProfile, load_profile
from physgauge.ensemble.captions.parser import CaptionParser
from physgauge.ensemble.judge.engine import Engine, Prompt, Text
from physgauge.ensemble.judge.language.reasoner import reason_by_model
from physgauge.ensemble.judge.looking import Looking
from physgauge.ensemble.judge.observe.observer import Observers, Watch
from physgauge.ensemble.judge.observe.questions import Questions
from physgauge.ensemble.judge.observe.vocabulary import Vocabulary, load_vocabularies
from physgauge.ensemble.judge.reason_input import (
    Bounds,
    PartBox,
    PartCount,
    ReasonInput,
    ReasonResult,
)
from physgauge.ensemble.judge.runner import Runner
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.pipeline import Options, Pipeline
from physgauge.ensemble.specifications.load import DomainSpec, load_specification
from physgauge.judge_settings import JudgeSettings
from physgauge.language_settings import ObserverSettings, ReasonSettings
from physgauge.types import U8, Item
from tests.terravis.scripted import Scripted
from tests.terravis.shared import probes

EXAMPLES = Path(__file__).parents[2] / "examples/scenes"
DOMAINS = ("aircraft", "car", "animal")


@cache
def spec(domain: str) -> DomainSpec:
    return load_specification(domain)


@cache
def vocabulary(domain: str) -> Vocabulary:
    return Vocabulary.of(spec(domain))


@cache
def questions() -> Questions:
    return Questions([vocabulary(domain) for domain in DOMAINS])


@cache
def captions() -> CaptionParser:
    return CaptionParser([spec(domain) for domain in DOMAINS])


def record(caption: str | None = "a DC-10", domain: str = "aircraft", **also: Any) -> ReasonInput:
    """An airliner with three engines, as the rules step would tell it."""
    facts = captions().parse(caption, domain)
    numbers = {"head": 1, "engine": 3, "wing": 2, "tail": 1, "tail_wing": float("nan")}
    given: dict[str, Any] = {
        "facts": facts,
        "spec": spec(domain),
        "view": "side",
        "counts": {name: PartCount(float(n)) for name, n in numbers.items()},
        "bounds": {name: Bounds(0, 4) for name in numbers},
        "boxes": (
            PartBox("engine", (10, 20, 30, 40), 0.93, "aircraft.engine"),
            PartBox("other", (1, 2, 3, 4), 0.6, "animal.ear"),
        ),
        "types": facts.candidates,
        "size": (320.0, 240.0),
        **also,
    }
    return ReasonInput(**given)


def reason(
    engine: Engine, given: ReasonInput | None = None, left_s: float = 60.0, **settings: Any
) -> ReasonResult:
    return asyncio.run(
        reason_by_model(
            engine, given or record(), ReasonSettings(engine="judge", **settings),
            time.monotonic() + left_s,
        )
    )  # fmt: skip


def lines(prompt: str, score: object, said: str = "It looks right.", kind: str = "none") -> Text:
    """An answer in four lines to a reasoner's prompt."""
    found = re.findall(r"^Score ([0-9a-f]{12}):", prompt, re.MULTILINE)
    return Text(
        "answered",
        f"Explanation: {said}\nType violations: {kind}\nSpatial violations: none\n"
        f"Score {found[-1]}: {score}",
    )


@cache
def tiny() -> LoadedProfile:
    """The embedded profile, in small batches."""
    loaded = load_profile("tiny")
    run = msgspec.structs.replace(loaded.profile.run, batch_size=2)
    return msgspec.structs.replace(loaded, profile=msgspec.structs.replace(loaded.profile, run=run))


def with_language(
    observers: list[ObserverSettings] | None = None,
    reason: ReasonSettings | None = None,
    **profile: Any,
) -> LoadedProfile:
    loaded = tiny()
    return msgspec.structs.replace(
        loaded,
        profile=msgspec.structs.replace(
            loaded.profile, observers=observers or [], reason=reason or ReasonSettings(), **profile
        ),
    )


def looking(
    engine: Scripted, loaded: LoadedProfile, others: dict[str, Scripted] | None = None, **judge: Any
) -> Looking:
    """A judge with scripted engines: his own, and those of the profile's other observers."""
    chosen = msgspec.convert({"engine": "onepass", **judge}, JudgeSettings)
    asks = Questions(load_vocabularies(loaded))

    async def make() -> EngineJudge:
        beside, own = None, []
        for one in loaded.profile.observers:
            if one.engine == "judge":
                beside = Watch(one, asks, engine.features.structured)
            else:
                other = (others or {})[one.name]
                own.append((Watch(one, asks, other.features.structured), other))
        return EngineJudge(
            engine, probes(), chosen, Observers(beside, tuple(own)), loaded.profile.reason
        )

    return Looking(chosen, Runner(make, chosen.max_in_flight))


def score(
    names: list[str],
    engine: Scripted,
    loaded: LoadedProfile,
    others: dict[str, Scripted] | None = None,
    captions: dict[str, str] | None = None,
    packs: tuple[str, ...] = (),
    **judge: Any,
) -> list[wire.Row]:
    """Rows of example pictures."""
    items = [Item(n, (EXAMPLES / n).read_bytes(), n, (captions or {}).get(n)) for n in names]
    stage = looking(engine, loaded, others, **judge)
    with Pipeline(loaded, Options(workers=1, threads=1, packs=packs), looking=stage) as pipeline:
        return [scored.row for scored in pipeline.score(items)]


def score_record(record: dict[str, Any], engine: Scripted, loaded: LoadedProfile) -> wire.Row:
    """The row of boxes from elsewhere."""
    stage = looking(engine, loaded)
    entry = msgspec.convert(record, BoxRecord)
    with Pipeline(loaded, Options(threads=1), detect=False, looking=stage) as pipeline:
        return next(iter(pipeline.score_boxes([entry], "test")))


PLANE = "aircraft_03.jpg"
JUDGE = ObserverSettings(name="judge")
SURE = ObserverSettings(name="judge", confidence=1.0, reliability=1.0)
REASON = ReasonSettings(engine="judge")


def engine(
    said: Any = "Kind: aircraft\nthree engines below wings\ntwo swept-back wings", **also: Any
) -> Scripted:
    """Observes as told; reasons 80 points."""

    def write(image: U8 | None, prompt: Prompt) -> Any:
        if prompt.id == "observe":
            return Text("answered", said) if isinstance(said, str) else said
        assert image is None
        return lines(prompt.text, 80, "As it should be.")

    return Scripted(write=write, **also)
