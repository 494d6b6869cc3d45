"""What the student answers, in the order of its outputs."""

from __future__ import annotations

from typing import Final

from physgauge.ensemble.judge.terravis.file import load_probes

FAMILIES: Final = ("abstract", "symbol", "infographic", "interface", "layout", "microscopic")
"""Kinds of image that are not eligible, in the order of the probe file."""
CELLS: Final = 16
"""Rows and columns of a location map."""


def probe_ids() -> tuple[str, ...]:
    """The shipped probes, in their order."""
    return load_probes("terravis").ids


def probe_set() -> dict[str, str | int]:
    """Name and version of the shipped probes."""
    probes = load_probes("terravis")
    return {"name": probes.name, "version": probes.version}
