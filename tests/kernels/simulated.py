"""Oracle, CPU kernel and CUDA kernel answer alike. Run by `test_cuda_simulator.py`, in the simulator."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import (
    ArrayError,
    ObservedArrays,
    Pack,
    PackedBoxes,
    RuleArrays,
    compile_pack,
    reference,
    rule_scores,
)
from physgauge.rules_kernel.kernels import CompiledPack
from tests.kernels.random_packs import LABELS, random_batch, random_pack
from tests.kernels.simulator import UNWRITTEN, Simulated, Simulator
from tests.kernels.small import Box, images, observed, pack_of
from tests.kernels.test_oracle_agrees import assert_alike


def assert_scores(pack: Pack, got: Simulated, outcomes: RuleArrays) -> None:
    want = rule_scores(
        outcomes.status, pack.category_index, pack.weights, pack.minimum_rules, pack.rule_weights
    )
    for name in ("s_category", "s_rules", "weights", "applicable"):
        np.testing.assert_allclose(
            getattr(got.scores, name), getattr(want, name), rtol=1e-12, atol=1e-12, err_msg=name
        )


def stretched(rng: random.Random, boxes: PackedBoxes) -> PackedBoxes:
    """Some boxes huge, some a hair wide."""
    factor = np.array([rng.choice([1, 1, 1, 1e-30, 1e18, 3e37]) for _ in boxes.score])
    return replace(boxes, xyxy=(boxes.xyxy * factor[:, None]).astype(np.float32))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 6), st.booleans())
def test_cuda_agrees_with_oracle(seed: int, rules: int, count: int, extreme: bool) -> None:
    rng = random.Random(seed)
    pack = random_pack(rng, rules)
    boxes, seen = random_batch(rng, count)
    if extreme:
        boxes = stretched(rng, boxes)
    got = Simulator(pack).run(boxes, seen)
    assert got.bad == 0
    want = reference.evaluate(pack, boxes, seen)
    assert_alike(pack, got.outcomes, want)
    assert_scores(pack, got, want)


@pytest.mark.parametrize("seed", [1, 2])
def test_cuda_cpu_and_oracle_agree(seed: int) -> None:
    rng = random.Random(seed)
    pack = random_pack(rng, rules=16)
    kernel, simulator = compile_pack(pack), Simulator(pack)
    for count in (0, 1, 60):
        boxes, seen = random_batch(rng, count)
        want = reference.evaluate(pack, boxes, seen)
        compiled, got = kernel.evaluate(boxes, seen), simulator.run(boxes, seen)
        assert_alike(pack, compiled, want)
        assert_alike(pack, got.outcomes, compiled)
        np.testing.assert_array_equal(got.outcomes.status, compiled.status)
        assert_scores(pack, got, compiled)


SPOILERS = (
    "nan",
    "inf",
    "-inf",
    "inverted",
    "score",
    "label",
    "low label",
    "count",
    "size",
    "view",
)


def spoiled(
    rng: random.Random, what: str, boxes: PackedBoxes, seen: ObservedArrays
) -> tuple[PackedBoxes, ObservedArrays]:
    """The batch with one value that breaks the contract."""
    boxes = PackedBoxes(*(array.copy() for array in vars(boxes).values()))
    seen = ObservedArrays(*(array.copy() for array in vars(seen).values()))
    box, image = rng.randrange(len(boxes.score)), rng.randrange(len(seen.view))
    match what:
        case "nan" | "inf" | "-inf":
            boxes.xyxy[box, rng.randrange(4)] = float(what)
        case "inverted":
            boxes.xyxy[box, 2] = boxes.xyxy[box, 0] - 1
        case "score":
            boxes.score[box] = rng.choice([np.nan, -0.1, 1.1])
        case "label":
            boxes.label[box] = rng.choice([LABELS, 32767])
        case "low label":
            boxes.label[box] = -1
        case "count":
            seen.counts[image, 0] = rng.choice([-1, np.inf])
        case "size":
            seen.size[image, 1] = rng.choice([0, np.nan])
        case "view":
            seen.view[image] = rng.choice([-1, 6])
    return boxes, seen


@pytest.fixture(scope="module")
def both() -> tuple[Simulator, CompiledPack]:
    pack = random_pack(random.Random(7), 2)
    return Simulator(pack), compile_pack(pack)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(SPOILERS))
def test_both_count_what_breaks_the_contract(
    both: tuple[Simulator, CompiledPack], seed: int, what: str
) -> None:
    simulator, kernel = both
    rng = random.Random(seed)
    boxes, seen = random_batch(rng, 5)
    if not len(boxes.score):
        return
    assert simulator.run(boxes, seen).bad == 0
    boxes, seen = spoiled(rng, what, boxes, seen)
    assert simulator.run(boxes, seen).bad > 0
    with pytest.raises(ArrayError):
        kernel.evaluate(boxes, seen)


NOSE: Box = ("nose", 0, 0, 10, 10)


@pytest.mark.parametrize(
    ("offsets", "refused"),
    [
        ([0, 2, 1, 3], [1]),
        ([0, 1, 4, 3], [1, 2]),
        ([1, 1, 2, 3], [0]),
        ([0, 1, 2, 2], [2]),
        ([-1, 1, 2, 3], [0]),
        ([0, -1, 2, 3], [0, 1]),
        ([0, 1, 2, 4], [2]),
    ],
)
def test_images_whose_offsets_are_wrong_are_not_read(
    offsets: list[int], refused: list[int]
) -> None:
    """On a GPU nobody reads the offsets before the kernel does."""
    pack = pack_of("count(nose) == 1")
    simulator = Simulator(pack)
    boxes = images([[NOSE], [NOSE], [NOSE]])
    assert simulator.run(boxes, observed(pack, 3)).bad == 0
    wrong = replace(boxes, offsets=np.array(offsets, np.int64))
    got = simulator.launch(wrong, observed(pack, 3))
    assert got.bad == len(refused)
    untouched = np.flatnonzero(got.outcomes.status[:, 0] == UNWRITTEN)
    assert untouched.tolist() == refused


def test_an_image_with_too_many_boxes() -> None:
    pack = pack_of("count(nose) == 1")
    simulator = Simulator(pack)
    assert simulator.launch(images([[NOSE] * 1024]), observed(pack)).bad == 0
    assert simulator.launch(images([[NOSE] * 1025]), observed(pack)).bad > 0


def test_category_weights_rules_and_minimum() -> None:
    """Weights within a category, categories in any order, too few rules."""
    text = """
[[caption]]
id = "C1"
says = "c"
rule = "count(nose) == 1"
[[presence]]
id = "P1"
says = "p"
rule = "count(wing) == 1"
weight = 3
[[presence]]
id = "P2"
says = "p"
rule = "count(leg) == 1"
weight = 0.5
"""
    pack = pack_of("cx(nose) > cx(wing)", extra=text)
    for minimum in (1, 3, 4):
        own = replace(pack, minimum_rules=minimum)
        content: list[list[Box]] = [
            [], [NOSE], [NOSE, ("wing", 0, 0, 4, 4)], [("leg", 0, 0, 1, 1)],
        ]  # fmt: skip
        boxes, seen = images(content), observed(own, len(content))
        got = Simulator(own).run(boxes, seen)
        assert_scores(own, got, reference.evaluate(own, boxes, seen))
        assert np.isnan(got.scores.s_rules).any() == (minimum > 3)
