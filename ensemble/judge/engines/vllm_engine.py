"""The engine `vllm` above vLLM itself: sessions, admission, and what to do when the engine has died."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Final

import numpy as np

from physgauge.ensemble.judge.engine import (
    EngineFault,
    Features,
    Prompt,
    Question,
    Reply,
    Spent,
    Text,
)
from physgauge.ensemble.judge.engine import Shown as Example
from physgauge.ensemble.judge.engines.asking import (
    around_image,
    plain,
    question_text,
    reply,
    weigh_ids,
)
from physgauge.ensemble.judge.engines.tasks import Tasks, within
from physgauge.ensemble.judge.engines.vllm_core import Core, Given, Shown, Wanted
from physgauge.ensemble.judge.engines.vllm_settings import VllmSettings
from physgauge.log import log
from physgauge.types import U8

FORGIVEN_S: Final = 3600.0


class VllmEngine:
    """A model in vLLM, started again when it dies. Made by `from_settings`."""

    def __init__(
        self,
        settings: VllmSettings,
        name: str,
        models: Mapping[str, str],
        core: Core,
        start: Callable[[], Awaitable[Core]],
    ) -> None:
        self._settings, self._name, self._models = settings, name, models
        self._core, self._start = core, start
        self._slots = asyncio.Semaphore(settings.max_requests)
        self._restart: asyncio.Task[None] | None = None
        self._deaths = 0
        self._died_at = 0.0
        self._gone: str | None = None

    @property
    def name(self) -> str:
        """Kind, model, type of numbers, layout."""
        return self._name

    @property
    def models(self) -> Mapping[str, str]:
        """The model and its hash."""
        return self._models

    @property
    def features(self) -> Features:
        """Both."""
        return Features(True, True)

    @property
    def core(self) -> Core:
        """The one that runs now."""
        return self._core

    def open(
        self, image: U8 | None, preamble: str = "", deadline_s: float | None = None
    ) -> AbstractAsyncContextManager[VllmSession]:
        """See `physgauge.ensemble.judge.engine.Engine.open`."""
        return self.open_behind((), image, preamble, deadline_s)

    @asynccontextmanager
    async def open_behind(
        self,
        shown: Sequence[Example],
        image: U8 | None,
        preamble: str = "",
        deadline_s: float | None = None,
    ) -> AsyncIterator[VllmSession]:
        """See `physgauge.ensemble.judge.engine.Shows.open_behind`."""
        core = await self._living()
        own, examples = None, list[tuple[Shown, str]]()
        if image is not None and _fits(image, self._settings):
            own = await self._shown(core, image)
            examples = [(await self._shown(core, one.image), one.text) for one in shown]
        session = VllmSession(
            self._settings, core, self._slots, own, preamble, deadline_s, examples
        )
        session.unfit = image is not None and own is None
        async with session.tasks:
            yield session

    async def _shown(self, core: Core, image: U8) -> Shown:
        return Shown(core.picture(image), await asyncio.to_thread(picture_id, image))

    async def close(self) -> None:
        """End the engine's processes."""
        self._gone = self._gone or "the engine is closed"
        if self._restart is not None:
            await asyncio.wait([self._restart])
        await self._core.stop()

    async def _living(self) -> Core:
        while self._gone is None and self._core.dead:
            # Of the engine, not of the image that met it first and may run out of time: a start that
            # is cut off would leave processes behind.
            if self._restart is None or self._restart.done():
                self._restart = asyncio.create_task(self._again())
            await asyncio.shield(self._restart)
        if self._gone is not None:
            raise EngineFault(self._gone)
        return self._core

    async def _again(self) -> None:
        s, now = self._settings, time.monotonic()
        if now - self._died_at > FORGIVEN_S:
            self._deaths = 0
        self._deaths, self._died_at = self._deaths + 1, now
        await self._core.stop()
        if self._deaths > s.restarts:
            self._gone = f"vLLM has died {self._deaths} times; it is not started again"
            return
        wait_s = min(s.max_wait_s, s.wait_s * 2.0 ** (self._deaths - 1))
        log("vllm", what="restart", deaths=self._deaths, wait_s=wait_s)
        await asyncio.sleep(wait_s)
        try:
            self._core = await self._start()
        except EngineFault as fault:  # counts as another death: the old one is still dead
            log("vllm", what="restart_failed", why=str(fault))


class VllmSession:
    """One image in front of the model."""

    def __init__(
        self,
        settings: VllmSettings,
        core: Core,
        slots: asyncio.Semaphore,
        shown: Shown | None,
        preamble: str,
        deadline_s: float | None,
        examples: Sequence[tuple[Shown, str]] = (),
    ) -> None:
        self._settings, self._core, self._slots, self._shown = settings, core, slots, shown
        self._preamble = plain(preamble, core.special)
        self._examples = tuple((one, f"{plain(text, core.special)}\n\n") for one, text in examples)
        self._deadline_s = deadline_s
        self._spent = Spent()
        self.unfit = False
        """There is an image, and the model isn't given it."""
        self.tasks = Tasks()

    @property
    def spent(self) -> Spent:
        """Up to now."""
        return self._spent

    async def yes_no(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """One prompt a question, all behind the same image."""
        return await self.tasks.all([self._question(question) for question in questions])

    async def write(self, prompts: Sequence[Prompt]) -> Sequence[Text]:
        """One prompt each, behind the same image."""
        return await self.tasks.all([self._prompt(prompt) for prompt in prompts])

    async def _question(self, question: Question) -> Reply:
        given = await self._ask(question_text(question.text), None)
        if given.outcome != "answered":
            return Reply(given.outcome, id=question.id)
        weighed = weigh_ids(given.logs or {}, self._core.families)
        return replace(reply(weighed, given.text), id=question.id)

    async def _prompt(self, prompt: Prompt) -> Text:
        given = await self._ask(prompt.text, prompt)
        if given.outcome != "answered":
            return Text(given.outcome, id=prompt.id)
        return Text("answered", given.text, given.whole, prompt.id)

    async def _ask(self, text: str, prompt: Prompt | None) -> Given:
        if self.unfit:
            return Given("skipped")
        before, behind = around_image(
            self._preamble, plain(text, self._core.special), self._settings.layout
        )
        if self._shown is None:
            before, behind = "", before + behind
        wanted = Wanted(before, behind, self._shown, prompt, self._examples)
        outcome, given = await within(self._deadline_s, lambda: self._admitted(wanted))
        return Given(outcome) if given is None else given

    async def _admitted(self, wanted: Wanted) -> Given:
        async with self._slots:
            self._spent = replace(self._spent, calls=self._spent.calls + 1)
            given = await self._core.ask(wanted)
        self._spent = replace(
            self._spent,
            tokens=self._spent.tokens
            + given.prompt_tokens
            - given.cached_tokens
            + given.written_tokens,
            cached_tokens=self._spent.cached_tokens + given.cached_tokens,
        )
        return given


def picture_id(image: U8) -> str:
    """SHA-256 of pixels and shape: vLLM takes images of one id for the same image."""
    digest = hashlib.sha256(f"{image.shape}".encode())
    digest.update(np.ascontiguousarray(image).data)
    return digest.hexdigest()


def _fits(image: U8, settings: VllmSettings) -> bool:
    height, width = int(image.shape[0]), int(image.shape[1])
    return min(height, width) >= settings.min_side_px and height * width <= settings.max_pixels
