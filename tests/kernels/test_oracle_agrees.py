"""Generated code and oracle answer alike, on random rules and random boxes.

The generated text runs as plain Python in most examples (no compile time), and through Numba on a
few packs with many rules.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physgauge.rules_kernel import (
    ObservedArrays,
    Pack,
    PackedBoxes,
    RuleArrays,
    compile_pack,
    kernels,
    reference,
)
from physgauge.rules_kernel.codegen import device_namespace, generate
from tests.kernels.random_packs import SCALES, random_batch, random_pack


def run_as_python(
    pack: Pack, boxes: PackedBoxes, observed: ObservedArrays, registers: int | None = None
) -> RuleArrays:
    """The generated module without Numba."""
    names: dict[str, Any] = {"prange": range}
    device_namespace(lambda function: function, names)
    exec(generate(pack, registers=registers), names)
    images, rules = len(observed.view), len(pack.rules)
    out = RuleArrays(
        np.empty((images, rules), np.int8),
        np.empty((images, rules), np.float32),
        np.empty((images, rules, 2), np.int32),
    )
    with np.errstate(all="ignore"):
        names["run"](
            0, images, *(array[0] for array in kernels._scratch(1, len(pack.components), 99)),
            boxes.xyxy, boxes.score, boxes.label, boxes.offsets, observed.counts,
            observed.said, observed.expected_min, observed.expected_max, observed.view,
            observed.size, observed.tags, out.status, out.measured, out.witness,
        )  # fmt: skip
    return out


def assert_alike(pack: Pack, got: RuleArrays, want: RuleArrays) -> None:
    for i, r in np.argwhere(got.status != want.status):
        rule = pack.rules[r]
        pytest.fail(
            f"image {i}: {rule.source}\n missing={rule.missing} vacuous={rule.vacuous} "
            f"kernel {got.status[i, r]}, oracle {want.status[i, r]}"
        )
    for r, rule in enumerate(pack.rules):
        np.testing.assert_allclose(
            got.measured[:, r], want.measured[:, r], rtol=1e-6, atol=1e-9, err_msg=rule.source
        )
        np.testing.assert_array_equal(got.witness[:, r], want.witness[:, r], err_msg=rule.source)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 5), st.sampled_from([None, 1, 40]))
def test_generated_text_agrees_with_oracle(
    seed: int, rules: int, images: int, registers: int | None
) -> None:
    """As one function, as one a rule, and as something between."""
    rng = random.Random(seed)
    pack = random_pack(rng, rules)
    boxes, observed = random_batch(rng, images, SCALES)
    assert_alike(
        pack,
        run_as_python(pack, boxes, observed, registers),
        reference.evaluate(pack, boxes, observed),
    )


def test_few_registers_make_more_functions() -> None:
    pack = random_pack(random.Random(3), rules=12)
    one, some, all_ = (
        generate(pack, registers=limit).count("def rules") for limit in (9999, 40, 1)
    )
    assert one == 1
    assert one < some <= all_ == 13, "one a rule, and the one that calls them"


@pytest.mark.parametrize("seed", [1, 2])
def test_compiled_agrees_with_oracle(seed: int) -> None:
    rng = random.Random(seed)
    pack = random_pack(rng, rules=16)
    kernel = compile_pack(pack)
    for images in (0, 1, 300):
        boxes, observed = random_batch(rng, images, SCALES)
        assert_alike(
            pack, kernel.evaluate(boxes, observed), reference.evaluate(pack, boxes, observed)
        )
