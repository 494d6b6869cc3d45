"""What a machine has and lacks for each way to run physgauge."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from physgauge.config import LoadedProfile, load_profile, shipped_profiles
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.parity_record import claim
from physgauge.serving.triton import check_numpy, find_libpython, find_triton

LOCAL = {
    "numba": "the rules",
    "onnxruntime": "the detectors",
    "PIL": "decoding",
    "pyarrow": "tables",
}
SHM_BYTES = 256 * 2**20
"""What the steps' shared memory may come to with large images."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked for."""

    what: str
    found: str
    """What is there; or what was expected, what is there, and how to mend it."""
    good: bool


def local() -> list[Finding]:
    """For `physgauge score` and for any server."""
    findings = []
    for module, purpose in LOCAL.items():
        there = importlib.util.find_spec(module) is not None
        found = "installed" if there else f"missing ({purpose}): pip install 'physgauge[local]'"
        findings.append(Finding(module, found, there))
    return findings


def serve(site: str | None = None) -> list[Finding]:
    """For `physgauge serve` here."""
    findings = [_try("tritonserver", lambda: _triton(site))]
    if findings[0].good:
        findings.append(_try("numpy of the models", lambda: check_numpy(find_triton(site))))
    findings.append(_try("libpython", lambda: str(find_libpython())))
    free = shutil.disk_usage("/dev/shm").free if os.path.isdir("/dev/shm") else 0
    enough = free >= SHM_BYTES
    text = f"{free >> 20:,} MiB free in /dev/shm"
    if not enough:
        text = f"expected {SHM_BYTES >> 20} MiB, got {text}: docker run --shm-size=1g"
    return [*findings, Finding("shared memory", text, enough)]


def profile(name: str) -> list[Finding]:
    """For one profile: its files, and what its detectors' providers ask for."""
    try:
        loaded = load_profile(name)
    except ConfigError as error:
        return [Finding("profile", str(error), False)]
    findings = []
    for detector in loaded.profile.detectors:
        findings.append(_model(f"detector {detector.name}", loaded.path(detector.model)))
        if detector.rescorer is not None:
            rescorer = loaded.path(detector.rescorer)
            findings.append(_model(f"rescorer of {detector.name}", rescorer))
        findings += [_provider(one) for one in detector.providers]
    for domain, layout in loaded.profile.layouts.items():
        findings.append(_model(f"layout {domain}", loaded.path(layout)))
    judge = loaded.profile.judge
    if judge is not None:
        findings.append(_try("probes", lambda: _probes(judge.probes, loaded.folder)))
        findings.append(_try(f"judge.{judge.engine}", lambda: _engine(loaded)))
        # Not a lack: the profile runs. It says what may be said of its answers.
        if judge.engine != "student":
            findings.append(Finding("judge", claim(judge.parity, judge.mode)[1], True))
    return findings


def _probes(name: str, folder: Path) -> str:
    from physgauge.ensemble.judge.terravis.file import load_probes

    return load_probes(name, folder).tag


def _engine(loaded: LoadedProfile) -> str:
    from physgauge.ensemble.judge.load import check_judges

    check_judges(loaded)
    return "settings are right, what it needs is there (the model is not loaded here)"


def _model(name: str, path: Path) -> Finding:
    there = path.is_file()
    return Finding(name, str(path) if there else f"expected the model file {path}, got none", there)


def shipped() -> list[str]:
    """Names of the profiles in the package."""
    return sorted(path.stem for path in shipped_profiles().glob("*.toml"))


def _provider(name: str) -> Finding:
    if importlib.util.find_spec("onnxruntime") is None:
        return Finding(name, "onnxruntime is missing: pip install 'physgauge[local]'", False)
    from physgauge.ensemble.detect import providers

    known = providers()
    there = name in known
    return Finding(name, "there" if there else f"expected it in onnxruntime, got {known}", there)


def _triton(site: str | None) -> str:
    return find_triton(site).name


def _try(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(what, look(), True)
    except (ConfigError, EnvironmentProblem) as error:
        return Finding(what, str(error), False)
