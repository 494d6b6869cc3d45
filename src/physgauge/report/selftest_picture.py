"""A judge's self-test as a picture: calibration beside AUROC and recall by category."""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageDraw, ImageFont

from physgauge.selftest.result import Measure, Report

INK, FAINT, BLUE, GREY, RED = (
    (30, 30, 30),
    (210, 210, 210),
    (45, 105, 180),
    (150, 160, 175),
    (200, 60, 50),
)
SIDE: Final = 320
"""Of the calibration plot, px."""
MARGIN: Final = 56
BAR: Final = 150
LINE: Final = 26
LABEL: Final = 176


def draw(report: Report) -> Image.Image:
    """The picture."""
    height = max(SIDE + 3 * MARGIN, MARGIN * 2 + LINE * (len(report.categories) + 1))
    sheet = Image.new("RGB", (SIDE + 3 * MARGIN + LABEL + 2 * (BAR + 70), height), (255, 255, 255))
    pen = ImageDraw.Draw(sheet)
    small, large = ImageFont.load_default(size=12), ImageFont.load_default(size=15)
    head = f"{report.judge[:80]}: {report.pairs} pairs, {report.others} other pictures"
    pen.text((MARGIN, 14), head, INK, large)
    _calibration(pen, report, small)
    _bars(pen, report, small)
    return sheet


def _calibration(
    pen: ImageDraw.ImageDraw, report: Report, font: ImageFont.FreeTypeFont | ImageFont.ImageFont
) -> None:
    left, top = MARGIN, MARGIN
    foot = top + SIDE
    pen.rectangle((left, top, left + SIDE, foot), outline=INK)
    pen.line((left, foot, left + SIDE, top), fill=FAINT, width=2)
    most = max((one.answers for one in report.reliability), default=1)
    points = []
    for one in report.reliability:
        if one.said is None or one.true is None:
            continue
        x, y = left + one.said * SIDE, foot - one.true * SIDE
        radius = 3 + 9 * (one.answers / most) ** 0.5
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=BLUE)
        points.append((x, y))
    pen.line(points, fill=BLUE, width=2)
    for tick in (0.0, 0.5, 1.0):
        pen.text((left + tick * SIDE - 8, foot + 6), f"{tick:.1f}", INK, font)
        pen.text((left - 28, foot - tick * SIDE - 7), f"{tick:.1f}", INK, font)
    error = "undefined" if report.ece.value is None else f"{report.ece.value:.3f}"
    pen.text(
        (left, foot + 26), f"P(yes) said, and share that is violated; error {error}", INK, font
    )
    pen.text((left, foot + 44), "the larger a dot, the more answers", INK, font)


def _bars(
    pen: ImageDraw.ImageDraw, report: Report, font: ImageFont.FreeTypeFont | ImageFont.ImageFont
) -> None:
    left = SIDE + 2 * MARGIN
    columns = (
        (left + LABEL, "auroc", "AUROC"),
        (left + LABEL + BAR + 70, "recall", "recall (grey: precision)"),
    )
    for x, _, title in columns:
        pen.text((x, MARGIN - 18), title, INK, font)
    for row, (name, one) in enumerate(report.categories.items()):
        y = MARGIN + row * LINE
        pen.text((left, y + 3), name.replace("_", " ")[:28], INK, font)
        for x, field, _ in columns:
            measure: Measure = getattr(one, field)
            if field == "recall":
                _bar(pen, x, y + 11, one.precision, GREY, font, words=False)
            bad = field == "auroc" and measure.value is not None and measure.value < 0.7
            _bar(pen, x, y, measure, RED if bad else BLUE, font)
    x, foot = columns[0][0] + BAR // 2, MARGIN + LINE * len(report.categories)
    pen.line((x, MARGIN, x, foot), fill=FAINT)
    pen.text((x - 60, foot + 4), "the line is a coin", INK, font)


def _bar(
    pen: ImageDraw.ImageDraw,
    x: int,
    y: int,
    measure: Measure,
    colour: tuple[int, int, int],
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    words: bool = True,
) -> None:
    if measure.value is None:
        pen.text((x, y), "-", INK, font)
        return
    thick = 12 if words else 5
    pen.rectangle((x, y + 3, x + max(1.0, measure.value * BAR), y + 3 + thick), fill=colour)
    if measure.ci is not None and words:
        a, b = (x + v * BAR for v in measure.ci)
        pen.line((a, y + 9, b, y + 9), fill=INK, width=1)
    if words:
        pen.text((x + BAR + 8, y + 2), f"{measure.value:.2f}", INK, font)
