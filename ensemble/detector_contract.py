"""What a detector's ONNX file must look like (docs/detector.md), checked when it is loaded.

Knows the shape of onnxruntime's session object, but imports nothing of it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from physgauge.errors import ConfigError
from physgauge.types import VIEWS

REQUIRED: Final = {"boxes": "tensor(float)", "scores": "tensor(float)", "labels": "tensor(int64)"}
OPTIONAL: Final = {"domain": "tensor(float)", "view": "tensor(float)"}


@dataclass(frozen=True, slots=True)
class Contract:
    """What a detector's file says about itself."""

    name: str
    version: str
    classes: tuple[str, ...]
    """``domain.component``, in label order."""
    domains: tuple[str, ...]
    """In the order of the domain head; without one, those of the classes."""
    size: int
    """Side of the square input, px."""
    has_domain: bool
    has_view: bool

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs to fetch."""
        heads = {"domain": self.has_domain, "view": self.has_view}
        return (*REQUIRED, *(name for name, there in heads.items() if there))


def read_contract(session: Any, where: str) -> Contract:
    """The contract of an onnxruntime session.

    Raises:
        ConfigError: inputs, outputs or metadata are not as expected; `where` names the detector.
    """
    size = _input_size(session, where)
    outputs = {o.name: o.type for o in session.get_outputs()}
    for name, kind in REQUIRED.items():
        if name not in outputs:
            raise ConfigError(
                f"{where}: outputs: expected {', '.join(REQUIRED)}, got {', '.join(outputs)}"
            )
        if outputs[name] != kind:
            raise ConfigError(f"{where}: output {name!r}: expected {kind}, got {outputs[name]}")
    for name, kind in OPTIONAL.items():
        if outputs.get(name, kind) != kind:
            raise ConfigError(f"{where}: output {name!r}: expected {kind}, got {outputs[name]}")
    meta = session.get_modelmeta().custom_metadata_map
    classes = _names(meta, "classes", where)
    for name in classes:
        domain, dot, part = name.partition(".")
        if not (dot and domain.isidentifier() and part.isidentifier()):
            raise ConfigError(
                f"{where}: metadata 'classes': expected 'domain.component', got {name!r}"
            )
    of_classes = tuple(dict.fromkeys(name.partition(".")[0] for name in classes))
    has_domain, has_view = "domain" in outputs, "view" in outputs
    domains = _names(meta, "domains", where) if has_domain else of_classes
    if set(domains) != set(of_classes):
        raise ConfigError(
            f"{where}: metadata 'domains': expected those of the classes, {list(of_classes)}, "
            f"got {list(domains)}"
        )
    if has_view and (views := _names(meta, "views", where)) != VIEWS:
        raise ConfigError(f"{where}: metadata 'views': expected {list(VIEWS)}, got {list(views)}")
    return Contract(
        name=meta.get("name", "unnamed"),
        version=meta.get("version", "unknown"),
        classes=classes,
        domains=domains,
        size=size,
        has_domain=has_domain,
        has_view=has_view,
    )


def read_rescorer(
    session: Any, classes: Sequence[str], features: Sequence[str], sha256: str, where: str
) -> None:
    """Check the session of a detector's rescorer.

    Args:
        session: its onnxruntime session.
        classes: the detector's.
        features: what it is to be given.
        sha256: of the detector's file.
        where: names the rescorer, in errors.

    Raises:
        ConfigError: other inputs, outputs, classes or features than the detector's, or fitted on another
            detector.
    """
    inputs = [(i.name, i.type, list(i.shape)) for i in session.get_inputs()]
    width = len(features)
    named = [(name, kind, shape[1:]) for name, kind, shape in inputs]
    if named != [("features", "tensor(float)", [width])] or isinstance(inputs[0][2][0], int):
        raise ConfigError(
            f"{where}: inputs: expected features tensor(float) ['batch', {width}], got {inputs}"
        )
    outputs = [(o.name, o.type) for o in session.get_outputs()]
    if outputs != [("score", "tensor(float)")]:
        raise ConfigError(f"{where}: outputs: expected score tensor(float), got {outputs}")
    meta = session.get_modelmeta().custom_metadata_map
    for key, expected in (("classes", classes), ("features", features)):
        got = _names(meta, key, where)
        if got != tuple(expected):
            differ = [name for name in got if name not in expected] or list(got)
            raise ConfigError(
                f"{where}: metadata {key!r}: expected the detector's {len(expected)} in order, got "
                f"{len(got)} with {differ[0]!r} (fitted on another one?)"
            )
    if meta.get("detector", sha256) != sha256:
        raise ConfigError(
            f"{where}: expected one fitted on this detector ({sha256[:12]}), got one fitted on "
            f"{meta['detector'][:12]}: its probabilities would be wrong"
        )


def _input_size(session: Any, where: str) -> int:
    inputs = session.get_inputs()
    got = ", ".join(f"{i.name} {i.type} {i.shape}" for i in inputs)
    if len(inputs) == 1 and inputs[0].name == "images" and inputs[0].type == "tensor(uint8)":
        shape = inputs[0].shape
        square = (
            len(shape) == 4 and isinstance(shape[1], int) and shape[1] == shape[2] and shape[3] == 3
        )
        if square and not isinstance(shape[0], int) and shape[1] % 2 == 0:
            return int(shape[1])
    raise ConfigError(
        f"{where}: inputs: expected images tensor(uint8) ['batch', S, S, 3] with an even S, got {got}"
    )


def _names(meta: dict[str, str], key: str, where: str) -> tuple[str, ...]:
    """A metadata entry that holds a JSON list of different names."""
    if key not in meta:
        raise ConfigError(
            f"{where}: metadata: expected {key!r} (a JSON list of names), got {sorted(meta)}"
        )
    names: Any = None
    with contextlib.suppress(ValueError):
        names = json.loads(meta[key])
    good = isinstance(names, list) and names and all(isinstance(n, str) for n in names)
    if not good or len(set(names)) != len(names):
        raise ConfigError(
            f"{where}: metadata {key!r}: expected a JSON list of different names, got {meta[key][:80]!r}"
        )
    return tuple(names)
