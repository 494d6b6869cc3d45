"""A model's folder to a model in memory: transformers' loading, hashes, devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from transformers import AutoConfig, AutoImageProcessor, AutoModelForImageTextToText, AutoTokenizer
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.utils import logging

from physgauge.ensemble.judge.engines.folders import folder_hash
from physgauge.ensemble.judge.engines.onepass import attention
from physgauge.ensemble.judge.engines.onepass.kernels import (
    CpuKernels,
    CudaKernels,
    Kernels,
    MathKernels,
)
from physgauge.ensemble.judge.engines.onepass.settings import OnePassSettings
from physgauge.errors import ConfigError, EnvironmentProblem

_DTYPES: Final = {"bfloat16": torch.bfloat16, "float32": torch.float32}
CACHED_TYPES: Final = ("gemma3",)
"""Model types that only the strategy `cache` does, beside all that can be packed."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model, ready to run."""

    model: Any
    tokenizer: Any
    processor: Any
    """For images alone."""
    name: str
    models: Mapping[str, str]
    """Name to the hash of everything in its folder that changes answers."""
    packed: bool
    kernels: Kernels
    device: torch.device
    dtype: torch.dtype


def load(settings: OnePassSettings, folder: Path, packable: tuple[str, ...], where: str) -> Loaded:
    """Read a model.

    Args:
        settings: device, type, strategy, attention.
        folder: of the model.
        packable: model types that can be packed.
        where: names the settings in errors.

    Raises:
        ConfigError: no model there, an architecture that isn't supported, settings that it doesn't
        allow. EnvironmentProblem: the device is not there.
    """
    if not (folder / "config.json").is_file():
        raise ConfigError(f"{where}: model: expected a folder with a config.json, got {folder}")
    logging.disable_progress_bar()
    config = AutoConfig.from_pretrained(folder)
    _packed(settings, str(config.model_type), packable, where)
    device = _device(settings.device, where)
    dtype = _dtype(settings.dtype, device)
    model: Any = AutoModelForImageTextToText.from_pretrained(
        folder, config=config, dtype=dtype, attn_implementation="sdpa"
    )
    model = model.eval().to(device).requires_grad_(False)
    _check_numbers(model, where)
    name = folder.name if settings.model[:5] != "tiny:" else settings.model.replace(":", "-")
    return ready(
        model, AutoTokenizer.from_pretrained(folder), AutoImageProcessor.from_pretrained(folder),
        name, folder_hash(folder), settings, packable, where,
    )  # fmt: skip


def ready(
    model: Any,
    tokenizer: Any,
    processor: Any,
    name: str,
    digest: str,
    settings: OnePassSettings,
    packable: tuple[str, ...],
    where: str,
) -> Loaded:
    """Set a model in memory up for its strategy; other arguments and errors as for `load`."""
    weight = model.get_input_embeddings().weight
    packed = _packed(settings, str(model.config.model_type), packable, where)
    if packed:
        # The language model's layers; the vision tower keeps its own attention.
        model.config.get_text_config()._attn_implementation = attention.NAME
    if settings.weights == "fp8":
        from physgauge.ensemble.judge.engines.onepass.fp8 import quantise

        quantise(model, weight.device, where)
    kernels = _kernels(settings, weight.device, weight.dtype)
    return Loaded(
        model,
        tokenizer,
        processor,
        name,
        {name: digest},
        packed,
        kernels,
        weight.device,
        weight.dtype,
    )


def _packed(settings: OnePassSettings, kind: str, packable: tuple[str, ...], where: str) -> bool:
    if kind not in (*packable, *CACHED_TYPES):
        known = ", ".join((*packable, *CACHED_TYPES))
        raise ConfigError(f"{where}: model: expected one of the types {known}; got {kind!r}")
    if settings.strategy == "packed" and kind not in packable:
        raise ConfigError(
            f'{where}: strategy: expected "cache" for {kind!r} (its masks do not allow packing), '
            'got "packed"'
        )
    return settings.strategy != "cache" and kind in packable


def _device(name: str, where: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise EnvironmentProblem(f"{where}: device: {name!r} cannot be used: {first}") from None
    return device


def _dtype(name: str, device: torch.device) -> torch.dtype:
    if name != "auto":
        return _DTYPES[name]
    fast = device.type != "cpu" or torch.cpu._is_amx_tile_supported()
    return torch.bfloat16 if fast else torch.float32


def _kernels(settings: OnePassSettings, device: torch.device, dtype: torch.dtype) -> Kernels:
    if settings.attention == "math":
        return MathKernels()
    if device.type == "cpu":
        return CpuKernels()
    if device.type == "cuda" and dtype != torch.float32:
        return CudaKernels()
    return MathKernels()


def _forward(
    module: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: object, **more: Any
) -> tuple[torch.Tensor, None]:
    """What transformers calls in place of its own attention."""
    return attention.attend(module.layer_idx, q, k, v, more["scaling"], more["plan"]), None


ALL_ATTENTION_FUNCTIONS.register(attention.NAME, _forward)


def _check_numbers(model: Any, where: str) -> None:
    """A weight that is not a number may not show in an answer at all (attention on CPUs makes it a 0)."""
    for name, weight in model.named_parameters():
        if not weight.sum(dtype=torch.float32).isfinite():
            raise ConfigError(
                f"{where}: model: expected weights that are numbers, got others in {name}"
            )
