"""What a server offers: asked once, at start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from physgauge.ensemble.judge.engines.asking import SPELLINGS, question_text
from physgauge.ensemble.judge.engines.endpoint.client import OK, Client
from physgauge.ensemble.judge.engines.endpoint.completion import Completion
from physgauge.ensemble.judge.engines.endpoint.contact import asked, find_model
from physgauge.ensemble.judge.engines.endpoint.settings import EndpointSettings
from physgauge.errors import ConfigError

Source = Literal["vllm", "top", "off"]
TRIAL: Final = question_text("Is water wet?")
TRIAL_SCHEMA: Final = {
    "type": "object",
    "properties": {"wet": {"type": "boolean"}},
    "required": ["wet"],
    "additionalProperties": False,
}


class _Tokens(msgspec.Struct):
    tokens: list[int]


class _Trial(msgspec.Struct):
    wet: bool


@dataclass(frozen=True, slots=True)
class Offer:
    """A server as it was found."""

    model: str
    version: str
    """What it says of the model's version."""
    source: Source
    """Where probabilities come from."""
    families: Mapping[bool, tuple[int, ...]]
    """Token ids of yes and no; only with the source "vllm"."""
    structured: bool


async def look(client: Client, settings: EndpointSettings, where: str) -> Offer:
    """Find out, waiting for a server that is still starting.

    Raises:
        EngineFault: it isn't there, or isn't such a server.
        ConfigError: it has no such model, or doesn't offer what the settings demand.
    """
    model = await find_model(client, settings, where)
    families: dict[bool, tuple[int, ...]] = {}
    if settings.logprobs == "vllm" or (settings.logprobs == "auto" and model.owned_by == "vllm"):
        families = await _families(client, settings, model.id)
    source: Source = "off"
    tried: list[Source] = [s for s in ("vllm", "top") if settings.logprobs in {"auto", s}]
    seen: Completion | None = None
    for kind in tried:
        if kind == "vllm" and not all(families.values() or [()]):
            continue
        seen = await _try(client, settings, trial(settings, model.id, kind, families))
        if seen is not None and _has_logprobs(seen, kind, families):
            source = kind
            break
    if source == "off" and settings.logprobs in {"vllm", "top"}:
        raise ConfigError(
            f'{where}.logprobs: the server gives none of the kind "{settings.logprobs}"; '
            f'expected "auto" or "off"'
        )
    structured = settings.structured == "json_schema" or (
        settings.structured == "auto" and await _structured(client, settings, model.id)
    )
    # What it was loaded from may be a folder of the server's: its last part says enough.
    loaded = (model.root or "").rstrip("/").rpartition("/")[2]
    printed = seen.system_fingerprint if seen is not None else None
    version = " ".join(x for x in (loaded, printed) if x) or "unknown"
    return Offer(model.id, version, source, families, structured)


def trial(
    settings: EndpointSettings,
    model: str,
    source: Source,
    families: Mapping[bool, tuple[int, ...]],
) -> dict[str, Any]:
    """A request for one word, with its probabilities."""
    return {
        "model": model,
        "messages": [{"role": "user", "content": TRIAL}],
        settings.tokens_field: settings.answer_tokens,
        **probabilities(settings, source, families),
        **settings.extra,
    }


def probabilities(
    settings: EndpointSettings, source: Source, families: Mapping[bool, tuple[int, ...]]
) -> dict[str, Any]:
    """The fields that ask for probabilities."""
    if source == "top":
        return {"logprobs": True, "top_logprobs": settings.top_logprobs}
    if source == "vllm":
        ids = [token for members in families.values() for token in members]
        return {
            "logprobs": True,
            "logprob_token_ids": ids,
            "return_tokens_as_token_ids": True,
        }
    return {}


def token_id(text: str) -> int | None:
    """vLLM's ``token_id:123``."""
    kind, _, number = text.partition(":")
    return int(number) if kind == "token_id" and number.isascii() and number.isdigit() else None


def schema_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The field that holds an answer to a JSON schema."""
    form = {"name": "answer", "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


async def _families(
    client: Client, settings: EndpointSettings, model: str
) -> dict[bool, tuple[int, ...]]:
    """The ids of the spellings that are one token; empty families where the server can't tell."""
    base = settings.url.removesuffix("/v1")
    found: dict[bool, tuple[int, ...]] = {}
    for said, spellings in SPELLINGS.items():
        ids: list[int] = []
        for spelling in spellings:
            body = {"model": model, "prompt": spelling, "add_special_tokens": False}
            encoded = msgspec.json.encode(body)
            answer = await asked(client, settings, f"{base}/tokenize", encoded)
            if answer is None or answer.status != OK:
                return {True: (), False: ()}
            try:
                tokens = msgspec.json.decode(answer.body, type=_Tokens).tokens
            except (msgspec.DecodeError, RecursionError):
                return {True: (), False: ()}
            if len(tokens) == 1 and tokens[0] not in ids:
                ids.append(tokens[0])
        found[said] = tuple(ids)
    return found


async def _try(
    client: Client, settings: EndpointSettings, body: dict[str, Any]
) -> Completion | None:
    encoded = msgspec.json.encode(body)
    answer = await asked(client, settings, f"{settings.url}/chat/completions", encoded)
    if answer is None or answer.status != OK:
        return None
    try:
        return msgspec.json.decode(answer.body, type=Completion)
    except (msgspec.DecodeError, RecursionError):
        return None


def _has_logprobs(
    completion: Completion, source: Source, families: Mapping[bool, tuple[int, ...]]
) -> bool:
    if len(completion.choices) != 1:
        return False
    logprobs = completion.choices[0].logprobs
    listed = logprobs.content if logprobs is not None else None
    if not listed:
        return False
    tokens = {entry.token for entry in listed[0].top_logprobs}
    if source == "top":
        return len(tokens) > 1
    ids = {token_id(text) for text in tokens | {listed[0].token}}
    return all(member in ids for members in families.values() for member in members)


async def _structured(client: Client, settings: EndpointSettings, model: str) -> bool:
    """Whether an answer follows a schema that nothing in the prompt speaks of."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "Greet me in three words of plain text."}],
        settings.tokens_field: max(48, settings.answer_tokens),
        **schema_format(TRIAL_SCHEMA),
        **settings.extra,
    }
    completion = await _try(client, settings, body)
    if completion is None or len(completion.choices) != 1:
        return False
    try:
        msgspec.json.decode(completion.choices[0].message.content or "", type=_Trial)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
