"""The image's Dockerfile and the packages it is made of. It has not been built here: no container engine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from dockerfile_parse import DockerfileParser
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.files import DEPLOY, ROOT, options

LOCK = (DEPLOY / "requirements.txt").read_text("utf-8").splitlines()[1:]


@pytest.fixture(scope="module")
def docker() -> DockerfileParser:
    return DockerfileParser(str(DEPLOY / "Dockerfile"))


def instructions(docker: DockerfileParser, name: str) -> list[str]:
    return [one["value"] for one in docker.structure if one["instruction"] == name]


def test_every_stage_is_a_triton_without_known_holes(docker: DockerfileParser) -> None:
    (default,) = [value for value in instructions(docker, "ARG") if value.startswith("TRITON=")]
    release = re.fullmatch(r"TRITON=(\d\d)\.(\d\d)-py3", default)
    assert release
    assert (int(release[1]), int(release[2])) >= (26, 7)
    stages = [value.split()[0] for value in instructions(docker, "FROM")]
    assert stages == ["nvcr.io/nvidia/tritonserver:${TRITON}"] * len(stages)


def test_it_runs_as_nobody_in_particular(docker: DockerfileParser) -> None:
    order = [one["instruction"] for one in docker.structure]
    user = order.index("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", docker.structure[user]["value"])
    assert not {"RUN", "COPY", "ADD"} & set(order[user:])
    assert "ADD" not in order


def test_a_signal_gets_through_to_the_server(docker: DockerfileParser) -> None:
    """No shell in between: the exec form, and an init that passes signals on."""
    (entry,), (command,) = instructions(docker, "ENTRYPOINT"), instructions(docker, "CMD")
    words = json.loads(entry)
    assert words[0] == "/usr/bin/tini"
    assert words[-1] == "physgauge"
    assert instructions(docker, "STOPSIGNAL") == ["SIGTERM"]
    options(json.loads(command))
    (health,) = instructions(docker, "HEALTHCHECK")
    assert "127.0.0.1:8003/ready" in health


def test_packages_are_held_to_hashes(docker: DockerfileParser) -> None:
    installs = [run for run in instructions(docker, "RUN") if "pip" in run and " install " in run]
    assert installs
    for run in installs:
        assert "--require-hashes" in run or "--no-index" in run
    for line in LOCK:
        assert re.fullmatch(r"\S+==\S+ --hash=sha256:[0-9a-f]{64}", line), line


def test_the_packages_are_those_that_physgauge_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    held: dict[str, str] = {}
    for line in LOCK:
        name, _, version = line.split()[0].partition("==")
        held[canonicalize_name(name)] = version
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["local"], *extras["gpu"], *extras["gateway"]]
    for text in wanted:
        requirement = Requirement(text)
        if requirement.name != "physgauge":
            version = held.get(canonicalize_name(requirement.name), "none")
            assert version != "none", f"{text}: run deploy/lock.py"
            assert requirement.specifier.contains(version), (
                f"{text}, got {version}: run deploy/lock.py"
            )
    assert held["numpy"].startswith("1.")  # what NVIDIA's own Python packages need
    assert "nvidia-pytriton" not in held


def test_what_is_copied_is_all_that_the_package_needs(tmp_path: Path) -> None:
    """A wheel from the build context holds what one from the repository holds."""
    context = tmp_path / "context"
    context.mkdir()
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    assert "*" in lines  # whatever is not named stays out: data, secrets, .git
    for name in kept:
        source, target = ROOT / name, context / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            skip = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(source, target, symlinks=True, ignore=skip)
        else:
            shutil.copy2(source, target)
    names = []
    for root in (context, ROOT):
        wheels = tmp_path / f"wheels-{root.name}"
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
             "--wheel-dir", str(wheels), str(root)],
            check=True, timeout=300,
        )  # fmt: skip
        (wheel,) = wheels.glob("*.whl")
        names.append(sorted(zipfile.ZipFile(wheel).namelist()))
    assert names[0] == names[1]
    assert any(name.endswith("part_detector.onnx") for name in names[0])
