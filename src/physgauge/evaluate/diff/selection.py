"""Which rows of two runs are held against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from physgauge.types import I64

Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of A, rows of B, and the matched ones among them."""

    a: I64 | None
    """None = all."""
    b: I64 | None
    pairs: tuple[I64, I64] | None
    """None = independent samples."""
    aligned: bool = False
    """All rows are matched, one by one: nothing has to be picked."""

    def of(
        self, a: NDArray[Value], b: NDArray[Value]
    ) -> tuple[NDArray[Value], NDArray[Value], tuple[NDArray[Value], NDArray[Value]] | None]:
        """Of values of all rows: those of A's rows, of B's, and of the matched ones."""
        if self.aligned:
            return a, b, (a, b)
        pairs = None if self.pairs is None else (a[self.pairs[0]], b[self.pairs[1]])
        return a if self.a is None else a[self.a], b if self.b is None else b[self.b], pairs
