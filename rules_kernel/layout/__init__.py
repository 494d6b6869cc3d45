"""How usual the arrangement of an image's parts is, under densities of pairs of parts seen in one view.

Kernels over packed batches; importing this does not import Numba.
"""

from __future__ import annotations

from physgauge.rules_kernel.layout.model import FEATURES, LayoutModel
from physgauge.rules_kernel.layout.pairs import PairTable, pair_features
from physgauge.rules_kernel.layout.usual import Usual, strangest, usual

__all__ = ["FEATURES", "LayoutModel", "PairTable", "Usual", "pair_features", "strangest", "usual"]
