"""Attention by plan is the attention of a written-out mask."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.ensemble.judge.engines.onepass.attention import attend, join
from physgauge.ensemble.judge.engines.onepass.fp8 import Float8Linear, replace_linear
from physgauge.ensemble.judge.engines.onepass.kernels import (
    CpuKernels,
    CudaKernels,
    Kernels,
    MathKernels,
)
from physgauge.ensemble.judge.engines.onepass.plan import Shared, plan

HEADS, GROUPS, SIZE = 4, 2, 16
CPU = torch.device("cpu")


class Varlen(CudaKernels):
    """The CUDA kernels' handling of shapes, around the documented meaning of `varlen_attn`."""

    def __init__(self) -> None:
        self._attend, self._aux = self.varlen, None

    def varlen(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, ends_q: torch.Tensor,
        ends_k: torch.Tensor, max_q: int, max_k: int, *, return_aux: Any, scale: float,
        enable_gqa: bool, window_size: tuple[int, int], num_splits: int,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        assert q.is_contiguous()
        assert enable_gqa
        assert ends_q.dtype == ends_k.dtype == torch.int32
        assert max_q == int(ends_q.diff().max())
        assert max_k == int(ends_k.diff().max())
        out, lse = torch.empty_like(q), torch.empty(q.shape[1], q.shape[0])
        for a, b, c, d in zip(ends_q[:-1], ends_q[1:], ends_k[:-1], ends_k[1:], strict=True):
            x, y, z = (t.transpose(0, 1)[None] for t in (q[a:b], k[c:d], v[c:d]))
            one, sums = MathKernels().block(x, y, z, scale, window_size == (-1, 0))
            out[a:b], lse[:, a:b] = one[0].transpose(0, 1), sums[0]
        return out, lse


ALL: list[Kernels] = [MathKernels(), CpuKernels(), Varlen()]


def masked(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, sees: torch.Tensor) -> torch.Tensor:
    """[1, T, H, d] by one dense mask [T, T]."""
    k, v = (t.repeat_interleave(HEADS // GROUPS, 1) for t in (k, v))
    scores = q @ k.transpose(2, 3) / math.sqrt(SIZE)
    return (scores.masked_fill(~sees, -math.inf).softmax(-1) @ v).transpose(1, 2)


LAYOUTS = st.lists(
    st.tuples(st.integers(2, 9), st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=4)),
    min_size=1, max_size=4,
)  # fmt: skip
"""Of each image: tokens of the prefix; of each tail: tokens, and whether it sees one less of the prefix."""


@settings(deadline=None, max_examples=60)
@given(LAYOUTS, st.integers(0, 2))
def test_as_with_a_mask(layout: list[tuple[int, list[tuple[int, bool]]]], which: int) -> None:
    shared = [Shared(length) for length, _ in layout]
    starts = [sum(length for length, _ in layout[:i]) for i in range(len(layout))]
    tails = [
        (s, s.length - less, n)
        for s, (_, some) in zip(shared, layout, strict=True)
        for n, less in some
    ]
    total = sum(s.length for s in shared) + sum(n for _, _, n in tails)
    sees = torch.zeros(total, total, dtype=torch.bool)
    for start, s in zip(starts, shared, strict=True):
        sees[start : start + s.length, start : start + s.length] = (
            torch.ones(s.length, s.length).tril().bool()
        )
    row, ends = sum(s.length for s in shared), []
    for s, seen, n in tails:
        sees[row : row + n, starts[shared.index(s)] : starts[shared.index(s)] + seen] = True
        sees[row : row + n, row : row + n] = torch.ones(n, n).tril().bool()
        row += n
        ends.append(row - 1)
    generator = torch.Generator().manual_seed(total)
    q = torch.randn(1, HEADS, total, SIZE, generator=generator)
    k, v = (torch.randn(1, GROUPS, total, SIZE, generator=generator) for _ in range(2))
    arranged = plan(ALL[which], shared, tails, CPU)
    assert arranged.ends.tolist() == ends
    out = attend(0, q, k, v, SIZE**-0.5, arranged)
    torch.testing.assert_close(out, masked(q, k, v, sees), atol=2e-6, rtol=1e-5)
    # What was kept of the prefixes is enough for the tails alone.
    first = arranged.first
    again = plan(ALL[which], [], tails, CPU)
    late = attend(0, q[:, :, first:], k[:, :, first:], v[:, :, first:], SIZE**-0.5, again)
    torch.testing.assert_close(late, out[:, first:], atol=2e-6, rtol=1e-5)


def test_join_of_very_different_scores() -> None:
    """A side with all the weight takes all, without an overflow."""
    a = torch.ones(1, 1, 1, 4), torch.tensor([[[900.0]]])
    b = torch.zeros(1, 1, 1, 4), torch.tensor([[[-900.0]]])
    assert join(a, b).tolist() == [[[[1.0] * 4]]]
    assert join(b, a).tolist() == [[[[1.0] * 4]]]


@pytest.mark.parametrize("kernels", ALL, ids=["math", "cpu", "cuda"])
@pytest.mark.parametrize("which", [0, 1, 2], ids="qkv")
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_not_a_number_stays(kernels: Kernels, which: int, bad: float) -> None:
    """PyTorch's own answer to a query that is not a number is 0, which would pass for an answer."""
    torch.manual_seed(1)
    given = [torch.randn(1, heads, 5, SIZE) for heads in (HEADS, GROUPS, GROUPS)]
    shared = Shared(2)
    given[which][0, :, 3:, 2] = bad
    q, k, v = given
    out = attend(0, q, k, v, SIZE**-0.5, plan(kernels, [shared], [(shared, 2, 3)], CPU))
    assert not out[0, 4].isfinite().all()


def test_float8() -> None:
    """Within the format's 1/16 of a value, and each row as alone."""
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Linear(32, 9)).to(torch.bfloat16)
    states = torch.randn(5, 64, dtype=torch.bfloat16)
    before = layers[0](states).detach()
    assert replace_linear(layers) == 1  # 9 rows can't be multiplied so
    assert isinstance(layers[0], Float8Linear)
    after = layers[0](states).detach()
    assert (after - before).abs().max() < 0.1 * before.abs().max()
    assert torch.equal(layers[0](states[2:3]), after[2:3])
