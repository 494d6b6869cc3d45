"""The configurations, tokenizers and weights of the tiny models (see `tiny`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    PreTrainedTokenizerFast,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
from transformers.utils import logging

from physgauge.ensemble.judge.engines.onepass.tiny_text import training_text

VOCABULARY: Final = 1024
HEAD_GAIN: Final = 2.0
"""Spread of the logits: wide enough that another image or question clearly changes an answer."""

_IDEFICS = [
    "<|endoftext|>", "<|im_start|>", "<end_of_utterance>", "<fake_token_around_image>", "<image>",
    "<global-img>", *(f"<row_{r}_col_{c}>" for r in range(1, 7) for c in range(1, 7)),
]  # fmt: skip
_QWEN = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>",
    "<|image_pad|>", "<|video_pad|>",
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


def tokenizer(special: Sequence[str], template: str, end: str) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer, trained here."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.train_from_iterator(
        training_text(),
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=list(special),
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token=special[1],
        eos_token=end,
        pad_token=special[0],
        additional_special_tokens=list(special[2:]),
    )
    made.chat_template = template
    return made


def fill(model: torch.nn.Module, seed: int) -> None:
    """Draw every weight by its name: variance 1 / fan-in, norms 1, biases 0."""
    for name, weight in model.named_parameters():
        if weight.ndim < 2:
            weight.data.fill_(0.0 if name.endswith("bias") else 1.0)
            continue
        key = hashlib.sha256(f"{seed}:{name}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(key[:8], "big"))
        values = rng.standard_normal(tuple(weight.shape), dtype=np.float32)
        scale = 1.0 if "embed" in name and "patch" not in name else _fan_in(weight) ** -0.5
        scale *= HEAD_GAIN if name.startswith("lm_head") else 1.0
        weight.data.copy_(torch.from_numpy(values * np.float32(scale)))


def _fan_in(weight: torch.Tensor) -> int:
    return weight[0].numel()


def save(model: Any, folder: Path, seed: int, words: PreTrainedTokenizerFast, images: Any) -> None:
    """Model, tokenizer and image processor in Hugging Face form, weights in bfloat16."""
    logging.disable_progress_bar()
    fill(model, seed)
    model.eval().to(torch.bfloat16).save_pretrained(folder)
    words.save_pretrained(folder)
    images.save_pretrained(folder)
    # The name that every release of transformers knows.
    change(folder / "tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")


def change(path: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    path.write_text(
        json.dumps({**json.loads(path.read_text("utf-8")), **values}, indent=2), "utf-8"
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
            image_token_id=words.convert_tokens_to_ids("<image>"),
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
            image_token_id=words.convert_tokens_to_ids("<|image_pad|>"),
            video_token_id=words.convert_tokens_to_ids("<|video_pad|>"),
            vision_start_token_id=words.convert_tokens_to_ids("<|vision_start|>"),
            vision_end_token_id=words.convert_tokens_to_ids("<|vision_end|>"),
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
    "smolvlm-50m": idefics3(512, None, _siglip(384, 4, 6), _llama(512, 11, 1536, 8, 4)),
    "qwen3vl-50m": qwen3_vl(_qwen_vision(384, 4, 6, [1]), _llama(512, 11, 1536, 8, 4), 512 * 512),
}
"""`-50m`: benchmark shapes, 256 image tokens for a picture of 512 x 512 px."""
