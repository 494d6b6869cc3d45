"""Annotated pictures: part boxes, red where they break a rule; dashed boxes where the judge found
something (`marks.py`); and all of it in words below."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from physgauge import wire
from physgauge.report.marks import mark
from physgauge.types import U8

GOOD = (40, 170, 80)
BAD = (215, 40, 40)
ASIDE = (130, 130, 130)
"""Of parts of a subject that the row is not about."""
MARGIN = 6
Font = ImageFont.ImageFont | ImageFont.FreeTypeFont
MIN_WIDTH = 480
"""Small pictures are enlarged to at least this width (px), so that the words fit."""


def annotate(rgb: U8, row: wire.Row) -> Image.Image:
    """The picture with its boxes and a panel of findings below it.

    Args:
        rgb: [H, W, 3] the decoded image.
        row: its result row.
    """
    picture, factor, font = canvas(rgb)
    lines = findings(row)
    wrapped = [line for text in lines for line in wrap(text, font, picture.width - 2 * MARGIN)]
    line_height = 17
    panel = line_height * len(wrapped) + 2 * MARGIN
    sheet = Image.new("RGB", (picture.width, picture.height + panel), (250, 250, 250))
    sheet.paste(picture, (0, 0))
    draw = ImageDraw.Draw(sheet)
    guilty = {box for rule in row.pcmde.rules if rule.status == "violated" for box in rule.boxes}
    aside = {i for subject in row.pcmde.subjects[1:] for i in subject.parts}
    for index, found in enumerate(row.detections):
        label = f"{found.label.rpartition('.')[2]} {found.score:.2f}"
        colour = BAD if index in guilty else ASIDE if index in aside else GOOD
        tag_box(sheet, found.box, factor, colour, label, font)
    mark(sheet, row.terravis, factor, font)
    for number, line in enumerate(wrapped):
        draw.text(
            (MARGIN, picture.height + MARGIN + number * line_height), line, (20, 20, 20), font
        )
    return sheet


def canvas(rgb: U8) -> tuple[Image.Image, int, Font]:
    """The picture [H, W, 3], enlarged where it is small, by what factor, and the font for its labels."""
    height, width = rgb.shape[:2]
    factor = max(1, -(-MIN_WIDTH // width))
    picture = Image.fromarray(np.ascontiguousarray(rgb)).resize((width * factor, height * factor))
    return picture, factor, ImageFont.load_default(size=13)


def findings(row: wire.Row) -> list[str]:
    """What the panel says: the verdict, then each violated rule and specification finding; then what the
    judge found, if one looked."""
    pcmde = row.pcmde
    if row.error is not None:
        return [f"error: {row.error}"]
    if pcmde.s_final is None:
        head = f"{pcmde.verdict or pcmde.status}: {pcmde.reason or ''}".rstrip(": ")
    else:
        head = f"{pcmde.verdict}  S_final {pcmde.s_final:.1f}"
        if pcmde.s_rules is not None and pcmde.s_llm is not None:
            head += f"  (S_rules {pcmde.s_rules:.1f}, S_llm {pcmde.s_llm:.1f})"
    kind = " ".join(filter(None, [pcmde.domain, pcmde.subtype, pcmde.view]))
    lines = [f"{head}   {kind}".rstrip()]
    if pcmde.status == "skipped" and row.terravis.status != "skipped":
        return _terravis(row.terravis)
    if pcmde.subjects:
        lines[0] += f"   (the worst of {len(pcmde.subjects)} subjects)"
    for rule in pcmde.rules:
        if rule.status == "violated":
            lines.append(f"{rule.id} violated: {rule.says}{_measured(rule)}")
    lines += [f"specification: {sentence}" for sentence in pcmde.diagnostics.specification]
    return [*lines, *_terravis(row.terravis)]


def _terravis(terravis: wire.TerraVis) -> list[str]:
    if terravis.status == "skipped":
        return []
    if terravis.score is None:
        lines = [f"TerraVis {terravis.status}: {terravis.reason or ''}".rstrip(": ")]
    else:
        soft = terravis.score_soft
        lines = [
            f"TerraVis {terravis.score:.3f}"
            + (f"  (expected {soft:.3f})" if soft is not None else "")
        ]
    for probe, answer in terravis.answers.items():
        if answer.answer:
            said = ", ".join([*answer.objects, *([answer.evidence] if answer.evidence else [])])
            grade = answer.severity or "not graded"
            lines.append(f"{probe.replace('_', ' ')} ({grade}): {said}".rstrip(": "))
    return lines


def _measured(rule: wire.RuleResult) -> str:
    if rule.measured is None:
        return ""
    bound = f", bound {rule.bound}" if rule.bound else ""
    return f" (measured {rule.measured:.3g}{bound})"


def wrap(text: str, font: Font, width: float) -> list[str]:
    """Break `text` at spaces into lines of at most `width` px; a longer word stands alone."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        longer = f"{current} {word}".lstrip()
        if current and font.getlength(longer) > width:
            lines.append(current)
            current = word
        else:
            current = longer
    return [*lines, current] if current else lines


def tag_box(
    picture: Image.Image,
    box: list[float],
    factor: float,
    colour: tuple[int, int, int],
    label: str,
    font: Font,
) -> None:
    """Draw a box (x0, y0, x1, y1 px before enlarging by `factor`) and its label into the picture."""
    draw = ImageDraw.Draw(picture)
    x0, y0, x1, y1 = (value * factor for value in box)
    draw.rectangle((x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)), outline=colour, width=2)
    top = y0 - 15 if y0 >= 15 else y0
    draw.rectangle((x0, top, x0 + font.getlength(label) + 4, top + 15), fill=colour)
    draw.text((x0 + 2, top), label, (255, 255, 255), font)


def save(rgb: U8, row: wire.Row, folder: Path, number: int) -> Path:
    """Write the annotated picture as ``NNNNNN-NAME.jpg`` in `folder`; returns the path."""
    stem = "".join(c if c.isalnum() or c in "-_." else "_" for c in Path(row.image_id).stem)[:80]
    path = folder / f"{number:06d}-{stem}.jpg"
    annotate(rgb, row).save(path, quality=90)
    return path
