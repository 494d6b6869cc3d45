"""A server's answer, read strictly: what isn't a chat completion of the one kind we ask for is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from physgauge.ensemble.judge.engine import Spent
from physgauge.ensemble.judge.engines.endpoint.settings import Prices
from physgauge.wire import Outcome

Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class Likely(msgspec.Struct):
    """One entry of a list of likely tokens."""

    token: str
    logprob: float


class Position(Likely):
    """The token written at a position, and what else was likely there."""

    top_logprobs: list[Likely] = []


class Logprobs(msgspec.Struct):
    """Position by position."""

    content: list[Position] | None = None


class Message(msgspec.Struct):
    """What the model wrote."""

    content: str | None = None
    refusal: str | None = None


class Choice(msgspec.Struct):
    """One of the answers: the only one."""

    message: Message
    index: int = 0
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class Details(msgspec.Struct):
    """Of the prompt's tokens."""

    cached_tokens: Count | None = None


class Usage(msgspec.Struct):
    """Tokens that were read and written."""

    prompt_tokens: Count
    completion_tokens: Count = 0
    prompt_tokens_details: Details | None = None


class Completion(msgspec.Struct):
    """A chat completion; fields that aren't needed are not looked at."""

    choices: list[Choice]
    model: str | None = None
    usage: Usage | None = None
    system_fingerprint: str | None = None


class ErrorBody(msgspec.Struct):
    """What servers put into a 4xx: flat, or one level down."""

    error: Any = None
    code: Any = None
    message: Any = None


_completion = msgspec.json.Decoder(Completion)
_error = msgspec.json.Decoder(ErrorBody)


@dataclass(frozen=True, slots=True)
class Read:
    """A completion, read."""

    outcome: Outcome
    text: str | None = None
    whole: bool = True
    first: Position | None = None
    """The first token's probabilities, where the server gave any."""
    usage: Usage | None = None
    model: str | None = None


def read(body: bytes) -> Read:
    """Read the body of a 200.

    Bodies that aren't strict JSON (NaN is none), have another shape, or hold not exactly one choice are
    `unparseable`; a refusal is `refused`, a filter's word `blocked`.
    """
    try:
        completion = _completion.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return Read("unparseable")
    usage, model = completion.usage, completion.model
    if len(completion.choices) != 1 or completion.choices[0].index != 0:
        return Read("unparseable", usage=usage, model=model)
    choice = completion.choices[0]
    if choice.finish_reason == "content_filter":
        return Read("blocked", usage=usage, model=model)
    if choice.message.refusal:
        return Read("refused", usage=usage, model=model)
    listed = choice.logprobs.content if choice.logprobs is not None else None
    return Read(
        "answered",
        choice.message.content,
        choice.finish_reason != "length",
        listed[0] if listed else None,
        usage,
        model,
    )


def error_words(body: bytes) -> tuple[str, str]:
    """(code, message) of an error's body, for messages: printable, at most 300 characters."""
    try:
        outer = _error.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return "", ""
    inner = outer.error if isinstance(outer.error, dict) else {}
    code = inner.get("code") or inner.get("type") or outer.code or ""
    message = inner.get("message") or outer.message or outer.error or ""
    if not isinstance(message, str):
        message = ""
    return str(code)[:60], "".join(c if c.isprintable() else " " for c in message)[:300]


def cost(usage: Usage | None, price: Prices | None) -> Spent:
    """What an answer has cost, apart from the call; nothing where the server doesn't say."""
    if usage is None:
        return Spent()
    details = usage.prompt_tokens_details
    cached = min(details.cached_tokens or 0, usage.prompt_tokens) if details is not None else 0
    fresh, written = usage.prompt_tokens - cached, usage.completion_tokens
    usd = None
    if price is not None:
        cached_price = price.prompt if price.cached is None else price.cached
        usd = (fresh * price.prompt + cached * cached_price + written * price.written) / 1e6
    return Spent(0, fresh + written, cached, usd)


def add(a: Spent, b: Spent) -> Spent:
    """Both together; money that nobody named adds nothing."""
    usd = None if a.usd is None and b.usd is None else (a.usd or 0.0) + (b.usd or 0.0)
    return Spent(a.calls + b.calls, a.tokens + b.tokens, a.cached_tokens + b.cached_tokens, usd)
