"""Many sessions in front of one worker: each gets its own answers, whatever the others do."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.config import LoadedProfile, parse
from physgauge.ensemble.judge.engine import EngineFault, Prompt, Question, Reply
from physgauge.ensemble.judge.engines import load_engine
from physgauge.ensemble.judge.engines.onepass.engine import OnePassEngine
from physgauge.ensemble.judge.engines.onepass.work import Ask, Expired
from physgauge.errors import ConfigError, EnvironmentProblem
from physgauge.types import U8
from tests.judge.onepass.models import PREAMBLE, engine, pictures, questions

NAME = "smolvlm-tiles"


def asked(count: int) -> list[Question]:
    return [Question(f"q{i}", text) for i, text in enumerate(questions(count))]


async def replies(made: OnePassEngine, image: U8 | None, count: int) -> Sequence[Reply]:
    async with made.open(image, PREAMBLE) as session:
        return await session.yes_no(asked(count))


def same(one: Sequence[Reply], other: Sequence[Reply]) -> bool:
    return len(one) == len(other) and all(
        a.outcome == b.outcome == "answered"
        and a.id == b.id
        and abs((a.p or 0) - (b.p or 0)) < 1e-5
        for a, b in zip(one, other, strict=True)
    )


def test_similar_images_at_concurrency_64() -> None:
    """The same words, two images that differ in a corner: each has its own answer, as alone."""
    first = pictures(1)[0]
    second = first.copy()
    second[:24, :24] = 255 - second[:24, :24]

    async def run(made: OnePassEngine) -> None:
        alone = [await replies(made, image, 6) for image in (first, second)]
        assert not same(*alone)
        both = await asyncio.gather(*(replies(made, (first, second)[k % 2], 6) for k in range(64)))
        for k, got in enumerate(both):
            assert same(got, alone[k % 2])
            assert not same(got, alone[1 - k % 2])

    with engine(NAME) as made:
        before = made.worker.passes.count
        asyncio.run(run(made))
        assert made.worker.passes.count - before < 40  # they did run together


CALLS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9), st.integers(0, 3)), min_size=1, max_size=12)  # fmt: skip
"""image, questions, what the session does then: leaves, asks again, writes, is cancelled."""


@pytest.fixture(scope="module")
def busy() -> Any:
    """One engine with room for three prefixes, three images a pass, and answers of everything alone."""
    with engine("qwen3vl", max_images=3, cache_bytes=3 * 70_000) as made:
        alone = {
            (k, n): asyncio.run(replies(made, pictures(6)[k], n))
            for k in range(6)
            for n in range(1, 10)
        }
        yield made, alone


@settings(deadline=None, max_examples=15)
@given(CALLS)
def test_each_its_own(busy: Any, calls: list[tuple[int, int, int]]) -> None:
    made, alone = busy

    async def one(image: int, count: int, then: int) -> None:
        async with made.open(pictures(6)[image], PREAMBLE) as session:
            work = asyncio.create_task(session.yes_no(asked(count)))
            if then == 3:
                await asyncio.sleep(0.001 * count)
                work.cancel()
                return
            assert same(await work, alone[image, count])
            if then == 1:
                assert same(await session.yes_no(asked(2)), alone[image, 2])
            if then == 2:
                texts = await session.write([Prompt("t", "Name it.", 4)])
                assert [t.outcome for t in texts] == ["answered"]

    async def run() -> None:
        await asyncio.gather(*(one(*call) for call in calls))
        # All are gone: nothing is kept for them.
        for _ in range(100):
            if made.worker.kept_bytes == 0:
                return
            await asyncio.sleep(0.02)
        assert made.worker.kept_bytes == 0

    asyncio.run(run())


def test_a_dropped_prefix_is_computed_again() -> None:
    async def run(made: OnePassEngine) -> None:
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            first = await session.yes_no(asked(3))
            once = session.spent
            assert same(first, await session.yes_no(asked(3)))
            again = session.spent
        assert once.calls == 1
        assert again.calls == 2
        assert again.tokens == 2 * once.tokens  # the prefix too

    with engine(NAME, cache_bytes=1) as made:
        asyncio.run(run(made))


def test_spent() -> None:
    """Three prompts behind one prefix: the prefix is computed once, and taken from the cache twice."""

    async def run(made: OnePassEngine) -> None:
        prefix = made.prompts.prefix(PREAMBLE, True)
        picture = made._prepare(pictures(1)[0])
        length = len(made.runner.open(prefix, picture).ids)
        tails = [made.prompts.tail(PREAMBLE, True, q.text, "yes_no") for q in asked(3)]
        own = sum(len(t.ids) for t in tails)
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            await session.yes_no(asked(3))
            assert (session.spent.calls, session.spent.tokens, session.spent.cached_tokens) == (
                1, length + own, 2 * length,
            )  # fmt: skip
            await session.yes_no(asked(3))
            assert session.spent.tokens == length + 2 * own
            assert session.spent.cached_tokens == 5 * length

    with engine(NAME) as made:
        asyncio.run(run(made))


def test_without_an_image_and_without_questions() -> None:
    async def run(made: OnePassEngine) -> None:
        assert await replies(made, None, 0) == []
        got = await replies(made, None, 3)
        assert [r.outcome for r in got] == ["answered"] * 3
        with pytest.raises(
            ValueError, match=r"expected uint8 \[H, W, 3\], got float32 \[4, 4, 3\]"
        ):
            made.open(np.zeros((4, 4, 3), np.float32))

    with engine("qwen3vl") as made:
        asyncio.run(run(made))


def test_deadlines() -> None:
    """Over before it starts, over while others run, and none."""

    async def run(made: OnePassEngine) -> None:
        async with made.open(pictures(1)[0], PREAMBLE, time.monotonic() - 1) as session:
            assert [r.outcome for r in await session.yes_no(asked(2))] == ["timeout"] * 2
            assert [t.outcome for t in await session.write([Prompt("a", "Say.", 3)])] == ["timeout"]
            assert session.spent.calls == 0
        async with made.open(pictures(1)[0], PREAMBLE, time.monotonic() + 0.3) as session:
            start = time.monotonic()
            endless = [Prompt("a", "Say.", 4000)]
            assert [t.outcome for t in await session.write(endless)] == ["timeout"]
            assert time.monotonic() - start < 20
        for _ in range(100):  # and nobody goes on writing
            await asyncio.sleep(0.02)
            if not made.worker._texts:
                break
        assert not made.worker._texts
        async with made.open(pictures(1)[0], PREAMBLE, time.monotonic() + 60) as session:
            assert [r.outcome for r in await session.yes_no(asked(2))] == ["answered"] * 2

    with engine(NAME) as made:
        asyncio.run(run(made))


def test_too_long_is_no_answer() -> None:
    async def run(made: OnePassEngine) -> None:
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            long = Question("long", "Is it so? " * 9000)
            outcomes = [r.outcome for r in await session.yes_no([*asked(1), long])]
            assert outcomes == ["answered", "unparseable"]
            assert (await session.write([Prompt("a", "Say.", 9000)]))[0].outcome == "refused"

    with engine(NAME) as made:
        asyncio.run(run(made))


def test_weights_that_are_no_numbers() -> None:
    """No probability, no text; the engine goes on living."""

    async def run(made: OnePassEngine) -> None:
        head = made.runner.readout._rows  # type: ignore[attr-defined]
        layers = made.runner._ways.model.model.text_model.layers  # type: ignore[attr-defined]
        for weight in (layers[1].self_attn.q_proj.weight, layers[0].mlp.up_proj.weight, head):
            kept = weight.data.clone()
            weight.data.fill_(math.nan)
            got = await replies(made, pictures(1)[0], 3)
            assert [(r.outcome, r.answer, r.p) for r in got] == [("unparseable", None, None)] * 3
            weight.data.copy_(kept)
        layers[0].mlp.up_proj.weight.data.fill_(math.nan)
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            text = (await session.write([Prompt("a", "Say.", 5)]))[0]
            assert (text.outcome, text.text) == ("refused", None)

    with engine("smolvlm") as made:
        asyncio.run(run(made))


class Trouble:
    """Stands before a real runner and raises where it is told to."""

    def __init__(self, runner: Any, error: Exception) -> None:
        self._runner, self._error = runner, error
        self.bad: int | None = None
        """Tails of the batch that fail."""
        self.most: int | None = None
        """More tails than this fail."""
        self.batches: list[list[int]] = []
        self.takes_s = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def answer(self, batch: Any) -> Any:
        counts = [len(tails) for _, tails in batch]
        self.batches.append(counts)
        time.sleep(self.takes_s)
        if self.bad in counts or (self.most is not None and sum(counts) > self.most):
            raise self._error
        return self._runner.answer(batch)


def test_work_that_nobody_waits_for_is_dropped() -> None:
    """Late or cancelled while another pass runs: never computed. One that is wanted goes first afterwards."""

    async def run(made: OnePassEngine, slow: Trouble) -> None:
        first = asyncio.create_task(replies(made, pictures(1)[0], 1))
        while not slow.batches:
            await asyncio.sleep(0.01)
        cancelled = asyncio.create_task(replies(made, pictures(1)[0], 2))
        wanted = asyncio.create_task(replies(made, pictures(1)[0], 3))
        # A worker's own look at the clock, apart from the session's.
        ask = Ask(
            made.runner.open(made.prompts.prefix("", False), None),
            [made.prompts.tail("", False, "Is it?", "yes_no")] * 4, time.monotonic() + 0.1, results.append2,
        )  # fmt: skip
        made.worker.submit(ask)
        await asyncio.sleep(0.2)
        cancelled.cancel()
        assert [r.outcome for r in await first] == ["answered"]
        assert [r.outcome for r in await wanted] == ["answered"] * 3

    class Results(list[object]):
        """What became of the late one."""

        def append2(self, result: object, fresh: bool) -> None:
            self.append(result)

    results = Results()
    with engine(NAME) as made:
        slow = Trouble(made.runner, RuntimeError())
        made.worker.passes.runner, slow.takes_s = slow, 0.5
        asyncio.run(run(made, slow))
        assert slow.batches == [[1], [3]]
        assert [type(r) for r in results] == [Expired]


async def seven(made: OnePassEngine) -> list[list[str]]:
    """Outcomes of seven images with 1 to 7 questions, at once."""
    images = pictures(7)
    got = await asyncio.gather(*(replies(made, images[k], k + 1) for k in range(7)))
    return [[r.outcome for r in some] for some in got]


def test_a_failure_is_one_image_s() -> None:
    with engine(NAME) as made:
        trouble = Trouble(made.runner, RuntimeError("of this image"))
        made.worker.passes.runner, trouble.bad = trouble, 4
        outcomes = asyncio.run(seven(made))
        for k, some in enumerate(outcomes):
            assert some == (["unparseable"] if k == 3 else ["answered"]) * (k + 1)
        assert [4] in trouble.batches  # by itself
        assert made.worker.fault is None


def test_a_second_pass_waits_for_one_pass_at_most() -> None:
    """Three new images are there before it, one of them running, and a pass takes one new image."""

    async def run(made: OnePassEngine, slow: Trouble) -> None:
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            await session.yes_no(asked(1))
            slow.takes_s = 0.3
            new = []
            for count in (2, 3, 4):
                new.append(asyncio.create_task(replies(made, pictures(2)[1], count)))
                await asyncio.sleep(0.07)
            second = await session.yes_no(asked(5))
            assert [r.outcome for r in second] == ["answered"] * 5
        await asyncio.gather(*new)

    with engine(NAME, max_images=1) as made:
        slow = Trouble(made.runner, RuntimeError())
        made.worker.passes.runner = slow
        asyncio.run(run(made, slow))
        assert slow.batches == [[1], [2], [5, 3], [4]]


class TroubledTexts:
    """Fails at the second token of groups of several texts, and where one text may be 7 tokens long."""

    def __init__(self, runner: Any) -> None:
        self._runner, self.groups = runner, list[int]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def write(self, wanted: Any) -> Any:
        self.groups.append(len(wanted))
        writing = self._runner.write(wanted)
        if len(wanted) > 1 or wanted[0].max_tokens == 7:

            def step() -> None:
                raise RuntimeError("of this text")

            writing.step = step
        return writing


def test_a_failing_text_is_one_image_s() -> None:
    async def one(made: OnePassEngine, k: int) -> str:
        async with made.open(pictures(k + 1)[k], PREAMBLE) as session:
            (text,) = await session.write([Prompt("t", "Name it.", 5 + k)])
            return text.text or text.outcome

    async def run(made: OnePassEngine) -> list[str]:
        return list(await asyncio.gather(*(one(made, k) for k in range(4))))

    with engine(NAME) as made:
        alone = [asyncio.run(one(made, k)) for k in range(4)]
        trouble = TroubledTexts(made.runner)
        made.worker._texts._runner = trouble
        got = asyncio.run(run(made))
        assert got == [*alone[:2], "refused", alone[3]]
        assert max(trouble.groups) > 1
        assert made.worker.fault is None


@pytest.mark.parametrize("most", [12, 2])
def test_memory_that_runs_out_halves(most: int) -> None:
    with engine(NAME) as made:
        trouble = Trouble(made.runner, torch.OutOfMemoryError("CUDA out of memory"))
        made.worker.passes.runner, trouble.most = trouble, most
        alone = asyncio.run(replies(made, pictures(1)[0], 2))
        trouble.takes_s = 0.04  # the others wait behind the first, and go together
        assert asyncio.run(seven(made)) == [["answered"] * k for k in range(1, 8)]
        assert same(asyncio.run(replies(made, pictures(1)[0], 6))[:2], alone)
        assert max(sum(b) for b in trouble.batches) > most


def test_an_engine_that_is_broken() -> None:
    """The check question fails too: everybody learns it, now and later, and nobody waits for ever."""

    async def run(made: OnePassEngine) -> None:
        images = pictures(5)
        got = await asyncio.gather(
            *(replies(made, images[k], k + 1) for k in range(5)), return_exceptions=True
        )
        assert all(isinstance(g, EngineFault) or g[0].outcome == "unparseable" for g in got)  # type: ignore[index]
        with pytest.raises(EngineFault, match="broken: it no longer answers its check"):
            await replies(made, images[0], 1)

    def check() -> None:
        raise RuntimeError("no answer")

    with engine(NAME) as made:
        broken = Trouble(made.runner, RuntimeError("device-side assert"))
        broken.most, broken.takes_s = 0, 0.2  # so that several wait, and go as one batch
        made.worker.passes.runner = broken
        made.worker.check = check
        asyncio.run(run(made))


def test_close() -> None:
    async def run(made: OnePassEngine) -> None:
        async with made.open(pictures(1)[0], PREAMBLE) as session:
            writing = asyncio.create_task(session.write([Prompt("a", "Say.", 4000)]))
            await asyncio.sleep(0.2)
            await made.close()
            with pytest.raises(EngineFault, match="closed"):
                await writing
            with pytest.raises(EngineFault, match="closed"):
                await session.yes_no(asked(1))
        with pytest.raises(EngineFault, match="closed"):
            await replies(made, None, 1)
        await made.close()

    with engine(NAME) as made:
        asyncio.run(run(made))


def profile(tmp_path: Any, **settings: Any) -> LoadedProfile:
    lines = "\n".join(f"{key} = {value!r}" for key, value in settings.items())
    text = f'name = "p"\n[judge]\nengine = "onepass"\n[judge.onepass]\n{lines}\n'
    return LoadedProfile(profile=parse(text.encode(), "p.toml"), folder=tmp_path)


def test_by_profile(tmp_path: Any) -> None:
    async def run() -> None:
        made = await load_engine(
            profile(tmp_path, model="tiny:qwen3vl", dtype="float32", threads=1)
        )
        assert made.name == "onepass:tiny-qwen3vl:float32:packed"
        assert len(made.models["tiny-qwen3vl"]) == 16
        assert (made.features.probabilities, made.features.structured) == (True, False)
        await made.close()

    asyncio.run(run())


@pytest.mark.parametrize(("settings_", "error", "says"), [
    ({"model": "nowhere"}, ConfigError, r"judge.onepass: model: expected a folder with a config.json, got .*nowhere"),
    ({"model": "tiny:nothing"}, ConfigError, r"expected one of smolvlm, .*; got 'nothing'"),
    ({"model": "tiny:gemma3", "strategy": "packed"}, ConfigError, r"strategy: expected \"cache\" for 'gemma3'"),
    ({"model": "tiny:smolvlm", "weights": "fp8"}, ConfigError, r"weights: expected \"as_is\" on cpu, got \"fp8\""),
    ({"model": "tiny:smolvlm", "device": "cuda:9"}, EnvironmentProblem, r"device: 'cuda:9' cannot be used"),
    ({"model": "tiny:smolvlm", "max_images": 0}, ConfigError, r"judge.onepass: .*max_images"),
])  # fmt: skip
def test_wrong_settings(
    tmp_path: Any, settings_: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        asyncio.run(load_engine(profile(tmp_path, **settings_)))
