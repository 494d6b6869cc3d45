"""A profile's student."""

from __future__ import annotations

from pathlib import Path

from physgauge.config import LoadedProfile
from physgauge.ensemble.judge.observe.observer import Observers
from physgauge.ensemble.judge.student.judge import Network, StudentJudge
from physgauge.ensemble.judge.student.network import StudentNetwork
from physgauge.ensemble.judge.student.settings import StudentSettings, read_settings
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.errors import ConfigError, EnvironmentProblem


def check_student(loaded: LoadedProfile) -> None:
    """Look at the settings of a profile's student, and for its file.

    Raises:
        ConfigError: a wrong setting.
        EnvironmentProblem: the file is missing.
    """
    path = loaded.path(read_settings(loaded).model)
    if not path.is_file():
        raise EnvironmentProblem(f"judge.student.model: expected the file {path}, got none")


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
    network = _network(loaded.path(settings.model), settings)
    return StudentJudge(network, probes, judge, settings.batch, observers)


def _network(path: Path, settings: StudentSettings) -> Network:
    """An ONNX file, or a folder with a head for a language model, which needs torch."""
    if not path.is_dir():
        return StudentNetwork(path, settings)
    try:
        from physgauge.ensemble.judge.student.vlm import VlmNetwork
    except ImportError as error:
        raise EnvironmentProblem(
            f"judge.student: {path.name} is a head for a language model and needs {error.name}, which is "
            "not installed: pip install 'physgauge[judge]'"
        ) from None
    return VlmNetwork(path, settings.threads)
