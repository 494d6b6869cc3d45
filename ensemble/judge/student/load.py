"""A profile's student."""

from __future__ import annotations

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.observe.observer import Observers
from physgauge.ensemble.judge.student.judge import StudentJudge
from physgauge.ensemble.judge.student.network import StudentNetwork
from physgauge.ensemble.judge.student.settings import read_settings
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.errors import ConfigError


def load_student(loaded: LoadedProfile, observers: Observers | None = None) -> StudentJudge:
    """The student of a profile, ready; it owns the observers.

    Raises:
        ConfigError: a wrong setting, probe file or model file.
        EnvironmentProblem: the model file or onnxruntime is missing.
    """
    settings = read_settings(loaded)
    judge = loaded.profile.judge
    if judge is None:
        raise ConfigError(f"profile {loaded.profile.name}: judge: expected a table, got none")
    probes = load_probes(judge.probes, loaded.folder)
    network = StudentNetwork(loaded.path(settings.model), settings)
    return StudentJudge(network, probes, judge, settings.batch, observers)
