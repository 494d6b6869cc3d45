"""Finds the tritonserver of this machine, in the ``nvidia-pytriton`` wheel or installed as in NVIDIA's
container, and what it needs."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from physgauge.errors import EnvironmentProblem
from physgauge.serving.libpython import PYTHON, libpython, package

SITE_VARIABLE: Final = "PHYSGAUGE_TRITON"
"""A folder with the wheel (and perhaps its numpy) or with an installed tritonserver, where neither is in
its usual place."""
INSTALLED: Final = Path("/opt/tritonserver")
"""Where NVIDIA's container has it."""
_STUB: Final = "triton_python_backend_stub"
_WHEEL: Final = "'nvidia-pytriton>=0.7,<0.8'"
_APART: Final = (
    f"pip install --target DIR --no-deps {_WHEEL} 'numpy<2', and --triton DIR "
    f"(or {SITE_VARIABLE}=DIR)"
)


@dataclass(frozen=True, slots=True)
class Triton:
    """A tritonserver and where its parts lie."""

    folder: Path
    """tritonserver with its backends and caches."""
    version: str
    """Of the wheel, or of an installed tritonserver."""
    site: Path | None = None
    """The folder that the wheel was unpacked in; None = installed."""

    @classmethod
    def of_wheel(cls, site: Path, version: str) -> Triton:
        """That of the wheel in this folder."""
        return cls(site / "pytriton" / "tritonserver", version, site)

    @property
    def name(self) -> str:
        """What it comes in, with its version and place."""
        if self.site:
            return f"nvidia-pytriton {self.version} in {self.site}"
        return f"tritonserver {self.version} in {self.folder}"

    @property
    def binary(self) -> Path:
        """tritonserver."""
        return self.folder / "bin" / "tritonserver"

    @property
    def libraries(self) -> Path | None:
        """The wheel's shared libraries; None = an installed one has the environment's."""
        return self.site / "nvidia_pytriton.libs" if self.site else None

    @property
    def stub(self) -> Path:
        """The process that runs models. The wheel has one for each Python."""
        if self.site:
            return self.folder / "python_backend_stubs" / PYTHON / _STUB
        return self.folder / "backends" / "python" / _STUB


def find_triton(site: str | None = None) -> Triton:
    """In `site` or $PHYSGAUGE_TRITON, if given; else the wheel in this environment, or /opt/tritonserver.

    Raises:
        EnvironmentProblem: there is none, or none for this machine or Python; says what to install.
    """
    given = site or os.environ.get(SITE_VARIABLE)
    folder = Path(given).resolve() if given else None
    installed = folder or INSTALLED
    wheel = folder or _wheel_here()
    if wheel is not None and _has_server(Triton.of_wheel(wheel, "")):
        return _checked_wheel(
            Triton.of_wheel(wheel, _version("nvidia-pytriton", wheel) or "unknown")
        )
    if _has_server(Triton(installed, "")):
        return _checked_installed(Triton(installed, _installed_version(installed)))
    raise EnvironmentProblem(
        f"expected the nvidia-pytriton wheel, which holds tritonserver, or an installed tritonserver, in "
        f"{given or f'this environment or {INSTALLED}'}, got none: pip install 'physgauge[serve]'; "
        f"or, to keep numpy 2 here, {_APART}"
    )


def _has_server(triton: Triton) -> bool:
    return triton.binary.is_file()


def _checked_wheel(found: Triton) -> Triton:
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise EnvironmentProblem(
            f"expected Linux x86_64, for which nvidia-pytriton has a tritonserver, got {machine}"
        )
    if not found.stub.is_file():
        known = sorted(p.name for p in found.stub.parents[1].iterdir())
        raise EnvironmentProblem(
            f"expected Python {', '.join(known)}, for which nvidia-pytriton has a stub, got {PYTHON}"
        )
    return found


def _checked_installed(found: Triton) -> Triton:
    if not found.stub.is_file():
        raise EnvironmentProblem(
            f"expected a tritonserver with its Python backend, got none at {found.stub}"
        )
    linked = re.search(rb"libpython(3\.\d+)\.so", found.stub.read_bytes())
    if linked and linked[1].decode() != PYTHON:
        raise EnvironmentProblem(
            f"expected Python {linked[1].decode()}, which {found.stub} is linked to, got {PYTHON}"
        )
    return found


def _installed_version(folder: Path) -> str:
    try:
        return (folder / "TRITON_VERSION").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return "unknown"


def check_numpy(triton: Triton) -> str:
    """The version of the numpy that models will get.

    Raises:
        EnvironmentProblem: one that the wheel's stub cannot work with (an installed one takes any).
    """
    version = (triton.site and _version("numpy", triton.site)) or _version("numpy", None)
    if version is None:
        raise EnvironmentProblem("expected numpy, got none: pip install 'physgauge[serve]'")
    if triton.site and int(version.partition(".")[0]) >= 2:
        raise EnvironmentProblem(
            f"expected numpy below 2, for which the wheel's stub was built, got {version}: "
            f"pip install 'numpy<2'; or, to keep it here, {_APART}"
        )
    return version


def find_libpython() -> Path:
    """The shared library of the running Python's version, which the stub is linked to.

    Raises:
        EnvironmentProblem: there is none; names the Debian package.
    """
    found = libpython(PYTHON)
    if found is None:
        raise EnvironmentProblem(
            f"expected libpython{PYTHON}.so.1.0, which tritonserver's stub is linked to, got none: "
            f"apt-get install {package(PYTHON)} (Debian, Ubuntu)"
        )
    return found


def _wheel_here() -> Path | None:
    spec = importlib.util.find_spec("pytriton")  # found, not imported: it would bring much else
    return None if spec is None or spec.origin is None else Path(spec.origin).parents[1]


def _version(name: str, site: Path | None) -> str | None:
    found = distributions(name=name, path=[str(site)]) if site else distributions(name=name)
    return next((one.version for one in found), None)
