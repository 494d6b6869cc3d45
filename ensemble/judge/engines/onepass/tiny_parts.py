"""What tiny models share: a tokenizer trained here, weights drawn by name, Hugging Face files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.utils import logging

from physgauge.ensemble.judge.engines.onepass.tiny_text import training_text

VOCABULARY: Final = 1024
HEAD_GAIN: Final = 2.0
"""Spread of the logits: wide enough that another image or question clearly changes an answer."""


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


def token_id(words: PreTrainedTokenizerFast, token: str) -> int:
    """Of one token."""
    found: Any = words.convert_tokens_to_ids(token)
    return int(found)


def change(path: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    path.write_text(
        json.dumps({**json.loads(path.read_text("utf-8")), **values}, indent=2), "utf-8"
    )
