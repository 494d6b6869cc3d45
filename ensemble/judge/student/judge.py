"""A student as a judge: one look, all answers, and none where it does not know what it sees.

It reads pixels and nothing else. Of a probe set it answers the probes that it was trained on, by their
ids; the others are skipped, as are all where the image lies outside what it knows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from physgauge import wire
from physgauge.ensemble.judge.engine import Spent
from physgauge.ensemble.judge.guarded import total
from physgauge.ensemble.judge.look import Crop, Look
from physgauge.ensemble.judge.observe.observer import Observers
from physgauge.ensemble.judge.student.batching import Batcher
from physgauge.ensemble.judge.student.contract import Contract
from physgauge.ensemble.judge.student.network import Said, number
from physgauge.ensemble.judge.terravis.probes import ProbeSet
from physgauge.ensemble.letterbox import Placement, to_image
from physgauge.ensemble.observations import Sight
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.types import F32, U8

MODE: Final = "student"
UNKNOWN: Final = "outside what this model knows"
PEAK: Final = 0.5
"""The box is around the cells of at least this share of the map's peak."""


class Network(Protocol):
    """What answers: an ONNX file (`network.py`), or a language model with a trained head (`vlm.py`)."""

    contract: Contract
    sha256: str

    def answer(self, images: Sequence[U8]) -> list[Said]:
        """What it says of B images [H, W, 3], each as if it were alone."""
        ...


class StudentJudge:
    """A :class:`physgauge.ensemble.judge.look.Judge`.

    Args:
        network: the student.
        probes: what it is asked.
        settings: how answers count; `yes_from` decides where a box is given.
        batch: images answered together at most.
        observers: who is asked for PCMDE's observations besides; owned too.

    Raises:
        ConfigError: it knows none of the probes.
    """

    def __init__(
        self, network: Network, probes: ProbeSet, settings: JudgeSettings, batch: int = 4,
        observers: Observers | None = None,
    ) -> None:  # fmt: skip
        known = network.contract.probes
        if not set(known) & set(probes.ids):
            raise ConfigError(
                f"judge.student: expected a student that knows some of the probes "
                f"{', '.join(probes.ids[:3])} ..., got one that knows {', '.join(known[:3])} ..."
            )
        self._network, self._probes, self._settings = network, probes, settings
        self._observers = observers or Observers()
        self._tag = probes.tag
        self._batcher: Batcher[U8, Said] = Batcher(network.answer, batch)

    @property
    def name(self) -> str:
        """With the beginning of the file's hash."""
        return f"student:{self._network.sha256[:8]}"

    @property
    def models(self) -> Mapping[str, str]:
        """The file's hash, and those of observers with engines of their own."""
        return {"student": self._network.sha256} | self._observers.models

    @property
    def probe_version(self) -> str:
        """Of the probe set."""
        return self._tag

    async def look(
        self, image: U8, crops: Sequence[Crop] = (), deadline_s: float | None = None
    ) -> Look:
        """Look at an image; see :class:`physgauge.ensemble.judge.look.Judge`. Crops are left out."""
        return await self.look_for("both", image, crops, deadline_s)

    async def look_for(
        self,
        method: wire.Method,
        image: U8,
        crops: Sequence[Crop] = (),
        deadline_s: float | None = None,
    ) -> Look:
        """Look for one method's sake; see :class:`physgauge.ensemble.judge.look.Watcher`."""
        del crops
        look, others = await asyncio.gather(
            self._own(image, deadline_s) if method != "pcmde" else _no_look(),
            self._observers.look(image, deadline_s) if method != "terravis" else _no_sights(),
        )
        return replace(
            look,
            sights=tuple(sight for sight, _ in others),
            spent=total([look.spent, *(spent for _, spent in others)]) if others else look.spent,
        )

    async def _own(self, image: U8, deadline_s: float | None) -> Look:
        start = time.monotonic()
        left = self._settings.timeout_s
        if deadline_s is not None:
            left = min(left, deadline_s - start)
        try:
            async with asyncio.timeout(max(0.0, left)):
                said = await self._batcher.get(image)
        except TimeoutError:
            return self._nothing("timeout", start)
        except ConfigError as error:
            return self._nothing("skipped", start, fault=str(error))
        if said.known < self._network.contract.known_from:
            return self._nothing("skipped", start, abstained=UNKNOWN, spent=Spent(calls=1))
        return Look(
            MODE, self._eligible(said), self._answers(said), spent=Spent(calls=1), ms=_since(start)
        )

    def _nothing(
        self, outcome: wire.Outcome, start: float, *, fault: str | None = None,
        abstained: str | None = None, spent: Spent | None = None,
    ) -> Look:  # fmt: skip
        return Look(
            MODE,
            wire.Eligible(outcome=outcome),
            {one: wire.Answer(outcome=outcome) for one in self._probes.ids},
            spent=spent or Spent(),
            ms=_since(start),
            fault=fault,
            abstained=abstained,
        )

    def _eligible(self, said: Said) -> wire.Eligible:
        family = self._network.contract.families[int(np.argmax(said.family))]
        answer = said.eligible >= self._settings.eligible_from
        return wire.Eligible(
            answer=answer, p=said.eligible, outcome="answered", family=None if answer else family
        )

    def _answers(self, said: Said) -> dict[str, wire.Answer]:
        place = {name: k for k, name in enumerate(self._network.contract.probes)}
        return {
            one: self._answer(said, place[one]) if one in place else wire.Answer(outcome="skipped")
            for one in self._probes.ids
        }

    def _answer(self, said: Said, k: int) -> wire.Answer:
        p = number(said.yes[k])
        found = p >= self._settings.yes_from
        return wire.Answer(
            answer=found,
            p_yes=p,
            p_major=number(said.major[k]),
            outcome="answered",
            box=self._box(said, k) if found else None,
        )

    def _box(self, said: Said, k: int) -> list[float] | None:
        if said.where is None or said.placement is None:
            return None
        return box_of(said.where[k], said.placement, self._network.contract.size)

    async def close(self) -> None:
        """Let the batch that runs end, and close the observers' engines."""
        try:
            await self._observers.close()
        finally:
            await self._batcher.close()


def box_of(where: F32, placement: Placement, size: int) -> list[float] | None:
    """Around the surest cells of a map [n, n] over the square of `size` px that an image lies in.

    Returns:
        x0, y0, x1, y1 in px of the image; None where the map points beside it.
    """
    cells = where.shape[0]
    rows, columns = np.nonzero(where >= PEAK * where.max())
    box = np.array([[columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]], np.float32)
    x0, y0, x1, y1 = (round(float(x), 1) for x in to_image(box * (size / cells), placement)[0])
    return [x0, y0, x1, y1] if x1 > x0 and y1 > y0 else None


async def _no_look() -> Look:
    return Look(MODE)


async def _no_sights() -> list[tuple[Sight, Spent]]:
    return []


def _since(start: float) -> float:
    return round(1000 * (time.monotonic() - start), 3)
