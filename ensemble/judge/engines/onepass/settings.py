"""Settings of the engine `onepass`: the table ``[judge.onepass]`` of a profile (docs/onepass.md)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from physgauge.settings import Positive, Settings


class OnePassSettings(Settings, frozen=True, kw_only=True):
    """Which model, and how it runs."""

    model: str
    """Folder of a model in Hugging Face form, relative to the profile; "tiny:NAME": a small one with
    random weights, built at first use (for tests only: its answers mean nothing)."""
    strategy: Literal["auto", "packed", "cache"] = "auto"
    """`packed`: all questions behind one prefix in one sequence; `cache`: the prefix's KV cache
    repeated over the questions as a batch. `auto`: what the architecture allows, `packed` first."""
    device: str = "auto"
    """"cpu", "cuda", "cuda:1"; `auto`: CUDA where there is one."""
    dtype: Literal["auto", "bfloat16", "float32"] = "auto"
    """`auto`: bfloat16 where the processor multiplies it fast (CUDA, AMX), else float32."""
    weights: Literal["as_is", "fp8"] = "as_is"
    """`fp8`: the language model's linear layers in float8, scaled row by row. CUDA from sm_89; changes
    answers a little."""
    attention: Literal["auto", "flash", "math"] = "auto"
    """Of `packed`: the device's fused kernels, or plain tensor algebra in float32."""
    layout: Literal["image_first", "text_first"] = "image_first"
    """What comes first in the prompt, image or preamble. The question is always last."""
    image_tokens: Annotated[int, msgspec.Meta(ge=16, le=16_384)] | None = None
    """Most tokens that one image may take; None: as the model's processor has it."""
    max_images: Positive = 16
    """Images a forward pass."""
    max_tokens: Annotated[int, msgspec.Meta(ge=64)] = 16_384
    """Tokens a forward pass; one image's questions that are more go alone."""
    max_sessions: Positive = 256
    """Images open at a time; further ones wait."""
    cache_bytes: Positive = 2 * 2**30
    """Memory for the prefixes of open images; the ones longest unused are computed again when
    needed."""
    threads: Annotated[int, msgspec.Meta(ge=0, le=1024)] = 0
    """Of the forward pass on a CPU; 0: one per core."""
    prepare_workers: Annotated[int, msgspec.Meta(ge=1, le=256)] = 2
    """Threads that scale and cut images."""
    check: bool = True
    """Compare one pass with separate prompts on a small picture at load, and refuse to run where they
    differ."""
