"""Prints deploy/requirements.txt: every package of the image, with version and hash.

    python deploy/lock.py > deploy/requirements.txt

Needs pip and a package index, not the image's Python: pip resolves for it from here. Wheels only.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PYTHON: Final = "3.12"
"""Of NVIDIA's container (Ubuntu 24.04), which Triton's stub is linked to."""
GLIBC: Final = 39
"""Of Ubuntu 24.04: wheels for this or an older one."""
EXTRAS: Final = ("local", "gpu", "gateway")
MORE: Final = ("numpy<2", "scikit-build-core>=0.10")
"""NVIDIA's own Python packages hold numpy below 2; and what builds physgauge's wheel."""


def wanted() -> list[str]:
    """Requirements of physgauge with the extras of the image."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lists = [project["dependencies"], *(extras.get(name, []) for name in EXTRAS), list(MORE)]
    return [one for each in lists for one in each if not one.startswith("physgauge[")]


def platforms() -> list[str]:
    """Wheel platforms that run there, newest first."""
    made = [f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC, 4, -1)]
    return [*made, "manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]


def resolve(requirements: list[str]) -> list[dict[str, Any]]:
    """What pip would install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
            "--only-binary=:all:", f"--python-version={PYTHON}", "--implementation=cp",
            *(f"--platform={name}" for name in platforms()),
            f"--target={folder}/none", f"--report={report}", *requirements,
        ]  # fmt: skip
        subprocess.run(command, check=True, stdout=sys.stderr)
        found: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["install"]
        return found


def main() -> None:
    """Print the file."""
    print(f"# Made by deploy/lock.py for Python {PYTHON}, Linux x86_64. Do not edit.")
    found = resolve(wanted())
    for one in sorted(found, key=lambda one: str(one["metadata"]["name"]).lower()):
        about = one["metadata"]
        sha256 = one["download_info"]["archive_info"]["hashes"]["sha256"]
        print(f"{about['name']}=={about['version']} --hash=sha256:{sha256}")


if __name__ == "__main__":
    main()
