"""The aircraft pack, rule by rule: a scene that a rule accepts, and a change that it rejects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from physgauge.rules_kernel import load_pack, reference
from tests.kernels.scenes import AIRBUS, Scene, arrays

PACK = load_pack("aircraft")
T_TAIL = replace(AIRBUS, tags=("captioned", "low_wing", "t_tail")).moved("engine", -110, -60)
BROAD = AIRBUS.without("wing").plus(("wing", 100, 120, 213, 185))


def violated(scene: Scene) -> set[str]:
    """Ids of the rules that a scene breaks."""
    status = reference.evaluate(PACK, *arrays(PACK, [scene])).status[0]
    return {rule.id for rule, value in zip(PACK.rules, status, strict=True) if value == 0}


@pytest.mark.parametrize(
    ("rule", "view", "change"),
    [
        ("S1", "side", lambda s: s.plus(("engine", 60, 85, 100, 100))),
        ("S2", "side", lambda s: s.moved("wing", 0, -60)),
        ("S3", "side", lambda s: s.moved("engine", 0, 60)),
        ("S4", "side", lambda s: s.moved("tail", 110, 0)),
        ("S6", "front_quarter", lambda s: s.moved("tail", 60, 0)),
        ("S8", "side", lambda s: s.moved("wing", 0, 110)),
        ("S10", "side", lambda s: s.moved("tail", 0, -60)),
        ("S11", "side", lambda s: s.moved("tail_wing", -110, 0)),
        ("S12", "side", lambda s: s.moved("tail_wing", 0, -60)),
        ("S13", "side", lambda s: s.moved("head", 60, 0)),
        ("S14", "side", lambda s: s.moved("engine", 60, 0)),
        ("S16", "side", lambda s: s.moved("head", 0, 60)),
        ("S17", "front_quarter", lambda s: s.moved("wing", 0, -60)),
        ("S18", "front_quarter", lambda s: s.moved("wing", 0, -110)),
        ("S19", "side", lambda s: s.moved("engine", 0, -60)),
        ("S21", "front_quarter", lambda s: s.moved("head", -110, 0)),
        ("S22", "rear_quarter", lambda s: s.moved("wing", 0, 110)),
        ("S25", "rear_quarter", lambda s: s.moved("tail", 0, -60)),
        ("R3", "side", lambda s: s.grown("head", 3)),
        ("R5", "side", lambda s: s.grown("tail", 3)),
        ("R6", "side", lambda s: s.grown("tail", 2)),
        ("R10", "front_quarter", lambda s: s.grown("head", 2.5)),
        ("R11", "side", lambda s: s.grown("engine", 2)),
        ("R12", "side", lambda s: s.grown("head", 0.3)),
        ("R13", "front_quarter", lambda s: s.grown("head", 2)),
        ("R14", "side", lambda s: s.grown("engine", 0.3)),
        ("R16", "side", lambda s: s.grown("tail_wing", 3)),
        ("R17", "front_quarter", lambda s: s.grown("tail", 2)),
        ("R19", "rear_quarter", lambda s: s.grown("tail_wing", 3)),
    ],
)
def test_a_rule_fires_on_its_change_only(
    rule: str, view: str, change: Callable[[Scene], Scene]
) -> None:
    scene = replace(AIRBUS, view=view)
    assert rule not in violated(scene)
    assert rule in violated(change(scene))


def test_a_broad_wing_does_not_come_alone() -> None:
    assert "P9" in violated(BROAD)
    assert "P9" not in violated(BROAD.plus(("wing", 163, 142, 184, 149)))
    assert "P8" not in violated(BROAD)
    assert "P8" in violated(BROAD.without("tail_wing"))


def test_a_t_tail_is_in_line_with_nose_and_engines() -> None:
    assert "S23" not in violated(T_TAIL)
    assert "S23" in violated(T_TAIL.moved("tail", 0, -60))
    assert "S23" not in violated(replace(T_TAIL, tags=()).moved("tail", 0, -60))


@pytest.mark.parametrize("view", ["front", "rear", "front_quarter"])
def test_engines_at_the_tail_are_for_types_that_may_have_them(view: str) -> None:
    at_tail = replace(AIRBUS, view=view).plus(("engine", 36, 130, 80, 140))
    assert "S1" in violated(at_tail)
    assert "S1" not in violated(replace(at_tail, tags=("captioned", "low_wing", "t_tail")))
