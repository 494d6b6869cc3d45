"""The tables ``[[observers]]`` and ``[reason]`` of a profile: PCMDE's language half
(docs/pcmde_language.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from physgauge.errors import ConfigError
from physgauge.settings import Fraction, Points, Positive, Settings, Weight

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]
Tokens = Annotated[int, msgspec.Meta(ge=16, le=8192)]


class ObserverSettings(Settings, frozen=True, kw_only=True):
    """``[[observers]]``: a multimodal model that says which parts an image shows, how many, and where."""

    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_-]*$", max_length=64)]
    """For rows: `observations[].source`."""
    engine: Literal["judge", "onepass", "vllm", "endpoint"] = "judge"
    """`judge`: the judge himself, in the session of his probes, so that the image is read once; else an
    engine of its own, with its settings in the table of that name."""
    weight: Weight = 1.0
    """How much its word counts beside that of detectors and other observers."""
    confidence: Fraction = 0.5
    """How sure it is of a number that it states, where a detector has the mean score of its boxes."""
    reliability: Fraction = 0.5
    """How sure it is that a part is absent when it says that it sees none."""
    max_tokens: Tokens = 600
    """Of its answer; a longer one is cut off, and then not read."""
    timeout_s: Seconds = 120.0
    """For one image, where it has an engine of its own."""
    onepass: dict[str, Any] = msgspec.field(default_factory=dict)
    vllm: dict[str, Any] = msgspec.field(default_factory=dict)
    endpoint: dict[str, Any] = msgspec.field(default_factory=dict)


class ReasonSettings(Settings, frozen=True, kw_only=True):
    """``[reason]``: the reasoning step."""

    engine: Literal["specification", "off", "judge"] = "specification"
    """`specification`: deterministic, over the type specification and the rubric; `judge`: the judge's
    model as a language model (it gets no image). The other settings are for `judge` alone."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.3
    max_tokens: Tokens = 500
    """Of an answer."""
    runs: Annotated[int, msgspec.Meta(ge=1, le=15)] = 3
    """Scores in a round."""
    spread: Points = 10.0
    """A round whose greatest and least score are further apart is followed by another one."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    """At most."""
    retries: Annotated[int, msgspec.Meta(ge=0, le=5)] = 1
    """How often a run without a score is asked for again within its round."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0
    """Each run draws from a seed of its own, counted from this one."""
    max_caption_chars: Annotated[int, msgspec.Meta(ge=16, le=8192)] = 1000
    """What a caption is cut to in the prompt."""
    max_boxes: Positive = 40
    """Boxes in the prompt, the surest first."""
    timeout_s: Seconds = 120.0
    """For one image, all its runs together."""


def check_language(
    observers: list[ObserverSettings], reason: ReasonSettings, has_judge: bool, where: str
) -> None:
    """Checks that need several tables at once.

    Raises:
        ConfigError: settings that do not fit together.
    """
    names = [one.name for one in observers]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: observers: expected different names, got {name!r} twice")
    if sum(one.engine == "judge" for one in observers) > 1:
        raise ConfigError(
            f'{where}: observers: expected at most one with engine = "judge", got several'
        )
    needs = [
        *("observers" for _ in observers[:1]),
        *(["reason"] if reason.engine == "judge" else []),
    ]
    if needs and not has_judge:
        raise ConfigError(f"{where}: judge: expected a table, since {needs[0]} needs it, got none")
