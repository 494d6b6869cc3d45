"""The optimiser: Muon for the kernels inside the network, AdamW for everything else.

Muon (K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024) steps along the
nearest half-orthogonal matrix to the momentum instead of along the momentum itself: all directions of a
kernel learn at one speed, and a run gets further per input. An update is scaled by
``0.2 sqrt(max(rows, columns))``, which gives it the size of an AdamW update (J. Liu et al., "Muon is
scalable for LLM training", 2025), so both share one learning rate and one weight decay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
STEPS = 5
"""Newton-Schulz iterations."""
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the quintic whose fixed band pulls singular values near one fastest (Jordan et al.)."""


class Muon(torch.optim.Optimizer):
    """Decoupled-decay Muon with Nesterov momentum over kernels [out, ...], read as [out, rest]."""

    def __init__(self, kernels: list[nn.Parameter], lr: float, weight_decay: float) -> None:
        super().__init__(kernels, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """One update; `closure` is not supported."""
        if closure is not None:
            raise ValueError("Muon.step: expected no closure, got one")
        for group in self.param_groups:
            for kernel in group["params"]:
                if kernel.grad is not None:
                    self._update(kernel, kernel.grad, group["lr"], group["weight_decay"])

    def _update(self, kernel: Tensor, slope: Tensor, rate: float, decay: float) -> None:
        state = self.state[kernel]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(kernel)
        momentum = state["momentum"]
        momentum.lerp_(slope, 1 - MOMENTUM)
        ahead = torch.lerp(slope, momentum, MOMENTUM).reshape(len(kernel), -1)
        direction = half_orthogonal(ahead)
        size = 0.2 * max(direction.shape) ** 0.5
        kernel.mul_(1 - rate * decay)
        kernel.sub_(direction.reshape(kernel.shape), alpha=rate * size)


def half_orthogonal(matrix: Tensor) -> Tensor:
    """`matrix` [m, n] with its singular values pushed to about 1 (0.7 to 1.2) and its vectors kept.

    Every iterate is a polynomial of the Gram matrix times the matrix, so the iterations run on the
    smaller side alone: a kernel of 96 x 864 takes a quarter of the time.
    """
    a, b, c = COEFFICIENTS
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    gram = wide @ wide.T
    eye = torch.eye(len(gram), dtype=matrix.dtype)
    left = eye / (gram.diagonal().sum().sqrt() + 1e-7)
    for _ in range(STEPS):
        square = left @ left @ gram
        left = (a * eye + b * square + c * square @ square) @ left
    result = left @ wide
    return result if wide is matrix else result.T


class Optimizers:
    """Both optimisers as one."""

    def __init__(self, net: nn.Module, lr: float, weight_decay: float) -> None:
        inner, plain, free = [], [], []
        outputs = {id(layer.weight) for layer in output_layers(net)}
        for p in net.parameters():
            if not p.requires_grad:
                continue
            if p.ndim <= 1:
                free.append(p)
            elif p.ndim == 4 and id(p) not in outputs and p.shape[1] > 3:
                inner.append(p)
            else:
                plain.append(p)
        muon = [Muon(inner, lr, weight_decay)] if inner else []
        self.parts: list[torch.optim.Optimizer] = [
            *muon,
            torch.optim.AdamW(
                [
                    {"params": plain, "weight_decay": weight_decay},
                    {"params": free, "weight_decay": 0.0},
                ],
                lr=lr,
                betas=(0.9, 0.99),
            ),
        ]

    def set_rate(self, rate: float) -> None:
        """The learning rate of the next step."""
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = rate

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for part in self.parts:
            part.zero_grad(set_to_none=True)

    def step(self) -> None:
        """One update of every parameter."""
        for part in self.parts:
            part.step()

    def state_dict(self) -> list[dict[str, Any]]:
        """For a checkpoint."""
        return [part.state_dict() for part in self.parts]

    def load_state_dict(self, state: list[dict[str, Any]]) -> None:
        """From a checkpoint."""
        for part, own in zip(self.parts, state, strict=True):
            part.load_state_dict(own)


def output_layers(net: nn.Module) -> list[nn.Conv2d]:
    """Convolutions with a bias: what they give is an answer and not a feature."""
    return [m for m in net.modules() if isinstance(m, nn.Conv2d) and m.bias is not None]
