"""Whether a violation is seen, and where it is said to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from benchmarks.scenes.pairs.draw import draw, lit_by
from benchmarks.scenes.pairs.evidence import CHANGED, LEAST, Evidence, check_worlds, find
from benchmarks.scenes.pairs.registry import Planted
from benchmarks.scenes.pairs.world import Canvas, World
from benchmarks.scenes.render import Light, Stage
from tests.scenes.pairs.toy import lake, shadow_spot, yard


def drawn(stage: Stage, planted: Planted) -> tuple[Canvas, Canvas]:
    check_worlds(planted)
    lit = lit_by(planted.clean, planted.violated)
    return draw(stage, planted.clean, lit), draw(stage, planted.violated, lit)


def seen(
    stage: Stage, clean: World, violated: World, *where: str
) -> tuple[Evidence, Canvas, Canvas]:
    planted = Planted(violated, clean, where, "")
    a, b = drawn(stage, planted)
    found = find(planted, a, b)
    assert isinstance(found, Evidence), found
    return found, a, b


def agree(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union."""
    return float((a & b).sum() / (a | b).sum())


def test_what_moved_is_masked_where_it_is_now(stage: Stage) -> None:
    world = yard()
    found, _, after = seen(
        stage, world, world.changed(world.thing("blue").moved((0, 0, 0.9))), "blue"
    )
    assert agree(found.mask, after.mask("blue")) > 0.95
    ys, xs = np.nonzero(found.mask)
    assert found.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)


def test_what_is_gone_is_masked_where_it_was(stage: Stage) -> None:
    world = yard()
    found, before, _ = seen(stage, world, world.without("blue"), "blue")
    assert agree(found.mask, before.mask("blue")) > 0.9


def test_what_lost_its_support_is_masked_with_the_place_of_the_support(stage: Stage) -> None:
    world = yard()
    held = world.thing("green").moved((0, 0, 1.0))
    stacked = world.changed(held).plus(replace(world.thing("green"), key="below"))
    found, before, after = seen(stage, stacked, stacked.without("below"), "green")
    assert (found.mask & after.mask("green")).sum() > 0.95 * after.mask("green").sum()
    assert (found.mask & before.mask("below")).sum() > 0.8 * before.mask("below").sum()


def test_a_wrong_shadow_is_masked_with_its_thing(stage: Stage) -> None:
    world = yard()
    red = world.thing("red")
    found, _, after = seen(stage, world, world.changed(replace(red, casts=False)), "red")
    x, y = after.project(shadow_spot(red, world.sun.direction)).astype(int)
    assert found.mask[y, x]
    assert (found.mask & after.mask("red")).sum() > 0.95 * after.mask("red").sum()
    alone, _, after = seen(stage, world, world.changed(replace(red, casts=False)))
    assert alone.mask[y, x]
    assert not (alone.mask & ndimage.binary_erosion(after.mask("red"), iterations=2)).any()


@pytest.mark.parametrize("make", [yard, lake])
def test_all_that_differs_is_at_what_changed(stage: Stage, make: type) -> None:
    world = make()
    for change in (
        world.changed(world.thing("blue").moved((0, 0, 0.8))),
        world.changed(world.thing("red").scaled(1.4)),
        world.without("green"),
    ):
        found, before, after = seen(stage, world, change)
        differs = np.abs(before.pixels.astype(int) - after.pixels).max(-1)
        assert not ((differs >= CHANGED) & ~ndimage.binary_dilation(found.mask, iterations=3)).any()


def test_what_differs_elsewhere_is_no_evidence(stage: Stage) -> None:
    world = yard()
    planted = Planted(world.changed(world.thing("blue").moved((0, 0, 0.5))), world, ("blue",), "")
    before, after = drawn(stage, planted)
    assert isinstance(find(planted, before, after), Evidence)
    after.pixels[-60:, :60] = 0
    assert "away from what was changed" in str(find(planted, before, after))


def test_too_little_too_much_and_the_edge_are_no_evidence(stage: Stage) -> None:
    world = yard()
    planted = Planted(world.changed(world.thing("blue").scaled(0.999)), world, ("blue",), "")
    assert "at least" in str(find(planted, *drawn(stage, planted)))

    def dark(canvas: Canvas) -> None:
        canvas.pixels //= 4

    planted = Planted(world.after(dark), world, (), "")
    assert "at most" in str(find(planted, *drawn(stage, planted)))

    def edge(canvas: Canvas) -> None:
        canvas.pixels[:6] = 0

    planted = Planted(world.after(edge), world, (), "")
    assert "edge" in str(find(planted, *drawn(stage, planted)))


def test_just_enough_is_evidence(stage: Stage) -> None:
    world = yard()
    side = int(np.sqrt(LEAST) * stage.size)
    for grow, enough in ((-2, False), (2, True)):

        def spot(canvas: Canvas, n: int = side + grow) -> None:
            canvas.pixels[60 : 60 + n, 60 : 60 + n] ^= 0x80

        planted = Planted(world.after(spot), world, (), "")
        assert isinstance(find(planted, *drawn(stage, planted)), Evidence) is enough


def test_what_is_named_but_hidden_is_no_evidence(stage: Stage) -> None:
    world = yard()
    hidden = replace(world.thing("blue").scaled(0.1), key="hidden").moved((-60.0, 0, 0))
    moved = world.plus(hidden).changed(world.thing("green").moved((0, 0, 0.6)))
    planted = Planted(moved, world.plus(hidden), ("hidden",), "")
    assert "nothing is seen of hidden" in str(find(planted, *drawn(stage, planted)))


def test_twins_of_two_lights_stages_or_textures_are_refused() -> None:
    world = yard()
    sun = Light(-world.sun.direction, (1, 1, 1), (0, 0, 0), 0.0, True)
    for other, name in (
        (replace(world, sun=sun), "sun"),
        (replace(world, stage=world.stage[1:]), "stage"),
        (replace(world, camera=yard((1, 0, 0)).camera), "camera"),
        (replace(world, ground=0.5), "ground"),
        (world.with_textures({"backdrop": np.zeros((256, 256, 3), np.uint8)}), "textures"),
    ):
        with pytest.raises(ValueError, match=f"twins with the same {name}"):
            check_worlds(Planted(other, world, (), ""))
    check_worlds(Planted(world.without("red"), world, (), ""))


@pytest.mark.parametrize("size", [160, 320, 100])
def test_cells_are_the_share_that_is_covered(size: int) -> None:
    mask = np.zeros((size, size), bool)
    mask[: size // 2, : size // 4] = True
    cells = np.frombuffer(Evidence(mask, (0, 0, 0, 0)).cells(), np.uint8).reshape(16, 16)
    assert (cells[:8, :4] == 255).all()
    assert cells.sum() == 255 * 32
    mask[:] = np.random.default_rng(0).random(mask.shape) < 0.3
    cells = np.frombuffer(Evidence(mask, (0, 0, 0, 0)).cells(), np.uint8)
    assert cells.mean() / 255 == pytest.approx(mask.mean(), abs=0.01)
