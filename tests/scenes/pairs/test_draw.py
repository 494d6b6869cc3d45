"""What a world's picture shows: shadows, masks, depth, water, mirror."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from benchmarks.scenes.geometry.solids import box
from benchmarks.scenes.pairs.draw import draw, lit_by
from benchmarks.scenes.pairs.world import Canvas, World
from benchmarks.scenes.render import Stage
from tests.scenes.pairs.toy import SUN, around, hall, lake, shadow_spot, solid, yard


def differs(a: Canvas, b: Canvas, levels: int = 2) -> np.ndarray:
    """Where two pictures differ."""
    changed: np.ndarray = np.abs(a.pixels.astype(int) - b.pixels).max(-1) > levels
    return changed


def lightness(canvas: Canvas, point: np.ndarray) -> float:
    return float(around(canvas, point).mean())


def tint(canvas: Canvas, point: np.ndarray, channel: int) -> float:
    """How much one channel stands out."""
    colour = around(canvas, point)
    return float(colour[channel] - np.delete(colour, channel).mean())


def pair(stage: Stage, one: World, other: World) -> tuple[Canvas, Canvas]:
    lit = lit_by(one, other)
    return draw(stage, one, lit), draw(stage, other, lit)


def test_a_picture_does_not_depend_on_what_was_drawn_before(stage: Stage) -> None:
    stage.clear()
    first = draw(stage, yard())
    draw(stage, lake())
    again = draw(stage, yard())
    stage.clear()
    assert np.array_equal(first.pixels, again.pixels)
    assert np.array_equal(first.pixels, draw(stage, yard()).pixels)


def test_textures_of_one_name_are_each_worlds_own(stage: Stage) -> None:
    world = yard()
    poster = solid("poster", box((0, 0, 1.5), (0.1, 1.5, 0.8)), (1, 1, 1), texture="backdrop")
    light = world.plus(poster)
    dark = light.with_textures({"backdrop": np.zeros((256, 256, 3), np.uint8)})
    bright, black = draw(stage, light), draw(stage, dark)
    seen = bright.mask("poster")
    assert bright.pixels[seen].mean() > black.pixels[seen].mean() + 50


def test_two_stages_draw_side_by_side(stage: Stage) -> None:
    stage.clear()
    alone = draw(stage, yard())
    other = Stage(64)
    try:
        small = draw(other, lake())
        stage.clear()
        assert np.array_equal(draw(stage, yard()).pixels, alone.pixels)
        assert np.array_equal(draw(other, lake()).pixels, small.pixels)
    finally:
        other.close()
    assert np.array_equal(draw(stage, yard()).pixels, alone.pixels)


def test_masks_and_depth_are_where_the_things_are(stage: Stage) -> None:
    canvas = draw(stage, yard())
    for thing in yard().things:
        mask = canvas.mask(thing.key)
        px = canvas.project(thing.verts())
        ys, xs = np.nonzero(mask)
        low, high = px.min(0), px.max(0)
        assert np.allclose([xs.min(), ys.min()], low, atol=1.5)
        assert np.allclose([xs.max() + 1, ys.max() + 1], high, atol=1.5)
        along = (thing.verts() - canvas.world.camera.pos) @ canvas.world.camera.forward
        assert canvas.depth[mask].min() == pytest.approx(along.min(), abs=0.03)
        assert canvas.depth[mask].max() <= along.max() + 0.01
    assert canvas.index[0, 0] == -1


def test_a_thing_that_casts_nothing_lacks_its_shadow_and_nothing_else_changes(stage: Stage) -> None:
    world = yard()
    with_it, without = pair(stage, world, world.changed(replace(world.thing("red"), casts=False)))
    spot = shadow_spot(world.thing("red"), SUN)
    assert lightness(without, spot) > lightness(with_it, spot) + 40
    changed = differs(with_it, without)
    assert not (changed & ndimage.binary_erosion(with_it.mask("red"))).any()
    assert (without.pixels[changed] >= with_it.pixels[changed]).all()
    other = shadow_spot(world.thing("green"), SUN, high=0.5)
    assert lightness(without, other) == lightness(with_it, other)


def test_its_own_shadow_by_the_other_path_is_the_same(stage: Stage) -> None:
    world = yard()
    for key in ("red", "blue"):
        own = world.thing(key)
        plain, composed = pair(stage, world, world.changed(replace(own, shadow=own)))
        assert differs(plain, composed).sum() == 0
    turned = replace(world.thing("red"), shadow_from=SUN)
    plain, composed = pair(stage, world, world.changed(turned))
    assert differs(plain, composed).sum() == 0


def test_a_shadow_from_another_light_falls_where_that_light_would_throw_it(stage: Stage) -> None:
    world, light = yard(), np.array([0.6, 0.5, -0.7])
    red = world.thing("red")
    right, wrong = pair(stage, world, world.changed(replace(red, shadow_from=light)))
    there = shadow_spot(red, light)
    assert lightness(wrong, there) < lightness(right, there) - 40
    own = shadow_spot(red, SUN)
    assert lightness(wrong, own) > lightness(right, own) + 40


def test_another_things_shadow_takes_the_place_of_its_own(stage: Stage) -> None:
    world = yard()
    tall = solid("tall", box((0, 0, 1.0), (0.15, 0.15, 2.0)), (1, 1, 1))
    right, wrong = pair(stage, world, world.changed(replace(world.thing("red"), shadow=tall)))
    there = shadow_spot(tall, SUN, high=0.75)
    assert lightness(wrong, there) < lightness(right, there) - 40
    assert np.array_equal(right.index, wrong.index)  # the caster is not seen


def test_shadows_follow_the_world(stage: Stage) -> None:
    here, far = draw(stage, yard()), draw(stage, yard((30.0, -20.0, 3.0)))
    assert differs(here, far, 12).mean() < 0.004


def test_transparent_things_show_what_is_behind_and_have_masks(stage: Stage) -> None:
    world = yard()
    at = world.thing("red").centre + np.array([1.0, 0.1, 0.0])
    pane = solid("pane", box(at, (0.02, 1.0, 0.9)), (1.0, 1.0, 1.0), alpha=0.3)
    before, behind = pair(stage, world, world.plus(pane))
    seen = behind.mask("pane") & before.mask("red")
    assert seen.sum() > 100
    tinted, plain = behind.pixels[seen].mean(0), before.pixels[seen].mean(0)
    assert tinted[0] > plain[0]
    assert 1.5 * tinted[1] < tinted[0]


def test_water_mirrors_what_is_above_it(stage: Stage) -> None:
    world = lake()
    blue = world.thing("blue")
    own, none = pair(stage, world, world.changed(replace(blue, casts=False)))
    image = blue.centre * (1, 1, -1)  # a ball's middle is seen below the surface
    assert tint(own, image, 2) > tint(none, image, 2) + 10
    red_ball = solid("x", box(blue.centre, (0.7, 0.7, 0.7)), (0.9, 0.1, 0.1))
    _, other = pair(stage, world, world.changed(replace(blue, reflected=red_ball)))
    assert tint(other, image, 0) > tint(own, image, 0) + 40
    assert np.array_equal(own.index, other.index)
    changed = differs(own, other)
    assert not (changed & ndimage.binary_erosion(own.mask("blue"))).any()


def test_water_hides_and_does_not_mirror_what_is_below_it(stage: Stage) -> None:
    sunk = solid("sunk", box((1.6, 0.3, -0.5), (0.5, 0.5, 0.5)), (1.0, 0.9, 0.1))
    for clear, least, most in ((0.0, 0.0, 0.002), (0.9, 0.01, 0.2)):
        world = lake(clear)
        plain, with_it = pair(stage, world, world.plus(sunk))
        assert least <= differs(plain, with_it, 8).mean() <= most
    above = plain.project(sunk.centre * (1, 1, -1)).astype(int)
    assert not differs(plain, with_it, 8)[above[1] - 3 : above[1] + 3, above[0]].any()


def test_what_stands_in_water_is_mirrored_from_the_waterline_on(stage: Stage) -> None:
    post = solid("post", box((1.2, 0.6, 0.0), (0.3, 0.3, 1.6)), (0.9, 0.2, 0.1))
    plain, with_it = pair(stage, lake(0.0), lake(0.0).plus(post))
    below = np.array([1.2, 0.6, -0.4])
    assert tint(with_it, below, 0) > tint(plain, below, 0) + 25
    deeper = np.array(
        [1.2, 0.6, -1.1]
    )  # the post reaches 0.8 above the water, so does its image below
    assert np.abs(around(with_it, deeper) - around(plain, deeper)).max() < 3


def test_the_part_under_water_is_not_mirrored_above_it(stage: Stage) -> None:
    post = solid("post", box((0.9, 0.6, -0.6), (0.3, 0.3, 1.6)), (0.9, 0.2, 0.1))
    plain, with_it = pair(stage, lake(0.0), lake(0.0).plus(post))
    for high in (0.5, 0.8, 1.1):  # the post ends 0.2 above the water and 1.4 below it
        over = np.array([0.9, 0.6, high])
        assert np.abs(around(with_it, over) - around(plain, over)).max() < 3


def test_waves_move_reflections_and_nothing_else(stage: Stage) -> None:
    still, rough = draw(stage, lake()), draw(stage, lake(waves=0.3))
    changed = differs(still, rough)
    assert changed.mean() > 0.05
    # At the outlines of mirrored things colours change, not only their brightness.
    hue = still.pixels.astype(int)[..., 0] - still.pixels[..., 2]
    assert (
        np.abs(hue - rough.pixels.astype(int)[..., 0] + rough.pixels[..., 2]) > 40
    ).mean() > 0.001
    things = np.isin(still.index, (0, 1, 2))
    assert not (changed & things).any()


def test_a_mirror_shows_the_other_side(stage: Stage) -> None:
    world = hall()
    blue = world.thing("blue")
    image = blue.centre.copy()
    image[0] = -3.0 - image[0]  # behind the glass at x = -1.5
    own, none = pair(stage, world, world.changed(replace(blue, casts=False)))
    assert tint(own, image, 2) > tint(none, image, 2) + 30
    behind = solid("behind", box((-3.2, 1.4, 0.4), (0.5, 0.5, 0.8)), (1.0, 1.0, 0.1))
    plain, with_it = pair(stage, world, world.plus(behind))
    assert not (with_it.mask("behind")).any()
    assert not differs(plain, with_it)[plain.mask("blue")].any()
