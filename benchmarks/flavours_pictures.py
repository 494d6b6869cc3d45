"""The pictures of docs/packs.md: scenes on which our packs and the published rules disagree.

``python -m benchmarks.flavours --pictures docs/pictures``

Example scenes and some rendered anew, each with the boxes that the rules of one flavour point at and what
both flavours say below. What is known of the scenes rendered anew goes into truth.json beside them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchmarks.flavours import CHANGES, EXAMPLES, Answer, Shot, judge, packs, read_shots, shot_of
from physgauge.report.draw import BAD, GOOD, tag_box, wrap
from physgauge.rules_kernel import Pack

SEED, SIZE, WIDTH = 4001, 320, 400
"""Of the scenes rendered anew; WIDTH px of the pictures."""
TRUTH: Final = "truth.json"
LINE, MARGIN = 16, 6
NAMES: Final = {"ours": "ours", "paper": "@paper"}


@dataclass(frozen=True, slots=True)
class Case:
    """One picture and what it is to show."""

    file: str
    scene: str | int
    """Name of an example, or index of a scene rendered anew."""
    rules: str
    """The rules that only one flavour breaks there."""
    flavour: str = "paper"
    """Which one; "neither": the published rules are kept, with nothing there to look at."""
    change: str = ""
    """What is done to it first: one of `flavours.CHANGES`, or "bare" of legs and eyes."""


CASES: Final = (
    Case("aircraft_05", "aircraft_05", "P3 S2 S3 C1"),
    Case("aircraft_03", "aircraft_03", "P5 R3"),
    Case("aircraft_01_doubled", "aircraft_01", "S1", change="doubled"),
    Case("aircraft_rear", 147, "P1 S4 R2"),
    Case("car_03", "car_03", "P2 S3 S4 R2"),
    Case("car_05", "car_05", "S4 R2 R3"),
    Case("car_07", "car_07", "P3 S2"),
    Case("car_06_widened", "car_06", "S1", change="widened"),
    Case("car_rear", 84, "P1"),
    Case("car_side", 3, "C1"),
    Case("animal_03", "animal_03", "S4 R4"),
    Case("animal_rear", 91, "P1 P2 S3"),
    Case("animal_front_quarter", 65, "R3"),
    Case("animal_06", "animal_06", "S16 S21", flavour="ours"),
    Case("animal_07_bare", "animal_07", "S1 S2 S3 R1 R2", flavour="neither", change="bare"),
)


def changed(shot: Shot, how: str) -> Shot:
    """The scene as a case shows it."""
    if how == "bare":
        gone = {"animal.leg", "animal.eye"}
        return replace(shot, parts=tuple(p for p in shot.parts if p[0] not in gone))
    return CHANGES[how](shot) if how else shot


def scenes(folder: Path) -> dict[str | int, Shot]:
    """The scenes of the cases by name or index; those rendered anew from `folder`'s truth.json."""
    known: dict[str | int, Shot] = {shot.name: shot for shot in read_shots()}
    truth = json.loads((folder / TRUTH).read_text(encoding="utf-8"))
    return known | {t["index"]: shot_of(t) for t in truth}


def render(folder: Path) -> dict[str | int, Image.Image]:
    """Render the new scenes and write what is known of them."""
    from benchmarks.scenes.compose import shoot
    from benchmarks.scenes.dataset import Order, row
    from benchmarks.scenes.render import Stage

    stage = Stage(SIZE)
    order = Order("all", 1, SEED, folder, SIZE)
    made: dict[str | int, Image.Image] = {}
    truth: list[dict[str, Any]] = []
    for index in sorted({case.scene for case in CASES if isinstance(case.scene, int)}):
        shot = shoot(stage, SEED, index, "all", order.violated, "jpeg")
        made[index] = Image.open(BytesIO(shot.data)).convert("RGB")
        truth.append(row(order, index, shot))
    stage.close()
    lines = ",\n".join(json.dumps(t) for t in truth)
    (folder / TRUTH).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return made


def write_pictures(folder: Path) -> int:
    """Render, draw and write all pictures; returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    images = render(folder)
    known = scenes(folder)
    for case in CASES:
        if isinstance(case.scene, str):
            images[case.scene] = Image.open(EXAMPLES.parent / f"{case.scene}.jpg").convert("RGB")
        shot = changed(known[case.scene], case.change)
        picture = _resized(images[case.scene], case.change, shot)
        _draw(picture, case, shot).save(folder / f"{case.file}.jpg", quality=80, optimize=True)
    return len(CASES)


def _resized(image: Image.Image, how: str, shot: Shot) -> Image.Image:
    """The scene's picture WIDTH px wide; with as much background as its boxes think there is."""
    if how == "widened":
        border = np.asarray(image)[:4].reshape(-1, 3).mean(axis=0).round().astype(int)
        x, y = ((a - b) // 2 for a, b in zip(map(int, shot.size), image.size, strict=True))
        wide = Image.new("RGB", (int(shot.size[0]), int(shot.size[1])), tuple(border.tolist()))
        wide.paste(image, (x, y))
        image = wide
    return image.resize(
        (WIDTH, round(WIDTH * image.height / image.width)), Image.Resampling.LANCZOS
    )


def _draw(picture: Image.Image, case: Case, shot: Shot) -> Image.Image:
    of = {name: packs(suffix)[shot.domain] for name, suffix in (("ours", ""), ("paper", "@paper"))}
    answers = {name: judge(pack, shot) for name, pack in of.items()}
    told = answers["ours" if case.flavour == "ours" else "paper"]
    factor, font = WIDTH / shot.size[0], ImageFont.load_default(size=12)
    pointed: dict[int, list[str]] = {}
    for rule in case.rules.split():
        for box in told.witness[rule]:
            pointed.setdefault(box, []).append(rule)
    for index, (_, place) in enumerate(shot.parts):
        if index not in pointed:
            ImageDraw.Draw(picture).rectangle([value * factor for value in place], outline=GOOD)
    for index, rules in pointed.items():
        part, place = shot.parts[index]
        label = f"{part.partition('.')[2]} {' '.join(rules)}"
        tag_box(picture, list(place), factor, BAD, label, font)
    return _panel(picture, _lines(case, shot, answers, of), font)


def _lines(case: Case, shot: Shot, answers: dict[str, Answer], of: dict[str, Pack]) -> list[str]:
    """What both flavours say."""
    size = " x ".join(f"{side:g}" for side in shot.size)
    lines = [f"{shot.domain}, {shot.view.replace('_', ' ')} view, {size} px: {shot.caption}"]
    flavour = "ours" if case.flavour == "ours" else "paper"
    told = answers[flavour]
    for rule in of[flavour].rules:
        if rule.id in case.rules.split():
            how = "kept, by nothing" if case.flavour == "neither" else "broken"
            numbers = _numbers(told, rule.id, rule.bound)
            lines.append(f"{NAMES[flavour]} {rule.id} {how}: {rule.says}{numbers}")
    for other in NAMES:
        if other != flavour or case.flavour == "neither":
            broken = " ".join(answers[other].broken) or "nothing"
            lines.append(f"{NAMES[other]}: {broken} broken, S_rules {answers[other].s_rules:.1f}")
    return lines


def _numbers(answer: Answer, rule: str, bound: str) -> str:
    value = answer.measured[rule]
    return "" if math.isnan(value) or not bound else f" (measured {value:.3g}, bound {bound})"


def _panel(picture: Image.Image, lines: Sequence[str], font: Any) -> Image.Image:
    """The picture with lines of text below."""
    wrapped = [part for line in lines for part in wrap(line, font, WIDTH - 2 * MARGIN)]
    height = picture.height + LINE * len(wrapped) + 2 * MARGIN
    sheet = Image.new("RGB", (WIDTH, height), (250, 250, 250))
    sheet.paste(picture, (0, 0))
    draw = ImageDraw.Draw(sheet)
    for number, line in enumerate(wrapped):
        place = (MARGIN, picture.height + MARGIN + number * LINE)
        draw.text(place, line, (20, 20, 20), font)
    return sheet
