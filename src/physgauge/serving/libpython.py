"""The running Python's shared library, which tritonserver's stub is linked to. Standard library only."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


def libpython(version: str = PYTHON) -> Path | None:
    """Where it is; None = nowhere that we or the loader look."""
    name = f"libpython{version}.so.1.0"
    own = sysconfig.get_config_var("LIBDIR")
    folders = [Path(own)] if own else []
    folders += [Path(sys.base_prefix, "lib"), Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64")]
    for path in (*(folder / name for folder in folders), *_known_to_loader(name)):
        if path.is_file():
            return path.resolve()
    return None


def package(version: str = PYTHON) -> str:
    """The Debian package that brings it."""
    return f"libpython{version}"


def missing() -> str:
    """The Debian package to install; "" = none."""
    return "" if libpython() else package()


def _known_to_loader(name: str) -> list[Path]:
    for program in ("ldconfig", "/sbin/ldconfig"):
        try:
            done = subprocess.run([program, "-p"], capture_output=True, text=True, check=False)
        except OSError:
            continue
        lines = (line.partition(" => ") for line in done.stdout.splitlines())
        return [Path(path) for left, _, path in lines if left.split() and left.split()[0] == name]
    return []
