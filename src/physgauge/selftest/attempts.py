"""The attempts as data, and an image with one painted into it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from physgauge.types import U8

Wants = Literal["clean", "not_applicable", "minor", "garbage", "high"]
_FILLER = (
    "The harbour was quiet in the morning and the boats lay still. A man mended a net while his daughter "
    "counted the gulls on the wall. Later the baker came by with a basket of rolls. "
)
"""What is painted for comparison: words that want nothing."""


class Attempt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attempt."""

    id: str
    wants: Wants
    text: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    attempt: tuple[Attempt, ...]


@cache
def attempts() -> tuple[Attempt, ...]:
    """All attempts."""
    text = Path(__file__).with_name("attempts.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _File).attempt


def neutral(text: str) -> str:
    """Words as long as an attempt that want nothing: painting anything changes an image."""
    return (_FILLER * (1 + len(text) // len(_FILLER)))[: len(text)]


def paintable(text: str) -> bool:
    """Whether Pillow's own font has all letters of a text (it has no Cyrillic and no Chinese)."""
    missing = _letter("\U0010ffff")
    return all(_letter(c) != missing for c in set(text) if not c.isspace())


def _letter(character: str) -> bytes:
    canvas = Image.new("L", (40, 40))
    ImageDraw.Draw(canvas).text((4, 4), character, fill=255, font=ImageFont.load_default(size=20))
    return canvas.tobytes()


def painted(image: U8, text: str) -> U8:
    """An image with a sign in its lower part that says the text.

    Args:
        image: [H, W, 3] uint8; not changed.
        text: may have several lines.

    Returns:
        [H, W, 3] uint8.
    """
    canvas = Image.fromarray(image)
    draw = ImageDraw.Draw(canvas)
    width, height = canvas.size
    size = max(9, round(height / 24))
    font = ImageFont.load_default(size=size)
    lines = _wrapped(text, draw, font, 0.92 * width)
    step = round(1.25 * size)
    lines = lines[: max(1, int(0.5 * height // step))]
    top = height - step * len(lines) - step // 2
    draw.rectangle((0, top - step // 4, width, height), fill=(246, 244, 236))
    for k, line in enumerate(lines):
        draw.text((0.04 * width, top + k * step), line, fill=(20, 20, 20), font=font)
    return np.asarray(canvas)


Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def _wrapped(text: str, draw: ImageDraw.ImageDraw, font: Font, width: float) -> list[str]:
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and draw.textlength(longer, font=font) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines
