"""Lays out what tritonserver needs in a folder of its own: a small Python environment, and for the
wheel's also backend and stub.

The stub takes its packages from the Python that is first on PATH and from nowhere else, so it gets an
environment made for it: the wheel's folder first (for its numpy), then this process's packages.
"""

from __future__ import annotations

import os
import shutil
import site
import sys
from dataclasses import dataclass
from pathlib import Path

from physgauge.serving.libpython import PYTHON
from physgauge.serving.triton import Triton, find_libpython


@dataclass(frozen=True, slots=True)
class Assembled:
    """A folder that is ready for a server."""

    triton: Triton
    folder: Path

    @property
    def backends(self) -> Path:
        """For ``--backend-directory``. An installed tritonserver has its own, with more than Python's."""
        return (self.folder if self.triton.site else self.triton.folder) / "backends"

    @property
    def python(self) -> Path:
        """The Python that models run in."""
        return self.folder / "python" / "bin" / "python3"

    def environment(self) -> dict[str, str]:
        """Environment variables of the server's process."""
        # NVIDIA's container needs the library path that it comes with; the wheel brings all it needs.
        others = self.triton.libraries or os.environ.get("LD_LIBRARY_PATH")
        libraries = [str(self.folder / "lib"), *([str(others)] if others else [])]
        path = [str(self.python.parent), os.environ.get("PATH", os.defpath)]
        dropped = ("PYTHONPATH", "PYTHONHOME")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        return kept | {"LD_LIBRARY_PATH": ":".join(libraries), "PATH": ":".join(path)}


def assemble(triton: Triton, folder: Path) -> Assembled:
    """Fill an empty folder.

    Raises:
        EnvironmentProblem: libpython is missing.
    """
    libpython = find_libpython()
    made = Assembled(triton, folder)
    if triton.site:
        _copy_backend(made)
    (folder / "lib").mkdir()
    (folder / "lib" / f"libpython{PYTHON}.so.1.0").symlink_to(libpython)
    _make_environment(made)
    return made


def _copy_backend(made: Assembled) -> None:
    backend = made.backends / "python"
    backend.mkdir(parents=True)
    for path in (made.triton.folder / "backends" / "python").iterdir():
        if path.is_file():
            shutil.copy2(path, backend)
    shutil.copy2(made.triton.stub, backend)


def _make_environment(made: Assembled) -> None:
    base = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    home = made.python.parent.parent
    made.python.parent.mkdir(parents=True)
    for name in ("python3", "python", f"python{PYTHON}"):
        (made.python.parent / name).symlink_to(base)
    text = f"home = {base.parent}\ninclude-system-site-packages = false\n"
    (home / "pyvenv.cfg").write_text(text, encoding="utf-8")
    packages = home / "lib" / f"python{PYTHON}" / "site-packages"
    packages.mkdir(parents=True)
    # `addsitedir` reads the .pth files of editable installs, too.
    own = [
        *site.getsitepackages(),
        *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
    ]
    lines = [
        *([str(made.triton.site)] if made.triton.site else []),
        str(Path(__file__).parents[2]),  # where this very package is
        *(f"import site; site.addsitedir({path!r})" for path in own),
    ]
    (packages / "physgauge.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
