"""Finds the local tritonserver (in the ``nvidia-pytriton`` wheel) and what it needs on this machine."""

from __future__ import annotations

import importlib.util
import os
import platform
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

from physgauge.errors import EnvironmentProblem
from physgauge.serving.libpython import PYTHON, libpython, package

SITE_VARIABLE: Final = "PHYSGAUGE_TRITON"
"""A folder with the wheel (and perhaps its numpy), where it is not in this environment."""
_WHEEL: Final = "'nvidia-pytriton>=0.7,<0.8'"
_APART: Final = (
    f"pip install --target DIR --no-deps {_WHEEL} 'numpy<2', and --triton DIR "
    f"(or {SITE_VARIABLE}=DIR)"
)


@dataclass(frozen=True, slots=True)
class Triton:
    """Where the parts of the wheel lie."""

    site: Path
    """The folder that the wheel was unpacked in."""
    version: str
    """Of the wheel."""

    @property
    def folder(self) -> Path:
        """tritonserver with its backends and caches."""
        return self.site / "pytriton" / "tritonserver"

    @property
    def binary(self) -> Path:
        """tritonserver."""
        return self.folder / "bin" / "tritonserver"

    @property
    def libraries(self) -> Path:
        """The wheel's shared libraries."""
        return self.site / "nvidia_pytriton.libs"

    @property
    def stub(self) -> Path:
        """The process that runs models in the running Python's version."""
        return self.folder / "python_backend_stubs" / PYTHON / "triton_python_backend_stub"


def find_triton(site: str | None = None) -> Triton:
    """The wheel, in `site`, in $PHYSGAUGE_TRITON, or in this environment.

    Raises:
        EnvironmentProblem: there is none, or none for this machine or Python; says what to install.
    """
    machine = f"{platform.system()} {platform.machine()}"
    if machine != "Linux x86_64":
        raise EnvironmentProblem(
            f"expected Linux x86_64, for which there is a tritonserver, got {machine}"
        )
    folder = site or os.environ.get(SITE_VARIABLE)
    path = Path(folder).resolve() if folder else _installed()
    if path is None or not (path / "pytriton" / "tritonserver" / "bin" / "tritonserver").is_file():
        raise EnvironmentProblem(
            f"expected the nvidia-pytriton wheel, which holds tritonserver, "
            f"in {folder or 'this environment'}, got none: pip install 'physgauge[serve]'; "
            f"or, to keep numpy 2 here, {_APART}"
        )
    found = Triton(path, _version("nvidia-pytriton", path) or "unknown")
    if not found.stub.is_file():
        known = sorted(p.name for p in found.stub.parents[1].iterdir())
        raise EnvironmentProblem(
            f"expected Python {', '.join(known)}, for which nvidia-pytriton has a stub, got {PYTHON}"
        )
    return found


def check_numpy(triton: Triton) -> str:
    """The version of the numpy that models will get.

    Raises:
        EnvironmentProblem: one that the wheel's stub cannot work with.
    """
    version = _version("numpy", triton.site) or _version("numpy", None)
    if version is None:
        raise EnvironmentProblem("expected numpy, got none: pip install 'physgauge[serve]'")
    if int(version.partition(".")[0]) >= 2:
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
            f"expected libpython{PYTHON}.so.1.0, which the wheel's stub is linked to, got none: "
            f"apt-get install {package(PYTHON)} (Debian, Ubuntu)"
        )
    return found


def _installed() -> Path | None:
    spec = importlib.util.find_spec("pytriton")  # found, not imported: it would bring much else
    return None if spec is None or spec.origin is None else Path(spec.origin).parents[1]


def _version(name: str, site: Path | None) -> str | None:
    found = distributions(name=name, path=[str(site)]) if site else distributions(name=name)
    return next((one.version for one in found), None)
