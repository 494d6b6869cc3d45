"""Models of real sizes with random weights, made where they run: no download, no file.

`made` builds on the meta device and fills in place, so a model of 8 B parameters is ready on a GPU in
seconds. Tokenizer and image processor are the tiny model's (its ids fit in the vocabulary), so sequence
lengths are those of `load`.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from transformers import (
    AutoImageProcessor,
    AutoTokenizer,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)

from benchmarks.judge import load as asked
from physgauge.ensemble.judge.engines.onepass.architectures import PACKED
from physgauge.ensemble.judge.engines.onepass.load import Loaded, ready
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.engines.onepass.tiny import resolve

_ROPE: Final = {
    "rope_type": "default", "rope_theta": 5_000_000.0, "mrope_section": [24, 20, 20],
    "mrope_interleaved": True,
}  # fmt: skip


def _config(
    text: dict[str, Any], vision: dict[str, Any], tied: bool, vocabulary: int = 151_936
) -> Qwen3VLConfig:
    heads = {"num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}
    return Qwen3VLConfig(
        text_config={
            "vocab_size": vocabulary, "max_position_embeddings": 262_144, "rope_parameters": _ROPE,
            **heads, **text, "tie_word_embeddings": tied,
        },
        vision_config={
            "patch_size": 16, "out_hidden_size": text["hidden_size"], "num_heads": 16, **vision,
        },
        tie_word_embeddings=tied,
    )  # fmt: skip


CONFIGS: Final = {
    "qwen3-vl-4b": lambda: _config(
        {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36},
        {"depth": 24, "hidden_size": 1024, "intermediate_size": 4096,
         "deepstack_visual_indexes": [5, 11, 17]},
        tied=True,
    ),
    "qwen3-vl-8b": lambda: _config(
        {"hidden_size": 4096, "intermediate_size": 12_288, "num_hidden_layers": 36},
        {"depth": 27, "hidden_size": 1152, "intermediate_size": 4304,
         "deepstack_visual_indexes": [8, 16, 24]},
        tied=False,
    ),
    "qwen3-vl-small": lambda: _config(
        {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3,
         "num_attention_heads": 4, "num_key_value_heads": 2},
        {"depth": 2, "hidden_size": 128, "intermediate_size": 256, "deepstack_visual_indexes": [0, 1]},
        tied=True, vocabulary=2048,
    ),
}  # fmt: skip
"""Published sizes; `qwen3-vl-small` is there to try this file on a CPU."""


def made(name: str, settings: OnePassSettings, device: torch.device, dtype: torch.dtype) -> Loaded:
    """A model of a named size, filled and set up."""
    folder = resolve("tiny:qwen3vl")
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    processor: Any = AutoImageProcessor.from_pretrained(folder)
    processor.size = {"shortest_edge": 64 * 64, "longest_edge": asked.SIDE**2}
    config: Any = CONFIGS[name]()
    for key, token in (
        ("image_token_id", "<|image_pad|>"), ("video_token_id", "<|video_pad|>"),
        ("vision_start_token_id", "<|vision_start|>"), ("vision_end_token_id", "<|vision_end|>"),
    ):  # fmt: skip
        setattr(config, key, tokenizer.convert_tokens_to_ids(token))
    config._attn_implementation = "sdpa"
    with torch.device("meta"):
        model: Any = Qwen3VLForConditionalGeneration(config)
    model = model.to(dtype).to_empty(device=device).eval().requires_grad_(False)
    model.tie_weights()
    _fill(model, device)
    return ready(
        model, tokenizer, processor, name, "random", settings, tuple(PACKED), "benchmarks.judge"
    )


def _fill(model: Any, device: torch.device) -> None:
    """Weights of variance 1 / fan-in; norms 1, biases 0; rotary tables as their modules compute them."""
    generator = torch.Generator(device).manual_seed(0)
    for name, weight in model.named_parameters():
        if weight.ndim < 2:
            weight.data.fill_(0.0 if name.endswith("bias") else 1.0)
        else:
            weight.data.normal_(0.0, weight[0].numel() ** -0.5, generator=generator)
    for module in list(model.modules()):
        if "inv_freq" in dict(module.named_buffers(recurse=False)):
            with torch.device(device):
                fresh = type(module)(module.config)
            for name, buffer in fresh.named_buffers():
                setattr(module, name, buffer.to(device))
