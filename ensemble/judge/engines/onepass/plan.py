"""Who attends to what in a forward pass over one long sequence of several images.

The sequence is `prefixes, tails`: the new prefixes one after another, then all tails, those behind one
prefix together. A prefix token sees what is before it in its prefix. A tail token sees the first `sees`
tokens of its prefix and what is before it in its tail, and nothing else: the block-diagonal mask,
without ever being written out. Nothing attends across images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from physgauge.ensemble.judge.engines.onepass.kernels import Kernels


@dataclass(slots=True, eq=False)
class Shared:
    """The keys and values of a prefix, layer by layer, once they have been computed."""

    length: int
    """Tokens."""
    keys: list[torch.Tensor] = field(default_factory=list)
    """[kv heads, length, head size] a layer, rotated; empty before."""
    values: list[torch.Tensor] = field(default_factory=list)

    @property
    def bytes(self) -> int:
        """What it holds."""
        return sum(t.numel() * t.element_size() for t in (*self.keys, *self.values))


@dataclass(slots=True, eq=False)
class Own:
    """The keys and values of prompts that are being written to: one row a prompt, padded on the
    right."""

    room: int
    """Tokens a row can hold."""
    lengths: torch.Tensor
    """int64 [P]: tokens a row holds."""
    keys: list[torch.Tensor] = field(default_factory=list)
    """[P, kv heads, room, head size] a layer."""
    values: list[torch.Tensor] = field(default_factory=list)

    def rows(self, keep: torch.Tensor) -> Own:
        """Some of the prompts, by index."""
        return Own(
            self.room,
            self.lengths[keep],
            [k[keep] for k in self.keys],
            [v[keep] for v in self.values],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Consecutive tail tokens that see the same part of the same prefix."""

    start: int
    """Row of the sequence."""
    stop: int
    shared: Shared
    sees: int


@dataclass(slots=True, eq=False)
class Plan:
    """The arrangement of one forward pass."""

    kernels: Kernels
    """Who computes attention."""
    new: list[tuple[int, int, Shared]]
    """start, stop, where its keys and values go."""
    groups: list[Group]
    first: int
    """Row of the first tail token."""
    place: torch.Tensor
    """int64 [P, longest]: row (counted from `first`) of each tail's tokens; 0 behind its end."""
    back: torch.Tensor | None
    """int64 [tail tokens]: where each is in `place`, flattened; None: in order, nothing padded."""
    ends: torch.Tensor
    """int64 [P]: row of each tail's last token."""
    own: Own | None = None
    """Set while writing: filled by the first pass, continued by the next ones."""
    step: bool = False
    """One token a prompt, behind what `own` holds."""
    memo_new: dict[str, Any] = field(default_factory=dict)
    memo_tails: dict[str, Any] = field(default_factory=dict)
    """What the kernels need to work out once a pass."""


def plan(
    kernels: Kernels,
    new: Sequence[Shared],
    tails: Sequence[tuple[Shared, int, int]],
    device: torch.device,
) -> Plan:
    """Lay out a forward pass.

    Args:
        kernels: who computes attention.
        new: prefixes to compute.
        tails: (prefix, tokens of it that the tail sees, tokens of the tail), one prefix's together.
        device: where the indices are needed.
    """
    spans, row = [], 0
    for shared in new:
        spans.append((row, row + shared.length, shared))
        row += shared.length
    first, groups, lengths = row, list[Group](), [n for _, _, n in tails]
    for shared, sees, n in tails:
        last = groups[-1] if groups else None
        if last is not None and last.shared is shared and last.sees == sees:
            groups[-1] = Group(last.start, row + n, shared, sees)
        else:
            groups.append(Group(row, row + n, shared, sees))
        row += n
    lens = torch.tensor(lengths, dtype=torch.int64)
    stops = lens.cumsum(0)
    columns = torch.arange(int(lens.max()) if lengths else 0)
    inside = columns[None] < lens[:, None]
    place = torch.where(inside, (stops - lens)[:, None] + columns[None], 0)
    back = None if bool(inside.all()) else inside.flatten().nonzero()[:, 0].to(device)
    return Plan(
        kernels, spans, groups, first, place.to(device), back, (stops - 1 + first).to(device)
    )


def step(
    kernels: Kernels, tails: Sequence[tuple[Shared, int]], own: Own, device: torch.device
) -> Plan:
    """One more token for each prompt that is being written to.

    Args:
        kernels: who computes attention.
        tails: (prefix, tokens of it that it sees) of each prompt, those of one prefix together.
        own: what the prompts hold.
        device: where the indices are needed.
    """
    made = plan(kernels, [], [(shared, sees, 1) for shared, sees in tails], device)
    made.own, made.step = own, True
    return made
