"""Examples in front of the image: one pass is still what separate prompts are, and the examples are seen."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from physgauge.ensemble.judge.engine import Question, Reply, Shown, Shows
from physgauge.ensemble.judge.terravis.file import load_probes
from physgauge.ensemble.judge.terravis.judge import EngineJudge
from physgauge.ensemble.judge.terravis.shots import shown_of, with_shots
from physgauge.errors import ConfigError
from physgauge.judge_settings import JudgeSettings
from physgauge.types import F64, U8
from tests.judge.onepass.models import (
    ALL,
    PACKABLE,
    PREAMBLE,
    engine,
    pictures,
    questions,
    separate,
)
from tests.terravis.scripted import Scripted

BOUND = 1e-4
"""Of log-odds, in float32."""
STRATEGIES = [(name, "packed") for name in PACKABLE] + [(name, "cache") for name in ALL]
SAID = ("About the picture above, the answer is yes.", "About the picture above, it is no. Now:")


def answers(made: Any, shown: tuple[U8, ...], image: U8, count: int) -> tuple[F64, F64]:
    """Log-odds in one pass with another image beside it, and one prompt at a time."""
    said = SAID[: len(shown)]
    prefix = made.prompts.prefix(PREAMBLE, True, said)
    before = [made._prepare(one) for one in shown]
    tails = [made.prompts.tail(PREAMBLE, True, q, "yes_no", said) for q in questions(count)]
    plain = made.prompts.prefix(PREAMBLE, True)
    other = made.runner.open(plain, made._prepare(pictures(1)[0]))
    others = [made.prompts.tail(PREAMBLE, True, q, "yes_no") for q in questions(2)]
    opened = made.runner.open(prefix, made._prepare(image), before)
    together = made.runner.answer([(other, others), (opened, tails)])[1]
    picture = made._prepare(image)
    alone = np.concatenate([made.runner.alone(prefix, picture, t, before) for t in tails])
    return together, alone


@pytest.mark.parametrize(("name", "strategy"), STRATEGIES)
def test_one_pass_and_separate_prompts(name: str, strategy: str) -> None:
    a, b, c = pictures(3)
    with engine(name, strategy=strategy) as made:
        one, many = answers(made, (a, b), c, 7)
        assert np.abs(one - many).max() <= BOUND
        swapped, _ = answers(made, (b, a), c, 7)
        fewer, _ = answers(made, (a,), c, 7)
        another, _ = answers(made, (a, b), a, 7)
    # The examples and their order are seen, as is the image behind them.
    assert np.abs(one - swapped).max() > 10 * BOUND
    assert np.abs(one - fewer).max() > 10 * BOUND
    assert np.abs(one - another).max() > 10 * BOUND


@pytest.mark.parametrize("name", ["smolvlm", "qwen3vl"])
def test_transformers_own_arithmetic_says_the_same(name: str) -> None:
    shown, image = pictures(2)
    theirs = separate(name)
    with engine(name) as made:
        ours, _ = answers(made, (shown,), image, 3)
        written = [
            made.prompts.written(PREAMBLE, q, True, "yes_no", SAID[:1]) for q in questions(3)
        ]
        mark = made.prompts._mark.token
    whole = []
    for text in written:
        assert text.count(mark) == 2
        first, second, rest = text.split(mark)
        each = [
            theirs.inputs(one, f"{part}{mark}") for one, part in ((shown, first), (image, second))
        ]
        tail = theirs.tokenizer(rest, add_special_tokens=False)["input_ids"]
        ids = torch.cat([*(one["input_ids"] for one in each), torch.tensor([tail])], 1)
        is_image = ids == theirs.model.config.image_token_id
        given: dict[str, Any] = {"input_ids": ids}
        if name == "qwen3vl":
            given["mm_token_type_ids"] = is_image.int()
            for key in ("pixel_values", "image_grid_thw"):
                given[key] = torch.cat([one[key] for one in each])
        else:
            given["pixel_values"] = torch.cat([one["pixel_values"] for one in each], 1)
        with torch.inference_mode():
            logits = theirs.model(**given).logits[0, -1].double()
        whole.append(float(logits[theirs.yes].logsumexp(0) - logits[theirs.no].logsumexp(0)))
    assert np.abs(ours - np.array(whole)).max() <= BOUND


def asked(made: Any, shown: tuple[Shown, ...], image: U8) -> list[float]:
    async def work() -> list[Reply]:
        async with made.open_behind(shown, image, PREAMBLE) as session:
            return list(await session.yes_no([Question(q, q) for q in questions(3)]))

    replies = asyncio.run(work())
    assert all(r.outcome == "answered" and r.p is not None for r in replies)
    return [float(r.p or 0) for r in replies]


FILE = """
name = "shown"
base = "terravis"
[[example]]
image = "a.npy"
yes = ["contact_state"]
[[example]]
image = "b.npy"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for name, picture in zip("ab", pictures(2), strict=True):
        np.save(tmp_path / f"{name}.npy", picture)
    path = tmp_path / "shown.toml"
    path.write_text(FILE, "utf-8")
    return path


def test_a_probe_file_with_examples(file: Path) -> None:
    probes = load_probes(str(file))
    first, second = shown_of(probes)
    assert (first.image == pictures(2)[0]).all()
    contact = next(p.question for p in probes.probes if p.id == "contact_state")
    assert (
        first.text
        == f'About the picture above, the right answer is yes to "{contact}", no to the others like it.'
    )
    assert second.text.endswith("Now comes the picture that all questions are about.")
    assert "contact state" not in first.text.lower()
    before = probes.tag
    moved = file.parent / "moved"
    moved.mkdir()
    for one in ("a.npy", "b.npy", "shown.toml"):
        (moved / one).write_bytes((file.parent / one).read_bytes())
    assert load_probes(str(moved / "shown.toml")).tag == before
    np.save(file.parent / "b.npy", pictures(3)[2])
    assert load_probes(str(file)).tag != before
    child = file.parent / "child.toml"
    child.write_text('name = "child"\nbase = "shown.toml"\n', "utf-8")
    assert len(load_probes(str(child)).shots) == 2
    child.write_text('name = "child"\nbase = "shown.toml"\nexample = []\n', "utf-8")
    assert load_probes(str(child)).shots == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('image = "a.npy"', 'image = "none.png"'), r"example: image: .*none\.png: cannot be read"),
        (('"contact_state"', '"weather"'), r"yes: expected different ids of enabled probes.* got 'weather'"),
        (('"contact_state"', '"contact_state", "contact_state"'), r"yes: expected different ids"),
        (('image = "a.npy"', 'image = "/dev/zero"'), r"/dev/zero: expected a regular file"),
        (('image = "a.npy"', 'image = "pipe"'), r"pipe: expected a regular file"),
        (('image = "a.npy"', 'image = "huge.npy"'), r"huge\.npy: expected at most \d+ bytes"),
        (('image = "a.npy"', 'image = "a\\u0000"'), r"expected a path that a file can have"),
        (('yes = ["contact', 'eligible = false\nyes = ["contact'), r"none where the picture is not eligible"),
    ],
)  # fmt: skip
def test_wrong_examples_are_said(file: Path, change: tuple[str, str], message: str) -> None:
    os.mkfifo(file.parent / "pipe")
    with (file.parent / "huge.npy").open("wb") as huge:
        huge.truncate(2**33)
    file.write_text(FILE.replace(*change), "utf-8")
    with pytest.raises(ConfigError, match=message):
        load_probes(str(file))


def test_an_engine_that_shows_one_picture_only_is_refused(file: Path) -> None:
    probes = load_probes(str(file))
    with pytest.raises(ConfigError, match=r"expected an engine that can show several pictures"):
        EngineJudge(Scripted(), probes, JudgeSettings(engine="onepass"))
    np.save(file.parent / "b.npy", pictures(3)[2])
    with pytest.raises(ConfigError, match=r"example .*b\.npy: expected the file as it was read"):
        shown_of(probes)
    scripted = Scripted()
    assert with_shots(scripted, load_probes("terravis")) is scripted
    (file.parent / "a.npy").write_bytes(b"no image")
    with engine("smolvlm") as made, pytest.raises(ConfigError, match=r"example .*a\.npy: expected"):
        with_shots(made, load_probes(str(file)))


def test_a_judge_shows_them_first(file: Path) -> None:
    image = pictures(3)[2]
    probes = load_probes(str(file))
    with engine("smolvlm") as made:
        assert isinstance(made, Shows)
        plain = asked(made, (), image)
        shown = asked(made, shown_of(probes), image)
        assert max(abs(a - b) for a, b in zip(plain, shown, strict=True)) > 1e-3
        looks = []
        for some in (probes, load_probes("terravis")):
            judge = EngineJudge(made, some, JudgeSettings(engine="onepass"))
            looks.append(asyncio.run(judge.look(image)))
    with_examples, without = looks
    assert with_examples.fault is without.fault is None
    assert any(
        abs((with_examples.answers[n].p_yes or 0) - (without.answers[n].p_yes or 0)) > 1e-3
        for n in probes.ids
    )
    assert with_examples.spent.tokens > without.spent.tokens + 100
