"""Attention over whole blocks, with the log-sum-exp that lets two softmaxes be joined.

Not run on a GPU yet: `CudaKernels`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import torch

Result = tuple[torch.Tensor, torch.Tensor]
"""Weighted values [B, heads, queries, head size]; log-sum-exp of scores, float32 [B, heads, queries]."""


class Kernels(Protocol):
    """Softmax attention over whole blocks. Queries may have more heads than keys (a multiple)."""

    def block(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
    ) -> Result:
        """q [B, H, n, d], k and v [B, K, m, d]; causal needs n = m."""
        ...

    def ragged(
        self,
        q: torch.Tensor,
        spans: Sequence[tuple[int, int]],
        keys: Sequence[torch.Tensor],
        values: Sequence[torch.Tensor],
        scale: float,
        causal: bool,
        memo: dict[str, Any],
    ) -> Result:
        """Spans of the rows of q [1, H, n, d], one after another without gaps, each over keys and
        values of its own, [K, m, d] each."""
        ...


class MathKernels:
    """Plain tensor algebra in float32, on any device."""

    def block(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
    ) -> Result:
        b, heads, n, d = q.shape
        grouped = q.float().reshape(b, k.shape[1], heads // k.shape[1], n, d)
        scores = grouped @ k.float()[:, :, None].transpose(-1, -2) * scale
        if causal:
            hidden = torch.ones(n, k.shape[2], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(hidden, -math.inf)
        out = scores.softmax(-1) @ v.float()[:, :, None]
        lse = scores.logsumexp(-1)
        return out.reshape(b, heads, n, d).to(q.dtype), lse.reshape(b, heads, n)

    def ragged(
        self,
        q: torch.Tensor,
        spans: Sequence[tuple[int, int]],
        keys: Sequence[torch.Tensor],
        values: Sequence[torch.Tensor],
        scale: float,
        causal: bool,
        memo: dict[str, Any],
    ) -> Result:
        parts = [
            self.block(q[:, :, a:b], k[None], v[None], scale, causal)
            for (a, b), k, v in zip(spans, keys, values, strict=True)
        ]
        if len(parts) == 1:
            return parts[0]
        return torch.cat([out for out, _ in parts], 2), torch.cat([lse for _, lse in parts], 2)


class CpuKernels(MathKernels):
    """PyTorch's fused attention on CPUs."""

    def block(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
    ) -> Result:
        out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            q, k, v, 0.0, causal, scale=scale
        )
        # It gives 0 for a query that is not a number: its share in `join` shall be none either.
        return out, lse + q.sum(-1, dtype=torch.float32) * 0


class CudaKernels(MathKernels):
    """PyTorch's variable-length flash attention: one launch for all images, float16 or bfloat16.

    `num_splits=1`: what comes out for an image does not depend on what else is in the batch.
    """

    def __init__(self) -> None:
        from torch.nn.attention import varlen

        self._attend: Any = varlen.varlen_attn
        self._aux: Any = varlen.AuxRequest(lse=True)

    def block(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, causal: bool
    ) -> Result:
        b, heads, n, d = q.shape
        m = k.shape[2]

        def flat(t: torch.Tensor) -> torch.Tensor:
            return t.transpose(1, 2).reshape(-1, t.shape[1], d).contiguous()

        ends_q = torch.arange(0, (b + 1) * n, n, dtype=torch.int32, device=q.device)
        ends_k = torch.arange(0, (b + 1) * m, m, dtype=torch.int32, device=q.device)
        out, lse = self._run(flat(q), flat(k), flat(v), ends_q, ends_k, n, m, scale, causal)
        return out.reshape(b, n, heads, d).transpose(1, 2), lse.reshape(heads, b, n).transpose(0, 1)

    def ragged(
        self,
        q: torch.Tensor,
        spans: Sequence[tuple[int, int]],
        keys: Sequence[torch.Tensor],
        values: Sequence[torch.Tensor],
        scale: float,
        causal: bool,
        memo: dict[str, Any],
    ) -> Result:
        k = torch.cat([k.transpose(0, 1) for k in keys]).contiguous()
        v = torch.cat([v.transpose(0, 1) for v in values]).contiguous()
        if not memo:
            # Once a pass, not once a layer.
            memo["n"], memo["m"] = [b - a for a, b in spans], [k.shape[1] for k in keys]
            for key in ("n", "m"):
                ends = torch.tensor([0, *memo[key]]).cumsum(0, dtype=torch.int32)
                memo[f"ends_{key}"], memo[f"max_{key}"] = ends.to(q.device), max(memo[key])
        rows = q[0].transpose(0, 1).contiguous()
        out, lse = self._run(
            rows, k, v, memo["ends_n"], memo["ends_m"], memo["max_n"], memo["max_m"], scale, causal
        )
        return out.transpose(0, 1)[None], lse[None]

    def _run(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        ends_q: torch.Tensor,
        ends_k: torch.Tensor,
        n: int,
        m: int,
        scale: float,
        causal: bool,
    ) -> Result:
        out, lse = self._attend(
            q, k, v, ends_q, ends_k, n, m, return_aux=self._aux, scale=scale, enable_gqa=True,
            window_size=(-1, 0) if causal else (-1, -1), num_splits=1,
        )  # fmt: skip
        # [tokens, heads, d], [heads, tokens]; some releases are documented to give [tokens, heads].
        return out, lse if lse.shape[0] == q.shape[1] else lse.t()
