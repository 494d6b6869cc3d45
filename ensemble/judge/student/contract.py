"""What a student's ONNX file must look like (docs/student.md), checked when it is loaded.

Knows the shape of onnxruntime's session object, but imports nothing of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from physgauge.errors import ConfigError

KEY: Final = "physgauge_student"
CELLS: Final = 16
"""Rows and columns of a location map."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a student's file says about itself."""

    version: str
    probes: tuple[str, ...]
    """Ids, in the order of its answers."""
    families: tuple[str, ...]
    size: int
    """Side of the square input, px."""
    known_from: float
    """Images of a smaller `known` are outside its knowledge."""

    def shapes(self, count: int) -> dict[str, tuple[int, ...]]:
        """Of its outputs for `count` images."""
        q = len(self.probes)
        return {
            "eligible": (count,), "p_yes": (count, q), "p_major": (count, q),
            "where": (count, q, CELLS, CELLS), "family": (count, len(self.families)), "known": (count,),
        }  # fmt: skip


def read_contract(session: Any, where: str) -> Contract:
    """The contract of an onnxruntime session.

    Raises:
        ConfigError: inputs, outputs or metadata are not as expected; `where` names the file.
    """
    told = _told(session, where)
    contract = Contract(
        version=str(told.get("version", "unknown")),
        probes=_names(told, "probes", where),
        families=_names(told, "families", where),
        size=_size(told, where),
        known_from=_fraction(told, "known_threshold", where),
    )
    inputs = [(i.name, i.type, list(i.shape)[1:]) for i in session.get_inputs()]
    side = contract.size
    if inputs != [("image", "tensor(float)", [3, side, side])]:
        raise ConfigError(
            f"{where}: inputs: expected image tensor(float) ['batch', 3, {side}, {side}], got {inputs}"
        )
    outputs = {o.name: (o.type, len(o.shape)) for o in session.get_outputs()}
    for name, shape in contract.shapes(1).items():
        if outputs.get(name) != ("tensor(float)", len(shape)):
            got = outputs.get(name, f"none of that name among {', '.join(outputs)}")
            raise ConfigError(
                f"{where}: output {name!r}: expected tensor(float) of {len(shape)} dimensions, got {got}"
            )
    return contract


def _told(session: Any, where: str) -> dict[str, Any]:
    meta = session.get_modelmeta().custom_metadata_map
    if KEY not in meta:
        raise ConfigError(
            f"{where}: metadata: expected a student's ({KEY!r}, docs/student.md), got {sorted(meta)}"
        )
    try:
        told = json.loads(meta[KEY])
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise ConfigError(
            f"{where}: metadata {KEY!r}: expected a JSON object, got {meta[KEY][:80]!r}"
        )
    return told


def _names(told: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    names = told.get(key)
    good = isinstance(names, list) and names and all(isinstance(n, str) and n for n in names)
    if not isinstance(names, list) or not good or len(set(names)) != len(names):
        raise ConfigError(
            f"{where}: metadata {key!r}: expected a list of different names, got {names!r:.80}"
        )
    return tuple(names)


def _size(told: dict[str, Any], where: str) -> int:
    size = told.get("size")
    if not isinstance(size, int) or isinstance(size, bool) or not 32 <= size <= 4096 or size % 2:
        raise ConfigError(
            f"{where}: metadata 'size': expected an even number of px, got {size!r:.80}"
        )
    return size


def _fraction(told: dict[str, Any], key: str, where: str) -> float:
    value = told.get(key)
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ConfigError(f"{where}: metadata {key!r}: expected 0 to 1, got {value!r:.80}")
    return float(value)
