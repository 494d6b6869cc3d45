"""Attention as a plan says, hung into transformers' models under the name `physgauge_onepass`.

A tail's attention is two softmaxes, over its prefix and over itself, joined by their log-sum-exps:
exactly the softmax over both. So the prefix's keys are read once for all tails, and no mask is built.
"""

from __future__ import annotations

import math
from typing import Final

import torch

from physgauge.ensemble.judge.engines.onepass.kernels import Result
from physgauge.ensemble.judge.engines.onepass.plan import Own, Plan

NAME: Final = "physgauge_onepass"


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
        parts.append(kernels.ragged(new, spans, keys, values, scale, True, given.memo_new)[0])
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
        keys, values = [key for key, _ in seen], [value for _, value in seen]
        over = kernels.ragged(tails, spans, keys, values, scale, False, given.memo_tails)
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
