"""Texts: greedy ones are what transformers' `generate` writes, alone and beside others."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from physgauge.ensemble.judge.engine import Prompt, Text
from tests.judge.onepass.models import (
    ALL,
    PACKABLE,
    PREAMBLE,
    engine,
    pictures,
    questions,
    separate,
)

TOKENS = 14
STRATEGIES = [(name, "packed") for name in PACKABLE] + [("gemma3", "cache"), ("qwen3vl", "cache")]


def prompts(count: int, **more: object) -> list[Prompt]:
    return [
        Prompt(str(i), f"{q} Name the object.", TOKENS, **more)  # type: ignore[arg-type]
        for i, q in enumerate(questions(count))
    ]


async def written(
    name: str, shared: bool, strategy: str, asked: Sequence[Prompt], images: int = 2
) -> list[Sequence[Text]]:
    with engine(name, shared, strategy=strategy) as made:

        async def one(k: int) -> Sequence[Text]:
            async with made.open(pictures(k + 1)[k], PREAMBLE) as session:
                return await session.write(asked)

        return list(await asyncio.gather(*(one(k) for k in range(images))))


@pytest.mark.parametrize("shared", [True, False], ids=["one prefix", "paper"])
@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_greedy(name: str, strategy: str, shared: bool) -> None:
    got = asyncio.run(written(name, shared, strategy, prompts(3)))
    theirs = separate(name)
    with engine(name, check=False) as made:
        whole = [made.prompts.written(PREAMBLE, p.text, True, "text") for p in prompts(3)]
    for image, texts in zip(pictures(2), got, strict=True):
        for text, prompt in zip(texts, whole, strict=True):
            ids = theirs.text(image, prompt, TOKENS)
            ends = [i for i, token in enumerate(ids) if token == theirs.tokenizer.eos_token_id]
            wanted = theirs.tokenizer.decode(ids, skip_special_tokens=True)
            assert text == Text("answered", wanted, bool(ends), text.id)
    assert [text.id for text in got[0]] == ["0", "1", "2"]
    assert got[0] != got[1]


def test_alone_as_together() -> None:
    """18 prompts at once and one by one; lengths that differ, some done before others."""
    mixed = [Prompt(p.id, p.text, 3 + 5 * (i % 4)) for i, p in enumerate(prompts(9))]
    together = asyncio.run(written("smolvlm", True, "packed", mixed))
    for i, prompt in enumerate(mixed):
        assert [t[i] for t in together] == [
            t[0] for t in asyncio.run(written("smolvlm", True, "packed", [prompt]))
        ]


@pytest.mark.parametrize("name", [ALL[0], ALL[3]])
def test_temperature(name: str) -> None:
    """The same seed writes the same, another one something else, and none at all another each time."""
    strategy = "cache" if name == "gemma3" else "packed"

    def text(seed: int | None) -> str | None:
        asked = prompts(2, temperature=1.5, seed=seed)
        return asyncio.run(written(name, True, strategy, asked, 1))[0][1].text

    assert text(4) == text(4)
    assert len({text(4), text(5), text(None), text(None)}) == 4
