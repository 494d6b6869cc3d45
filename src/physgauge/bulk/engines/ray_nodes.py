"""Whether each machine of a cluster sees what the driver sees: the run folder, the images, the models.

Each looks for itself, and what they see is compared. No Ray in here: `ray.py` runs `look` everywhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from physgauge import __version__
from physgauge.bulk.work import Setup
from physgauge.clients.sources import Where
from physgauge.errors import PhysgaugeError

SAMPLES: Final = 8
"""Local files that are looked for, of the first unit."""


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What one machine sees; plain data."""

    physgauge: str
    run: str
    """Token of the run's newest record, or why there is none."""
    parts: dict[str, str]
    """The fingerprint of the profile, as it is there."""
    missing: list[str]
    """Local files of the sample that are not there."""


def look(setup: Setup, folder: str) -> Look:
    """What this machine sees.

    Args:
        setup: the run's.
        folder: the driver's working folder.
    """
    before = Path.cwd()
    try:
        if Path(folder).is_dir():
            os.chdir(folder)
        return Look(
            physgauge=__version__,
            run=_run(setup.output),
            parts=_parts(setup),
            missing=_missing(setup.output),
        )
    finally:
        os.chdir(before)


def _run(output: str) -> str:
    from physgauge.clients.runs import Run
    from physgauge.clients.storage import open_store

    try:
        return Run.open(open_store(output)).latest.token
    except PhysgaugeError as error:
        return str(error)


def _parts(setup: Setup) -> dict[str, str]:
    from physgauge.bulk.fingerprint import fingerprint
    from physgauge.config import load_profile

    try:
        loaded = load_profile(setup.profile)
        return fingerprint(loaded, domain=setup.domain, packs=setup.packs, method=setup.method)
    except PhysgaugeError as error:
        return {"profile": str(error)}


def _missing(output: str) -> list[str]:
    from physgauge.clients.sources.plan import open_plan
    from physgauge.clients.storage import open_store

    try:
        plan = open_plan(open_store(output))
        if plan is None or not plan.units:
            return []
        unit = plan.unit(0)
    except PhysgaugeError:  # `_run` says it
        return []
    found = [entry.where for entry in unit.entries[:SAMPLES]]
    found += [] if unit.shard is None else [unit.shard.where]
    return [where.place for where in found if not _is_there(where)]


def _is_there(where: Where) -> bool:
    if where.kind not in {"file", "cell", "member"} or "://" in where.place:
        return True  # an object, a URL: every machine asks for it alike
    return Path(os.fsdecode(where.raw) if where.raw else where.place).exists()


def disagreements(
    here: Look, others: Mapping[str, Look], output: str, parts: Mapping[str, str]
) -> list[str]:
    """What is wrong, one sentence a machine that differs; empty: nothing.

    Args:
        here: what the driver sees.
        others: what the others see, by their name.
        output: the run folder.
        parts: the run's fingerprint.
    """
    found = []
    for name, one in others.items():
        if one.physgauge != here.physgauge:
            found.append(
                f"{name}: expected physgauge {here.physgauge} as here, got {one.physgauge}"
            )
        elif one.run != here.run:
            got = "another run" if len(one.run) == len(here.run) else one.run
            found.append(
                f"{name}: expected to find the run folder {output} there too (s3://, or a disk that "
                f"all machines share), got {got}"
            )
        elif one.missing != here.missing:
            lost = sorted({*one.missing} - {*here.missing})[:3]
            found.append(
                f"{name}: expected to find the images there too, got none of {', '.join(lost)}: put "
                "them on a disk that all machines share, or on s3://"
            )
        elif different := _different(parts, one.parts):
            found.append(
                f"{name}: expected the profile, models and packs of the run there too, got "
                f"{'; '.join(different[:3])}"
            )
    return found


def _different(here: Mapping[str, str], there: Mapping[str, str]) -> Sequence[str]:
    return [
        f"{part} {there.get(part, 'none'):.200} for {here.get(part, 'none'):.200}"
        for part in sorted({*here, *there})
        if here.get(part) != there.get(part)
    ]


def clean(scratch: str) -> None:
    """Take a host's scratch folder away."""
    shutil.rmtree(scratch, ignore_errors=True)
