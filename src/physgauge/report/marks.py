"""Where the judge found something, drawn into a picture: a box for each find that has one, its label
where it covers no other."""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageDraw, ImageFont

from physgauge import wire

MAJOR: Final = (160, 45, 190)
MINOR: Final = (205, 125, 10)
UNGRADED: Final = (90, 90, 160)
COLOURS: Final = {"major": MAJOR, "minor": MINOR, None: UNGRADED}
MOST: Final = 6
"""Boxes drawn, the surest finds first; all are in the panel."""
HEIGHT: Final = 15
"""Of a label, px."""
Font = ImageFont.ImageFont | ImageFont.FreeTypeFont
Place = tuple[float, float, float, float]


def mark(picture: Image.Image, terravis: wire.TerraVis, factor: float, font: Font) -> None:
    """Draw the finds of a row.

    Args:
        picture: enlarged by `factor`; changed.
        terravis: the row's part.
        factor: px of the picture per px of the image.
        font: of the labels.
    """
    taken: list[Place] = []
    pen = ImageDraw.Draw(picture)
    found = [(name, a) for name, a in terravis.answers.items() if a.answer and a.box is not None]
    found.sort(key=lambda one: -(one[1].p_yes if one[1].p_yes is not None else 1.0))
    for _, answer in reversed(found[:MOST]):  # the surest on top
        x0, y0, x1, y1 = (v * factor for v in answer.box or ())
        _dashed(pen, (x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), COLOURS[answer.severity])
    for name, answer in found[:MOST]:
        x0, _, _, y1 = (v * factor for v in answer.box or ())
        words = f"{name.replace('_', ' ')} ({answer.severity or 'not graded'})"
        width = font.getlength(words) + 4
        place = _free(x0, y1, width, picture.size, taken)
        taken.append(place)
        pen.rectangle(place, fill=COLOURS[answer.severity])
        pen.text((place[0] + 2, place[1]), words, (255, 255, 255), font)


def _dashed(pen: ImageDraw.ImageDraw, box: Place, colour: tuple[int, int, int]) -> None:
    """A dashed outline, unlike that of a part."""
    x0, y0, x1, y1 = box
    for ax, ay, bx, by in ((x0, y0, x1, y0), (x1, y0, x1, y1), (x0, y1, x1, y1), (x0, y0, x0, y1)):
        length = max(abs(bx - ax), abs(by - ay), 1.0)
        for start in range(0, int(length), 12):
            a, b = start / length, min(start + 8, length) / length
            line = (ax + (bx - ax) * a, ay + (by - ay) * a, ax + (bx - ax) * b, ay + (by - ay) * b)
            pen.line(line, fill=colour, width=3)


def _free(x: float, foot: float, width: float, size: tuple[int, int], taken: list[Place]) -> Place:
    """Where a label goes: at its box's foot, else the nearest place above that covers no other."""
    left = max(0.0, min(x, size[0] - width))
    top = max(0.0, min(foot - HEIGHT, size[1] - HEIGHT))
    tops = [top, *(t for k in range(1, 40) for t in (top - k * HEIGHT, top + k * HEIGHT))]
    for one in tops:
        place = (left, one, left + width, one + HEIGHT)
        inside = 0 <= one <= size[1] - HEIGHT
        if inside and not any(_overlap(place, other) for other in taken):
            return place
    return (left, top, left + width, top + HEIGHT)


def _overlap(a: Place, b: Place) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
