"""The language model's linear layers in float8 (e4m3): half the memory, about twice the rate on Hopper.

Weights have one scale per output row, activations one per token, so that an answer doesn't depend on
what else is in the batch. Not run on a GPU yet; the arithmetic is tested on a CPU.
"""

from __future__ import annotations

from typing import Any, Final

import torch

from physgauge.errors import ConfigError

LARGEST: Final = 448.0
"""Of float8_e4m3fn."""


def scaled(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """[N, K] to float8 [N, K] and its scales, float32 [N, 1]: values ≈ float8 x scale."""
    scale = values.float().abs().amax(1, keepdim=True).clamp_min(1e-12) / LARGEST
    return (values.float() / scale).to(torch.float8_e4m3fn), scale


class Float8Linear(torch.nn.Module):
    """A linear layer's product in float8, its sum in float32, its result in the type of its input."""

    weight8: torch.Tensor
    scale: torch.Tensor

    def __init__(self, layer: torch.nn.Linear) -> None:
        super().__init__()
        weight, scale = scaled(layer.weight.data)
        self.register_buffer("weight8", weight)
        self.register_buffer("scale", scale.t().contiguous())
        self.bias = layer.bias

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """[..., K] to [..., N]."""
        rows = states.reshape(-1, states.shape[-1])
        values, scale = scaled(rows)
        made: torch.Tensor = torch.ops.aten._scaled_mm(
            values, self.weight8.t(), scale, self.scale, out_dtype=torch.bfloat16
        )
        if self.bias is not None:
            made = made + self.bias
        return made.to(states.dtype).reshape(*states.shape[:-1], -1)


def quantise(model: Any, device: torch.device, where: str) -> int:
    """Replace the linear layers of a language model's layers, in place.

    Args:
        model: of transformers.
        device: where it is.
        where: names the settings in errors.

    Returns:
        How many were replaced; the head and the vision tower stay as they are.

    Raises:
        ConfigError: the device can't multiply float8.
    """
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < (8, 9):
        raise ConfigError(
            f'{where}: weights: expected "as_is" on {device}, got "fp8" (needs CUDA from sm_89)'
        )
    return replace_linear(language_layers(model))


def language_layers(model: Any) -> torch.nn.Module:
    """The layers of the language model alone."""
    inner = model.model
    layers: torch.nn.Module = getattr(inner, "language_model", None) or inner.text_model
    return layers


def replace_linear(module: torch.nn.Module) -> int:
    """Replace every linear layer under a module; returns how many."""
    count = 0
    for name, child in list(module.named_children()):
        # Rows of 16: what the float8 product asks for.
        if isinstance(child, torch.nn.Linear) and not any(n % 16 for n in child.weight.shape):
            setattr(module, name, Float8Linear(child))
            count += 1
        else:
            count += replace_linear(child)
    return count
