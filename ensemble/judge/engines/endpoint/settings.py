"""The table ``[judge.endpoint]`` of a profile."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.settings import Positive, Settings

Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Price = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
OURS = frozenset(
    {"model", "messages", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs", "stream",
     "n", "response_format", "logprob_token_ids"}
)  # fmt: skip
"""Fields of a request that are the engine's to set."""


class Prices(Settings, frozen=True, kw_only=True):
    """What the server charges, in US dollars per million tokens."""

    prompt: Price
    cached: Price | None = None
    """Prompt tokens from a cache; None: as `prompt`."""
    written: Price


class EndpointSettings(Settings, frozen=True, kw_only=True):
    """An OpenAI-compatible chat server, and how it may be used."""

    url: str
    """Up to ``/v1``; ``${NAME}`` is taken from the environment."""
    model: str = ""
    """As the server names it; empty: the only one it offers."""
    key_env: str | None = None
    """The environment variable with the key; it goes into the header, and nowhere else."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Further headers, without secrets."""
    ca_file: str | None = None
    """Certificates to trust instead of the system's, relative to the profile."""
    proxy: str | None = None
    """Proxies of the environment are not used."""

    layout: Literal["image_first", "text_first"] = "image_first"
    """What comes first in the prompt, image or preamble; the question is always last."""
    image: Literal["png", "jpeg"] = "png"
    """How pixels travel; `jpeg` is smaller and changes them (docs/engines.md)."""
    jpeg_quality: Annotated[int, msgspec.Meta(ge=50, le=100)] = 95
    send: Literal["auto", "once", "always"] = "auto"
    """`once`: with a session's first question; the others name it (vLLM's ``uuid``; what its cache has
    lost is sent again). `always`: with each question. `auto`: `once` where the server is vLLM."""
    detail: Literal["low", "high", "auto"] | None = None
    """The size class of images some hosted models have."""
    max_image_bytes: Positive = 20 * 2**20
    """An image whose encoding is larger isn't sent."""
    min_side_px: Positive = 8
    """Nor is one with a shorter side: some servers fall over it."""

    logprobs: Literal["auto", "vllm", "top", "off"] = "auto"
    """Where probabilities come from: `vllm`, of the yes and no tokens themselves; `top`, of the likeliest
    tokens; `auto` tries both at start."""
    top_logprobs: Annotated[int, msgspec.Meta(ge=2, le=20)] = 20
    structured: Literal["auto", "json_schema", "off"] = "auto"
    """Whether the server holds an answer to a JSON schema; `auto` tries at start."""
    tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    answer_tokens: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 1
    """Tokens for one word; without probabilities at least 4."""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)
    """Further fields of every request."""
    leave_out: tuple[Literal["temperature", "seed"], ...] = ()
    """Fields that the server refuses."""

    concurrency: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 32
    """Requests in flight."""
    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    tokens_per_request: Positive = 1_500
    """What a request is taken to need until the first answers tell."""
    tries: Annotated[int, msgspec.Meta(ge=1, le=20)] = 4
    """Of a request that meets 429, a 5xx or a broken connection."""
    wait_s: Seconds = 0.5
    """Before the second try; doubled each time, with jitter."""
    max_wait_s: Seconds = 30.0
    """Longest wait, also where the server asks for more: then it counts as not there."""
    again_s: Seconds = 30.0
    """After an engine fault, nothing is asked for so long; then the server may have been mended."""
    connect_s: Seconds = 5.0
    read_s: Seconds = 120.0
    """For one request; an image's deadline may be sooner."""
    start_s: Seconds = 60.0
    """How long to wait at start for a server that isn't there yet."""
    max_answer_bytes: Positive = 2**20
    faults: Positive = 20
    """Requests in a row that fail for good before the server counts as gone."""

    price: Prices | None = None

    def checked(self, where: str) -> EndpointSettings:
        """With ``${NAME}`` put in, and all that needs several fields checked.

        Raises:
            ConfigError: a wrong URL, a secret where none belongs, or a field that is not the user's.
            EnvironmentProblem: a variable that is not set.
        """
        url = _from_environment(self.url, where)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"{where}.url: expected http(s)://HOST/v1, got {self.url!r}")
        if parts.username is not None or parts.password is not None or parts.query:
            raise ConfigError(
                f"{where}.url: expected no user, password or query in it (keys go into the variable "
                f"that key_env names)"
            )
        for name in self.headers:
            if name.casefold() in {"authorization", "api-key", "x-api-key"}:
                raise ConfigError(f"{where}.headers: expected no keys (key_env), got {name!r}")
        ours = sorted(OURS & set(self.extra))
        if ours:
            raise ConfigError(
                f"{where}.extra: expected no field that is set already, got {ours[0]!r}"
            )
        return msgspec.structs.replace(
            self, url=url.rstrip("/"), model=_from_environment(self.model, where)
        )

    def key(self, where: str) -> str | None:
        """The key, from the environment.

        Raises:
            EnvironmentProblem: the variable is not set.
        """
        if self.key_env is None:
            return None
        value = os.environ.get(self.key_env, "").strip()
        if not value:
            raise EnvironmentProblem(
                f"{where}.key_env: expected a key in ${self.key_env}, got none"
            )
        return value


def _from_environment(text: str, where: str) -> str:
    if not (text.startswith("${") and "}" in text):
        return text
    name, _, rest = text[2:].partition("}")
    value = os.environ.get(name)
    if not value:
        raise EnvironmentProblem(f"{where}: expected ${name} in the environment (for {text!r})")
    return value + rest
