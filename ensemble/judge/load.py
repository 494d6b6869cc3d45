"""A profile's judge, made: an engine that is asked, a student, or a cascade of two."""

from __future__ import annotations

import asyncio

import msgspec

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.cascade.bands import Bands
from physgauge.ensemble.judge.cascade.judge import CascadeJudge
from physgauge.ensemble.judge.engine import Engine
from physgauge.ensemble.judge.engines import check_engine, load_engine, make_engine
from physgauge.ensemble.judge.look import Judge, Reasoner
from physgauge.ensemble.judge.observe.observer import Observers, Watch
from physgauge.ensemble.judge.observe.questions import Questions
from physgauge.ensemble.judge.observe.vocabulary import load_vocabularies
from physgauge.ensemble.judge.student.load import check_student, load_student
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.judge.terravis.result import Counting
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.language_settings import ReasonSettings


async def load_judge(loaded: LoadedProfile) -> Judge:
    """The judge of a profile; to be awaited in the loop that will run it.

    Raises:
        ConfigError: no judge, or a wrong setting or probe file.
        EnvironmentProblem: something its engine needs is missing.
    """
    settings, cascade = _settings(loaded), loaded.profile.cascade
    if cascade is None:
        return await _load_one(loaded)
    first = await _load_one(_first(loaded))
    try:
        second = await _load_one(loaded)
    except BaseException:
        await first.close()
        raise
    if loaded.profile.reason.engine == "judge" and not isinstance(second, Reasoner):
        await asyncio.gather(first.close(), second.close(), return_exceptions=True)
        raise ConfigError(
            f'profile {loaded.profile.name}: reason.engine: expected a judge that reasons for "judge", '
            f"got {second.name}"
        )
    return CascadeJudge(first, second, Bands.of(cascade), Counting.of(settings))


def check_judges(loaded: LoadedProfile) -> None:
    """Look at the settings of a profile's judges, their probes, and for what they need; load no model. A
    profile without a judge is fine.

    Raises:
        ConfigError, EnvironmentProblem: as `load_judge`, as far as this shows.
    """
    if loaded.profile.judge is None:
        return
    for one in [loaded, *([] if loaded.profile.cascade is None else [_first(loaded)])]:
        settings = _settings(one)
        load_probes(settings.probes, one.folder)
        if settings.engine == "student":
            check_student(one)
        else:
            check_engine(one)


def _first(loaded: LoadedProfile) -> LoadedProfile:
    """The profile with a cascade's first judge as its own, and nobody beside him."""
    cascade = loaded.profile.cascade
    assert cascade is not None
    judge = cascade.first.as_judge(_settings(loaded))
    profile = msgspec.structs.replace(
        loaded.profile, judge=judge, cascade=None, observers=[], reason=ReasonSettings()
    )
    return msgspec.structs.replace(loaded, profile=profile)


async def _load_one(loaded: LoadedProfile) -> Judge:
    settings = _settings(loaded)
    probes = load_probes(settings.probes, loaded.folder)
    questions = Questions(load_vocabularies(loaded))
    student = settings.engine == "student"
    opened = [] if student else [await load_engine(loaded)]
    try:
        observers = await _observers(loaded, questions, opened)
        if student:
            return load_student(loaded, observers)
        return EngineJudge(opened[0], probes, settings, observers, loaded.profile.reason)
    except BaseException:
        await asyncio.gather(*(one.close() for one in opened), return_exceptions=True)
        raise


async def _observers(
    loaded: LoadedProfile, questions: Questions, opened: list[Engine]
) -> Observers:
    """The profile's observers; engines that are started for them are added to `opened`."""
    beside, own = None, []
    for one in loaded.profile.observers:
        if one.engine == "judge":
            beside = Watch(one, questions, opened[0].features.structured)
            continue
        where = f"observers.{one.name}"
        opened.append(await make_engine(one.engine, getattr(one, one.engine), where, loaded))
        own.append((Watch(one, questions, opened[-1].features.structured), opened[-1]))
    return Observers(beside, tuple(own))


def _settings(loaded: LoadedProfile) -> JudgeSettings:
    if loaded.profile.judge is None:
        raise ConfigError(f"profile {loaded.profile.name}: judge: expected a table, got none")
    return loaded.profile.judge
