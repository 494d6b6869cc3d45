"""Tiny models for these tests, and what transformers itself says about one prompt at a time."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer

from physgauge.ensemble.judge.engines.onepass.build import build
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.ensemble.judge.engines.onepass.tiny import resolve
from physgauge.types import F64, U8

# Models this small are faster on one thread, and much so where other tests run beside them.
torch.set_num_threads(1)

PACKABLE = ("smolvlm", "smolvlm-tiles", "qwen3vl")
ALL = (*PACKABLE, "gemma3")
PREAMBLE = "Look closely at the picture."
SIZES = ((96, 160), (200, 120), (64, 64), (150, 150), (256, 90), (33, 300))
"""Height, width of test pictures; they give prefixes of different lengths."""


def questions(count: int) -> list[str]:
    """Of different lengths, one like another but for a word."""
    some = ("Does thing {} float?", "Is number {} cut off or doubled, in front or behind, at its side?",
            "Is {} red?", "Would a {} as large as this one stand where it stands, or would it fall?")  # fmt: skip
    return [some[i % 4].format(i) for i in range(count)]


def pictures(count: int, seed: int = 0) -> list[U8]:
    """Noise of different sizes."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 256, (*SIZES[i % len(SIZES)], 3), np.uint8) for i in range(count)]


@contextmanager
def engine(name: str, shared: bool = True, **settings: Any) -> Iterator[OnePassEngine]:
    """An engine without its asyncio half started; its worker is stopped at the end."""
    settings = {"dtype": "float32", "max_images": 16, "threads": 1, **settings}
    made = build(OnePassSettings(model=f"tiny:{name}", **settings), Path(), shared)
    try:
        yield made
    finally:
        made.worker.stop()


class Separate:
    """transformers' own forward pass over one whole prompt: its processor, its masks, its head."""

    def __init__(self, name: str, dtype: torch.dtype) -> None:
        folder = resolve(f"tiny:{name}")
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.images: Any = AutoImageProcessor.from_pretrained(folder)
        self.model: Any = AutoModelForImageTextToText.from_pretrained(
            folder, dtype=dtype, attn_implementation="sdpa"
        ).eval()
        self.kind = self.model.config.model_type
        vocabulary = range(len(self.tokenizer))
        words = [self.tokenizer.decode([i]).strip().lower() for i in vocabulary]
        special = set(self.tokenizer.all_special_ids)
        self.yes = [i for i in vocabulary if words[i] == "yes" and i not in special]
        self.no = [i for i in vocabulary if words[i] == "no" and i not in special]

    def inputs(self, image: U8, written: str) -> dict[str, torch.Tensor]:
        """A prompt as the model takes it."""
        made = self.images(images=[image], return_tensors="pt")
        ids = self.tokenizer(self._expanded(made, written), add_special_tokens=False)["input_ids"]
        given = {"input_ids": torch.tensor([ids])}
        for key in ("pixel_values", "image_grid_thw"):
            if key in made:
                given[key] = made[key]
        is_image = given["input_ids"] == self.model.config.image_token_id
        if self.kind == "qwen3_vl":
            given["mm_token_type_ids"] = is_image.int()
        if self.kind == "gemma3":
            given["token_type_ids"] = is_image.long()
        return given

    def _expanded(self, made: Any, written: str) -> str:
        config = self.model.config
        token = self.tokenizer.convert_ids_to_tokens(config.image_token_id)
        if self.kind == "qwen3_vl":
            return written.replace(token, token * int(made["image_grid_thw"].prod() // 4))
        if self.kind == "gemma3":
            first = self.tokenizer.convert_ids_to_tokens(config.boi_token_id)
            return written.replace(first, first + token * config.mm_tokens_per_image)
        from transformers import Idefics3Processor

        vision = config.vision_config
        each = (vision.image_size // vision.patch_size) ** 2 // config.scale_factor**2
        processor = Idefics3Processor(self.images, self.tokenizer, image_seq_len=each)
        tiles = made["pixel_values"].shape[1]
        rows = columns = 0
        if tiles > 1:
            shaped = self.images([self._image], return_row_col_info=True)
            rows, columns = shaped["rows"][0][0], shaped["cols"][0][0]
        text: str = processor.replace_image_token({"rows": [[rows]], "cols": [[columns]]}, 0)
        return written.replace(token, text)

    @torch.inference_mode()
    def log_odds(self, image: U8, written: str) -> float:
        """Of yes at the end of the prompt."""
        self._image = image
        logits = self.model(**self.inputs(image, written)).logits[0, -1].double()
        return float(logits[self.yes].logsumexp(0) - logits[self.no].logsumexp(0))

    @torch.inference_mode()
    def text(self, image: U8, written: str, tokens: int) -> list[int]:
        """Greedy continuation by transformers' `generate`."""
        self._image = image
        given = self.inputs(image, written)
        made = self.model.generate(**given, max_new_tokens=tokens, do_sample=False)
        ids: list[int] = made[0, given["input_ids"].shape[1] :].tolist()
        return ids


@functools.cache
def separate(name: str, dtype: torch.dtype = torch.float32) -> Separate:
    """One a model."""
    return Separate(name, dtype)


@functools.cache
def expected(name: str, image: int, question: str, seed: int = 0) -> float:
    """Log-odds of one of `pictures`, asked alone, in float32."""
    with_prompts = _prompts(name)
    written = with_prompts.written(PREAMBLE, question, True, "yes_no")
    return separate(name).log_odds(pictures(image + 1, seed)[image], written)


@functools.cache
def _prompts(name: str) -> Any:
    with engine(name, check=False) as made:
        return made.prompts


def together(
    made: OnePassEngine, images: Sequence[U8], asked: Sequence[Sequence[str]]
) -> list[F64]:
    """Log-odds of several images' questions in one pass."""
    batch = []
    for image, some in zip(images, asked, strict=True):
        prefix = made.prompts.prefix(PREAMBLE, True)
        opened = made.runner.open(prefix, made._prepare(image))
        tails = [made.prompts.tail(PREAMBLE, True, q, "yes_no") for q in some]
        batch.append((opened, tails))
    return made.runner.answer(batch)
