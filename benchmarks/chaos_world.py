"""What a round of `benchmarks.chaos` works on: inputs, a profile, and the rows of an undisturbed run."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.bulk_images import caption, picture
from benchmarks.bulk_models import make_profile
from physgauge import wire
from physgauge.clients.runs import read_run

START: Final = "from physgauge.cli.main import main; main()"
ROOT: Final = Path(__file__).parents[1]
LEASE_S: Final = 2.0
UNIT: Final = 4
PATIENCE_S: Final = 200.0
MARK: Final = "physgauge-chaos-"
"""Begins a name on the search path of all processes of a round: decoders get it as an argument."""


@dataclass(frozen=True)
class World:
    """Made once."""

    folder: Path
    inputs: list[str]
    """Arguments of ``physgauge score``."""
    ids: list[str]
    """Of all entries, in order."""
    profile: Path
    rows: list[wire.Row]
    """Of an undisturbed run, as :func:`plain` leaves them."""
    size: int
    """Bytes of its files of rows."""

    def command(self, output: Path, processes: int = 1) -> list[str]:
        """The command of all rounds."""
        return [*command(self.profile, self.inputs, output), "--processes", str(processes)]


def command(profile: Path, inputs: Sequence[str], output: Path) -> list[str]:
    """``physgauge score`` in a new interpreter."""
    options = ["--profile", str(profile), "-o", str(output), "--unit-size", str(UNIT)]
    options += ["--workers", "1", "--threads", "1", "--lease", f"{LEASE_S:g}"]
    return [sys.executable, "-c", START, "score", *inputs, *options]


def environment(mark: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Of the processes of a round, which it marks; what `more` says of PYTHONPATH goes first there."""
    found = {**os.environ, **(more or {})}
    paths = [found.get("PYTHONPATH", ""), str(ROOT), str(ROOT / "src"), f"/{MARK}{mark}"]
    return {**found, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def open_world(folder: Path, images: int, *, rules: bool = True) -> World:
    """A world that was made there before, or a new one; see :func:`make_world`."""
    if not (folder / "undisturbed" / "report.json").exists():
        return make_world(folder, images, rules=rules)
    return _world(folder, json.loads((folder / "ids.json").read_text()))


def make_world(folder: Path, images: int, *, rules: bool = True) -> World:
    """A manifest of loose images (some broken, some equal, an id that comes twice) and tar shards.

    Args:
        folder: a new one.
        images: loose ones; a fifth as many are in shards.
        rules: whether there are rule packs.
    """
    folder.mkdir(parents=True)
    profile = make_profile(folder / "profile", rules=rules)
    ids = _manifest(folder, images)
    for shard in range(2):
        ids += _shard(
            folder / f"{shard}.tar",
            range(images + 100 * shard, images + 100 * shard + images // 10),
        )
    (folder / "ids.json").write_text(json.dumps(ids))
    run = subprocess.run(
        command(profile, _inputs(folder), folder / "undisturbed"),
        env=environment("undisturbed"), capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    if run.returncode:
        raise SystemExit(
            f"undisturbed run: exit code {run.returncode}\n{run.stderr.decode()[-2000:]}"
        )
    return _world(folder, ids)


def _inputs(folder: Path) -> list[str]:
    return [str(folder / name) for name in ("list.csv", "0.tar", "1.tar")]


def _world(folder: Path, ids: list[str]) -> World:
    output = folder / "undisturbed"
    size = sum(one.stat().st_size for one in (output / "rows").iterdir())
    rows = plain(read_run(output))
    return World(folder, _inputs(folder), ids, folder / "profile" / "bulk.toml", rows, size)


def _manifest(folder: Path, images: int) -> list[str]:
    (folder / "loose").mkdir()
    ids = []
    with (folder / "list.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", "path", "caption", "generator"])
        for number in range(images):
            data, name = picture(number), f"image-{number:04d}"
            if number % 29 == 7:
                data = data[: len(data) // 2]
            if number % 31 == 11:
                data = picture(number // 2)  # equal to another one
            if number % 37 == 5:
                name = f"image-{number - 3:04d}"  # given before
            (folder / "loose" / f"{number}.jpg").write_bytes(data)
            lines.writerow([name, f"loose/{number}.jpg", caption(number), "ab"[number % 2]])
            ids.append(name)
    return ids


def _shard(path: Path, numbers: range) -> list[str]:
    ids = []
    with tarfile.open(path, "w") as tar:
        for number in numbers:
            for ending, data in ((".jpg", picture(number)), (".txt", caption(number).encode())):
                member = tarfile.TarInfo(f"{number:06d}{ending}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
            ids.append(f"{path}/{number:06d}")
    return ids


def plain(rows: Iterable[wire.Row]) -> list[wire.Row]:
    """Without what differs between equal runs: costs and times, and which of equal images was scored."""
    return [msgspec.structs.replace(row, cost=wire.Cost(), same_as=None) for row in rows]
