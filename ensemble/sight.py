"""The view that the parts show, where no detector has a view head and no caller says.

A pack's `[[view]]` tables are conditions in the rule language, compiled like its rules; the first that
holds names the view, and where none does it stays unknown: a wrong view does more harm than none.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from physgauge.rules_kernel import VIEWS, Pack, compile_pack
from physgauge.rules_kernel.kernels import CompiledPack
from physgauge.types import F32, I8, Bools, Boxes


class Sight:
    """View inference for one domain.

    Args:
        pack: the domain's rule pack.
        threads: of the kernel; 0 = one per core.
    """

    def __init__(self, pack: Pack, threads: int = 0) -> None:
        self._pack = pack.sight()
        self._threads = threads or None
        rules = () if self._pack is None else self._pack.rules
        self._shown = np.array([VIEWS.index(rule.id.split()[0]) for rule in rules], np.int8)

    @cached_property
    def _kernel(self) -> CompiledPack:
        # Compiled when first asked: most deployments have a view head and never do.
        assert self._pack is not None
        return compile_pack(self._pack, threads=self._threads)

    def complete(self, view: I8, looked: Bools, boxes: Boxes, counts: F32, size: F32) -> I8:
        """[b] `view` with what the parts show where nobody looked.

        Args:
            view: [b] index into VIEWS.
            looked: [b] whether a detector or the caller has said something about the view.
            boxes: of the b images; labels index the pack's components.
            counts: [b, C] instances by component, NaN where nobody counted.
            size: [b, 2] px.
        """
        if self._pack is None or looked.all():
            return view
        observed = self._pack.blank(size)
        observed.counts[:] = counts
        holds = self._kernel.evaluate(boxes, observed).status == 1
        shown = np.where(holds.any(axis=1), self._shown[holds.argmax(axis=1)], 0)
        return np.where(looked, view, shown).astype(np.int8)
