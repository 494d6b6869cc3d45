"""Rule packs: read, compiled, evaluated over packed batches. Knows arrays only.

    pack = load_pack("car")
    outcomes = compile_pack(pack).evaluate(boxes, observed)      # RuleArrays
    scores = rule_scores(outcomes.status, pack.category_index, pack.weights, pack.minimum_rules)

Importing this package does not import Numba; `compile_pack` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from physgauge.rules_kernel.aggregate import RuleScores, accepted, rule_scores
from physgauge.rules_kernel.arrays import VIEWS, ObservedArrays, PackedBoxes, RuleArrays
from physgauge.rules_kernel.errors import (
    ArrayError,
    CudaUnavailable,
    ExpressionError,
    PackError,
    RuleError,
)
from physgauge.rules_kernel.load import check_pack, load_pack, parse_pack, read_pack, shipped_packs
from physgauge.rules_kernel.pack import CATEGORIES, NAMED, OTHER, Pack, Rule, Single

if TYPE_CHECKING:
    from physgauge.rules_kernel.kernels import CompiledPack

__all__ = [
    "CATEGORIES", "NAMED", "OTHER", "VIEWS", "ArrayError", "CudaUnavailable",
    "ExpressionError", "ObservedArrays", "Pack", "PackError", "PackedBoxes", "Rule", "RuleArrays",
    "RuleError", "RuleScores", "Single", "accepted", "check_pack", "compile_pack", "load_pack",
    "parse_pack", "read_pack", "rule_scores", "shipped_packs",
]  # fmt: skip


def compile_pack(pack: Pack, *, threads: int | None = None) -> CompiledPack:
    """Compile a pack for the CPU (see `kernels.compile_pack`)."""
    from physgauge.rules_kernel.kernels import compile_pack as compile_

    return compile_(pack, threads=threads)
