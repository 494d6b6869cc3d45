"""From last states to answers and tokens."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
import torch

from physgauge.ensemble.judge.engines.families import Families
from physgauge.ensemble.judge.engines.onepass.running import Wanted, Written
from physgauge.types import F64


class Readout:
    """The head's rows for yes and no, and the whole head for writing.

    Args:
        model: of transformers.
        known: the answers' tokens.
    """

    def __init__(self, model: Any, known: Families) -> None:
        head = model.get_output_embeddings()
        ids = torch.tensor([*known.yes, *known.no], device=head.weight.device)
        self._head, self._yes = head, len(known.yes)
        # In float32, and only these rows: a bfloat16 logit near 20 is 0.06 coarse.
        self._rows = head.weight.index_select(0, ids).float()
        self._bias = None if head.bias is None else head.bias.index_select(0, ids).float()
        config = model.config.get_text_config()
        self._cap: float | None = getattr(config, "final_logit_softcapping", None)

    def log_odds(self, states: torch.Tensor) -> F64:
        """log P(yes) / P(no) [P], of states [P, hidden]; NaN where a logit is not a number."""
        scores = torch.nn.functional.linear(states.float(), self._rows, self._bias)
        scores = self._capped(scores).double().cpu()
        yes, no = scores[:, : self._yes].logsumexp(1), scores[:, self._yes :].logsumexp(1)
        odds: F64 = torch.where(scores.isfinite().all(1), yes - no, torch.nan).numpy()
        return odds

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """float32 [P, vocabulary] of states [P, hidden], on the CPU."""
        return self._capped(self._head(states).float()).cpu()

    def _capped(self, scores: torch.Tensor) -> torch.Tensor:
        return scores if self._cap is None else (scores / self._cap).tanh() * self._cap


def generator(wanted: Wanted) -> torch.Generator | None:
    """The random numbers of a text; None: the likeliest token is taken."""
    if wanted.temperature <= 0:
        return None
    made = torch.Generator()
    if wanted.seed is None:
        made.seed()
    else:
        made.manual_seed(wanted.seed)
    return made


def take(
    logits: torch.Tensor,
    wanted: Wanted,
    written: Written,
    random: torch.Generator | None,
    ends: Set[int],
) -> None:
    """Choose the next token of a text.

    Args:
        logits: float32 [vocabulary].
        wanted: how it is to be written.
        written: gets the token.
        random: for temperatures above 0.
        ends: tokens that end a text.
    """
    if written.done:
        return
    if not np.isfinite(float(logits.max())) or bool(logits.isnan().any()):
        written.done = written.failed = True
        return
    if random is None:
        token = int(logits.argmax())
    else:
        odds = (logits.double() / wanted.temperature).softmax(0)
        token = int(torch.multinomial(odds, 1, generator=random))
    if token in ends:
        written.done = written.whole = True
        return
    written.ids.append(token)
    written.done = len(written.ids) >= wanted.max_tokens


def out_of_memory(error: Exception) -> bool:
    """Whether PyTorch says that memory ran out, on any device."""
    return isinstance(error, torch.OutOfMemoryError) or "DefaultCPUAllocator" in str(error)
