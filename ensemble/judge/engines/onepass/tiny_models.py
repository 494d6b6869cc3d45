"""The configurations of the tiny models (see `tiny`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from transformers import (
    Gemma3Config,
    Gemma3ForConditionalGeneration,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from physgauge.ensemble.judge.engines.onepass.tiny_parts import (
    VOCABULARY,
    change,
    save,
    token_id,
    tokenizer,
)

_IDEFICS = [
    "<|endoftext|>", "<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>",
    "<global-img>", *(f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7)),
]  # fmt: skip
_QWEN = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|image_pad|>", "<|video_pad|>",
]  # fmt: skip

_GEMMA = [
    "<pad>", "<bos>", "<end_of_turn>", "<start_of_turn>", "<start_of_image>", "<end_of_image>",
    "<image_soft_token>",
]  # fmt: skip

_IDEFICS_TEMPLATE = (
    "<|im_start|>{% for message in messages %}{{ message['role'] | capitalize }}:"
    "{% if message['content'][0]['type'] != 'image' %} {% endif %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<image>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
_QWEN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


_GEMMA_TEMPLATE = (
    "<bos>{% for message in messages %}<start_of_turn>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}<start_of_image>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)


def idefics3(
    side: int,
    longest: int | None,
    vision: dict[str, int],
    text: dict[str, int],
) -> Callable[[Path, int], None]:
    """Idefics3 (SmolVLM's first form): image tokens (side / 32)² a tile of `side` px; tiles of a
    picture whose longer side is brought to `longest` px, None: one tile."""

    def build(folder: Path, seed: int) -> None:
        words = tokenizer(_IDEFICS, _IDEFICS_TEMPLATE, "<end_of_utterance>")
        config = Idefics3Config(
            vision_config={"image_size": side, "patch_size": 16, **vision},
            text_config={
                "model_type": "llama",
                "vocab_size": VOCABULARY,
                "max_position_embeddings": 8192,
                "bos_token_id": words.bos_token_id,
                "eos_token_id": words.eos_token_id,
                "pad_token_id": words.pad_token_id,
                "tie_word_embeddings": False,
                **text,
            },
            image_token_id=token_id(words, "<image>"),
            scale_factor=2,
            tie_word_embeddings=False,
        )
        images = Idefics3ImageProcessorPil(
            size={"longest_edge": longest or side},
            max_image_size={"longest_edge": side},
            do_image_splitting=longest is not None,
        )
        save(Idefics3ForConditionalGeneration(config), folder, seed, words, images)
        # Names without a backend, a processor file, a token for padding: what other engines look for.
        change(folder / "config.json", pad_token_id=words.pad_token_id)
        image = json.loads((folder / "preprocessor_config.json").read_text("utf-8"))
        image["image_processor_type"] = "Idefics3ImageProcessor"
        change(folder / "preprocessor_config.json", **image)
        (folder / "processor_config.json").write_text(
            json.dumps(
                {
                    "processor_class": "Idefics3Processor",
                    "image_seq_len": (side // 32) ** 2,
                    "image_processor": image,
                },
                indent=2,
            )
        )

    return build


def qwen3_vl(
    vision: dict[str, Any], text: dict[str, Any], max_px: int
) -> Callable[[Path, int], None]:
    """Qwen3-VL; one image token per 32 x 32 px of at most `max_px` pixels."""

    def build(folder: Path, seed: int) -> None:
        words = tokenizer(_QWEN, _QWEN_TEMPLATE, "<|im_end|>")
        half = text["head_dim"] // 2
        side = half // 3
        config = Qwen3VLConfig(
            text_config={
                "vocab_size": VOCABULARY,
                "max_position_embeddings": 8192,
                "rope_parameters": {
                    "rope_type": "default",
                    "rope_theta": 10_000.0,
                    "mrope_section": [half - 2 * side, side, side],
                    "mrope_interleaved": True,
                },
                "bos_token_id": words.bos_token_id,
                "eos_token_id": words.eos_token_id,
                "pad_token_id": words.pad_token_id,
                **text,
            },
            vision_config={"patch_size": 16, "out_hidden_size": text["hidden_size"], **vision},
            image_token_id=token_id(words, "<|image_pad|>"),
            video_token_id=token_id(words, "<|video_pad|>"),
            vision_start_token_id=token_id(words, "<|vision_start|>"),
            vision_end_token_id=token_id(words, "<|vision_end|>"),
            tie_word_embeddings=False,
        )
        images = Qwen2VLImageProcessorPil(
            patch_size=16,
            merge_size=2,
            temporal_patch_size=2,
            size={"shortest_edge": 64 * 64, "longest_edge": max_px},
            image_mean=[0.5, 0.5, 0.5],
            image_std=[0.5, 0.5, 0.5],
        )
        save(Qwen3VLForConditionalGeneration(config), folder, seed, words, images)
        change(folder / "preprocessor_config.json", image_processor_type="Qwen2VLImageProcessor")

    return build


def gemma3(
    vision: dict[str, int], text: dict[str, int], window: int
) -> Callable[[Path, int], None]:
    """Gemma 3; 16 image tokens, a window of `window` tokens in all layers but the last."""

    def build(folder: Path, seed: int) -> None:
        words = tokenizer(_GEMMA, _GEMMA_TEMPLATE, "<end_of_turn>")
        layers = text["num_hidden_layers"]
        config = Gemma3Config(
            text_config={
                "vocab_size": VOCABULARY,
                "max_position_embeddings": 8192,
                "sliding_window": window,
                "layer_types": ["sliding_attention"] * (layers - 1) + ["full_attention"],
                "query_pre_attn_scalar": text["head_dim"],
                "bos_token_id": words.bos_token_id,
                "eos_token_id": words.eos_token_id,
                "pad_token_id": words.pad_token_id,
                **text,
            },
            vision_config={"image_size": 128, "patch_size": 16, "vision_use_head": False, **vision},
            mm_tokens_per_image=16,
            boi_token_index=token_id(words, "<start_of_image>"),
            eoi_token_index=token_id(words, "<end_of_image>"),
            image_token_index=token_id(words, "<image_soft_token>"),
            tie_word_embeddings=False,
        )
        images = Gemma3ImageProcessorPil(
            size={"height": 128, "width": 128}, image_mean=[0.5] * 3, image_std=[0.5] * 3
        )
        save(Gemma3ForConditionalGeneration(config), folder, seed, words, images)
        change(folder / "preprocessor_config.json", image_processor_type="Gemma3ImageProcessor")

    return build


def _llama(hidden: int, layers: int, inner: int, heads: int, groups: int) -> dict[str, int]:
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "intermediate_size": inner,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "head_dim": hidden // heads,
    }


def _siglip(hidden: int, layers: int, heads: int) -> dict[str, int]:
    return {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "intermediate_size": 4 * hidden,
        "num_attention_heads": heads,
    }


def _qwen_vision(hidden: int, depth: int, heads: int, deep: list[int]) -> dict[str, Any]:
    return {
        "hidden_size": hidden,
        "depth": depth,
        "intermediate_size": 4 * hidden,
        "num_heads": heads,
        "deepstack_visual_indexes": deep,
        "num_position_embeddings": 256,
    }


BUILDERS: Final[dict[str, Callable[[Path, int], None]]] = {
    "smolvlm": idefics3(256, None, _siglip(64, 2, 4), _llama(128, 3, 256, 4, 2)),
    "smolvlm-tiles": idefics3(128, 256, _siglip(64, 2, 4), _llama(128, 3, 256, 4, 2)),
    "qwen3vl": qwen3_vl(_qwen_vision(64, 2, 4, [0, 1]), _llama(128, 3, 256, 4, 2), 256 * 256),
    "gemma3": gemma3(_siglip(64, 2, 4), _llama(128, 3, 256, 4, 2), 24),
    "smolvlm-50m": idefics3(512, None, _siglip(384, 4, 6), _llama(512, 11, 1536, 8, 4)),
    "qwen3vl-50m": qwen3_vl(_qwen_vision(384, 4, 6, [1]), _llama(512, 11, 1536, 8, 4), 512 * 512),
}
"""`-50m`: benchmark shapes, 256 image tokens for a picture of 512 x 512 px."""
