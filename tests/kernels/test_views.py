"""The view from the parts: where nobody looked, a pack's [[view]] tables say what the boxes show."""

from __future__ import annotations

import numpy as np
import pytest

from physgauge.ensemble.sight import Sight
from physgauge.rules_kernel import Pack, PackError, RuleError, load_pack, parse_pack
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


@pytest.mark.parametrize(
    ("domain", "view", "content"),
    [
        ("car", "side", [("wheel", 60, 190, 110, 240), ("wheel", 230, 190, 280, 240), ("door", 120, 140, 230, 215), ("roof", 120, 90, 230, 105)]),
        ("car", "front", [("headlight", 60, 150, 90, 170), ("headlight", 210, 150, 240, 170), ("grille", 110, 150, 190, 175), ("roof", 80, 60, 220, 80)]),
        ("car", "rear", [("taillight", 60, 150, 80, 170), ("taillight", 220, 150, 240, 170), ("trunk", 70, 110, 230, 180)]),
        ("car", "unknown", [("roof", 120, 90, 230, 105), ("door", 120, 140, 230, 215)]),
        ("aircraft", "front", [("head", 140, 120, 180, 160), ("wing", 0, 140, 130, 155), ("wing", 190, 140, 320, 155)]),
        ("aircraft", "unknown", [("wing", 0, 140, 130, 155), ("wing", 190, 140, 320, 155)]),
        ("animal", "side", [("chest", 180, 100, 250, 170), ("belly", 95, 100, 185, 170), ("head", 250, 50, 310, 100), ("leg", 100, 160, 120, 240)]),
    ],
)  # fmt: skip
def test_what_the_shipped_packs_see(domain: str, view: str, content: list[Box]) -> None:
    own = load_pack(domain)
    mirrored = [(name, 320 - x1, y0, 320 - x0, y1) for name, x0, y0, x1, y1 in content]
    for boxes in (content, mirrored, [(n, *(2 * v for v in b)) for n, *b in content]):
        packed = Boxes(
            np.array([b[1:] for b in boxes], np.float32),
            np.ones(len(boxes), np.float32),
            np.array([own.label(str(b[0])) for b in boxes], np.int16),
            np.zeros(len(boxes), np.int8),
            np.array([0, len(boxes)], np.int64),
        )
        counts = np.full((1, len(own.components)), np.nan, np.float32)
        nobody = np.zeros(1, np.int8), np.zeros(1, np.bool_)
        got = Sight(own, 1).complete(*nobody, packed, counts, np.full((1, 2), 320, np.float32))
        assert VIEWS[got[0]] == view
