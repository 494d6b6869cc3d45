"""The strategy `cache`: the prefix once, its cache repeated over the questions as a batch.

Masks and caches are transformers' own, so it is exact for whatever they can express: windows, images
whose tokens see each other both ways. Questions are padded on the right, where nothing sees the
padding. Images go one after another.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from physgauge.ensemble.judge.engines.families import Families
from physgauge.ensemble.judge.engines.onepass.architectures import Architecture
from physgauge.ensemble.judge.engines.onepass.packed import opened
from physgauge.ensemble.judge.engines.onepass.pixels import Picture
from physgauge.ensemble.judge.engines.onepass.prompts import Prefix, Tail
from physgauge.ensemble.judge.engines.onepass.running import Opened, Wanted, Written
from physgauge.ensemble.judge.engines.onepass.sampling import (
    Readout,
    generator,
    out_of_memory,
    take,
)
from physgauge.types import F64


class Cached:
    """One model and its architecture's ways.

    Args:
        model: of transformers, with its own attention.
        ways: its architecture.
        known: the answers' tokens.
        ends: token ids that end a text.
        threads: on a CPU; 0: PyTorch's choice.
    """

    def __init__(
        self,
        model: Any,
        ways: Architecture,
        known: Families,
        ends: frozenset[int],
        threads: int = 0,
    ) -> None:
        self._ways, self.ends, self._threads = ways, ends, threads
        self._config = model.config.get_text_config()
        self._device = model.get_input_embeddings().weight.device
        self.readout = Readout(model, known)

    def open(
        self, prefix: Prefix, picture: Picture | None, before: Sequence[Picture] = ()
    ) -> Opened:
        return opened(self._ways, prefix, picture, before)

    @torch.inference_mode()
    def answer(self, batch: Sequence[tuple[Opened, Sequence[Tail]]]) -> list[F64]:
        return [self._one(o, tails) for o, tails in batch]

    def _one(self, o: Opened, tails: Sequence[Tail]) -> F64:
        whole = [i for i, tail in enumerate(tails) if o.sees(tail) == len(o.ids)]
        odds = np.full(len(tails), np.nan)
        if whole:
            states = self._behind(o, [tails[i] for i in whole])
            odds[whole] = self.readout.log_odds(states)
        for i in set(range(len(tails))) - set(whole):
            # It joins the prefix's last token: a prompt of its own.
            odds[i] = self._plain(o, tails[i])[0]
        return odds

    def _behind(self, o: Opened, tails: Sequence[Tail]) -> torch.Tensor:
        """States [P, hidden] at the ends of tails behind a whole prefix."""
        cache = copy.deepcopy(self._prefix(o))
        cache.batch_repeat_interleave(len(tails))
        lengths = torch.tensor([len(tail.ids) for tail in tails])
        longest = int(lengths.max())
        ids = torch.zeros(len(tails), longest, dtype=torch.int64)
        for row, tail in zip(ids, tails, strict=True):
            row[: len(tail.ids)] = torch.tensor(tail.ids)
        inside = torch.arange(longest)[None] < lengths[:, None]
        seen = torch.cat([torch.ones(len(tails), len(o.ids), dtype=torch.bool), inside], 1)
        states = self._ways.hidden(
            ids.to(self._device),
            self._positions(o.behind, len(tails), longest),
            None,
            attention_mask=seen.to(self._device, torch.int64),
            cache=cache,
        )
        return states[torch.arange(len(tails)), (lengths - 1).to(self._device)]

    def _prefix(self, o: Opened) -> DynamicCache:
        """The cache of a prefix, computed once."""
        if o.kept is None:
            cache = DynamicCache(config=self._config)
            self._whole(o, [], cache)
            o.kept = cache
            o.bytes = sum(_bytes(layer) for layer in cache.layers)
        kept: DynamicCache = o.kept
        return kept

    def _whole(self, o: Opened, more: Sequence[int], cache: DynamicCache | None) -> torch.Tensor:
        """States [T, hidden] of a prefix, with tokens behind it."""
        ids = torch.tensor([[*o.ids, *more]], device=self._device)
        positions = torch.from_numpy(o.positions)[:, None].to(self._device)
        positions = torch.cat([positions, self._positions(o.behind, 1, len(more))], 2)
        features = self._ways.features(o.pictures) if o.pictures else None
        return self._ways.hidden(
            ids, positions, features, cache=cache, use_cache=cache is not None
        )[0]

    def _positions(self, start: int, rows: int, length: int) -> torch.Tensor:
        at = torch.arange(start, start + length, device=self._device)
        return at.expand(self._ways.axes, rows, -1)

    @torch.inference_mode()
    def alone(
        self, prefix: Prefix, picture: Picture | None, tail: Tail, before: Sequence[Picture] = ()
    ) -> F64:
        return self._plain(self.open(prefix, picture, before), tail)

    def _plain(self, o: Opened, tail: Tail) -> F64:
        """Log-odds of one prompt without any cache."""
        sees = o.sees(tail)
        part = _cut(o, sees, tail)
        return self.readout.log_odds(self._whole(part, tail.ids, None)[-1:])

    @torch.inference_mode()
    def write(self, wanted: Sequence[Wanted]) -> CachedWriting:
        return CachedWriting(self, wanted)

    @torch.inference_mode()
    def more(self, cache: DynamicCache, ids: Sequence[int], start: int) -> torch.Tensor:
        """States [1, hidden] behind a cache with some tokens more; the cache gets them."""
        tokens = torch.tensor([list(ids)], device=self._device)
        return self._ways.hidden(tokens, self._positions(start, 1, len(ids)), None, cache=cache)[
            0, -1:
        ]

    def begin(self, wanted: Wanted) -> tuple[DynamicCache, torch.Tensor, int]:
        """A text's own cache, the states at its prompt's end, and the position of its first token."""
        o, tail = wanted.opened, wanted.tail
        after = o.goes_on(tail) + len(tail.ids)
        if o.sees(tail) == len(o.ids):
            cache = copy.deepcopy(self._prefix(o))
            return cache, self.more(cache, tail.ids, o.behind), after
        cache, sees = DynamicCache(config=self._config), o.sees(tail)
        part = _cut(o, sees, tail)
        return cache, self._whole(part, tail.ids, cache)[-1:], after

    def out_of_memory(self, error: Exception) -> bool:
        return out_of_memory(error)

    def thread_starts(self) -> None:
        if self._threads:
            torch.set_num_threads(self._threads)


class CachedWriting:
    """Several prompts, each with a cache of its own, one token of each a step."""

    def __init__(self, runner: Cached, wanted: Sequence[Wanted]) -> None:
        self._runner, self._wanted = runner, list(wanted)
        self._random = [generator(w) for w in wanted]
        self.written = [Written() for _ in wanted]
        begun = [runner.begin(w) for w in wanted]
        self._caches = [cache for cache, _, _ in begun]
        self._next = [after for _, _, after in begun]
        for i, (_, states, _) in enumerate(begun):
            self._take(i, states)

    def step(self) -> None:
        for i, written in enumerate(self.written):
            if not written.done:
                states = self._runner.more(self._caches[i], written.ids[-1:], self._next[i])
                self._next[i] += 1
                self._take(i, states)

    def stop(self, index: int) -> None:
        self.written[index].done = True

    def _take(self, i: int, states: torch.Tensor) -> None:
        logits = self._runner.readout.logits(states)[0]
        take(logits, self._wanted[i], self.written[i], self._random[i], self._runner.ends)


def _bytes(layer: Any) -> int:
    return sum(t.numel() * t.element_size() for t in (layer.keys, layer.values))


def _cut(o: Opened, sees: int, tail: Tail) -> Opened:
    """The part of a prefix that a tail sees, with nothing computed yet."""
    ids, positions = o.ids[:sees], o.positions[:, :sees]
    return replace(o, ids=ids, positions=positions, behind=o.goes_on(tail), kept=None, bytes=0)
