"""How usual the arrangement of parts is, where the profile names a layout model (docs/layout.md)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.rules_kernel import Pack, RuleError
from physgauge.rules_kernel.layout import LayoutModel, usual
from physgauge.types import I8, VIEWS, Boxes


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Of one picture's parts."""

    log_p: float
    """Natural logarithm of the share of faultless pictures that hold a pair of parts as strange, <= 0."""
    part: str
    """The component of the strangest pair."""
    other: str
    """What it stands strangely beside."""


class Layout:
    """A layout model and a pack's components.

    Args:
        path: the model.
        pack: whose components boxes are labelled with.
        where: names the setting, in errors.

    Raises:
        EnvironmentProblem: no such file.
        ConfigError: no layout model, or one of other components or views.
    """

    def __init__(self, path: Path, pack: Pack, where: str) -> None:
        try:
            data = path.read_bytes()
            self._model = LayoutModel.parse(data, str(path))
        except OSError as error:
            raise EnvironmentProblem(f"{where}: {path} cannot be read ({error.strerror})") from None
        except RuleError as error:
            raise ConfigError(f"{where}: {error}") from None
        self.sha256 = hashlib.sha256(data).hexdigest()
        if self._model.views != VIEWS:
            raise ConfigError(f"{where}: expected the views {VIEWS}, got {self._model.views}")
        unknown = sorted(set(self._model.components) - set(pack.components))
        if unknown:
            raise ConfigError(
                f"{where}: expected components of the pack {pack.name}, got {', '.join(unknown)} too"
            )
        index = {name: i for i, name in enumerate(self._model.components)}
        self._label = np.array([index.get(name, -1) for name in pack.components], np.int16)

    def __call__(self, boxes: Boxes, view: I8) -> tuple[Arrangement | None, ...]:
        """[b] of b pictures; None where too little is seen or known.

        Args:
            boxes: labels index the pack's components.
            view: [b] index into VIEWS.
        """
        model = self._model
        found = usual(model, boxes.xyxy, self._label[boxes.label], boxes.offsets, view)
        return tuple(
            None
            if np.isnan(log_p)
            else Arrangement(
                float(log_p), model.components[self._label[boxes.label[n]]], model.components[c]
            )
            for log_p, (n, c) in zip(found.log_p, found.pair, strict=True)
        )
