"""The error tree of the rule kernel.

RuleError (ValueError)
├── PackError          a pack file: missing, unreadable, wrong structure, too big
├── ExpressionError    one rule's expression: syntax, names, types, constant rules
└── ArrayError         arrays handed to a kernel: dtype, shape, range, order

CudaUnavailable (RuntimeError)   no GPU, no driver, or a package of the extra `gpu` is missing

A message reads: where, what is wrong, expected, got, and a suggestion where one is near.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RuleError(ValueError):
    """Anything wrong with a rule pack or with the arrays given to it.

    Attributes: `file` (as given), `rule` (id), `line` and `column` (both from 1, in the pack
    file; for text without a file, in the text itself), `expected`, `got`, `hint`.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        rule: str | None = None,
        line: int | None = None,
        column: int | None = None,
        expected: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = file
        self.rule = rule
        self.line = line
        self.column = column
        self.expected = expected
        self.got = got
        self.hint = hint
        super().__init__(self._text())

    def _text(self) -> str:
        where = [self.file] if self.file else []
        if self.rule:
            where.append(f"rule {self.rule}")
        if self.line is not None:
            place = f"line {self.line}"
            where.append(f"{place}, column {self.column}" if self.column is not None else place)
        return ": ".join([*where, self.what])

    @property
    def what(self) -> str:
        """The message without the place."""
        parts = [self.problem]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.got is not None:
            parts.append(f"got {self.got}")
        text = ", ".join(parts)
        return f"{text}; {self.hint}" if self.hint else text


class PackError(RuleError):
    """A pack file that cannot be read or has the wrong structure."""


class ExpressionError(RuleError):
    """A rule or alias whose expression is wrong; `line`/`column` point at the offending token."""


class ArrayError(RuleError):
    """Arrays that break the kernel's contract; found before any kernel runs."""


class CudaUnavailable(RuntimeError):
    """Something that only the CUDA side needs is missing; the message says what."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A suggestion such as "did you mean 'engine'?" or None when nothing is near."""
    near = difflib.get_close_matches(name[:64], list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else None


def quoted(value: object, limit: int = 40) -> str:
    """`repr` cut to `limit` characters, so that hostile input cannot flood a message."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no whole number of more than 4,300 digits
        text = "a number of very many digits"
    return text if len(text) <= limit else text[: limit - 3] + "..."
