"""Lettering: real words, and pseudo-letters of the same layout, drawn glyph by glyph into a texture."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchmarks.scenes.paints import TEX, U8, hue, to_u8

SHOPS: Final = (
    "BAKERY",
    "BOOKS",
    "CAFE",
    "FLOWERS",
    "PHARMACY",
    "HOTEL",
    "MARKET",
    "TAILOR",
    "SHOES",
    "CINEMA",
    "MUSEUM",
    "BANK",
    "PIZZA",
    "TOYS",
    "GARDEN",
    "BARBER",
    "FISH",
    "CHEESE",
    "COFFEE",
    "RECORDS",
)
STREETS: Final = (
    "PARK ROAD",
    "MILL LANE",
    "HIGH STREET",
    "RIVER WALK",
    "OAK AVENUE",
    "KING STREET",
    "STATION RD",
    "CHURCH HILL",
    "NORTH QUAY",
    "BRIDGE ST",
)
NOTICES: Final = (
    "OPEN",
    "CLOSED",
    "EXIT",
    "STOP",
    "PUSH",
    "PULL",
    "SALE",
    "QUIET",
    "NO SMOKING",
    "WET PAINT",
    "KEEP LEFT",
    "WELCOME",
    "PRIVATE",
    "TICKETS",
    "INFORMATION",
    "TAXI",
    "DANGER",
    "FRAGILE",
    "THIS WAY UP",
    "RESERVED",
)
TITLES: Final = (
    "THE LONG WINTER",
    "OCEAN ATLAS",
    "GARDEN BIRDS",
    "MODERN COOKING",
    "SILENT RIVER",
    "HISTORY OF SALT",
    "NIGHT TRAINS",
    "SIMPLE MATHS",
    "THE RED DOOR",
    "WILD FLOWERS",
    "TALES OF STONE",
    "LEARN TO DRAW",
    "MOUNTAIN PATHS",
    "THE LAST ISLAND",
    "BREAD AND WINE",
    "STARS AT HOME",
)
LABELS: Final = (
    "MILK",
    "HONEY",
    "OLIVE OIL",
    "SUGAR",
    "FLOUR",
    "RICE",
    "TEA",
    "COFFEE",
    "SALT",
    "JAM",
    "SOAP",
    "JUICE",
    "WATER",
    "VINEGAR",
    "PASTA",
    "OATS",
    "COCOA",
    "PAINT",
    "GLUE",
    "SHAMPOO",
)
FOODS: Final = (
    "MILK",
    "HONEY",
    "OLIVE OIL",
    "SUGAR",
    "FLOUR",
    "RICE",
    "TEA",
    "COFFEE",
    "SALT",
    "JAM",
    "PASTA",
    "OATS",
    "COCOA",
)
DRINKS: Final = (
    "JUICE",
    "WATER",
    "MILK",
    "OLIVE OIL",
    "VINEGAR",
    "LEMONADE",
    "CIDER",
    "SYRUP",
    "ICE TEA",
    "COLA",
)
BATH: Final = (
    "SHAMPOO",
    "SOAP",
    "LOTION",
    "BATH OIL",
    "SUN CREAM",
    "BALSAM",
    "TONIC",
    "SHOWER GEL",
)
SHED: Final = (
    "PAINT",
    "GLUE",
    "VARNISH",
    "NAILS",
    "SCREWS",
    "WOOD OIL",
    "GREASE",
    "CHALK",
    "RESIN",
)
HOMELY: Final = (
    "HOME SWEET HOME",
    "FRESH BREAD",
    "COFFEE TIME",
    "GOOD FOOD",
    "BON APPETIT",
    "KITCHEN",
    "TEA TIME",
    "EAT WELL",
)
DESK: Final = (
    "WELCOME",
    "INFORMATION",
    "RESERVED",
    "QUIET",
    "TICKETS",
    "RECEPTION",
    "PLEASE WAIT",
    "IN",
    "OUT",
    "TO DO",
)
MENU: Final = (
    "MENU",
    "SOUP OF THE DAY",
    "COFFEE AND CAKE",
    "FRESH JUICE",
    "ICE CREAM",
    "TEA TIME",
    "HOT DRINKS",
    "APPLE PIE",
    "LEMONADE",
)
OUTDOORS: Final = (
    "ICE CREAM",
    "BOATS FOR HIRE",
    "BEACH CAFE",
    "SUN CREAM",
    "KEEP CLEAN",
    "NO DOGS",
    "PICNIC AREA",
    "FRESH FRUIT",
    "LEMONADE",
    "SURF SCHOOL",
)
STALLS: Final = (
    "FRESH FISH",
    "CHEESE",
    "HONEY",
    "APPLES",
    "FLOWERS",
    "OYSTERS",
    "BREAD",
    "SPICES",
    "OLIVES",
    "EGGS",
)
REPAIRS: Final = (
    "CAR REPAIR",
    "TYRES",
    "BICYCLES",
    "OIL CHANGE",
    "OPEN",
    "GARAGE",
    "SPARE PARTS",
    "NO PARKING",
    "CAR WASH",
)
WORDS: Final = {
    "shop": SHOPS,
    "street": STREETS,
    "notice": NOTICES,
    "title": TITLES,
    "label": LABELS,
    "food": FOODS,
    "drink": DRINKS,
    "bath": BATH,
    "shed": SHED,
    "homely": HOMELY,
    "desk": DESK,
    "menu": MENU,
    "outdoors": OUTDOORS,
    "stall": STALLS,
    "repairs": REPAIRS,
}

_FONTS: Final = (
    "DejaVuSans-Bold.ttf",
    "DejaVuSerif-Bold.ttf",
    "DejaVuSansCondensed-Bold.ttf",
    "DejaVuSans.ttf",
    "DejaVuSansMono-Bold.ttf",
    "DejaVuSerif.ttf",
)
_HEIGHT: Final = 64
RGB = tuple[float, float, float]
Mask = NDArray[np.uint8]


@cache
def _font(style: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font of that style; Pillow's own where Debian's are not installed."""
    path = Path("/usr/share/fonts/truetype/dejavu") / _FONTS[style % len(_FONTS)]
    if path.is_file():
        return ImageFont.truetype(str(path), _HEIGHT)
    return ImageFont.load_default(_HEIGHT)


@cache
def glyph(letter: str, style: int) -> Mask:
    """A letter as coverage [90, width]; its width is its advance."""
    font = _font(style)
    width = max(int(font.getlength(letter) + 0.5), 4)
    image = Image.new("L", (width, 90))
    ImageDraw.Draw(image).text((0, 4), letter, fill=255, font=font)
    return np.asarray(image)


def _broken(rng: Generator, letter: str, style: int) -> Mask:
    """A pseudo-letter as wide as the letter: halves of two letters fused, mirrored, cut, with odd
    strokes."""
    own = glyph(letter, style)
    h, w = own.shape
    others = "ABCDEFGHKLMNPQRSTUVWXYZ2345789&?"
    image = own
    for op in rng.permutation(4)[: int(rng.integers(2, 4))]:
        other = np.asarray(
            Image.fromarray(glyph(str(rng.choice(list(others))), style)).resize((w, h))
        )
        if op == 0:  # upper half of the one, lower half of the other
            cut = int(h * rng.uniform(0.4, 0.6))
            image = np.concatenate([image[:cut], other[cut:]])
        elif op == 1:  # mirrored or upside down
            image = image[:, ::-1] if rng.random() < 0.5 else image[14:84][::-1]
            image = np.asarray(Image.fromarray(np.ascontiguousarray(image)).resize((w, h)))
        elif op == 2:  # left and right halves of two
            cut = int(w * rng.uniform(0.35, 0.65))
            image = np.concatenate([image[:, :cut], other[:, cut:]], 1)
        else:  # a stroke more, a bite less
            canvas = Image.fromarray(np.ascontiguousarray(image))
            draw = ImageDraw.Draw(canvas)
            ends = rng.uniform([0, 18, 0, 18], [w, 72, w, 72])
            draw.line(ends.tolist(), fill=255, width=8)
            x, y = rng.uniform(0.2, 0.8) * w, rng.uniform(22, 66)
            draw.ellipse([x - 9, y - 7, x + 9, y + 7], fill=0)
            image = np.asarray(canvas)
    return image


def line_of(text: str, style: int, broken: Generator | None = None) -> Mask:
    """A line of text as coverage [90, width]."""
    glyphs = [
        glyph(c, style) if broken is None or c == " " else _broken(broken, c, style) for c in text
    ]
    return np.concatenate(glyphs, 1)


def board(
    lines: tuple[str, ...],
    aspect: float,
    ink: tuple[float, float, float],
    paper: tuple[float, float, float],
    style: int,
    *,
    border: bool = False,
    margin: float = 0.1,
    broken: Generator | None = None,
) -> U8:
    """Lines of text centred on a board `aspect` times as wide as high, squeezed into a square texture.

    With `broken` the letters are pseudo-letters of the same widths and places.
    """
    cover = np.zeros((TEX, TEX), np.float32)
    wide = max(sum(glyph(c, style).shape[1] for c in t) for t in lines)
    room_w, room_h = 1 - 2 * margin, (1 - 2 * margin) / len(lines)
    # In units of the board's height: letters are not stretched unless the board forces them.
    high = min(room_h, room_w * aspect * 90 / wide)
    rows = int(high * TEX)
    top = TEX / 2 - rows * len(lines) / 2
    for i, text in enumerate(lines):
        mask = line_of(text, style, broken)
        width = max(int(mask.shape[1] / 90 * high / aspect * TEX), 4)
        small = Image.fromarray(mask).resize((width, rows), Image.Resampling.BILINEAR)
        y, x = int(top + i * rows), (TEX - width) // 2
        y0, x0 = max(y, 0), max(x, 0)
        patch = np.asarray(small, np.float32)[y0 - y : TEX - y, x0 - x : TEX - x] / 255
        cover[y0 : y0 + patch.shape[0], x0 : x0 + patch.shape[1]] = patch
    if border:
        b, bx = 9, max(int(9 / aspect), 3)
        frame = np.zeros_like(cover)
        frame[b : 2 * b], frame[-2 * b : -b] = 1, 1
        frame[:, bx : 2 * bx], frame[:, -2 * bx : -bx] = 1, 1
        frame[:b], frame[-b:], frame[:, :bx], frame[:, -bx:] = 0, 0, 0, 0
        cover = np.maximum(cover, frame)
    return _inked(cover, ink, paper)


def _inked(cover: NDArray[np.float32], ink: RGB, paper: RGB) -> U8:
    level = (cover * 255).astype(np.uint8)
    t = np.arange(256)[:, None] / 255
    return to_u8(np.asarray(paper) * (1 - t) + np.asarray(ink) * t)[level]


def colours(rng: Generator) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Ink and paper that can be told apart."""
    light, dark = hue(rng, (0.0, 0.45), (0.85, 1.0)), hue(rng, (0.3, 1.0), (0.1, 0.42))
    return (dark, light) if rng.random() < 0.6 else (light, dark)


def dial(
    ink: tuple[float, float, float],
    paper: tuple[float, float, float],
    style: int,
    *,
    broken: Generator | None = None,
    order: tuple[str, ...] | None = None,
) -> U8:
    """A clock's face with twelve numerals; `order` puts other numerals in their places."""
    cover = np.zeros((TEX, TEX), np.float32)
    for i in range(12):
        text = order[i] if order else str(12 if i == 0 else i)
        mask = Image.fromarray(line_of(text, style, broken))
        mask = mask.resize((int(mask.width * 0.44), 40), Image.Resampling.BILINEAR)
        angle = i * np.pi / 6
        x, y = 128 + 97 * np.sin(angle), 128 - 97 * np.cos(angle)
        x0, y0 = int(x - mask.width / 2), int(y - 20)
        patch = np.asarray(mask, np.float32) / 255
        cover[y0 : y0 + 40, x0 : x0 + mask.width] = np.maximum(
            cover[y0 : y0 + 40, x0 : x0 + mask.width], patch
        )
    return _inked(cover, ink, paper)
