"""Attention as a plan says, hung into transformers' models under the name `physgauge_onepass`.

A tail's attention is two softmaxes, over its prefix and over itself, joined by their log-sum-exps:
exactly the softmax over both. So the prefix's keys are read once for all tails, and no mask is built.

Not run on a GPU yet: `CudaKernels`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

import torch

from physgauge.ensemble.judge.engines.onepass.plan import Own, Plan

NAME: Final = "physgauge_onepass"
Result = tuple[torch.Tensor, torch.Tensor]
"""Weighted values [B, heads, queries, head size]; log-sum-exp of the scores, float32 [B, heads,
queries]."""


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
    ) -> Result:
        k = torch.cat([k.transpose(0, 1) for k in keys]).contiguous()
        v = torch.cat([v.transpose(0, 1) for v in values]).contiguous()
        n, m = [b - a for a, b in spans], [k.shape[1] for k in keys]
        ends_q, ends_k = (
            torch.tensor([0, *x], dtype=torch.int32).cumsum(0, dtype=torch.int32).to(q.device)
            for x in (n, m)
        )
        rows = q[0].transpose(0, 1).contiguous()
        out, lse = self._run(rows, k, v, ends_q, ends_k, max(n), max(m), scale, causal)
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
        return out, lse  # [tokens, heads, d], [heads, tokens]


def join(a: Result, b: Result) -> torch.Tensor:
    """The softmax over two sets of keys, from the softmax over each."""
    (out_a, lse_a), (out_b, lse_b) = a, b
    share = torch.sigmoid(lse_a - lse_b)[..., None]
    return torch.lerp(out_b.float(), out_a.float(), share).to(out_a.dtype)


def attend(
    layer: int,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float,
    given: Plan,
) -> torch.Tensor:
    """One layer's attention over a sequence.

    Args:
        layer: its index; keys and values of prefixes are kept by it.
        q: [1, H, T, d], rotated.
        k: [1, K, T, d], rotated.
        v: [1, K, T, d].
        scale: of the scores.
        given: the arrangement.

    Returns:
        [1, T, H, d].
    """
    parts, kernels = [], given.kernels
    if given.new:
        spans = [(a, b) for a, b, _ in given.new]
        keys, values = ([t[0, :, a:b] for a, b in spans] for t in (k, v))
        new = q[:, :, : given.first]
        parts.append(kernels.ragged(new, spans, keys, values, scale, True)[0])
        for (_, _, shared), key, value in zip(given.new, keys, values, strict=True):
            # A copy: a slice would hold the whole sequence's memory.
            shared.keys.append(key.clone())
            shared.values.append(value.clone())
    if given.groups:
        tails = q[:, :, given.first :]
        spans = [(g.start - given.first, g.stop - given.first) for g in given.groups]
        seen = [
            (g.shared.keys[layer][:, : g.sees], g.shared.values[layer][:, : g.sees])
            for g in given.groups
        ]
        over = kernels.ragged(
            tails, spans, [key for key, _ in seen], [value for _, value in seen], scale, False
        )
        own_k, own_v = (t[0, :, given.first :] for t in (k, v))
        parts.append(join(over, _own(layer, tails[0], own_k, own_v, scale, given)))
    out = parts[0] if len(parts) == 1 else torch.cat(parts, 2)
    return out.transpose(1, 2)


def _own(
    layer: int,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    scale: float,
    given: Plan,
) -> Result:
    """Each tail over itself: [heads, tokens, d] in, [1, heads, tokens, d] out."""
    count, longest = given.place.shape
    index = given.place.flatten()

    def rows(t: torch.Tensor) -> torch.Tensor:
        picked = t if given.back is None else t.index_select(1, index)
        return picked.reshape(t.shape[0], count, longest, -1).transpose(0, 1)

    q, k, v = rows(q), rows(k), rows(v)
    if given.own is not None and given.step:
        out, lse = _continued(layer, q, k, v, scale, given.own)
    else:
        if given.own is not None:
            _fill(k, v, given.own)
        out, lse = given.kernels.block(q, k, v, scale, True)
    out = out.transpose(0, 1).reshape(1, out.shape[1], count * longest, -1)
    lse = lse.transpose(0, 1).reshape(1, lse.shape[1], count * longest)
    if given.back is None:
        return out, lse
    return out.index_select(2, given.back), lse.index_select(2, given.back)


def _fill(k: torch.Tensor, v: torch.Tensor, own: Own) -> None:
    for tensor, kept in ((k, own.keys), (v, own.values)):
        buffer = tensor.new_zeros(tensor.shape[0], tensor.shape[1], own.room, tensor.shape[3])
        buffer[:, :, : tensor.shape[2]] = tensor
        kept.append(buffer)


def _continued(
    layer: int, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, own: Own
) -> Result:
    """One token a row, behind those that the row holds already."""
    keys, values, at = own.keys[layer], own.values[layer], own.lengths
    each = torch.arange(len(at), device=at.device)
    keys[each, :, at], values[each, :, at] = k[:, :, 0], v[:, :, 0]
    used = int(at.max()) + 1 if at.device.type == "cpu" else own.room
    grouped = q.float().reshape(len(at), keys.shape[1], -1, q.shape[3])
    scores = grouped @ keys[:, :, :used].float().transpose(-1, -2) * scale
    hidden = torch.arange(used, device=at.device)[None] > at[:, None]
    scores = scores.masked_fill(hidden[:, None, None], -math.inf)
    out = scores.softmax(-1) @ values[:, :, :used].float()
    shape = q.shape
    return out.reshape(shape).to(q.dtype), scores.logsumexp(-1).reshape(shape[:3])
