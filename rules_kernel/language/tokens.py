"""Text of an expression to tokens, and the problem that parser and checker report."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_SOURCE = 2000
"""Characters in one expression."""


KEYWORDS = frozenset({"and", "or", "not", "implies", "iff", "in", "as"})


_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<symbol><=|>=|==|!=|[<>+\-*/%(){},])",
    re.ASCII,
)


class SyntaxProblem(Exception):
    """A problem at offset `at` of one expression; the loader adds file, rule, line and column."""

    def __init__(
        self,
        problem: str,
        at: int,
        *,
        expected: str | None = None,
        got: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem, self.at = problem, at
        self.expected, self.got, self.hint = expected, got, hint


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def tokenise(source: str) -> list[Token]:
    """Split an expression into tokens, the last of kind "end"."""
    if len(source) > MAX_SOURCE:
        raise SyntaxProblem(
            "the expression is too long",
            MAX_SOURCE,
            expected=f"at most {MAX_SOURCE} characters",
            got=str(len(source)),
        )
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            hint = "use == to compare" if source[at] == "=" else None
            raise SyntaxProblem(f"unexpected character {source[at]!r}", at, hint=hint)
        kind = str(match.lastgroup)
        if kind == "name" and match.group() in KEYWORDS:
            kind = "keyword"
        if kind != "space":
            tokens.append(Token(kind, match.group(), at))
        at = match.end()
    tokens.append(Token("end", "", len(source)))
    return tokens
