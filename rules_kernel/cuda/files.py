"""Compiled kernels on disk: where they lie and which one a GPU can run.

    NAME.sm_90.cubin   machine code, for GPUs of compute capability 9.x
    NAME.sm_90.ptx     for GPUs of 9.0 and newer, assembled by the driver
    NAME.sm_90.txt     ptxas' report about registers and spills

NAME holds a hash of the pack and of the generator (`source.kernel_name`), so that a file of another
version is never taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER_VARIABLE = "PHYSGAUGE_CUDA_DIR"
SHIPPED = Path(__file__).parent / "images"
"""Where an installation that was built with -DPHYSGAUGE_CUDA=ON has them."""

HOPPER = (9, 0)

_NAME = re.compile(r"(?P<name>.+)\.sm_(?P<major>\d+)(?P<minor>\d)\.(?P<kind>cubin|ptx)")


@dataclass(frozen=True)
class KernelFile:
    """A compiled kernel; `kind` cubin or ptx, made for compute capability `cc`."""

    path: Path
    kind: str
    cc: tuple[int, int]

    def runs_on(self, cc: tuple[int, int]) -> bool:
        """A cubin runs on its own generation from its own minor version on; PTX on anything newer."""
        if self.kind == "cubin":
            return self.cc[0] == cc[0] and self.cc[1] <= cc[1]
        return self.cc <= cc


def folders() -> tuple[Path, ...]:
    """$PHYSGAUGE_CUDA_DIR, then the files of the installation."""
    given = os.environ.get(FOLDER_VARIABLE)
    return (Path(given), SHIPPED) if given else (SHIPPED,)


def target(cc: tuple[int, int]) -> tuple[int, int]:
    """What PTX is compiled for: Hopper's PTX serves newer GPUs too, older ones need their own."""
    return min(cc, HOPPER)


def file_name(name: str, cc: tuple[int, int], suffix: str) -> str:
    return f"{name}.sm_{cc[0]}{cc[1]}.{suffix}"


def find(
    name: str, cc: tuple[int, int], places: tuple[Path, ...] | None = None
) -> list[KernelFile]:
    """Files of kernel `name` for a GPU of compute capability `cc`, the best first: cubins before PTX,
    newer ones before older, earlier folders before later."""
    found = [
        file
        for folder in (folders() if places is None else places)
        for file in _files(folder, name)
        if file.runs_on(cc)
    ]
    return sorted(found, key=lambda file: (file.kind != "cubin", -file.cc[0], -file.cc[1]))


def _files(folder: Path, name: str) -> Iterator[KernelFile]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        match = _NAME.fullmatch(path.name)
        if match and match["name"] == name:
            yield KernelFile(path, match["kind"], (int(match["major"]), int(match["minor"])))
