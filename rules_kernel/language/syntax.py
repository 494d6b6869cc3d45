"""Text of a rule to a syntax tree: what is written, with positions, before names mean anything.

::

    expr      = implies [ "iff" implies ]
    implies   = or [ "implies" implies ]
    or        = and { "or" and }            and = not { "and" not }
    not       = "not" not | compare
    compare   = sum { ("<"|"<="|"=="|"!="|">="|">") sum } | sum ["not"] "in" "{" sum {"," sum} "}"
    sum       = product { ("+"|"-") product }      product = unary { ("*"|"/"|"%") unary }
    unary     = "-" unary | primary
    primary   = number ["%"] | name | name "(" argument {"," argument} ")" | "(" expr ")"
    argument  = expr | name "as" name

After a literal, "%" is percent; anywhere else it is the remainder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from physgauge.rules_kernel.errors import quoted
from physgauge.rules_kernel.language.tokens import SyntaxProblem, Token, tokenise

MAX_NUMBER = 1e30
"""Larger literals have no meaning here, and their products leave the range of a float."""

MAX_NESTING = 24
"""Levels of parentheses, operators and calls in one expression."""


@dataclass(frozen=True)
class Node:
    """A piece of syntax. `kind`: number, name, call, as, or the operator ("<" stands for any
    chain of comparisons, with the operators in `ops`; "in" and "not in" for membership)."""

    kind: str
    at: int
    end: int
    text: str = ""
    value: float = 0.0
    args: tuple[Node, ...] = ()
    ops: tuple[str, ...] = ()
    depth: int = 1


def parse(source: str) -> Node:
    """The syntax tree of one expression. Raises SyntaxProblem with the offset of the trouble."""
    parser = _Parser(tokenise(source))
    node = parser.expression()
    if parser.token.kind != "end":
        raise parser.wrong("an operator or the end of the rule")
    return node


class _Parser:
    """Recursive descent; `level` bounds the recursion before Python does."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.level = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def wrong(self, expected: str) -> SyntaxProblem:
        token = self.token
        got = "the end of the rule" if token.kind == "end" else quoted(token.text)
        return SyntaxProblem("syntax error", token.at, expected=expected, got=got)

    def take(self) -> Token:
        token = self.token
        self.position += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        if self.token.kind in {"symbol", "keyword"} and self.token.text in texts:
            return self.take()
        return None

    def require(self, text: str) -> Token:
        token = self.accept(text)
        if token is None:
            raise self.wrong(repr(text))
        return token

    def make(self, kind: str, args: tuple[Node, ...], *, ops: tuple[str, ...] = ()) -> Node:
        depth = 1 + max(node.depth for node in args)
        if depth > MAX_NESTING:
            raise SyntaxProblem(
                "the expression is nested too deeply",
                args[-1].at,
                expected=f"at most {MAX_NESTING} levels",
            )
        return Node(kind, args[0].at, args[-1].end, args=args, ops=ops, depth=depth)

    def nested(self, rule: Callable[[], Node]) -> Node:
        self.level += 1
        if self.level > MAX_NESTING:
            raise SyntaxProblem(
                "the expression is nested too deeply",
                self.token.at,
                expected=f"at most {MAX_NESTING} levels",
            )
        node = rule()
        self.level -= 1
        return node

    def expression(self) -> Node:
        left = self.implication()
        if self.accept("iff"):
            left = self.make("iff", (left, self.implication()))
            if self.token.text == "iff":
                raise self.wrong("parentheses: 'iff' does not chain")
        return left

    def implication(self) -> Node:
        left = self.disjunction()
        if self.accept("implies"):
            return self.make("implies", (left, self.nested(self.implication)))
        return left

    def disjunction(self) -> Node:
        parts = [self.conjunction()]
        while self.accept("or"):
            parts.append(self.conjunction())
        return parts[0] if len(parts) == 1 else self.make("or", tuple(parts))

    def conjunction(self) -> Node:
        parts = [self.negation()]
        while self.accept("and"):
            parts.append(self.negation())
        return parts[0] if len(parts) == 1 else self.make("and", tuple(parts))

    def negation(self) -> Node:
        word = self.accept("not")
        if word is None:
            return self.comparison()
        inner = self.nested(self.negation)
        return self._prefixed("not", word, inner)

    def _prefixed(self, kind: str, word: Token, inner: Node) -> Node:
        node = self.make(kind, (inner,))
        return Node(kind, word.at, inner.end, args=node.args, depth=node.depth)

    def comparison(self) -> Node:
        parts, ops = [self.sum()], []
        while token := self.accept("<", "<=", "==", "!=", ">=", ">"):
            ops.append(token.text)
            parts.append(self.sum())
        if ops:
            return self.make("<", tuple(parts), ops=tuple(ops))
        following = self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        if self.token.text == "not" and following.text == "in":
            self.take()
            return self._members("not in", parts[0])
        return self._members("in", parts[0]) if self.token.text == "in" else parts[0]

    def _members(self, kind: str, left: Node) -> Node:
        self.require("in")
        self.require("{")
        parts = [left, self.sum()]
        while self.accept(","):
            parts.append(self.sum())
        close = self.require("}")
        node = self.make(kind, tuple(parts))
        return Node(kind, left.at, close.end, args=node.args, depth=node.depth)

    def sum(self) -> Node:
        left = self.product()
        while token := self.accept("+", "-"):
            left = self.make(token.text, (left, self.product()))
        return left

    def product(self) -> Node:
        left = self.unary()
        while token := self.accept("*", "/", "%"):
            left = self.make(token.text, (left, self.unary()))
        return left

    def unary(self) -> Node:
        word = self.accept("-")
        if word is None:
            return self.primary()
        return self._prefixed("neg", word, self.nested(self.unary))

    def primary(self) -> Node:
        token = self.token
        if token.kind == "number":
            self.take()
            share = self.accept("%")
            value = float(token.text) / 100 if share else float(token.text)
            if value > MAX_NUMBER:
                raise SyntaxProblem("a number out of range", token.at, got=token.text[:40])
            end = share.end if share else token.end
            return Node("number", token.at, end, token.text, value)
        if token.kind == "name":
            self.take()
            return self._call(token) if self.accept("(") else self._name(token)
        if self.accept("("):
            inner = self.nested(self.expression)
            close = self.require(")")
            return Node(
                inner.kind,
                token.at,
                close.end,
                inner.text,
                inner.value,
                inner.args,
                inner.ops,
                inner.depth,
            )
        raise self.wrong("a number, a name or '('")

    def _name(self, token: Token) -> Node:
        return Node("name", token.at, token.end, token.text)

    def _call(self, name: Token) -> Node:
        arguments = [self.nested(self.argument)]
        while self.accept(","):
            arguments.append(self.nested(self.argument))
        close = self.require(")")
        depth = 1 + max(node.depth for node in arguments)
        node = Node("call", name.at, close.end, name.text, args=tuple(arguments), depth=depth)
        if depth > MAX_NESTING:
            raise SyntaxProblem(
                "the expression is nested too deeply",
                name.at,
                expected=f"at most {MAX_NESTING} levels",
            )
        return node

    def argument(self) -> Node:
        node = self.expression()
        if self.accept("as"):
            if node.kind != "name" or self.token.kind != "name":
                raise self.wrong("a component before 'as' and a new name after it")
            alias = self._name(self.take())
            return self.make("as", (node, alias))
        return node
