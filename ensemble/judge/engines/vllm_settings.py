"""The table ``[judge.vllm]`` of a profile."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from physgauge.settings import Fraction, Positive, Settings

Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]


class VllmSettings(Settings, frozen=True, kw_only=True):
    """Which model, how much of the machine it gets, and when it is started again."""

    model: str
    """Folder of a model in Hugging Face form, relative to the profile, or a name that vLLM can fetch;
    "tiny:NAME": a small one with random weights (docs/onepass.md)."""
    layout: Literal["image_first", "text_first"] = "image_first"
    """What comes first in the prompt, image or preamble; the question is always last."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    quantization: str | None = None
    """As vLLM names it ("fp8")."""
    max_model_len: Positive | None = None
    """Longest prompt and answer, tokens; None: as the model has it."""
    memory: Fraction = 0.9
    """Share of a GPU's memory."""
    kv_cache_bytes: Positive | None = None
    """For keys and values, instead of what `memory` leaves; on a CPU, None: 4 GiB."""
    tensor_parallel: Positive = 1
    max_num_seqs: Positive | None = None
    """Prompts a step."""
    max_num_batched_tokens: Positive | None = None
    """Tokens a step."""
    enforce_eager: bool = False
    """No compiling and no CUDA graphs: starts sooner, runs slower."""
    prefix_caching: bool = True
    """What an image's prompts share is computed once. Blocks are 16 tokens on a GPU, 128 on a CPU; only
    whole blocks are shared."""
    image_options: dict[str, Any] = msgspec.field(default_factory=dict)
    """For the model's image processor (``mm_processor_kwargs``): how many tokens an image gets."""
    examples: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0
    """Pictures that may stand before a prompt's image; at least as many as the judge's probe file has."""
    template_options: dict[str, Any] = msgspec.field(default_factory=dict)
    """For the chat template (``enable_thinking = false``)."""
    min_side_px: Positive = 8
    """Images with a shorter side aren't given to the model: some processors fall over them."""
    max_pixels: Positive = 64_000_000
    """Nor are larger ones."""
    max_requests: Annotated[int, msgspec.Meta(ge=1, le=65_536)] = 512
    """Prompts in hand; further ones wait."""
    restarts: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3
    """Of a dead engine, until it counts as gone; an hour without a death forgives them."""
    wait_s: Seconds = 1.0
    """Before the first restart; doubled each time."""
    max_wait_s: Seconds = 60.0
