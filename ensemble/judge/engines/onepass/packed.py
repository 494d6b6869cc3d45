"""The strategy `packed`: everything of several images in one long sequence (who sees what:
`plan.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from physgauge.ensemble.judge.engines.families import Families
from physgauge.ensemble.judge.engines.onepass.architectures import Architecture
from physgauge.ensemble.judge.engines.onepass.kernels import Kernels, MathKernels
from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.plan import Own, Shared, plan, step
from physgauge.ensemble.judge.engines.onepass.prompts import Prefix, Tail
from physgauge.ensemble.judge.engines.onepass.running import Opened, Wanted, Written
from physgauge.ensemble.judge.engines.onepass.sampling import (
    Readout,
    generator,
    out_of_memory,
    take,
)
from physgauge.types import F64


class Packed:
    """One model and its architecture's ways.

    Args:
        model: of transformers, its language model set to our attention.
        ways: its architecture.
        known: the answers' tokens.
        kernels: for attention.
        ends: token ids that end a text.
        threads: on a CPU; 0: PyTorch's choice.
    """

    def __init__(
        self,
        model: Any,
        ways: Architecture,
        known: Families,
        kernels: Kernels,
        ends: frozenset[int],
        threads: int = 0,
    ) -> None:
        self._ways, self._kernels, self._threads = ways, kernels, threads
        self.ends = ends
        self._device = model.get_input_embeddings().weight.device
        self.readout = Readout(model, known)

    def open(
        self, prefix: Prefix, picture: Picture | None, before: Sequence[Picture] = ()
    ) -> Opened:
        return opened(self._ways, prefix, picture, before)

    @torch.inference_mode()
    def answer(self, batch: Sequence[tuple[Opened, Sequence[Tail]]]) -> list[F64]:
        tails = [(o, tail) for o, some in batch for tail in some]
        states, kept = self._forward(tails)
        odds = self.readout.log_odds(states)
        _keep(kept)
        stops = np.cumsum([len(some) for _, some in batch])
        return np.split(odds, stops[:-1])

    @torch.inference_mode()
    def states(self, batch: Sequence[tuple[Opened, Sequence[Tail]]]) -> list[torch.Tensor]:
        """What the model holds at the tails' ends, [tails, hidden] float32 a session, in one forward
        pass: for a head that was trained to read it."""
        states, _ = self._forward([(o, tail) for o, some in batch for tail in some])
        return list(torch.split(states.float().cpu(), [len(some) for _, some in batch]))

    @torch.inference_mode()
    def alone(
        self, prefix: Prefix, picture: Picture | None, tail: Tail, before: Sequence[Picture] = ()
    ) -> F64:
        # One sequence that sees all that is before it: nothing shared, nothing joined.
        o = self.open(prefix, picture, before)
        sees = o.sees(tail)
        part = replace(o, ids=o.ids[:sees], positions=o.positions[:, :sees], behind=o.goes_on(tail))
        ids, positions = self._sequence([part], [(part, tail)])
        arranged = plan(MathKernels(), [Shared(len(ids))], [], self._device)
        features = self._ways.features(o.pictures) if o.pictures else None
        states = self._ways.hidden(
            ids[None], positions[:, None], features, use_cache=False, plan=arranged
        )
        return self.readout.log_odds(states[0, -1:])

    @torch.inference_mode()
    def write(self, wanted: Sequence[Wanted]) -> PackedWriting:
        # Those behind one prefix together.
        order = sorted(range(len(wanted)), key=lambda i: (id(wanted[i].opened), i))
        tails = [(wanted[i].opened, wanted[i].tail) for i in order]
        room = max(len(w.tail.ids) + w.max_tokens for w in wanted)
        own = Own(room, torch.tensor([len(t.ids) for _, t in tails], device=self._device))
        states, kept = self._forward(tails, own)
        _keep(kept)
        return PackedWriting(self, wanted, order, own, states)

    def _forward(
        self,
        tails: Sequence[tuple[Opened, Tail]],
        own: Own | None = None,
    ) -> tuple[torch.Tensor, dict[int, tuple[Opened, Shared]]]:
        """States [P, hidden] at the tails' ends."""
        kept: dict[int, tuple[Opened, Shared]] = {}
        for o, _ in tails:
            if id(o) not in kept:
                kept[id(o)] = (o, o.kept or Shared(len(o.ids)))
        new = [(o, shared) for o, shared in kept.values() if o.kept is None]
        arranged = plan(
            self._kernels,
            [shared for _, shared in new],
            [(kept[id(o)][1], o.sees(tail), len(tail.ids)) for o, tail in tails],
            self._device,
        )
        arranged.own = own
        ids, positions = self._sequence([o for o, _ in new], tails)
        pictures = [picture for o, _ in new for picture in o.pictures]
        features = self._ways.features(pictures) if pictures else None
        states = self._ways.hidden(
            ids[None], positions[:, None], features, use_cache=False, plan=arranged
        )
        return states[0].index_select(0, arranged.ends), kept

    def _sequence(
        self, new: Sequence[Opened], tails: Sequence[tuple[Opened, Tail]]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        ids: list[int] = []
        positions = []
        for o in new:
            ids += o.ids
            positions.append(o.positions)
        for o, tail in tails:
            ids += tail.ids
            at = o.goes_on(tail) + np.arange(len(tail.ids))
            positions.append(np.broadcast_to(at, (self._ways.axes, len(at))))
        joined = torch.from_numpy(np.concatenate(positions, axis=1))
        return torch.tensor(ids, device=self._device), joined.to(self._device)

    @torch.inference_mode()
    def next_states(
        self, rows: Sequence[tuple[Wanted, Shared]], last: Sequence[int], own: Own
    ) -> torch.Tensor:
        """States of one more token each: `last` token ids behind what `own` holds."""
        held = zip(rows, own.lengths.tolist(), strict=True)
        at = [w.opened.goes_on(w.tail) + n for (w, _), n in held]
        arranged = step(
            self._kernels, [(kept, w.opened.sees(w.tail)) for w, kept in rows], own, self._device
        )
        positions = torch.tensor(at, device=self._device).expand(self._ways.axes, 1, -1)
        ids = torch.tensor(last, device=self._device)
        states = self._ways.hidden(ids[None], positions, None, use_cache=False, plan=arranged)
        own.lengths = own.lengths + 1
        return states[0]

    def out_of_memory(self, error: Exception) -> bool:
        return out_of_memory(error)

    def thread_starts(self) -> None:
        if self._threads:
            torch.set_num_threads(self._threads)


class PackedWriting:
    """Several prompts, each behind its prefix, one token of each a pass."""

    def __init__(
        self,
        runner: Packed,
        wanted: Sequence[Wanted],
        order: Sequence[int],
        own: Own,
        states: torch.Tensor,
    ) -> None:
        self._runner, self._own = runner, own
        self._wanted = list(wanted)
        # Held here too: a session's prefix may be dropped from the cache meanwhile.
        self._kept: list[Shared] = [w.opened.kept for w in wanted]
        self._random = [generator(w) for w in wanted]
        self.written = [Written() for _ in wanted]
        self._rows = list(order)
        self._take(states)

    def step(self) -> None:
        going = [n for n, i in enumerate(self._rows) if not self.written[i].done]
        if not going:
            return
        if len(going) < len(self._rows):
            self._own = self._own.rows(torch.tensor(going, device=self._own.lengths.device))
            self._rows = [self._rows[n] for n in going]
        rows = [(self._wanted[i], self._kept[i]) for i in self._rows]
        last = [self.written[i].ids[-1] for i in self._rows]
        self._take(self._runner.next_states(rows, last, self._own))

    def stop(self, index: int) -> None:
        self.written[index].done = True

    def _take(self, states: torch.Tensor) -> None:
        logits = self._runner.readout.logits(states)
        for i, row in zip(self._rows, logits, strict=True):
            take(row, self._wanted[i], self.written[i], self._random[i], self._runner.ends)


def _keep(kept: dict[int, tuple[Opened, Shared]]) -> None:
    """Only what a whole pass has filled."""
    for o, shared in kept.values():
        if o.kept is None:
            o.kept, o.bytes = shared, shared.bytes


def opened(
    ways: Architecture, prefix: Prefix, picture: Picture | None, before: Sequence[Picture] = ()
) -> Opened:
    """A prefix with its images' tokens and positions."""
    ids, image, longer = list(prefix.ids), (0, 0), 0
    pictures: tuple[Picture, ...] = ()
    if picture is not None and prefix.image_at is not None:
        pictures = (*before, picture)
        marks = (*prefix.before_at, prefix.image_at)
        for at, one in reversed(list(zip(marks, pictures, strict=True))):
            ids[at : at + 1] = ways.image_ids(one)
        longer = sum(len(ways.image_ids(one)) - 1 for one in before)
        start = prefix.image_at + longer
        image = (start, start + len(ways.image_ids(picture)))
    positions, behind = ways.positions(ids, pictures)
    return Opened(ids, positions, behind, picture, image, tuple(before), longer)
