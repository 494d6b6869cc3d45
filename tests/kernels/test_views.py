"""The view from the parts: where nobody looked, a pack's [[view]] tables say what the boxes show."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.ensemble.sight import Sight
from physgauge.rules_kernel import Pack, PackError, RuleError, parse_pack
from physgauge.types import VIEWS, Boxes

from .small import HEAD, Box, image, images

VIEW_TABLES = """
[[view]]
is = "front"
when = "count(nose) >= 1 and cx(nose) == cx(union(wing))"
[[view]]
is = "side"
when = "present(nose)"
"""
RULE = '\n[[spatial]]\nid = "R1"\nsays = "r"\nrule = "width(nose) < width(wing)"\n'


def pack(views: str = VIEW_TABLES) -> Pack:
    return parse_pack((HEAD + RULE + views).encode(), "small.toml")


def seen(
    sight: Sight,
    view: list[int],
    looked: list[bool],
    *content: list[Box],
) -> list[str]:
    packed = images(list(content))
    boxes = Boxes(
        packed.xyxy,
        packed.score,
        packed.label,
        np.zeros(len(packed.label), np.int8),
        packed.offsets,
    )
    counts = np.full((len(content), 4), np.nan, np.float32)
    size = np.full((len(content), 2), 100, np.float32)
    got = sight.complete(np.array(view, np.int8), np.array(looked), boxes, counts, size)
    return [VIEWS[v] for v in got]


MIDDLE: list[Box] = [("nose", 40, 0, 60, 10), ("wing", 0, 0, 30, 9), ("wing", 70, 0, 100, 9)]
ASIDE: list[Box] = [("nose", 0, 0, 20, 10), ("wing", 0, 0, 100, 9)]
NOTHING: list[Box] = [("wing", 0, 0, 100, 9)]


def test_the_first_condition_that_holds_names_the_view() -> None:
    got = seen(Sight(pack(), 1), [0, 0, 0], [False] * 3, MIDDLE, ASIDE, NOTHING)
    assert got == ["front", "side", "unknown"]


def test_who_looked_is_believed_even_when_unsure() -> None:
    rear = VIEWS.index("rear")
    got = seen(Sight(pack(), 1), [rear, 0, 0], [True, True, False], MIDDLE, ASIDE, ASIDE)
    assert got == ["rear", "unknown", "side"]


def test_a_pack_without_views_leaves_them_unknown() -> None:
    assert pack("").sight() is None
    assert seen(Sight(pack(""), 1), [0], [False], MIDDLE) == ["unknown"]


def test_the_views_are_no_rules_of_the_pack() -> None:
    own = pack()
    assert own.rule_ids == ("R1",)
    shown = own.sight()
    assert shown is not None
    assert shown.content_hash != own.content_hash
    assert [r.source for r in shown.rules][1] == "present(nose)"
    assert len(image(*MIDDLE).label) == 3


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('is = "frnt"\nwhen = "present(nose)"', r"unknown view 'frnt'.*side, front_quarter.*did you mean 'front'"),
        ('is = "unknown"\nwhen = "present(nose)"', "unknown view 'unknown'"),
        ('when = "present(nose)"', "unknown view None"),
        ('is = "front"', "no expression"),
        ('is = "front"\nwhen = "present(nos)"', r"unknown component .nos'.*did you mean 'nose'"),
        ('is = "front"\nwhen = "width(nose)"', "view front"),
        ('is = "front"\nwhen = "view == side"', "a view that depends on the view"),
        ('is = "front"\nwhen = "present(nose)"\nweight = 2', r"unknown key 'weight' in \[view\]"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(table: str, says: str) -> None:
    with pytest.raises(RuleError, match="(?s)" + says) as caught:
        pack("\n[[view]]\n" + table)
    assert "small.toml" in str(caught.value)


def test_too_many_views_are_refused() -> None:
    with pytest.raises(PackError, match="too many views"):
        pack('\n[[view]]\nis = "front"\nwhen = "present(nose)"' * 65)
