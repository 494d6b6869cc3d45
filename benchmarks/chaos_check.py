"""Whether a run folder is what it has to be, whatever happened to those who wrote it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchmarks.chaos_world import MARK, START, World, environment, plain
from physgauge import wire
from physgauge.clients.runs import read_run
from physgauge.clients.table import arrow
from physgauge.errors import PhysgaugeError

GONE_S: Final = 5.0
"""How long processes may take to end."""


def check(world: World, output: Path, mark: str) -> list[str]:
    """What is wrong; empty: nothing."""
    wrong = [*_orphans(mark), *_left(output), *_as_others_read(world, output)]
    try:
        rows = list(read_run(output))
    except PhysgaugeError as error:
        return [*wrong, f"unreadable: {error}"]
    return [*wrong, *_ids([row.image_id for row in rows], world, "rows"), *_rows(rows, world),
            *_verified(output, mark)]  # fmt: skip


def _ids(found: list[str], world: World, what: str) -> Iterator[str]:
    if found != world.ids:
        more = len(found) - len(world.ids)
        yield f"{what}: expected the {len(world.ids)} ids of the input in order, got {more:+}"


def _rows(rows: list[wire.Row], world: World) -> Iterator[str]:
    different = [
        (number, row, meant)
        for number, (row, meant) in enumerate(zip(plain(rows), world.rows, strict=False))
        if row != meant
    ]
    for number, row, meant in different[:3]:
        fields = [
            name for name in row.__struct_fields__ if getattr(row, name) != getattr(meant, name)
        ]
        told = ", ".join(f"{name} {getattr(row, name)!r:.80}" for name in fields[:2])
        yield f"row {number}: expected that of the undisturbed run, got another {told}"
    if len(different) > 3:
        yield f"{len(different)} rows are others"
    pixels = {(row.image_id, row.pixel_sha256) for row in rows}
    for row in rows:
        if row.same_as is not None and (row.same_as, row.pixel_sha256) not in pixels:
            yield f"{row.image_id}: expected a copy of an equal image, got one of {row.same_as}"


def _as_others_read(world: World, output: Path) -> Iterator[str]:
    """`rows/` as pandas, DuckDB or Spark take it: all files, in order of their names."""
    found: list[str] = []
    read = arrow().parquet.read_table
    for path in sorted((output / "rows").glob("*.parquet")):
        try:
            table = read(path, columns=["image_id"], page_checksum_verification=True)
        except (OSError, ValueError) as error:
            yield f"{path.name}: unreadable ({type(error).__name__})"
            continue
        found += table["image_id"].to_pylist()
    yield from _ids(found, world, "all files of rows/")


def _left(output: Path) -> Iterator[str]:
    """Nothing of anybody who died."""
    for folder in ("attempts", "claims", "sessions"):
        found = [one.name for one in (output / folder).glob("*")]
        if found:
            yield f"{folder}/: expected nothing, got {len(found)}: {found[0]}"


def _verified(output: Path, mark: str) -> Iterator[str]:
    code, said = verify(output, mark)
    if code:
        yield f"physgauge status --verify: exit code {code}: {said[-200:]}"


def verify(output: Path, mark: str) -> tuple[int, str]:
    """Exit code of ``physgauge status --verify``, and what it calls damaged."""
    command = [sys.executable, "-c", START, "status", str(output), "--verify", "--json"]
    run = subprocess.run(
        command, env=environment(mark), capture_output=True, text=True, timeout=60, check=False
    )
    said = run.stderr
    with suppress(ValueError, KeyError):
        said = " ".join(json.loads(run.stdout)["damaged"])
    return run.returncode, said


def _orphans(mark: str) -> Iterator[str]:
    end = time.monotonic() + GONE_S
    while (left := marked(mark)) and time.monotonic() < end:
        time.sleep(0.1)
    if left:
        yield f"expected no process to be left, got {len(left)}: {left[:5]}"


def marked(mark: str) -> list[int]:
    """Processes of a round."""
    wanted = f"/{MARK}{mark}".encode()
    found = []
    for one in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            pid = int(one.name)
            told = (one / "environ").read_bytes() + (one / "cmdline").read_bytes()
            if pid != os.getpid() and wanted in told:
                found.append(pid)
    return found
