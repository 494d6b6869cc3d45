"""The rule language: text to syntax, syntax to typed trees."""

from __future__ import annotations

from physgauge.rules_kernel.language.check import check_alias, check_rule
from physgauge.rules_kernel.language.intervals import range_of
from physgauge.rules_kernel.language.names import RESERVED, Names
from physgauge.rules_kernel.language.reach import check_views
from physgauge.rules_kernel.language.syntax import Node, parse
from physgauge.rules_kernel.language.tokens import SyntaxProblem

__all__ = [
    "RESERVED", "Names", "Node", "SyntaxProblem", "check_alias", "check_rule", "check_views", "parse",
    "range_of",
]  # fmt: skip
