"""Gravity and contact: what stands, what falls, in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.scenes.geometry.solids import rot
from benchmarks.scenes.pairs.physics import Body, body_of, domino_row, flight, settle, stands
from tests.scenes.pairs.toy import yard


def block(key: str, x: float, z: float, scale: float = 1.0) -> Body:
    """A box 0.3 wide and 0.2 high with its middle at (x, 0, z)."""
    return Body(key, "box", (0.3 * scale, 0.3 * scale, 0.2 * scale), np.array([x, 0, z]) * scale)


@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0])
def test_a_stack_stays_and_without_its_middle_does_not(scale: float) -> None:
    stack = [block("a", 0, 0.1, scale), block("b", 0.05, 0.3, scale), block("c", 0, 0.5, scale)]
    assert stands(stack)
    assert not stands([stack[0], stack[2]])
    fallen = settle([stack[0], stack[2]]).poses["c"]
    assert fallen.at[2] == pytest.approx(0.3 * scale, abs=0.02 * scale)
    assert fallen.moved == pytest.approx(0.2 * scale, abs=0.02 * scale)


def test_beyond_half_its_width_a_block_tips_over() -> None:
    assert stands([block("a", 0, 0.1), block("b", 0.13, 0.3)])
    over = [block("a", 0, 0.1), block("b", 0.18, 0.3)]
    assert not stands(over)
    end = settle(over)
    assert end.at_rest
    assert end.order == ["b"]
    assert end.poses["b"].tilt > 60


def test_what_balances_on_an_edge_falls() -> None:
    edge = Body("e", "box", (0.4, 0.4, 0.4), np.array([0, 0, 0.2 * np.sqrt(2)]), rot("y", 45))
    assert not stands([edge])
    assert stands([replace(edge, turn=np.eye(3), at=np.array([0, 0, 0.2]))])


def test_a_table_holds_what_stands_on_it_and_nothing_holds_in_the_air() -> None:
    table = Body("table", "box", (1.0, 1.0, 0.1), np.array([0, 0, 0.7]), fixed=True)
    cup = Body("cup", "cylinder", (0.1, 0.3), np.array([0.3, 0, 0.9]))
    assert stands([table, cup])
    assert not stands([table, replace(cup, at=np.array([0.7, 0, 0.9]))])
    falling = settle([cup], ground=None, seconds=0.5)
    assert not falling.at_rest
    assert falling.poses["cup"].at[2] == pytest.approx(0.9 - 9.81 / 2 * 0.25, abs=0.03)


def test_dominoes_fall_in_order_and_stop_at_a_wide_gap() -> None:
    row = domino_row(6, (0.1, 0.3, 0.6), 0.25)
    assert settle(row, seconds=3).order == [str(k) for k in range(6)]
    far = [b if k < 3 else replace(b, at=b.at + np.array([0.7, 0, 0])) for k, b in enumerate(row)]
    end = settle(far, seconds=3)
    assert end.order == ["0", "1", "2"]
    assert end.poses["4"].moved < 0.01


def test_a_plank_leans_at_a_wall_and_falls_without_it() -> None:
    wall = Body("wall", "box", (0.1, 2, 2), np.array([0, 0, 1]), fixed=True)
    plank = Body("plank", "box", (0.05, 0.3, 1.2), np.array([0.25, 0, 0.62]), rot("y", -14))
    assert settle([wall, plank]).poses["plank"].tilt < 6
    assert settle([plank]).poses["plank"].tilt > 45


def test_a_pose_takes_a_thing_along() -> None:
    red = yard().thing("red")
    body = body_of(red)
    tipped = settle([replace(body, spin=(0.0, 5.0, 0.0), velocity=(2.0, 0.0, 0.0))]).poses["red"]
    assert tipped.tilt == pytest.approx(90, abs=3)
    placed = tipped.place(red)
    assert placed.low[2] == pytest.approx(0.0, abs=0.02)
    assert sorted(placed.size.round(1)) == [0.6, 0.6, 1.0]
    assert placed.size[2] == pytest.approx(0.6, abs=0.03)


def test_a_ball_is_a_sphere_and_flies_a_parabola() -> None:
    ball = body_of(yard().thing("blue"), velocity=(2.0, 0.0, 3.0))
    assert ball.shape == "sphere"
    path = flight(ball.at, (2.0, 0.0, 3.0), [0.0, 0.3, 9.0], 0.4)
    thrown = settle([ball], seconds=0.3).poses["blue"].at
    assert np.allclose(thrown, path[1], atol=0.03)
    assert path[2][2] == pytest.approx(0.4)


def test_the_same_bodies_end_alike() -> None:
    row = domino_row(4, (0.1, 0.3, 0.6), 0.2)
    a, b = settle(row), settle(row)
    assert all(np.array_equal(a.poses[k].at, b.poses[k].at) for k in a.poses)


def test_bad_bodies_are_refused() -> None:
    with pytest.raises(ValueError, match="different keys"):
        settle([block("a", 0, 0.1), block("a", 1, 0.1)])
    with pytest.raises(ValueError, match="a: expected 2 positive sizes of a cylinder"):
        settle([Body("a", "cylinder", (1.0,), np.zeros(3))])
